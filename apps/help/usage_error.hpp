#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/terminal/cli_fwd.hpp"

namespace fovea {

/// True if help or the version is asked for behind a word that is no command: "fovea detcet --help".
bool names_unknown_command(const CLI::App& program);

/// A sentence on a command line that the parser refused, with the flag as it was typed and the help to read:
/// "'--threads many' must be a whole number from 0 to 1024; see 'fovea detect --help'".
std::string explain_parse_error(const CLI::App& program, const CLI::ParseError& error);

/// A sentence on a flag of several letters with one dash, which the parser would read as another flag and its
/// value ("-model" as "-m odel"); nothing if there is no such flag. \param arguments without the
/// program's name.
std::optional<std::string> explain_missing_dash(const CLI::App& program,
                                                const std::vector<std::string>& arguments);

}  // namespace fovea
