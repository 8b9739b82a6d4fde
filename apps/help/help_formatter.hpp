#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/terminal/cli_fwd.hpp"

namespace fovea {

/// Makes the formatter of the program's help: everyday groups of flags come first, "Advanced" last. Lines
/// have the terminal's width, or COLUMNS without a terminal, within 60 to 100 columns. Subcommands that are
/// added later inherit it.
std::shared_ptr<CLI::Formatter> make_help_formatter();

/// The headings of a command's flags in the order of its help.
std::vector<std::string> ordered_groups(const CLI::App& app);

}  // namespace fovea
