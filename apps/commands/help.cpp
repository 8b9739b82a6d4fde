#include <filesystem>
#include <iostream>
#include <optional>

#include <CLI/CLI.hpp>

#include "apps/commands/commands.hpp"
#include "apps/help/command_tree.hpp"
#include "apps/help/manual_page.hpp"
#include "lib/files/file.hpp"
#include "lib/files/staged_files.hpp"

namespace fovea {
namespace {

struct HelpFlags {
    std::vector<std::string> words;
    bool manual = false;
    std::optional<std::string> manual_folder;
};

// One page for each command, "fovea-detect.1".
void write_manual_pages(const CLI::App& app, const std::filesystem::path& folder) {
    make_output_folder(folder, "manual");
    for (const CLI::App* command : all_commands(app))
        write_file(folder / (manual_name(*command) + ".1"), manual_page(*command));
}

}  // namespace

Command add_help_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("help", "Describe a command");
    app->footer(R"(Examples:
  fovea help detect
  fovea help evaluate detection
  fovea help --manual detect | man -l -)");
    auto flags = std::make_shared<HelpFlags>();
    app->add_option("COMMAND", flags->words, "The command, e.g. evaluate detection (default: the program)")
        ->type_name("");
    app->add_flag("--manual", flags->manual, "Print the manual page of the command, for man(1)");
    app->add_option("--manual-folder", flags->manual_folder,
                    "Write the manual pages of the command and of all below it into this folder")
        ->type_name("DIR");
    const auto run = [flags, &program](Console&) {
        const CLI::App& described = find_subcommand(program, flags->words);
        if (flags->manual_folder)
            write_manual_pages(described, *flags->manual_folder);
        else if (flags->manual)
            std::cout << manual_page(described);
        else
            // App::help() would describe the subcommand that was called: this one.
            std::cout << described.get_formatter()->make_help(&described, full_name(described),
                                                              CLI::AppFormatMode::Normal);
        return ExitCode::done;
    };
    return {app, std::make_shared<OutputFlags>(), run};
}

}  // namespace fovea
