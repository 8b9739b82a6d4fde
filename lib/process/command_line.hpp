#pragma once

#include <string>

namespace fovea {

/// The command that started this process, as a shell takes it: arguments with other characters than letters,
/// digits and "%+,-./:=@_" stand in single quotes. Empty where the system does not tell.
std::string command_line();

/// The same of a list of arguments, each ended by a zero byte.
std::string shell_command(const std::string& arguments);

/// This computer's name; empty where the system does not tell.
std::string host_name();

}  // namespace fovea
