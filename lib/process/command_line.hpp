#pragma once

#include <string>

namespace fovea {

/// A word as a shell takes it: in single quotes if it is empty or has other characters than letters, digits
/// and
/// "%+,-./:=@_".
std::string quoted_for_shell(const std::string& word);

/// The command that started this process, as a shell takes it. Empty where the system does not tell.
std::string command_line();

/// The same of a list of arguments, each ended by a zero byte.
std::string shell_command(const std::string& arguments);

/// This computer's name; empty where the system does not tell.
std::string host_name();

}  // namespace fovea
