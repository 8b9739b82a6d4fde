#pragma once

#include <vector>

#include "apps/terminal/cli_fwd.hpp"

namespace fovea {

struct Command;

/// Runs the program: parses the command line, runs the subcommand and turns every failure into one sentence
/// on standard error. \return the exit code, see ExitCode.
int run_cli(int argc, char** argv);

/// Runs a program with other subcommands as run_cli() does. \param commands the subcommands of `program`.
int run_commands(CLI::App& program, const std::vector<Command>& commands, int argc, char** argv);

}  // namespace fovea
