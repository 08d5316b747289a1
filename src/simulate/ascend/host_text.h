#pragma once

// Ascend C text as a program of the host: our headers, the text with pointers of address spaces turned into classes
// that check what is done through them, and a table of its kernels. Lines keep their numbers.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/text_file.h"

namespace tl::simulate::ascend {

enum class CoreKind : int { kVector, kCube, kMixed };

/// A kernel of a text, as its definition says.
struct KernelEntry {
  std::string name;
  CoreKind kind = CoreKind::kVector;
  /// With the namespaces it stands in.
  std::string qualified;
};

/// A SIMT region and the most threads it may be started with, as written.
struct RegionBound {
  std::string name;
  std::string threads;
};

struct RewrittenText {
  std::string text;
  std::vector<KernelEntry> kernels;
  std::vector<RegionBound> bounds;
  bool waits_across_blocks = false;
};

/// Rewrites what g++ cannot read: `__ubuf__ float *` becomes a class, casts to such a pointer a conversion, and
/// includes of the vendor's headers go; loops count their turns. Includes of `headers` bring their text, rewritten as
/// well. Works on headers as on kernels.
RewrittenText rewrite(std::string_view text, std::span<const TextFile> headers = {}, std::string_view file = "kernel");

/// The whole program to compile with `host_flags`. `file` is the name under which compilers complain about it.
std::string host_text(std::string_view source, std::span<const TextFile> headers = {},
                      std::string_view file = "kernel.asc");
/// What g++ and clang++ need beside `-shared -fPIC`.
std::vector<std::string> host_flags();

/// Lines of the n-th given header are counted from here, so that one number says file and line.
int first_line_of_header(size_t index);

}  // namespace tl::simulate::ascend
