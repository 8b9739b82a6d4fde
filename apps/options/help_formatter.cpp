#include "apps/options/help_formatter.hpp"

#include <algorithm>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "apps/terminal/console.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

constexpr std::size_t text_column = 30;  // where descriptions begin

// Groups that follow those of the subcommand's subject.
int place_of_group(const std::string& group) {
    constexpr const char* last[] = {"Output", "Configuration", "Advanced", "Options"};
    const auto found = std::find(std::begin(last), std::end(last), group);
    return found == std::end(last) ? 0 : 1 + static_cast<int>(found - std::begin(last));
}

// No wider than the terminal, nor than what is read at ease.
std::size_t line_width() {
    return std::clamp<std::size_t>(terminal_columns(STDOUT_FILENO, 100), text_column + 30, 100);
}

// A name and its description, wrapped at blanks.
std::string described_line(const std::string& name, const std::string& description) {
    std::string text = "  " + name;
    const std::string start(text_column, ' ');
    text += text.size() + 2 > text_column ? "\n" + start : start.substr(text.size());
    bool is_first = true;
    for (const std::string& line : wrapped_lines(description, line_width() - text_column)) {
        text += (is_first ? "" : "\n" + start) + line;
        is_first = false;
    }
    return text + "\n";
}

// "SCORE:{auto,neighbors}" becomes "{auto,neighbors}", and "N:INT in [0 - 9]" becomes "N".
std::string shown_type(const std::string& type) {
    const std::size_t colon = type.find(':');
    if (colon == std::string::npos) return type;
    if (type.compare(colon, 2, ":{") == 0) return type.substr(colon + 1);
    const bool is_range = type.find(" in [", colon) != std::string::npos;
    return is_range ? type.substr(0, colon) : type;
}

class HelpFormatter : public CLI::Formatter {
  public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
        std::string text = make_description(app) + make_usage(app, name) + make_positionals(app);
        text += make_flags(*app);
        text += make_subcommands(app, mode) + "\n" + make_footer(app);
        while (text.ends_with("\n\n")) text.pop_back();
        return text;
    }

    std::string make_option(const CLI::Option* option, bool is_positional) const override {
        return described_line(make_option_name(option, is_positional) + make_option_opts(option),
                              make_option_desc(option));
    }

    std::string make_option_opts(const CLI::Option* option) const override {
        std::string text;
        if (option->get_type_size() != 0) {
            const std::string type = shown_type(option->get_type_name());
            if (!type.empty()) text += " " + type;
            if (!option->get_default_str().empty()) text += "=" + option->get_default_str();
            const bool repeats = option->get_expected_max() == CLI::detail::expected_max_vector_size;
            if (repeats && !type.ends_with("...")) text += " ...";
            if (option->get_required()) text += " (required)";
        }
        return text;
    }

    std::string make_subcommand(const CLI::App* command) const override {
        return described_line(command->get_name(), command->get_description());
    }

  private:
    std::string make_flags(const CLI::App& app) const {
        std::vector<std::string> groups = app.get_groups();
        std::stable_sort(groups.begin(), groups.end(), [](const std::string& a, const std::string& b) {
            return place_of_group(a) < place_of_group(b);
        });
        std::string text;
        for (const std::string& group : groups) {
            const auto options = app.get_options([&group](const CLI::Option* option) {
                return option->get_group() == group && option->nonpositional();
            });
            if (!group.empty() && !options.empty()) text += make_group(group, false, options);
        }
        return text;
    }
};

}  // namespace

std::shared_ptr<CLI::Formatter> make_help_formatter() {
    return std::make_shared<HelpFormatter>();
}

std::string help_entry(std::string_view word, const std::string& text, std::size_t column) {
    constexpr std::size_t line_width = 100;
    std::string entry = "  " + std::string(word);
    entry.resize(std::max(entry.size() + 1, column), ' ');
    bool is_first = true;
    for (const std::string& line : wrapped_lines(text, line_width - column)) {
        entry += (is_first ? "" : std::string(column, ' ')) + line + "\n";
        is_first = false;
    }
    return entry;
}

}  // namespace fovea
