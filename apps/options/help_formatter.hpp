#pragma once

#include <memory>

namespace CLI {
class App;
class Formatter;
}  // namespace CLI

namespace fovea {

/// How the program's help looks: everyday groups of flags first, "Advanced" last, lines of at most 100
/// columns. Subcommands that are added later inherit it.
std::shared_ptr<CLI::Formatter> make_help_formatter();

}  // namespace fovea
