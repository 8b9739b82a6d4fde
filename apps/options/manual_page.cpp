#include "apps/options/manual_page.hpp"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "apps/options/usage_error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/version.hpp"

namespace fovea {
namespace {

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

void add_option(std::string& page, const CLI::App& app, const CLI::Option& option) {
    const auto formatter = std::dynamic_pointer_cast<CLI::Formatter>(app.get_formatter());
    const bool is_positional = option.get_positional() && option.get_lnames().empty();
    const std::string name = formatter->make_option_name(&option, is_positional);
    page += ".TP\n\\fB" + escaped(name) + "\\fR" + escaped(formatter->make_option_opts(&option)) + "\n" +
            escaped(formatter->make_option_desc(&option)) + "\n";
}

void add_options(std::string& page, const CLI::App& app) {
    for (const bool positional : {true, false})
        for (const CLI::Option* option : app.get_options())
            // An empty group hides an option.
            if (option->get_positional() == positional && !option->get_group().empty())
                add_option(page, app, *option);
}

void add_footer(std::string& page, const CLI::App& app) {
    const std::string footer(trim(app.get_footer()));
    if (!footer.empty()) page += ".PP\n.nf\n" + escaped(footer) + "\n.fi\n";
}

void add_command(std::string& page, const CLI::App& app) {
    if (app.get_name().empty()) return;
    page += ".SS " + escaped(full_name(app)) + "\n" + escaped(app.get_description()) + ".\n";
    add_options(page, app);
    add_footer(page, app);
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        add_command(page, *command);
}

}  // namespace

std::string manual_page(const CLI::App& program) {
    std::string page = ".TH FOVEA 1 \"\" \"fovea " + fovea_version() + "\" \"User Commands\"\n.nh\n.ad l\n";
    page += ".SH NAME\nfovea \\- evaluate face detectors and process photo archives\n";
    page += ".SH SYNOPSIS\n.B fovea\n.I COMMAND\n.RI [ ARGUMENTS ]\n.RI [ FLAGS ]\n";
    page += ".SH DESCRIPTION\n" + escaped(program.get_description()) + "\n";
    add_options(page, program);
    page += ".SH COMMANDS\n";
    for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; }))
        add_command(page, *command);
    page +=
        ".SH EXAMPLES AND EXIT STATUS\n.nf\n" + escaped(std::string(trim(program.get_footer()))) + "\n.fi\n";
    return page;
}

}  // namespace fovea
