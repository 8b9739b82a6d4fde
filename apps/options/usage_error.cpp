#include "apps/options/usage_error.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

#include <CLI/CLI.hpp>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"

namespace fovea {
namespace {

const CLI::App& deepest_parsed(const CLI::App& app) {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? app : deepest_parsed(*parsed.front());
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        names.push_back(command->get_name());
    }
    return names;
}

// "unknown flag '--thread' (did you mean '--threads'?)"
std::string unexpected_argument(const CLI::App& app, const std::string& argument) {
    const bool is_flag = argument.size() > 1 && argument[0] == '-';
    std::vector<std::string> known;
    if (is_flag) {
        for (const CLI::Option* option : app.get_options()) {
            for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
        }
    } else {
        known = subcommand_names(app);
    }
    const std::string name = argument.substr(0, is_flag ? argument.find('=') : std::string::npos);
    const std::string kind = is_flag ? "flag" : known.empty() ? "argument" : "subcommand";
    return "unknown " + kind + " '" + name + "'" + did_you_mean(name, known);
}

// "foo not in {cpu,nvjpeg,auto}"
std::string not_a_choice(const std::string& typed, const std::string& value, const std::string& choices) {
    std::vector<std::string> names;
    std::string list;
    std::istringstream stream(choices);
    for (std::string name; std::getline(stream, name, ',');) {
        names.push_back(name);
        list += (list.empty() ? "" : ", ") + name;
    }
    return "'" + typed + "' must be one of " + list + did_you_mean(value, names);
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
        return "'" + part[1].str() + "' needs a value" +
               (part[2].str().empty() || part[2] == "TEXT" ? std::string() : ": " + part[2].str());
    }
    if (std::regex_match(message, part, std::regex(R"((\S+): At Most (\d+) required but received (\d+))"))) {
        return "'" + part[1].str() + "' is given " + part[3].str() + " times, but takes " +
               (part[2] == "1" ? "one value; name one" : "at most " + part[2].str());
    }
    if (std::regex_match(message, part, std::regex(R"(A subcommand is required)"))) {
        std::string list;
        for (const std::string& name : subcommand_names(app)) list += (list.empty() ? "" : ", ") + name;
        return "a subcommand is required: " + list;
    }
    return message;
}

}  // namespace

std::string full_name(const CLI::App& app) {
    const CLI::App* parent = app.get_parent();
    return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
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

bool names_unknown_command(const CLI::App& program) {
    const std::vector<std::string> unexpected = program.remaining(true);
    return !unexpected.empty() && !unexpected[0].starts_with('-') &&
           !subcommand_names(deepest_parsed(program)).empty();
}

std::string explain_parse_error(const CLI::App& program, const CLI::ParseError& error) {
    const CLI::App& app = deepest_parsed(program);
    const std::vector<std::string> unexpected = program.remaining(true);
    // A mistyped word explains the fault better than the argument that is missing because of it.
    const bool mistyped = !unexpected.empty() && unexpected[0] != "--";
    std::string message = error.what();
    while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
    message = mistyped ? unexpected_argument(app, unexpected[0]) : explained(app, message);
    return message + "; see '" + full_name(app) + " --help'";
}

}  // namespace fovea
