#include "apps/help/usage_error.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>

#include "apps/help/command_tree.hpp"
#include "lib/core/nearest_name.hpp"

namespace fovea {
namespace {

// --- words that no command takes ------------------------------------------------------------------

/// A name that other programs have for something of this one.
struct OtherName {
    std::string_view typed;
    std::string_view ours;  ///< empty = the arguments of the command, which stand without a flag
};

constexpr std::array other_flags{
    OtherName{"--input", ""},
    OtherName{"--image", ""},
    OtherName{"--images", ""},
    OtherName{"--video", ""},
    OtherName{"--videos", ""},
    OtherName{"--file", ""},
    OtherName{"--files", ""},
    OtherName{"--source", ""},
    OtherName{"--dataset", ""},
    OtherName{"--reports", ""},
    OtherName{"-i", ""},
    OtherName{"--dest", "--out"},
    OtherName{"--gt", "--dataset"},
    OtherName{"--ground-truth", "--dataset"},
    OtherName{"--annotations", "--dataset"},
    OtherName{"--predictions", "--results"},
    OtherName{"--detections", "--results"},
    OtherName{"--jobs", "--threads"},
    OtherName{"--workers", "--threads"},
    OtherName{"--cpu", "--device cpu"},
    OtherName{"--gpu", "--device cuda"},
    OtherName{"--cuda", "--device cuda"},
    OtherName{"--verbose", "--log-level debug"},
    OtherName{"--debug", "--log-level debug"},
    OtherName{"--silent", "--quiet"},
    OtherName{"--force", "--overwrite"},
    OtherName{"--continue", "--resume"},
    OtherName{"--weights", "--model"},
    OtherName{"--detector", "--model"},
    OtherName{"--format", "--to"},
    OtherName{"--conf", "--min-score"},
    OtherName{"--confidence", "--min-score"},
    OtherName{"--threshold", "--min-score"},
};

constexpr std::array other_commands{
    OtherName{"recognise", "identify"}, OtherName{"recognize", "identify"},
    OtherName{"search", "identify"},    OtherName{"diff", "compare"},
    OtherName{"check", "healthcheck"},  OtherName{"validate", "healthcheck"},
};

bool is_flag(const std::string& word) {
    return word.size() > 1 && word[0] == '-';
}

bool takes(const CLI::App& app, const std::string& flag) {
    return app.get_option_no_throw(flag) != nullptr;
}

std::string without_dashes(const std::string& word) {
    return word.substr(std::min(word.find_first_not_of('-'), word.size()));
}

std::string meant(std::string_view name) {
    return " (did you mean '" + std::string(name) + "'?)";
}

// "'fovea run', 'fovea detect' and 9 more"
std::string some_of(const std::vector<std::string>& names) {
    constexpr std::size_t most = 3;
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < most; ++i) {
        const bool is_last = i + 1 == names.size();
        text += (i == 0 ? "'" : is_last ? " and '" : ", '") + names[i] + "'";
    }
    return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

// The longest name that the word begins with, or else the only one that begins with the word.
std::optional<std::string> name_of_beginning(const std::string& word, const std::vector<std::string>& known) {
    constexpr std::size_t shortest = 3;
    const std::string typed = without_dashes(word);
    std::optional<std::string> longest, longer;
    bool is_only = true;
    for (const std::string& name : known) {
        const std::string bare = without_dashes(name);
        if (std::min(bare.size(), typed.size()) < shortest) continue;
        if (typed.starts_with(bare) && (!longest || name.size() > longest->size())) longest = name;
        if (!bare.starts_with(typed)) continue;
        is_only = is_only && (!longer || *longer == name);
        longer = name;
    }
    return longest ? longest : is_only ? longer : std::nullopt;
}

std::optional<std::string> near_name(const std::string& word, const std::vector<std::string>& known) {
    const std::optional<std::string> nearest = nearest_name(word, known);
    return nearest ? nearest : name_of_beginning(word, known);
}

std::optional<std::string> same_name(const std::string& word, const std::vector<std::string>& known) {
    return std::find(known.begin(), known.end(), word) != known.end() ? std::optional(word) : std::nullopt;
}

// "IMAGES", "A B"; empty if the command has no arguments.
std::string arguments_of(const CLI::App& app) {
    std::string names;
    for (const CLI::Option* option : app.get_options())
        if (option->get_positional()) names += (names.empty() ? "" : " ") + option->get_name(true);
    return names;
}

std::string unknown_flag(const CLI::App& program, const CLI::App& app, const std::string& flag) {
    std::vector<std::string> known, below, elsewhere;
    for (const CLI::App* command : all_commands(app)) {
        for (const CLI::Option* option : command->get_options())
            for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
        if (command != &app && takes(*command, flag)) below.push_back(full_name(*command));
    }
    for (const CLI::App* command : all_commands(program))
        if (takes(*command, flag)) elsewhere.push_back(full_name(*command));

    const std::vector<CLI::App*> parsed = app.get_subcommands();
    if (!parsed.empty() && takes(*parsed.front(), flag))
        return "'" + flag + "' must stand behind '" + full_name(*parsed.front()) + "'";
    if (!below.empty()) {
        const std::string sentence = "a subcommand must stand before '" + flag + "'";
        if (&app == &program) return sentence + ", e.g. '" + below.front() + "'";
        return sentence + ": " + listed(subcommand_names(app)) + "; " + some_of(below) +
               (below.size() == 1 ? " takes it" : " take it");
    }
    const std::string unknown = "unknown flag '" + flag + "'";
    for (const OtherName& other : other_flags) {
        if (other.typed != flag) continue;
        if (!other.ours.empty() && takes(app, std::string(other.ours.substr(0, other.ours.find(' ')))))
            return unknown + meant(other.ours);
        if (const std::string arguments = arguments_of(app); other.ours.empty() && !arguments.empty())
            return unknown + meant(full_name(app) + " " + arguments) + ", without a flag";
    }
    if (!elsewhere.empty())
        return unknown + ", which belongs to " + some_of(elsewhere) + ", not to '" + full_name(app) + "'";
    const auto command_like = [&](const auto& find) -> std::string {
        for (const CLI::App* place : {&app, &program})
            if (const auto command = find(without_dashes(flag), subcommand_names(*place)))
                return unknown + meant(full_name(*place) + " " + *command);
        return {};
    };
    if (std::string text = command_like(same_name); !text.empty()) return text;
    if (const auto nearest = near_name(flag, known)) return unknown + meant(*nearest);
    if (std::string text = command_like(near_name); !text.empty()) return text;
    return unknown;
}

bool is_path(const std::string& word) {
    std::error_code ignored;
    return word.find('/') != std::string::npos || std::filesystem::exists(word, ignored);
}

std::string unknown_subcommand(const CLI::App& program, const CLI::App& app, const std::string& word) {
    const std::vector<std::string> names = subcommand_names(app);
    if (is_path(word)) {
        const std::string before = "a subcommand must stand before '" + word + "'";
        if (&app != &program) return before + ": " + listed(names);
        return before +
               meant("fovea " + std::string(word.ends_with(".json") ? "run" : "detect") + " " + word);
    }
    const std::string unknown = "unknown subcommand '" + word + "'";
    if (const auto nearest = near_name(word, names)) return unknown + meant(*nearest);
    for (const OtherName& other : other_commands)
        if (other.typed == word && &app == &program) return unknown + meant(other.ours);
    std::vector<std::string> elsewhere;
    for (const CLI::App* command : all_commands(program))
        if (command->get_name() == word) elsewhere.push_back(full_name(*command));
    if (!elsewhere.empty())
        return unknown + ", but there " + (elsewhere.size() == 1 ? "is " : "are ") + some_of(elsewhere);
    return &app == &program ? unknown : unknown + ": there are " + listed(names);
}

std::string unknown_argument(const CLI::App& app, const std::string& word) {
    const std::string unknown = "unknown argument '" + word + "'";
    std::vector<std::string> inputs;
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_lnames().empty()) continue;
        const std::string flag = "--" + option->get_lnames().front();
        const std::vector<std::string> choices = choices_of(*option);
        if (std::find(choices.begin(), choices.end(), word) != choices.end())
            return unknown + meant(flag + " " + word);
        const std::string type = option->get_type_name();
        if (option->get_group() != "Advanced" && (type.starts_with("DATASET") || type == "RESULTS"))
            inputs.push_back(flag);
    }
    if (!arguments_of(app).empty() || inputs.empty()) return unknown;
    return unknown + "; inputs are named with flags: " + listed(inputs);
}

/// A word of the command line that no command takes.
struct UnknownWord {
    const CLI::App* app = nullptr;  ///< the command that it was typed for; null if all words were taken
    std::string text;
};

/// The first one, of the outermost command that has one.
UnknownWord first_unknown_word(const CLI::App& program) {
    if (const std::vector<std::string> unknown = program.remaining(); !unknown.empty())
        return {&program, unknown.front()};
    for (const CLI::App* command : program.get_subcommands())
        if (UnknownWord word = first_unknown_word(*command); word.app != nullptr) return word;
    return {};
}

/// The error message, without the sentence on where help is: "unknown flag '--thread' (did you mean
/// '--threads'?)".
std::string explain_unknown_word(const CLI::App& program, const UnknownWord& word) {
    if (is_flag(word.text)) return unknown_flag(program, *word.app, word.text.substr(0, word.text.find('=')));
    return subcommands_of(*word.app).empty() ? unknown_argument(*word.app, word.text)
                                             : unknown_subcommand(program, *word.app, word.text);
}

// --- values that the parser refuses ---------------------------------------------------------------

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
