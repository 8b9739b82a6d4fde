#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "apps/terminal/console.hpp"
#include "lib/core/error.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace fovea {

/// A subcommand: its place in the tree of flags, and what it does once they are parsed.
struct Command {
    CLI::App* app = nullptr;
    std::shared_ptr<OutputFlags> output;
    std::function<ExitCode(Console&)> run;
};

Command add_run_command(CLI::App& program);
Command add_detect_command(CLI::App& program);
Command add_track_command(CLI::App& program);
Command add_merge_command(CLI::App& program);
Command add_enroll_command(CLI::App& program);
Command add_identify_command(CLI::App& program);
Command add_gallery_info_command(CLI::App& gallery);
Command add_gallery_merge_command(CLI::App& gallery);
Command add_gallery_remove_command(CLI::App& gallery);
Command add_evaluate_detection_command(CLI::App& evaluate);
Command add_evaluate_landmarks_command(CLI::App& evaluate);
Command add_evaluate_tracks_command(CLI::App& evaluate);
Command add_evaluate_verification_command(CLI::App& evaluate);
Command add_evaluate_identification_command(CLI::App& evaluate);
Command add_compare_command(CLI::App& program);
Command add_trend_command(CLI::App& program);
Command add_convert_command(CLI::App& program);
Command add_healthcheck_command(CLI::App& program);
Command add_verify_command(CLI::App& program);
Command add_train_mct_command(CLI::App& train);
Command add_train_net_command(CLI::App& train);
Command add_train_cascade_command(CLI::App& train);
Command add_train_samples_command(CLI::App& train);
Command add_train_boxes_command(CLI::App& train);
Command add_train_landmarks_command(CLI::App& train);
Command add_train_lbp_weights_command(CLI::App& train);
Command add_train_thresholds_command(CLI::App& train);
Command add_bench_detect_command(CLI::App& bench);
Command add_bench_landmarks_command(CLI::App& bench);
Command add_bench_recognition_command(CLI::App& bench);
Command add_bench_archive_command(CLI::App& bench);
Command add_bench_video_command(CLI::App& bench);
Command add_bench_track_command(CLI::App& bench);
Command add_devices_command(CLI::App& program);
Command add_completion_command(CLI::App& program);
Command add_help_command(CLI::App& program);

/// The whole tree of subcommands. Commands hold pointers into `program`, which must outlive them.
std::vector<Command> add_all_commands(CLI::App& program);

/// Name, description, version, help and its form: call it before the subcommands are added.
void describe_program(CLI::App& program);

}  // namespace fovea
