#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "apps/terminal/cli_fwd.hpp"
#include "apps/terminal/console.hpp"
#include "lib/core/error.hpp"

namespace fovea {

/// A subcommand: its place in the parser's tree, its output flags, and its work once flags are parsed.
struct Command {
    CLI::App* app = nullptr;
    std::shared_ptr<OutputFlags> output;
    std::function<ExitCode(Console&)> run;
};

/// Adds a command to the program, or to the command that groups it. Each command is a file with such a
/// function and a row in apps/cli.cpp.
using AddCommand = Command(CLI::App& parent);

/// Adds all subcommands. They hold pointers into `program`, which must outlive them.
std::vector<Command> add_all_commands(CLI::App& program);

/// Sets the program's name, description, version and help. Call it before subcommands are added.
void describe_program(CLI::App& program);

}  // namespace fovea
