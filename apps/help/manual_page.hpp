#pragma once

#include <string>

#include "apps/terminal/cli_fwd.hpp"

namespace fovea {

/// The name of a command's manual page: "fovea-evaluate-detection".
std::string manual_name(const CLI::App& app);

/// The manual page (section 1) of a command, or of the program, in troff's language for man(7): arguments,
/// flags, notes and examples of its help, the commands below it, and the names of related pages.
std::string manual_page(const CLI::App& app);

}  // namespace fovea
