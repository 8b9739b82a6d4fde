#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace fovea {

/// "fovea bench detect".
std::string full_name(const CLI::App& app);

/// The subcommand that these words name below `app`: {"evaluate", "detection"}; `app` itself without words.
/// \throws UsageError "unknown subcommand 'detcet' (did you mean 'detect'?)".
const CLI::App& find_subcommand(const CLI::App& app, const std::vector<std::string>& words);

/// True if help or the version were asked for behind a word that is no command: "fovea detcet --help".
bool names_unknown_command(const CLI::App& program);

/// One sentence on a command line that the parser refused, with the flag as it was typed and the help to
/// read:
/// "'--threads many' must be a whole number from 0 to 1024; see 'fovea detect --help'".
std::string explain_parse_error(const CLI::App& program, const CLI::ParseError& error);

}  // namespace fovea
