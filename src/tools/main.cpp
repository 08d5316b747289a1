// tlc: the compiler on text IR.

#include <cstdio>
#include <exception>

#include "support/diagnostic.h"
#include "tools/command_line.h"

namespace {

constexpr const char* kUsage = R"(usage: tlc opt    [--target=host] [--passes=a,b,...] [--general] [--positions] FILE
       tlc emit   [--target=host|sm_90a|...] FILE
       tlc run    [--target=host|interpret|both] [--seed=N] [--set=n=100,m=7] FILE
       tlc shrink --check=COMMAND FILE
opt prints the function after the target's passes, or after the given ones (also named in a first line `# run: a b`):
of a device's variants the first one, or with --general the last.
emit prints the generated source. run calls the function on random arguments and prints what came out; with
--target=both it compares the host with the interpreter. shrink prints a smaller function for which COMMAND, given a file,
still fails. FILE is text IR (docs/text-ir.md); - is standard input.
)";

struct Verb {
  const char* name;
  int (*run)(const tl::CommandLine&);
};

constexpr Verb kVerbs[] = {
    {"opt", tl::run_opt}, {"emit", tl::run_emit}, {"run", tl::run_run}, {"shrink", tl::run_shrink}};

}  // namespace

int main(int argc, char** argv) {
  const tl::CommandLine line = tl::read_command_line(argc, argv);
  for (const Verb& verb : kVerbs) {
    if (line.verb != verb.name || line.files.size() != 1) continue;
    try {
      return verb.run(line);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
      return 1;
    }
  }
  std::fputs(kUsage, line.options.count("help") != 0 ? stdout : stderr);
  return line.options.count("help") != 0 ? 0 : 2;
}
