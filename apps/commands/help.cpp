#include <iostream>

#include <CLI/CLI.hpp>

#include "apps/commands/commands.hpp"
#include "apps/options/manual_page.hpp"
#include "apps/options/usage_error.hpp"

namespace fovea {

Command add_help_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("help", "Describe a command");
    app->footer(R"(Examples:
  fovea help detect
  fovea help evaluate detection
  fovea help --manual | man -l -)");
    auto words = std::make_shared<std::vector<std::string>>();
    app->add_option("COMMAND", *words, "The command, e.g. evaluate detection (default: the program)")
        ->type_name("");
    auto manual = std::make_shared<bool>(false);
    app->add_flag("--manual", *manual, "Print the manual page of all commands, for man(1)");
    const auto run = [words, manual, &program](Console&) {
        if (*manual) {
            std::cout << manual_page(program);
            return ExitCode::done;
        }
        const CLI::App& described = find_subcommand(program, *words);
        // App::help() would describe the subcommand that was called: this one.
        std::cout << described.get_formatter()->make_help(&described, full_name(described),
                                                          CLI::AppFormatMode::Normal);
        return ExitCode::done;
    };
    return {app, std::make_shared<OutputFlags>(), run};
}

}  // namespace fovea
