#pragma once

#include <string>
#include <vector>

#include "apps/terminal/cli_fwd.hpp"

namespace fovea {

/// The values that a shell can offer for a flag or argument.
struct CompletionValue {
    enum class Kind { none, file, folder, choice };

    Kind kind = Kind::none;
    std::vector<std::string> choices;  ///< the only values or, with Kind::file, further ones
};

struct CompletionFlag {
    std::vector<std::string> names;  ///< with their dashes, e.g. "--out", "-o"
    std::string description;
    bool takes_value = false;
    CompletionValue value;
};

/// A subcommand with everything that can follow it, taken from the parser.
struct CompletionNode {
    std::string path;  ///< e.g. "fovea evaluate detection"
    std::string name;
    std::string description;
    std::vector<CompletionFlag> flags;
    bool takes_arguments = false;
    bool takes_command = false;  ///< the arguments are the words of a command, as for `fovea help`
    CompletionValue argument;
    std::vector<CompletionNode> commands;
};

CompletionNode completion_tree(const CLI::App& program);

/// The node and all nodes below it, outermost first.
std::vector<const CompletionNode*> all_nodes(const CompletionNode& root);

std::string bash_completion(const CompletionNode& root);
std::string zsh_completion(const CompletionNode& root);
std::string fish_completion(const CompletionNode& root);

}  // namespace fovea
