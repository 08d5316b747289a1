#include "random_program.h"

#include <algorithm>
#include <numeric>

#include "ir/walk.h"

namespace tl::testing {
namespace {

/// What random_arguments puts into tensors and scalars of a type.
KnownValues argument_values(DType t) {
  if (t.is_bool()) return KnownValues::within(1, 0, false);
  if (t.is_floating()) return KnownValues::within(4, -1).in(t);
  return KnownValues::within(t.is_uint() ? 16 : 8, 0, t.is_int()).in(t);
}

}  // namespace

std::vector<DType> ProgramOptions::host_dtypes() {
  return {DType::boolean(), DType::i8(),  DType::i16(), DType::i32(),  DType::i64(), DType::u8(),  DType::u16(),
          DType::u32(),     DType::u64(), DType::f16(), DType::bf16(), DType::f32(), DType::f32(), DType::f64()};
}

std::vector<DType> ProgramOptions::all_dtypes() {
  std::vector<DType> out = host_dtypes();
  for (const char* name : {"int4", "uint4", "tfloat32", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz",
                           "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
                           "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"}) {
    out.push_back(parse_dtype(name).value());
  }
  return out;
}

ProgramGenerator::ProgramGenerator(std::string name, uint64_t seed, const ProgramOptions& options, Coverage& coverage)
    : random_(seed), options_(options), coverage_(coverage), b_(std::move(name)) {}

// --- parameters ----------------------------------------------------------------------------------

Expr ProgramGenerator::extent(int64_t value) {
  if (random_.chance(60)) return make_int(DType::i32(), value);
  const std::string name = fresh("n");
  const Var symbol = b_.symbol(name, random_.chance(85) ? DType::i32() : DType::i64());
  settings_[name] = value;
  coverage_.note("tail symbolic");
  // The shape of a tensor tells its value.
  input(some_dtype(), {symbol}, {value});
  return symbol;
}

std::vector<Operand> ProgramGenerator::padded_strides(const std::vector<int64_t>& shape) {
  std::vector<size_t> order(shape.size());
  std::iota(order.rbegin(), order.rend(), size_t{0});
  // The dimension that runs fastest is not always the last one.
  if (shape.size() > 1 && random_.chance(30)) std::swap(order[0], order[1]);
  std::vector<Operand> strides(shape.size(), Operand(0));
  int64_t step = random_.chance(25) ? 2 : 1;
  for (const size_t d : order) {
    if (random_.chance(20)) {
      const std::string name = fresh("st");
      strides[d] = Operand(b_.symbol(name));
      settings_[name] = step;
      coverage_.note("tensor of symbolic stride");
    } else {
      strides[d] = Operand(static_cast<int>(step));
    }
    step *= std::max<int64_t>(shape[d], 1);
    step += random_.pick(0, 3);
  }
  return strides;
}

Tensor& ProgramGenerator::input(DType dtype, const std::vector<Expr>& shape, const std::vector<int64_t>& values) {
  const std::vector<Operand> strides = random_.chance(20) ? padded_strides(values) : std::vector<Operand>{};
  if (!strides.empty()) coverage_.note("tensor strided");
  coverage_.note("tensor rank " + std::to_string(shape.size()));
  const Buffer buffer = b_.tensor(fresh("A"), dtype, {shape.begin(), shape.end()}, strides);
  readable_.push_back({buffer, values, argument_values(dtype)});
  return readable_.back();
}

const Tensor& ProgramGenerator::some_input(size_t rank, bool tidy) {
  std::vector<const Tensor*> usable;
  for (const Tensor& t : readable_) {
    if (t.shape.size() >= rank && (!tidy || t.values.tidy)) usable.push_back(&t);
  }
  if (!usable.empty() && random_.chance(70)) return *random_.choose(usable);
  std::vector<Expr> shape;
  std::vector<int64_t> values;
  const int64_t dims = random_.pick(static_cast<int64_t>(rank), 3);
  for (int64_t d = 0; d < dims; ++d) {
    if (!axes_.empty() && random_.chance(60)) {
      const Axis& a = random_.choose(axes_);
      shape.push_back(a.extent);
      values.push_back(a.extent_value);
    } else {
      const int64_t n = random_.choose({1, 2, 5, 8, 16, 17, 31, 33});
      shape.push_back(make_int(DType::i32(), n));
      values.push_back(n);
    }
  }
  DType dtype = some_dtype();
  while (tidy && !argument_values(dtype).tidy) dtype = some_dtype();
  return input(dtype, shape, values);
}

// --- the host's part -----------------------------------------------------------------------------

void ProgramGenerator::host_loop() {
  const int64_t trips = random_.pick(1, 2), begin = random_.pick(0, 2);
  const bool down = random_.chance(30);
  const Var i = b_.loop(fresh("h"), static_cast<int>(down ? begin + trips : begin),
                        static_cast<int>(down ? begin : begin + trips), down ? -1 : 1);
  const size_t indices = indices_.size();
  indices_.push_back({i, begin, begin + trips});
  launch();
  indices_.resize(indices);
  b_.end();
  coverage_.note("host loop");
}

void ProgramGenerator::host_branch() {
  // Decided by integers alone.
  Expr left = index(10);
  const BinaryOp op = random_.choose({BinaryOp::kLt, BinaryOp::kGe, BinaryOp::kNe});
  const Expr c = binary(op, left, make_int(DType::i32(), random_.pick(0, 6)));
  b_.if_(c);
  launch();
  if (random_.chance(50)) {
    b_.else_();
    launch();
  }
  b_.end();
  coverage_.note("host branch");
}

void ProgramGenerator::host_store() {
  const DType t = some_dtype();
  const int64_t n = random_.pick(1, 4);
  const Buffer out = b_.tensor(fresh("O"), t, {static_cast<int>(n)});
  may_load_tiles_ = false;
  const Expr v = value(t, 2).e;
  b_.store(out, {static_cast<int>(random_.pick(0, n - 1))}, v);
  may_load_tiles_ = true;
  readable_.push_back({out, {n}, KnownValues::anything()});
  coverage_.note("host store");
}

/// Memory of the call: one launch writes it, later ones read it.
void ProgramGenerator::host_memory() {
  const DType t = some_dtype();
  const int64_t rows = random_.pick(1, 4), columns = random_.choose({1, 3, 16, 17});
  const Buffer memory =
      b_.alloc(fresh("W"), t, {static_cast<int>(rows), static_cast<int>(columns)}, MemorySpace::kGlobal);
  const size_t indices = indices_.size();
  const Var row = b_.launch({static_cast<int>(rows)}, {32})[0];
  indices_.push_back({row, 0, rows - 1});
  const Var column = b_.parallel({fresh("i")}, {static_cast<int>(columns)})[0];
  indices_.push_back({column, 0, columns - 1});
  in_points_ = true;
  b_.store(memory, {row, column}, value(t, 2).e);
  in_points_ = false;
  b_.end();
  b_.end();
  indices_.resize(indices);
  readable_.push_back({memory, {rows, columns}, KnownValues::anything()});
  coverage_.note("memory of the call");
}

void ProgramGenerator::host_statements(int launches) {
  for (int i = 0; i < launches; ++i) {
    if (random_.chance(15)) host_store();
    if (random_.chance(10)) host_memory();
    const int64_t roll = random_.pick(0, 9);
    if (roll == 0) {
      host_loop();
    } else if (roll == 1) {
      host_branch();
    } else {
      launch();
    }
    coverage_.note("launches " + std::to_string(i + 1));
  }
}

std::unique_ptr<Function> ProgramGenerator::generate() {
  b_.at(make_loc("random.py", 1));
  for (int64_t i = random_.pick(0, 2); i > 0; --i) {
    const DType t = random_.choose({DType::boolean(), DType::i32(), DType::i8(), DType::u16(), DType::i64(),
                                    DType::f32(), DType::f64(), DType::f16()});
    const Var v = b_.scalar(fresh("a"), t);
    scalars_.push_back({v, argument_values(t)});
    if (t.is_int()) indices_.push_back({v, -8, 8});
    coverage_.note("scalar " + t.name());
  }
  for (int64_t i = random_.pick(1, 2); i > 0; --i) some_input(static_cast<size_t>(random_.pick(1, 2)), i == 1);
  if (random_.chance(25)) {
    const Expr n = extent(random_.choose({0, 1, 7, 16, 33}));
    if (!as_int(n)) {
      indices_.push_back({n, settings_[Var(n).name()], settings_[Var(n).name()]});
      b_.assert_(n >= make_zero(n.dtype()), "an extent is not negative");
      indices_.push_back({b_.bind(fresh("h"), floormod(n, make_int(n.dtype(), 5))), 0, 4});
    }
  }
  host_statements(static_cast<int>(random_.choose({1, 1, 1, 2, 2, 3})));
  auto function = b_.finish();
  make_asynchronous(*function, random_);
  coverage_.add(*function);
  return function;
}

RandomProgram random_program(const std::string& name, uint64_t seed, const ProgramOptions& options,
                             Coverage& coverage) {
  ProgramGenerator generator(name, seed, options, coverage);
  RandomProgram out;
  out.function = generator.generate();
  out.settings = generator.settings();
  return out;
}

// --- ops of passes -------------------------------------------------------------------------------

namespace {

bool touches(const Op& op, const Buffer& buffer) {
  bool found = false;
  for_each_region(op, [&](const RegionAccess& access) { found |= access.region->buffer == buffer; });
  for_each_expr(op, [&](const Expr& e) {
    visit_exprs(e, [&](const Expr& part) {
      const auto* load = part.as<LoadNode>();
      found |= load != nullptr && load->buffer == buffer;
    });
  });
  return found;
}

class Overlapping {
 public:
  Overlapping(Function& function, RandomSource& random) : random_(random) {
    visit_ops(std::as_const(function.body), [&](const Op& op) {
      if (const auto* view = op.as<View>()) viewed_.push_back(view->source), viewed_.push_back(view->buffer);
    });
    block(function.body);
  }

