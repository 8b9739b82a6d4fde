#pragma once

#include <string>

namespace fovea {

/// A word as a shell takes it: in single quotes if it is empty or has other characters than a-z, A-Z, 0-9
/// and "%+,-./:=@_".
std::string quoted_for_shell(const std::string& word);

/// The command that started this process, as a shell takes it; empty if the system does not tell.
std::string command_line();

/// A command, as a shell takes it. \param arguments each ends with a zero byte, as in /proc/PROCESS/cmdline.
std::string shell_command(const std::string& arguments);

/// This computer's name; empty if the system does not tell.
std::string host_name();

}  // namespace fovea
