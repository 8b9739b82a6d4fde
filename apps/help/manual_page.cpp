#include "apps/help/manual_page.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "apps/help/command_tree.hpp"
#include "apps/help/footer.hpp"
#include "apps/help/help_formatter.hpp"
#include "lib/core/text.hpp"
#include "lib/core/version.hpp"

namespace fovea {
namespace {

constexpr std::size_t example_width = 68;  // of a terminal with 80 columns, less man's indents

/// Text as troff prints it: no backslash, and no dot or quote at a line's beginning, is a command.
std::string escaped(const std::string& text) {
    std::string result;
    bool begins = true;
    for (const char c : text) {
        if (begins && (c == '.' || c == '\'')) result += "\\&";
        if (c == '\\')
            result += "\\e";
        else if (c == '-')
            result += "\\-";
        else
            result += c;
        begins = c == '\n';
    }
    return result;
}

// The text, with places in lists of values where a line may break.
std::string breakable(const std::string& values) {
    std::string text;
    for (const char c : escaped(values)) {
        text += c;
        if (c == ',' || c == '|') text += "\\:";
    }
    return text;
}

std::string term(const std::string& bold, const std::string& rest, const std::string& description) {
    return ".TP\n\\fB" + escaped(bold) + "\\fR" + breakable(rest) + "\n" + escaped(description) + "\n";
}

std::string option_term(const CLI::App& app, const CLI::Option& option) {
    const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(app.get_formatter());
    const bool is_positional = option.get_positional() && option.get_lnames().empty();
    return term(formatter->make_option_name(&option, is_positional), formatter->make_option_opts(&option),
                formatter->make_option_desc(&option));
}

std::string option_sections(const CLI::App& app) {
    std::string text;
    const std::vector<const CLI::Option*> all = app.get_options();
    for (const CLI::Option* option : all)
        // An empty group hides an option.
        if (option->get_positional() && !option->get_group().empty()) text += option_term(app, *option);
    if (!text.empty()) text = ".SH ARGUMENTS\n" + text;
    text += ".SH OPTIONS\n";
    for (const std::string& group : ordered_groups(app)) {
        std::string options;
        for (const CLI::Option* option : all)
            if (option->nonpositional() && option->get_group() == group && !group.empty())
                options += option_term(app, *option);
        if (!options.empty()) text += ".SS " + escaped(group) + "\n" + options;
    }
    return text;
}

// "fovea detect [OPTIONS] [IMAGES...]"
std::string synopsis(const CLI::App& app) {
    const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(app.get_formatter());
    const std::string usage = formatter->make_usage(&app, full_name(app));
    const std::string name = full_name(app);
    const std::string rest(trim(std::string_view(usage).substr(usage.find(name) + name.size())));
    return ".B " + escaped(name) + "\n" + (rest.empty() ? "" : escaped(rest) + "\n");
}

// The footer without its examples.
std::string notes(const std::vector<FooterPart>& parts) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const FooterPart& part = parts[i];
        if (part.kind == FooterPart::Kind::row)
            text += term(std::string(trim(part.term)), "", part.text);
        else if (part.kind == FooterPart::Kind::paragraph && part.text != "Examples:")
            text += ".PP\n" + escaped(part.text) + "\n";
    }
    return text;
}

std::string examples(const std::vector<FooterPart>& parts) {
    std::string text;
    for (const FooterPart& part : parts)
        if (part.kind == FooterPart::Kind::command)
            text += ".PP\n.nf\n" + escaped(broken_command(part.text, 0, example_width)) + ".fi\n";
    return text.empty() ? text : ".SH EXAMPLES\n" + text;
}

std::string see_also(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* above = app.get_parent(); above != nullptr; above = above->get_parent())
        names.push_back(manual_name(*above));
    // Commands beside this one, where they belong together; and those below it.
    const bool is_in_group = app.get_parent() != nullptr && app.get_parent()->get_parent() != nullptr;
    for (const CLI::App* near : subcommands_of(is_in_group ? *app.get_parent() : app))
        if (near != &app) names.push_back(manual_name(*near));
    std::string text;
    for (const std::string& name : names)
        text += ".BR " + escaped(name) + " (1)" + (&name == &names.back() ? "" : ",") + "\n";
    return ".SH SEE ALSO\n" + text;
}

}  // namespace

std::string manual_name(const CLI::App& app) {
    std::string name = full_name(app);
    std::replace(name.begin(), name.end(), ' ', '-');
    return name;
}

std::string manual_page(const CLI::App& app) {
    const std::string name = manual_name(app);
    const std::vector<FooterPart> footer = footer_parts(trim(app.get_footer()));
    std::string page =
        ".TH " + escaped(name) + " 1 \"\" \"fovea " + fovea_version() + "\" \"User Commands\"\n.nh\n.ad l\n";
    page += ".SH NAME\n" + escaped(name) + " \\- " + escaped(app.get_description()) + "\n";
    page += ".SH SYNOPSIS\n" + synopsis(app);
    if (const std::string text = notes(footer); !text.empty()) page += ".SH DESCRIPTION\n" + text;
    page += option_sections(app);
    if (const std::vector<const CLI::App*> commands = all_commands(app); commands.size() > 1) {
        page += ".SH COMMANDS\n";
        for (const CLI::App* command : commands)
            if (subcommands_of(*command).empty())
                page += term(full_name(*command), "", command->get_description());
    }
    return page + examples(footer) + see_also(app);
}

}  // namespace fovea
