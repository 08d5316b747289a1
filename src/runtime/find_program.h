// Programs and files on this machine, found and identified without running them.
#pragma once

#include <optional>
#include <string>

namespace tl {

/// Value of a variable of the environment; empty when it is not set.
std::string environment(const char* name);

/// Path of a program: as given if it has a slash, else the first executable on PATH.
std::optional<std::string> find_program(const std::string& name);

/// Path, size and modification time: another file, another text. Empty when there is no such file.
std::string file_stamp(const std::string& path);

}  // namespace tl
