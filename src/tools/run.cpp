#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>

#include "driver/differential.h"
#include "ir/text.h"
#include "tools/command_line.h"

namespace tl {
namespace {

std::map<std::string, int64_t> settings(const std::string& text) {
  std::map<std::string, int64_t> out;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const size_t equals = part.find('=');
    if (equals != std::string::npos) out[part.substr(0, equals)] = std::strtoll(part.c_str() + equals + 1, nullptr, 10);
  }
  return out;
}

void show(const Function& function, const ArgumentSet& arguments) {
  for (size_t i = 0; i < arguments.tensors.size(); ++i) {
    const TensorValue& t = arguments.tensors[i];
    if (t.dtype.is_void()) continue;
    double sum = 0;
    for (int64_t e = 0; e < t.count(); ++e) sum += t.at(e).to_double();
    std::string first;
    for (int64_t e = 0; e < std::min<int64_t>(t.count(), 8); ++e) first += " " + t.at(e).text();
    std::printf("%s: sum %.9g, first%s\n", std::get<Buffer>(function.params[i])->name.c_str(), sum, first.c_str());
  }
}

}  // namespace

int run_run(const CommandLine& line) {
  const auto function = parse_function(read_text(line.files[0]), line.files[0]);
  const uint64_t seed = std::strtoull(line.option("seed", "1").c_str(), nullptr, 10);
  const std::string target = line.option("target", "host");
  const ArgumentSet initial = random_arguments(*function, seed, settings(line.option("set")));
  if (target != "both") {
    ArgumentSet arguments = initial;
    const RunReport report = run_on(target, *function, arguments);
    for (const Diagnostic& d : report.diagnostics()) std::fprintf(stderr, "%s\n", render(d).c_str());
    show(*function, arguments);
    return report.has_errors() ? 1 : 0;
  }
  const Comparison comparison = compare_host_with_interpreter(*function, initial);
  for (const Diagnostic& d : comparison.report.diagnostics()) std::fprintf(stderr, "%s\n", render(d).c_str());
  std::printf("%s\n", comparison.difference.empty() ? "host and interpreter agree" : comparison.difference.c_str());
  return comparison.difference.empty() ? 0 : 1;
}

}  // namespace tl
