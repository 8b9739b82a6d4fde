#include "apps/help/usage_error.hpp"

#include <algorithm>
#include <regex>

#include <CLI/CLI.hpp>

#include "apps/help/command_tree.hpp"
#include "apps/help/unknown_word.hpp"
#include "lib/core/nearest_name.hpp"

namespace fovea {
namespace {

const CLI::App& deepest_parsed(const CLI::App& app) {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? app : deepest_parsed(*parsed.front());
}

std::string see_help(const CLI::App& app) {
    return "; see '" + full_name(app) + " --help'";
}

// "foo not in {cpu,nvjpeg,auto}"
std::string not_a_choice(const std::string& typed, const std::string& value, const std::string& choices) {
    const std::vector<std::string> names = split_words(choices, ',');
    return "'" + typed + "' must be one of " + listed(names) + did_you_mean(value, names);
}

// "1000000.000000" as "1000000".
std::string without_zeros(std::string number) {
    if (number.find('.') == std::string::npos) return number;
    number.erase(number.find_last_not_of('0') + 1);
    if (number.back() == '.') number.pop_back();
    return number;
}

// The parser's sentence on a value, in the program's words.
std::string explained(const CLI::App& app, const std::string& message) {
    // A flag stands as it was typed; the name of an argument is not typed.
    const auto typed = [](const std::string& name, const std::string& value) {
        return name.starts_with('-') ? name + " " + value : value;
    };
    std::smatch part;
    if (std::regex_match(message, part, std::regex(R"((\S+): (.*) not in \{(.*)\})"))) {
        return not_a_choice(typed(part[1], part[2]), part[2], part[3]);
    }
    if (std::regex_match(message, part, std::regex(R"((\S+): Value (.*) not in range (\S+) to (\S+))"))) {
        const CLI::Option* option = app.get_option_no_throw(part[1]);
        const bool is_real = option != nullptr && option->get_type_name().find("FLOAT") != std::string::npos;
        return "'" + typed(part[1], part[2]) + "' must be a " + (is_real ? "" : "whole ") + "number from " +
               without_zeros(part[3]) + " to " + without_zeros(part[4]);
    }
    if (std::regex_match(message, part, std::regex(R"(Could not convert: (\S+) = (.*))"))) {
        return "'" + typed(part[1], part[2]) + "' must be a number";
    }
    if (std::regex_match(message, part, std::regex(R"((\S+): \d+ required (.*) missing)"))) {
        const CLI::Option* option = app.get_option_no_throw(part[1]);
        const std::string type = option == nullptr ? part[2].str() : shown_type(*option);
        return "'" + part[1].str() + "' needs a value" +
               (type.empty() || type == "TEXT" ? std::string() : ": " + type);
    }
    if (std::regex_match(message, part, std::regex(R"((\S+): At Most (\d+) required but received (\d+))"))) {
        return "'" + part[1].str() + "' is given " + part[3].str() + " times, but takes " +
               (part[2] == "1" ? "one value; name one" : "at most " + part[2].str());
    }
    if (std::regex_match(message, part, std::regex(R"((\S+) is required)"))) {
        const CLI::Option* option = app.get_option_no_throw(part[1]);
        const std::vector<std::string> choices =
            option == nullptr ? std::vector<std::string>{} : choices_of(*option);
        return message + (choices.empty() ? "" : ": " + listed(choices));
    }
    if (std::regex_match(message, part, std::regex(R"(A subcommand is required)"))) {
        return "a subcommand is required: " + listed(subcommand_names(app));
    }
    return message;
}

}  // namespace

bool names_unknown_command(const CLI::App& program) {
    const UnknownWord word = first_unknown_word(program);
    return word.app != nullptr && !word.text.starts_with('-') && !subcommands_of(*word.app).empty();
}

std::string explain_parse_error(const CLI::App& program, const CLI::ParseError& error) {
    // A mistyped word explains the fault better than the argument that is missing because of it.
    const UnknownWord word = first_unknown_word(program);
    const bool is_mistyped = word.app != nullptr && word.text != "--";
    const CLI::App& app = is_mistyped ? *word.app : deepest_parsed(program);
    std::string message = error.what();
    while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
    message = is_mistyped ? explain_unknown_word(program, word) : explained(app, message);
    return message + see_help(app);
}

std::optional<std::string> explain_missing_dash(const CLI::App& program,
                                                const std::vector<std::string>& arguments) {
    const CLI::App* app = &program;
    const CLI::Option* last = nullptr;
    for (const std::string& argument : arguments) {
        if (argument == "--") break;
        const bool is_value = last != nullptr && last->get_items_expected_max() > 0;
        const std::string name = argument.substr(0, argument.find('='));
        last = argument.starts_with('-') && name == argument ? app->get_option_no_throw(name) : nullptr;
        if (is_value) continue;
        const std::vector<std::string> names = subcommand_names(*app);
        if (std::find(names.begin(), names.end(), argument) != names.end())
            app = app->get_subcommand(argument);
        const bool has_one_dash = name.size() > 2 && name[0] == '-' && name[1] != '-';
        if (has_one_dash && app->get_option_no_throw("-" + name) != nullptr)
            return "'" + name + "' needs two dashes: '-" + name + "'" + see_help(*app);
    }
    return std::nullopt;
}

}  // namespace fovea