 private:
  void block(Block& ops) {
    Block out;
    for (size_t i = 0; i < ops.size(); ++i) {
      OpPtr op = std::move(ops[i]);
      auto* copy = op->as<Copy>();
      if (copy != nullptr && may_start(*copy) && random_.chance(30)) {
        auto start = make_op<AsyncCopy>(copy->loc);
        start->token = Var("token" + std::to_string(tokens_++), DType::i32());
        start->src = copy->src;
        start->dst = copy->dst;
        start->pad = copy->pad;
        auto wait = make_op<Wait>(copy->loc);
        wait->tokens = {start->token};
        const bool overlaps = i + 1 < ops.size() && ops[i + 1]->kind == OpKind::kFill &&
                              !touches(*ops[i + 1], copy->dst.buffer) && !touches(*ops[i + 1], copy->src.buffer);
        out.push_back(std::move(start));
        if (overlaps) out.push_back(std::move(ops[++i]));
        out.push_back(std::move(wait));
        continue;
      }
      if (copy != nullptr && is_relayout(*copy) && random_.chance(90)) {
        auto relayout = make_op<Relayout>(copy->loc);
        relayout->src = copy->src;
        relayout->dst = copy->dst;
        out.push_back(std::move(relayout));
        continue;
      }
      if (op->kind != OpKind::kGroup) for_each_block(*op, [&](std::string_view, Block& nested) { block(nested); });
      out.push_back(std::move(op));
    }
    ops = std::move(out);
  }

  bool may_start(const Copy& copy) const {
    return copy.src.buffer->space == MemorySpace::kGlobal && is_shared(copy.dst.buffer->space) &&
           std::find(viewed_.begin(), viewed_.end(), copy.dst.buffer) == viewed_.end();
  }
  static bool is_relayout(const Copy& copy) {
    return copy.src.buffer->space == MemorySpace::kFragment && copy.dst.buffer->space == MemorySpace::kFragment &&
           copy.src.buffer->dtype == copy.dst.buffer->dtype;
  }

  RandomSource& random_;
  std::vector<Buffer> viewed_;
  int tokens_ = 0;
};

}  // namespace

void make_asynchronous(Function& function, RandomSource& random) { Overlapping(function, random); }

}  // namespace tl::testing
