#pragma once

#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace fovea {

/// The program's manual page (section 1) in troff's language for man(7): every command with its arguments,
/// flags and examples, as the help of each has them.
std::string manual_page(const CLI::App& program);

}  // namespace fovea
