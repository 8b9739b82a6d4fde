#include "apps/completion/completion_tree.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <CLI/CLI.hpp>

#include "apps/help/command_tree.hpp"
#include "lib/dataset/formats/dataset_formats.hpp"
#include "lib/evaluate/protocols/detection_protocols.hpp"
#include "lib/files/find_model.hpp"
#include "lib/landmark/box_convention.hpp"
#include "lib/landmark/landmark_file.hpp"
#include "lib/recognise/recogniser_config.hpp"
#include "lib/report/stored/report_numbers.hpp"
#include "lib/results/formats/results_formats.hpp"

namespace fovea {
namespace {

using Kind = CompletionValue::Kind;

std::vector<std::string> no_names() {
    return {};
}

/// The names of formats as they begin a specification: "coco:".
template <class Kind>
std::vector<std::string> prefixes_of(const FormatTable<Kind>& formats) {
    std::vector<std::string> names = formats.names_read();
    for (std::string& name : names) name += ':';
    return names;
}
std::vector<std::string> dataset_prefixes() {
    return prefixes_of(dataset_formats());
}
std::vector<std::string> results_prefixes() {
    return prefixes_of(results_formats());
}

/// The values of flags and arguments whose help has this type, or this name where there is none.
struct ValueType {
    std::string_view type;
    Kind kind;
    std::vector<std::string> (*names)() = no_names;
};

constexpr std::array value_types{
    ValueType{"DIR", Kind::folder},
    ValueType{"MODEL", Kind::file, known_models},
    ValueType{"LANDMARK_MODEL", Kind::file, known_landmark_models},
    ValueType{"RECOGNISER", Kind::file, known_recognisers},
    ValueType{"CONVENTION", Kind::choice, known_conventions},
    ValueType{"KEY", Kind::choice, short_metrics},
    ValueType{"PROTOCOL", Kind::choice, protocol_names},
    ValueType{"CONFIG", Kind::file},
    ValueType{"IMAGE", Kind::file},
    ValueType{"IMAGES", Kind::file},
    ValueType{"VIDEOS", Kind::file},
    ValueType{"DATASET", Kind::file, dataset_prefixes},
    ValueType{"RESULTS", Kind::file, results_prefixes},
    ValueType{"GALLERY", Kind::file},
    ValueType{"GALLERIES", Kind::file},
    ValueType{"PARTS", Kind::file},
    ValueType{"RUNS", Kind::file},
    ValueType{"A", Kind::file},
    ValueType{"B", Kind::file},
};

CompletionValue value_of(const CLI::Option& option) {
    if (std::vector<std::string> choices = choices_of(option); !choices.empty())
        return {Kind::choice, std::move(choices)};
    // An argument's name says what it is; only flags have a type besides.
    std::string type = option.get_positional() ? option.get_name(true) : option.get_type_name();
    if (type.ends_with("...")) type.resize(type.size() - 3);
    for (const ValueType& known : value_types)
        if (known.type == type) return {known.kind, known.names()};
    // "FILE.npy", "[NAME=]FILE", "REPORT[:KEY]"
    const bool is_file = type.find("FILE") != std::string::npos || type.starts_with("REPORT");
    return {is_file ? Kind::file : Kind::none, {}};
}

CompletionNode node_of(const CLI::App& app, const std::string& parent) {
    CompletionNode node;
    node.name = app.get_name();
    node.path = parent.empty() ? node.name : parent + " " + node.name;
    node.description = app.get_description();
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_positional()) {
            node.takes_command = option->get_name(true) == "COMMAND";
            node.takes_arguments = !node.takes_command;
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
    for (const CLI::App* command : subcommands_of(app)) {
        node.commands.push_back(node_of(*command, node.path));
    }
    return node;
}

// The words of commands, for a command that describes them; its own flags may follow.
std::vector<CompletionNode> words_of(const std::vector<CompletionNode>& commands,
                                     const CompletionNode& parent) {
    std::vector<CompletionNode> words;
    for (const CompletionNode& command : commands) {
        CompletionNode word;
        word.path = parent.path + " " + command.name;
        word.name = command.name;
        word.description = command.description;
        word.flags = parent.flags;
        word.commands = words_of(command.commands, word);
        words.push_back(std::move(word));
    }
    return words;
}

void collect(const CompletionNode& node, std::vector<const CompletionNode*>& nodes) {
    nodes.push_back(&node);
    for (const CompletionNode& command : node.commands) collect(command, nodes);
}

}  // namespace

CompletionNode completion_tree(const CLI::App& program) {
    CompletionNode root = node_of(program, "");
    const std::vector<CompletionNode> commands = root.commands;
    for (CompletionNode& command : root.commands)
        if (command.takes_command) command.commands = words_of(commands, command);
    return root;
}

std::vector<const CompletionNode*> all_nodes(const CompletionNode& root) {
    std::vector<const CompletionNode*> nodes;
    collect(root, nodes);
    return nodes;
}

}  // namespace fovea
