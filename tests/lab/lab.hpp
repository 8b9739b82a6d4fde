#pragma once

#include <memory>

#include "apps/commands/commands.hpp"

namespace fovea {

/// The laboratory's program: what breaks, draws and measures for development. \return the exit code
int run_lab(int argc, char** argv);

Command add_kills_command(CLI::App& program);
Command add_memory_command(CLI::App& program);
Command add_tracks_command(CLI::App& program);
Command add_clips_command(CLI::App& program);
Command add_rejections_command(CLI::App& program);
Command add_optimisations_command(CLI::App& program);
Command add_boxes_command(CLI::App& program);

}  // namespace fovea
