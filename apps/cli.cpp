#include "apps/cli.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <opencv2/core/utility.hpp>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/commands/train/train_commands.hpp"
#include "apps/help/help_formatter.hpp"
#include "apps/help/usage_error.hpp"
#include "apps/terminal/interrupt.hpp"
#include "kernels/core/device.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/version.hpp"
#include "lib/files/shortage.hpp"
#include "lib/files/thread_shortage.hpp"
#include "lib/image/formats/decode.hpp"

namespace fovea {

// Each stands in the file of its command, below commands/.
AddCommand add_run_command, add_detect_command, add_track_command, add_people_command, add_list_command,
    add_status_command, add_merge_command, add_evaluate_detection_command, add_evaluate_landmarks_command,
    add_evaluate_tracks_command, add_evaluate_verification_command, add_evaluate_identification_command,
    add_evaluate_clustering_command, add_compare_command, add_trend_command, add_convert_command,
    add_healthcheck_command, add_label_command, add_browse_command, add_enroll_command, add_identify_command,
    add_gallery_info_command, add_gallery_merge_command, add_gallery_remove_command, add_verify_command,
    add_bench_detect_command, add_bench_landmarks_command, add_bench_recognition_command,
    add_bench_archive_command, add_bench_video_command, add_bench_track_command, add_devices_command,
    add_completion_command, add_help_command;

namespace {

/// Commands under one word: "fovea train mct".
struct CommandGroup {
    const char* name;
    const char* description;
    const char* footer;
};

constexpr CommandGroup evaluate_group{"evaluate", "Evaluate results against ground truth", R"(Examples:
  fovea evaluate detection --dataset mit-cmu:DIR --results results.jsonl --out report/
  fovea evaluate landmarks --dataset pts:DIR --results results.jsonl --out report/
  fovea evaluate verification --dataset lfw:DIR --scores scores.txt --out report/)"};

constexpr CommandGroup gallery_group{"gallery", "Inspect, merge and clean galleries of faces", R"(Examples:
  fovea gallery info people.fvg --subjects
  fovea gallery merge a.fvg b.fvg --out both.fvg
  fovea gallery remove people.fvg --subject 'Ann Lee')"};

constexpr CommandGroup train_group{
    "train", "Train detectors, landmark models, box conventions, and weights and thresholds of recognisers",
    R"(Examples:
  fovea train mct --config configs/train-mct-frontal.json --out mct.json
  fovea train landmarks --config configs/train-landmarks-helen.json --out helen.fvlm
  fovea train lbp-weights --dataset lfw:DIR --recogniser lbp --out lbp-weights.json)"};

constexpr CommandGroup bench_group{"bench", "Measure speed", R"(Examples:
  fovea bench detect photos/ --model haarcascade_frontalface_alt --against opencv
  fovea bench detect photos/ --limit 4 --model haarcascade_frontalface_alt --matrix --out bench/
  fovea bench landmarks photos/ --faces 1,64,4096)"};

/// A command, and its place: a group, or the program itself.
struct CommandRow {
    AddCommand* add;
    const CommandGroup* group = nullptr;
};

/// All commands, in the order of help.
constexpr CommandRow command_rows[] = {
    {add_run_command},
    {add_detect_command},
    {add_track_command},
    {add_people_command},
    {add_list_command},
    {add_status_command},
    {add_merge_command},
    {add_evaluate_detection_command, &evaluate_group},
    {add_evaluate_landmarks_command, &evaluate_group},
    {add_evaluate_tracks_command, &evaluate_group},
    {add_evaluate_verification_command, &evaluate_group},
    {add_evaluate_identification_command, &evaluate_group},
    {add_evaluate_clustering_command, &evaluate_group},
    {add_compare_command},
    {add_trend_command},
    {add_convert_command},
    {add_healthcheck_command},
    {add_label_command},
    {add_browse_command},
    {add_enroll_command},
    {add_identify_command},
    {add_gallery_info_command, &gallery_group},
    {add_gallery_merge_command, &gallery_group},
    {add_gallery_remove_command, &gallery_group},
    {add_train_mct_command, &train_group},
    {add_train_net_command, &train_group},
    {add_train_cascade_command, &train_group},
    {add_train_samples_command, &train_group},
    {add_train_landmarks_command, &train_group},
    {add_train_boxes_command, &train_group},
    {add_train_lbp_weights_command, &train_group},
    {add_train_thresholds_command, &train_group},
    {add_verify_command},
    {add_bench_detect_command, &bench_group},
    {add_bench_landmarks_command, &bench_group},
    {add_bench_recognition_command, &bench_group},
    {add_bench_archive_command, &bench_group},
    {add_bench_video_command, &bench_group},
    {add_bench_track_command, &bench_group},
    {add_devices_command},
    {add_completion_command},
    {add_help_command},
};

constexpr const char* short_footer = R"(
'fovea help COMMAND' describes a command, 'fovea --help' adds examples and exit codes.)";

constexpr const char* program_footer = R"(Examples:
  fovea detect photos/ --out results.jsonl
  fovea evaluate detection --dataset mit-cmu:DIR --results results.jsonl --out report/
  fovea run --dataset mit-cmu:DIR --model wild --model mct --out comparison/

Exit codes:
    0  done
    1  failed: a file is damaged or holds something else, results and dataset do not belong together,
       the disk is full
    2  wrong usage or configuration, or a named file is not there
    3  done, but some images or other inputs were unreadable or left out; each is recorded,
       or 'fovea healthcheck' found faults
    4  an accuracy gate failed
    5  backends, or Fovea and its reference, differ
  130  interrupted; finished work is kept, and 'fovea detect --resume' continues

'fovea help COMMAND' describes a command.)";

