#include "passes/tile/simplify.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "ir/walk.h"
#include "simulate/interpreter.h"
#include "unit/passes/pass_run.h"

namespace tl::testing {
namespace {

/// Arrays and scalars for the parameters of a function; every symbol is 128.
struct Arguments {
  std::vector<std::vector<uint8_t>> memory;
  std::vector<Arg> args;

  Arguments(const Function& function, std::mt19937_64& random) {
    for (const Param& param : function.params) {
      if (const auto* var = std::get_if<Var>(&param)) {
        args.emplace_back(Scalar::of_int(var->dtype(), static_cast<int64_t>(random() % 7)));
        continue;
      }
      const BufferNode& buffer = *std::get<Buffer>(param);
      Substitution sizes;
      for (const Var& symbol : function.symbols) sizes.vars[symbol.get()] = make_int(symbol.dtype(), 128);
      TensorArg tensor{nullptr, buffer.dtype, {}, {}};
      int64_t count = 1;
      for (const Expr& extent : buffer.shape) tensor.shape.push_back(as_int(substitute(extent, sizes)).value());
      tensor.strides.resize(tensor.shape.size());
      for (size_t i = tensor.shape.size(); i-- > 0; count *= tensor.shape[i]) tensor.strides[i] = count;
      fill(buffer.dtype, count, random);
      tensor.data = memory.back().data();
      args.emplace_back(tensor);
    }
  }

 private:
  /// Small numbers of either sign, so that conditions on memory go both ways.
  void fill(DType t, int64_t count, std::mt19937_64& random) {
    std::vector<uint8_t>& bytes = memory.emplace_back();
    for (int64_t i = 0; i < count; ++i) {
      const uint64_t bits = Scalar::of_int(t, static_cast<int64_t>(random() % 5) - 2).to_bits();
      for (int64_t b = 0; b < t.bytes(); ++b) bytes.push_back(static_cast<uint8_t>(bits >> (8 * b)));
    }
  }
};

std::vector<std::vector<uint8_t>> results(const Function& function, uint64_t seed) {
  std::mt19937_64 random(seed);
  Arguments arguments(function, random);
  interpret(function, arguments.args, {.check = false});
  return arguments.memory;
}

TEST(Simplify, EveryTextProgramKeepsItsResults) {
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(TL_TESTS_DIR) + "/ir")) {
    if (entry.path().extension() != ".tl") continue;
    std::ifstream file(entry.path());
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (text.find("# error:") != std::string::npos || text.find("extern") != std::string::npos) continue;
    if (text.find("at=") != std::string::npos) continue;  // a random address is nobody's memory
    const std::string program = text.substr(0, text.find("\n# output:"));
    const auto before = parse_function(program);
    const PassRun after = run_pass(simplify_function, program);
    for (uint64_t seed = 0; seed < 4; ++seed) {
      try {
        const auto wanted = results(*before, seed);
        EXPECT_EQ(wanted, results(*after.function, seed)) << entry.path() << "\n" << after.text();
      } catch (const CompileError&) {
        continue;  // arguments that an assumption or assertion of the program refuses
      }
      ++programs;
    }
  }
  EXPECT_GE(programs, 30);
}

TEST(Simplify, AgainChangesNothing) {
  const std::string once = run_pass(simplify_function, R"(func @f symbols [%n: int32] params [%A: global float32[%n]] {
  launch [%b: int32], [-floordiv(-%n, 8)], threads=[8] {
    parallel [%i: int32], [8] {
      bind %at: int32, %b * 8 + %i
      if 0 <= %at && %at < %n {
        store %A, [%at], %A[%at] * 1.0
      }
    }
  }
}
)")
                               .text();
  EXPECT_EQ(run_pass(simplify_function, once).text(), once);
}

TEST(Simplify, SchedulesKeepTheirStructure) {
  const std::string text = R"(func @f params [%A: global float32[8]] {
  for %i: int32, 0, 1 slot(threads, 0, 0) {
    store %A, [%i], 1.0:float32
  }
}
)";
  EXPECT_EQ(run_pass(simplify_function, text).text(),
            "func @f params [%A: global float32[8]] {\n  for %i: int32, 0, 1 slot(threads, 0, 0) {\n"
            "    store %A, [0], 1.0:float32\n  }\n}\n");
}

}  // namespace
}  // namespace tl::testing
