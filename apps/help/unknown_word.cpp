#include "apps/help/unknown_word.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include <CLI/CLI.hpp>

#include "apps/help/command_tree.hpp"
#include "lib/core/nearest_name.hpp"

namespace fovea {
namespace {

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

}  // namespace

UnknownWord first_unknown_word(const CLI::App& program) {
    if (const std::vector<std::string> unknown = program.remaining(); !unknown.empty())
        return {&program, unknown.front()};
    for (const CLI::App* command : program.get_subcommands())
        if (UnknownWord word = first_unknown_word(*command); word.app != nullptr) return word;
    return {};
}

std::string explain_unknown_word(const CLI::App& program, const UnknownWord& word) {
    if (is_flag(word.text)) return unknown_flag(program, *word.app, word.text.substr(0, word.text.find('=')));
    return subcommands_of(*word.app).empty() ? unknown_argument(*word.app, word.text)
                                             : unknown_subcommand(program, *word.app, word.text);
}

}  // namespace fovea
