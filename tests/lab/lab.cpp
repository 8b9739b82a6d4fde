#include "tests/lab/lab.hpp"

#include <vector>

#include <CLI/CLI.hpp>

#include "apps/cli.hpp"
#include "apps/help/help_formatter.hpp"
#include "apps/terminal/interrupt.hpp"

namespace fovea {

int run_lab(int argc, char** argv) {
    handle_interrupts();
    CLI::App program;
    program.name("fovea-lab");
    program.description("Breaks, draws and measures what the developers of Fovea need.");
    program.set_help_flag("--help,-h", "Print this help and stop");
    program.require_subcommand(1);
    program.formatter(make_help_formatter());
    return run_commands(program,
                        {add_kills_command(program), add_memory_command(program), add_tracks_command(program),
                         add_clips_command(program), add_rejections_command(program),
                         add_optimisations_command(program), add_boxes_command(program)},
                        argc, argv);
}

}  // namespace fovea
