#include "apps/completion/completion_tree.hpp"

#include <algorithm>
#include <array>
#include <sstream>

#include <CLI/CLI.hpp>

#include "lib/files/find_model.hpp"

namespace fovea {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

// CLI11 shows a type as "SCORE:{neighbors,stage_sum}"; the program's own types with suggestions look like
// "auto|cpu|cuda:N", where words with capitals stand for something to be filled in.
CompletionValue value_of(const CLI::Option& option) {
    // An argument's name says what it is; only flags have a type besides.
    const std::string type =
        option.get_positional() ? option.get_name(true) + option.get_type_name() : option.get_type_name();
    const std::size_t open = type.find('{');
    const std::size_t close = type.find('}', open == std::string::npos ? 0 : open);
    if (open != std::string::npos && close != std::string::npos) {
        return {CompletionValue::Kind::choice, split(type.substr(open + 1, close - open - 1), ',')};
    }
    if (type.find('|') != std::string::npos) {
        std::vector<std::string> words = split(type, '|');
        std::erase_if(words, [](const std::string& word) {
            return std::any_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
        });
        return {CompletionValue::Kind::choice, std::move(words)};
    }
    if (type == "DIR") return {CompletionValue::Kind::folder, {}};
    if (type == "MODEL") return {CompletionValue::Kind::file, known_models()};
    constexpr std::array files{"FILE",
                               "CONFIG",
                               "IMAGE",
                               "IMAGES",
                               "DATASET",
                               "RESULTS",
                               "LANDMARK_MODEL",
                               "GALLERY",
                               "GALLERIES",
                               "PARTS",
                               "REPORT[:NAME][:POINT]"};
    const bool is_file = std::find(files.begin(), files.end(), type) != files.end();
    return {is_file ? CompletionValue::Kind::file : CompletionValue::Kind::none, {}};
}

CompletionNode node_of(const CLI::App& app, const std::string& parent) {
    CompletionNode node;
    node.name = app.get_name();
    node.path = parent.empty() ? node.name : parent + " " + node.name;
    node.description = app.get_description();
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional()) {
            node.takes_arguments = true;
            node.argument = value_of(*option);
        }
        CompletionFlag flag;
        for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
        for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
        if (flag.names.empty()) continue;
        flag.description = option->get_description();
        flag.takes_value = option->get_items_expected_max() > 0;
        if (flag.takes_value) flag.value = value_of(*option);
        node.flags.push_back(std::move(flag));
    }
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        node.commands.push_back(node_of(*command, node.path));
    }
    return node;
}

void collect(const CompletionNode& node, std::vector<const CompletionNode*>& nodes) {
    nodes.push_back(&node);
    for (const CompletionNode& command : node.commands) collect(command, nodes);
}

}  // namespace

CompletionNode completion_tree(const CLI::App& program) {
    return node_of(program, "");
}

std::vector<const CompletionNode*> all_nodes(const CompletionNode& root) {
    std::vector<const CompletionNode*> nodes;
    collect(root, nodes);
    return nodes;
}

}  // namespace fovea