/// Flags that have another name now; the old one will go.
struct RenamedFlag {
    std::string before;
    std::string now;
};
const std::vector<RenamedFlag> renamed_flags{{"--bootstrap", "--resamples"}};

// "--before" and "--before=VALUE" under their new names. \param used receives those that were given.
std::vector<std::string> with_new_names(int argc, char** argv, std::vector<RenamedFlag>& used) {
    std::vector<std::string> arguments(argv, argv + argc);
    for (std::string& argument : arguments) {
        for (const RenamedFlag& flag : renamed_flags) {
            if (argument != flag.before && !argument.starts_with(flag.before + "=")) continue;
            argument.replace(0, flag.before.size(), flag.now);
            used.push_back(flag);
        }
    }
    return arguments;
}

ExitCode run_guarded(const Command& command, const std::vector<RenamedFlag>& renamed) {
    Console console(*command.output);
    for (const RenamedFlag& flag : renamed) {
        spdlog::warn("{} is called {} now; the old name will go", flag.before, flag.now);
    }
    try {
        const ExitCode code = command.run(console);
        console.clear_progress();
        std::cout.flush();
        if (!std::cout) throw Error("cannot write to standard output; is the disk full?");
        return code;
    } catch (const JobCancelled&) {
        print_error("interrupted; nothing is lost that was finished before");
        return ExitCode::interrupted;
    } catch (const UsageError& error) {
        print_error(error.what());
        return ExitCode::usage;
    } catch (const std::bad_alloc&) {
        print_error(not_enough_memory);
        return ExitCode::failed;
    } catch (const std::exception& error) {
        print_error(is_lack_of_threads(error) ? no_thread : error.what());
        return ExitCode::failed;
    }
}

}  // namespace

std::vector<Command> add_all_commands(CLI::App& program) {
    std::vector<Command> commands;
    std::map<const CommandGroup*, CLI::App*> parents{{nullptr, &program}};
    for (const CommandRow& row : command_rows) {
        CLI::App*& parent = parents[row.group];
        if (parent == nullptr) {
            parent = program.add_subcommand(row.group->name, row.group->description);
            parent->require_subcommand(1);
            parent->footer(row.group->footer);
        }
        commands.push_back(row.add(*parent));
    }
    return commands;
}

std::string describe_build() {
    return fovea_version_line() + "\nBuilt by " + build_description() +
           (cuda_built() ? ", with CUDA " + cuda_build_version() : ", without CUDA") + ".\nWith OpenCV " +
           cv::getVersionString() + "; images are decoded by " + decoder_description() + ".";
}

void describe_program(CLI::App& program) {
    program.name("fovea");
    program.description(
        "Evaluates face detectors, processes photo archives and catches accuracy regressions.");
    program.set_version_flag("--version,-V,-v", describe_build,
                             "Print the version, and what the program is made of");
    program.set_help_flag("--help,-h", "Print this help and stop");
    program.footer(program_footer);
    program.require_subcommand(0, 1);
    program.formatter(make_help_formatter());
}

int run_cli(int argc, char** argv) {
    handle_interrupts();
    CLI::App program;
    describe_program(program);
    const std::vector<Command> commands = add_all_commands(program);
    return run_commands(program, commands, argc, argv);
}

int run_commands(CLI::App& program, const std::vector<Command>& commands, int argc, char** argv) {
    std::vector<RenamedFlag> renamed;
    std::vector<std::string> arguments = with_new_names(argc, argv, renamed);
    if (const auto error = explain_missing_dash(program, {arguments.begin() + 1, arguments.end()})) {
        print_error(*error);
        return static_cast<int>(ExitCode::usage);
    }
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    try {
        // Other programs take `version` for --version, too.
        if (argc == 2 && arguments[1] == "version") {
            program.parse("--version");
        } else {
            program.parse(argc, pointers.data());
        }
    } catch (const CLI::Success& help_or_version) {
        if (!names_unknown_command(program)) return program.exit(help_or_version);
        print_error(explain_parse_error(program, help_or_version));
        return static_cast<int>(ExitCode::usage);
    } catch (const CLI::ParseError& error) {
        print_error(explain_parse_error(program, error));
        return static_cast<int>(ExitCode::usage);
    }
    if (program.get_subcommands().empty()) {
        program.footer(short_footer);
        std::cout << program.help() << std::flush;
        return static_cast<int>(std::cout ? ExitCode::done : ExitCode::failed);
    }
    const auto chosen = std::find_if(commands.begin(), commands.end(),
                                     [](const Command& command) { return command.app->parsed(); });
    return static_cast<int>(run_guarded(*chosen, renamed));
}

}  // namespace fovea
