#pragma once

#include <string>
#include <vector>

#include "apps/terminal/cli_fwd.hpp"

namespace fovea {

/// A command's name with its parents': "fovea bench detect".
std::string full_name(const CLI::App& app);

/// The commands directly below `app`, in the order of its help.
std::vector<const CLI::App*> subcommands_of(const CLI::App& app);

/// `app` and all commands below it, outermost first.
std::vector<const CLI::App*> all_commands(const CLI::App& app);

/// The subcommand that these words name below `app`: {"evaluate", "detection"}; `app` itself without words.
/// \throws UsageError "unknown subcommand 'detcet' (did you mean 'detect'?)".
const CLI::App& find_subcommand(const CLI::App& app, const std::vector<std::string>& words);

/// The names of subcommands_of().
std::vector<std::string> subcommand_names(const CLI::App& app);

/// The type of an option's value as people read it: "{auto,neighbors}" for "SCORE:{auto,neighbors}", "N" for
/// "N:INT in [0 - 9]".
std::string shown_type(const CLI::Option& option);

/// The values that an option takes if its type lists them: all of "{auto,neighbors}", and the words in small
/// letters of "auto|cpu|cuda:N"; none for other types.
std::vector<std::string> choices_of(const CLI::Option& option);

/// Splits a text: {"a", "b", "c"} for "a,b,c".
std::vector<std::string> split_words(const std::string& text, char separator);

/// Joins names: "a, b, c".
std::string listed(const std::vector<std::string>& names);

}  // namespace fovea
