#pragma once

#include <string>
#include <vector>

namespace fovea::test {

/// Whether "|" ends a command, or is a character as any other.
enum class Bars { pipe, kept };

/// The command lines of a program in a shell's text, as lists of words without the program's name, which may
/// have a folder before it. Quotes, "\" at the end of a line, comments, assignments before a command,
/// redirections and several commands in a line are understood; nothing is expanded.
std::vector<std::vector<std::string>> commands_of(const std::string& text, const std::string& program,
                                                  Bars bars = Bars::pipe);

}  // namespace fovea::test
