#pragma once

#include <vector>

#include "apps/terminal/cli_fwd.hpp"

namespace fovea {

struct Command;

/// The program: parses the command line, runs the subcommand and turns every failure into one sentence on
/// standard error. \return the exit code, see ExitCode.
int run_cli(int argc, char** argv);

/// The same for a program with other subcommands. \param commands of `program`
int run_commands(CLI::App& program, const std::vector<Command>& commands, int argc, char** argv);

}  // namespace fovea
