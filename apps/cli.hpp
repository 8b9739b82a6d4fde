#pragma once

namespace fovea {

/// The program: parses the command line, runs the subcommand and turns every failure into one sentence on
/// standard error. \return the exit code, see ExitCode.
int run_cli(int argc, char** argv);

}  // namespace fovea
