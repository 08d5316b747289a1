#include "host_batch.h"

#include <set>
#include <string>

#include "driver/compile.h"
#include "runtime/host_toolchain.h"
#include "support/diagnostic.h"

namespace tl::testing {
namespace {

constexpr std::string_view kSection = "// ---- ";
constexpr std::string_view kKernels = "\nnamespace tlp {\n\nextern \"C\"";

}  // namespace

void compile_together(const std::vector<std::shared_ptr<Artifact>>& artifacts, const char* optimisation) {
  std::string prelude, kernels;
  std::set<std::string> sections;
  for (const auto& artifact : artifacts) {
    const std::string& source = artifact->source;
    size_t begin = source.find(kKernels);
    if (begin == std::string::npos) begin = source.rfind("\nnamespace tlp {\n");  // a program without launches
    TL_CHECK(begin != std::string::npos, "the emitted program has no kernels");
    kernels += source.substr(begin);
    // Sections stand in the order of their dependencies, so new ones can follow the known ones.
    for (size_t at = source.find(kSection); at < begin;) {
      const size_t end = std::min(source.find(kSection, at + 1), begin);
      std::string section = source.substr(at, end - at);
      if (sections.insert(section.substr(0, section.find('\n'))).second) prelude += section;
      at = end;
    }
  }
  HostCompilation job;
  job.kernel = artifacts.front()->name;
  job.source = prelude + kernels;
  for (const std::string& flag : host_compile_flags()) job.flags.push_back(flag == "-O3" ? optimisation : flag);
  const std::string library = compile_shared_object(find_host_toolchain({}), job);
  for (const auto& artifact : artifacts) artifact->binary = library;
}

}  // namespace tl::testing
