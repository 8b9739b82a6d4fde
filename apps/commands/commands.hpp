#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "apps/terminal/cli_fwd.hpp"
#include "apps/terminal/console.hpp"
#include "lib/core/error.hpp"

namespace fovea {

/// A subcommand: its place in the tree of flags, and what it does once they are parsed.
struct Command {
    CLI::App* app = nullptr;
    std::shared_ptr<OutputFlags> output;
    std::function<ExitCode(Console&)> run;
};

/// Adds a command to the program, or to the command that groups it. A further command is a file with such a
/// function and a row in apps/cli.cpp.
using AddCommand = Command(CLI::App& parent);

/// The whole tree of subcommands. Commands hold pointers into `program`, which must outlive them.
std::vector<Command> add_all_commands(CLI::App& program);

/// Name, description, version, help and its form: call it before the subcommands are added.
void describe_program(CLI::App& program);

}  // namespace fovea
