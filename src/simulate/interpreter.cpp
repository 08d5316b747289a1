#include "simulate/interpreter.h"

#include "simulate/bind_args.h"

namespace tl {

RunReport interpret(const Function& function, std::span<const Arg> args, const InterpretOptions& options) {
  using namespace simulate;
  Machine machine(options);
  const std::unique_ptr<Program> program = compile(function, machine);
  bind_args(function, args, *program, machine);
  LaneSet lanes(1);
  lanes.set_range(0, 1);
  program->body.run(machine, lanes);
  RunReport report;
  report.findings = machine.findings.all();
  report.dropped = machine.findings.dropped();
  report.steps = machine.steps;
  return report;
}

}  // namespace tl
