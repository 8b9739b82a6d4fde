#include "apps/help/command_tree.hpp"

#include <algorithm>
#include <sstream>

#include <CLI/CLI.hpp>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"

namespace fovea {
namespace {

void collect(const CLI::App& app, std::vector<const CLI::App*>& commands) {
    commands.push_back(&app);
    for (const CLI::App* command : subcommands_of(app)) collect(*command, commands);
}

}  // namespace

std::string full_name(const CLI::App& app) {
    const CLI::App* parent = app.get_parent();
    return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::App*> all_commands(const CLI::App& app) {
    std::vector<const CLI::App*> commands;
    collect(app, commands);
    return commands;
}

const CLI::App& find_subcommand(const CLI::App& app, const std::vector<std::string>& words) {
    const CLI::App* found = &app;
    for (const std::string& word : words) {
        const std::vector<std::string> names = subcommand_names(*found);
        if (std::find(names.begin(), names.end(), word) == names.end()) {
            throw UsageError("unknown subcommand '" + word + "'" + did_you_mean(word, names) + "; see '" +
                             full_name(*found) + " --help'");
        }
        found = found->get_subcommand(word);
    }
    return *found;
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : subcommands_of(app)) names.push_back(command->get_name());
    return names;
}

std::string shown_type(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t colon = type.find(':');
    if (colon == std::string::npos) return type;
    if (type.compare(colon, 2, ":{") == 0) return type.substr(colon + 1);
    const bool is_range = type.find(" in [", colon) != std::string::npos;
    return is_range ? type.substr(0, colon) : type;
}

std::vector<std::string> choices_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const std::size_t open = type.find('{');
    const std::size_t close = type.find('}', open == std::string::npos ? 0 : open);
    if (open != std::string::npos && close != std::string::npos)
        return split_words(type.substr(open + 1, close - open - 1), ',');
    if (type.find('|') == std::string::npos) return {};
    std::vector<std::string> words = split_words(type, '|');
    std::erase_if(words, [](const std::string& word) {
        return std::any_of(word.begin(), word.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
    });
    return words;
}

std::vector<std::string> split_words(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
    return parts;
}

std::string listed(const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

}  // namespace fovea
