#pragma once

#include <string>

#include "apps/terminal/cli_fwd.hpp"

namespace fovea {

/// A word of the command line that no command takes.
struct UnknownWord {
    const CLI::App* app = nullptr;  ///< the command that it was typed for; null if all words were taken
    std::string text;
};

/// The first one, of the outermost command that has one.
UnknownWord first_unknown_word(const CLI::App& program);

/// A sentence, without its end, that says what is wrong with the word, and the nearest thing that is right:
/// "unknown flag '--thread' (did you mean '--threads'?)".
std::string explain_unknown_word(const CLI::App& program, const UnknownWord& word);

}  // namespace fovea
