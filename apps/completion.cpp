#include <iostream>

#include <CLI/CLI.hpp>

#include "apps/commands/commands.hpp"
#include "apps/completion/completion_tree.hpp"

namespace fovea {
namespace {

constexpr const char* footer = R"(Examples:
  source <(fovea completion bash)
  fovea completion zsh > "${fpath[1]}/_fovea"
  fovea completion fish > ~/.config/fish/completions/fovea.fish)";

}  // namespace

Command add_completion_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("completion", "Print a completion script for a shell");
    auto shell = std::make_shared<std::string>();
    app->footer(footer);
    app->add_option("SHELL", *shell, "The shell")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}))
        ->type_name("")
        ->required();
    const auto run = [shell, &program](Console&) {
        const CompletionNode tree = completion_tree(program);
        std::cout << (*shell == "bash"  ? bash_completion(tree)
                      : *shell == "zsh" ? zsh_completion(tree)
                                        : fish_completion(tree));
        return ExitCode::done;
    };
    return {app, std::make_shared<OutputFlags>(), run};
}

}  // namespace fovea
