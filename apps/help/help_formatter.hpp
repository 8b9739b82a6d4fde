#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/terminal/cli_fwd.hpp"

namespace fovea {

/// How the program's help looks: everyday groups of flags first, "Advanced" last. Lines are as wide as the
/// terminal, or as COLUMNS says where there is none, but of 60 columns at least and 100 at most. Subcommands
/// that are added later inherit it.
std::shared_ptr<CLI::Formatter> make_help_formatter();

/// The headings of a command's flags in the order of its help.
std::vector<std::string> ordered_groups(const CLI::App& app);

}  // namespace fovea
