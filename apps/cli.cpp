#include "apps/cli.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <opencv2/core/utility.hpp>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/help/help_formatter.hpp"
#include "apps/help/usage_error.hpp"
#include "apps/terminal/interrupt.hpp"
#include "kernels/core/device.hpp"
#include "lib/core/version.hpp"
#include "lib/files/command_files.hpp"
#include "lib/files/shortage.hpp"
#include "lib/files/thread_shortage.hpp"
#include "lib/image/formats/decode.hpp"

namespace fovea {
namespace {

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

constexpr const char* gallery_footer = R"(Examples:
  fovea gallery info people.fvg --subjects
  fovea gallery merge a.fvg b.fvg --out both.fvg
  fovea gallery remove people.fvg --subject 'Ann Lee')";

constexpr const char* evaluate_footer = R"(Examples:
  fovea evaluate detection --dataset mit-cmu:DIR --results results.jsonl --out report/
  fovea evaluate landmarks --dataset pts:DIR --results results.jsonl --out report/
  fovea evaluate verification --dataset lfw:DIR --scores scores.txt --out report/)";

constexpr const char* train_footer = R"(Examples:
  fovea train mct --config configs/train-mct-frontal.json --out mct.json
  fovea train landmarks --config configs/train-landmarks-helen.json --out helen.fvlm
  fovea train lbp-weights --dataset lfw:DIR --recogniser lbp --out lbp-weights.json)";
constexpr const char* bench_footer = R"(Examples:
  fovea bench detect photos/ --model haarcascade_frontalface_alt --against opencv
  fovea bench detect photos/ --limit 4 --model haarcascade_frontalface_alt --matrix --out bench/
  fovea bench landmarks photos/ --faces 1,64,4096)";

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
    const CommandFiles files;
    try {
        const ExitCode code = command.run(console);
        console.clear_progress();
        std::cout.flush();
        if (!std::cout) throw Error("cannot write to standard output; is the disk full?");
        return code;
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
    commands.push_back(add_run_command(program));
    commands.push_back(add_detect_command(program));
    commands.push_back(add_track_command(program));
    commands.push_back(add_merge_command(program));
    CLI::App* evaluate = program.add_subcommand("evaluate", "Evaluate results against ground truth");
    evaluate->require_subcommand(1);
    evaluate->footer(evaluate_footer);
    commands.push_back(add_evaluate_detection_command(*evaluate));
    commands.push_back(add_evaluate_landmarks_command(*evaluate));
    commands.push_back(add_evaluate_tracks_command(*evaluate));
    commands.push_back(add_evaluate_verification_command(*evaluate));
    commands.push_back(add_evaluate_identification_command(*evaluate));
    commands.push_back(add_compare_command(program));
    commands.push_back(add_trend_command(program));
    commands.push_back(add_convert_command(program));
    commands.push_back(add_healthcheck_command(program));
    commands.push_back(add_enroll_command(program));
    commands.push_back(add_identify_command(program));
    CLI::App* gallery = program.add_subcommand("gallery", "Inspect, merge and clean galleries of faces");
    gallery->require_subcommand(1);
    gallery->footer(gallery_footer);
    commands.push_back(add_gallery_info_command(*gallery));
    commands.push_back(add_gallery_merge_command(*gallery));
    commands.push_back(add_gallery_remove_command(*gallery));
    CLI::App* train = program.add_subcommand(
        "train",
        "Train detectors, landmark models, box conventions, and weights and thresholds of recognisers");
    train->require_subcommand(1);
    train->footer(train_footer);
    commands.push_back(add_train_mct_command(*train));
    commands.push_back(add_train_net_command(*train));
    commands.push_back(add_train_cascade_command(*train));
    commands.push_back(add_train_samples_command(*train));
    commands.push_back(add_train_landmarks_command(*train));
    commands.push_back(add_train_boxes_command(*train));
    commands.push_back(add_train_lbp_weights_command(*train));
    commands.push_back(add_train_thresholds_command(*train));
    commands.push_back(add_verify_command(program));
    CLI::App* bench = program.add_subcommand("bench", "Measure speed");
    bench->require_subcommand(1);
    bench->footer(bench_footer);
    commands.push_back(add_bench_detect_command(*bench));
    commands.push_back(add_bench_landmarks_command(*bench));
    commands.push_back(add_bench_recognition_command(*bench));
    commands.push_back(add_bench_archive_command(*bench));
    commands.push_back(add_bench_video_command(*bench));
    commands.push_back(add_bench_track_command(*bench));
    commands.push_back(add_devices_command(program));
    commands.push_back(add_completion_command(program));
    commands.push_back(add_help_command(program));
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
