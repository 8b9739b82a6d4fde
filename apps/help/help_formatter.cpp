#include "apps/help/help_formatter.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "apps/help/command_tree.hpp"
#include "apps/help/footer.hpp"
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
    constexpr std::size_t least = text_column + 30, most = 100;
    std::size_t columns = terminal_columns(STDOUT_FILENO, 0);
    if (const char* variable = std::getenv("COLUMNS"); columns == 0 && variable != nullptr)
        columns = static_cast<std::size_t>(std::max(0, std::atoi(variable)));
    return columns == 0 ? most : std::clamp(columns, least, most);
}

// A name in lines of at most `width` characters, broken behind the ',' or '|' of a list of values.
std::string broken_name(std::string name, std::size_t width) {
    constexpr const char* indent = "\n      ";
    std::string text;
    while (name.size() > width) {
        const std::size_t at = name.find_last_of(",|", width - 1);
        if (at == std::string::npos || at < width / 2) break;
        text += name.substr(0, at + 1) + indent;
        name.erase(0, at + 1);
        width = line_width() - std::string_view(indent).size() + 1;
    }
    return text + name;
}

// A name and its description, wrapped at blanks.
std::string described_line(const std::string& name, const std::string& description) {
    std::string text = "  " + name;
    const std::string start(text_column, ' ');
    const bool is_long = text.size() + 2 > text_column;
    text = is_long ? broken_name(std::move(text), line_width()) + "\n" + start
                   : text + start.substr(text.size());
    return hanging_lines(std::move(text), text_column, description, line_width());
}

class HelpFormatter : public CLI::Formatter {
  public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
        if (mode == CLI::AppFormatMode::Sub) return make_expanded(app);
        std::string text = paragraph_lines(make_description(app), line_width());
        text += make_usage(app, name) + make_positionals(app);
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
            const std::string type = shown_type(*option);
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

    std::string make_footer(const CLI::App* app) const override {
        return laid_out_footer(app->get_footer(), line_width());
    }

  private:
    std::string make_flags(const CLI::App& app) const {
        std::string text;
        for (const std::string& group : ordered_groups(app)) {
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

std::vector<std::string> ordered_groups(const CLI::App& app) {
    std::vector<std::string> groups = app.get_groups();
    std::stable_sort(groups.begin(), groups.end(), [](const std::string& a, const std::string& b) {
        return place_of_group(a) < place_of_group(b);
    });
    return groups;
}

}  // namespace fovea
