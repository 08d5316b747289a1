#include "binding/boundary.h"

#include <algorithm>
#include <string>

#include "binding/arguments.h"

namespace tl::binding {
namespace {

/// Open builders of this thread, the current one last.
thread_local std::vector<BuilderHandle> builders;

/// What `builder` has recorded, and `e` behind it at the builder's position.
CompileError with_earlier(const CompileError& e, const Builder& builder) {
  std::vector<Diagnostic> all = builder.found(Severity::kError);
  for (const Diagnostic& d : e.diagnostics()) {
    all.push_back(d);
    if (!d.loc) all.back().loc = builder.here();
  }
  return CompileError(std::move(all));
}

ffi::Error to_error(const CompileError& e) {
  const std::string_view name = error_class_name(e.error_class());
  return ffi::Error(std::string(name), e.what(), "");
}

}  // namespace

ffi::Error current_error(Origin origin) {
  try {
    throw;
  } catch (const ArgumentError& e) {
    const BuilderObject* builder = current_builder();
    return to_error(builder != nullptr ? with_earlier(e, builder->value) : CompileError(e));
  } catch (const CompileError& e) {
    const BuilderObject* builder = current_builder();
    return to_error(origin == Origin::kBesideBuilder && builder != nullptr ? with_earlier(e, builder->value) : e);
  } catch (const InternalError& e) {
    return ffi::Error("InternalError", e.what(), "");
  } catch (const std::exception& e) {
    return ffi::Error("InternalError", std::string("internal error: ") + e.what(), "");
  }
}

BuilderObject* current_builder() { return builders.empty() ? nullptr : builders.back().get(); }

void begin_current(const BuilderHandle& builder) { builders.push_back(builder); }

void end_current(const BuilderHandle& builder) {
  const auto at =
      std::find_if(builders.begin(), builders.end(), [&](const BuilderHandle& b) { return b.get() == builder.get(); });
  builders.erase(at, builders.end());
}

Loc position(const BuilderObject& builder, int64_t id) {
  if (id < 0) return Loc();
  TL_CHECK(id < static_cast<int64_t>(builder.locs.size()), "unknown position id");
  return builder.locs[id];
}

}  // namespace tl::binding
