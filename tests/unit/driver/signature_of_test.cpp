#include "driver/signature_of.h"

#include <gtest/gtest.h>

#include "ir/text.h"
#include "support/diagnostic.h"

namespace tl {
namespace {

FunctionSignature signature(const std::string& head) {
  return signature_of(*parse_function("func @f " + head + " {}"));
}

/// "n <- A.extent1, B.stride0; m <- (A.extent0 - 1) / 2" for the bindings, in order.
std::string bindings(const FunctionSignature& f) {
  static constexpr const char* kFields[] = {"extent", "stride", "scalar", "address"};
  std::string out;
  for (const SlotBinding& b : f.signature.bindings) {
    out += (out.empty() ? "" : "; ") + f.signature.slot_names[b.slot] + " <-";
    for (const SlotSource& s : b.sources) {
      out += " " + f.signature.params[s.field.param].name + "." + kFields[static_cast<int>(s.field.kind)];
      if (s.field.kind != ArgumentField::Kind::kScalar) out += std::to_string(s.field.axis);
      const bool alone = s.scale.as_constant() == 1 && s.offset.as_constant() == 0;
      if (!alone) out += "=" + s.scale.text() + " * it + " + s.offset.text();
    }
  }
  return out;
}

TEST(SignatureOf, SymbolsAloneAreBoundWhereverTheyStand) {
  const auto f = signature(
      "symbols [%n: int32, %s: int32] params [%A: global float32[4, %n], %B: global float32[%n, 8] strides [%s, 1]]");
  EXPECT_EQ(bindings(f), "n <- A.extent1 B.extent0; s <- B.stride0");
  EXPECT_EQ(f.signature.params[1].shape[0].text, "n");
  EXPECT_EQ(f.signature.params[1].shape[1].text, "");
  const std::vector<int64_t> slots = {7, 9};
  EXPECT_EQ(f.signature.params[1].shape[0].value.evaluate(slots), 7);
  EXPECT_EQ(f.signature.params[1].strides[0].value.evaluate(slots), 9);
  EXPECT_TRUE(f.signature.params[0].strides.empty());
}

TEST(SignatureOf, LinearExtentsAreSolvedInTheOrderOfWhatIsKnown) {
  const auto f = signature(
      "symbols [%m: int32, %n: int32] params [%A: global float32[%m * 2 + %n], %B: global float32[%n * 4 + 1]]");
  EXPECT_EQ(bindings(f), "n <- B.extent0=4 * it + 1; m <- A.extent0=2 * it + $0");
  f.signature.verify();
}

TEST(SignatureOf, ScalarsHaveSlots) {
  const auto f = signature("params [%n: int32, %x: float32, %b: bool, %A: global float32[%n]]");
  EXPECT_EQ(bindings(f), "n <- n.scalar; b <- b.scalar");
  EXPECT_EQ(f.signature.params[1].kind, ParamKind::kScalar);
  EXPECT_EQ(f.signature.params[3].shape[0].value.as_slot(), 0);
}

TEST(SignatureOf, OutputsTellNothing) {
  const auto f = signature("symbols [%n: int32] params [%O: global float32[%n], %A: global float32[%n]] outputs [0]");
  EXPECT_EQ(bindings(f), "n <- A.extent0");
  EXPECT_TRUE(f.signature.params[0].output);
  EXPECT_THROW(signature("symbols [%n: int32] params [%O: global float32[%n]] outputs [0]"), CompileError);
}

TEST(SignatureOf, ASymbolThatNothingDeterminesIsAnError) {
  try {
    signature("symbols [%n: int32] params [%A: global float32[floordiv(%n, 2)]]");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const CompileError& e) {
    EXPECT_EQ(e.diagnostics()[0].code, 104);
    EXPECT_NE(std::string(e.what()).find("symbolic dimension `n`"), std::string::npos) << e.what();
  }
}

TEST(SignatureOf, AddressesHaveSlotsWhereTheyAreAskedFor) {
  auto f = signature("symbols [%n: int32] params [%A: global float32[%n], %p: handle, %C: global float32[4]]");
  f.signature.params[2].output = true;
  EXPECT_EQ(f.signature.slot_names.size(), 1u);
  const int c = f.address_slot(2), p = f.address_slot(1);
  EXPECT_EQ(c, 1);
  EXPECT_EQ(f.address_slot(2), c);
  EXPECT_EQ(f.signature.slot_names, (std::vector<std::string>{"n", "&C", "&p"}));
  EXPECT_EQ(p, 2);
  f.signature.verify();
}

}  // namespace
}  // namespace tl
