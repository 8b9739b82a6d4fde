#include "apps/cli.hpp"

#include <algorithm>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "apps/commands/commands.hpp"
#include "apps/terminal/interrupt.hpp"
#include "kernels/core/device.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/core/version.hpp"
#include "lib/files/command_files.hpp"
#include "lib/files/shortage.hpp"

namespace fovea {
namespace {

constexpr const char* program_footer = R"(Examples:
  fovea run configs/demo.json --out out/demo
  fovea detect photos/ --model haarcascade_frontalface_alt --out results.jsonl
  fovea merge part-*.jsonl --out results.jsonl
  fovea enroll folder:people/ --gallery people.fvg
  fovea identify photos/ --gallery people.fvg --out results.jsonl
  fovea evaluate detection --dataset mit-cmu:DIR --results results.jsonl --out report/
  fovea compare baseline/report.json new/report.json --no-worse-than 0.01
  fovea verify photos/ --model haarcascade_frontalface_alt --reference opencv
  fovea bench detect photos/ --model haarcascade_frontalface_alt --against opencv

Exit codes:
  0 done    1 failed    2 wrong usage or configuration    3 done, but unreadable images were skipped
  4 accuracy gate failed    5 backends differ    130 interrupted; what was finished is usable)";

constexpr const char* gallery_footer = R"(Examples:
  fovea gallery info people.fvg --subjects
  fovea gallery merge a.fvg b.fvg --out both.fvg
  fovea gallery remove people.fvg --subject 'Ann Lee')";

constexpr const char* evaluate_footer = R"(Examples:
  fovea evaluate detection --dataset mit-cmu:DIR --results results.jsonl --out report/
  fovea evaluate landmarks --dataset pts:DIR --results results.jsonl --out report/
  fovea evaluate verification --dataset lfw:DIR --scores scores.txt --out report/
  fovea evaluate identification --gallery feret:fa.srt --probes feret:fb.srt --scores scores.txt --out report/)";

constexpr const char* train_footer = R"(Examples:
  fovea train mct --config configs/train-mct-frontal.json --out mct.json
  fovea train landmarks --config configs/train-landmarks-helen.json --out helen.fvlm
  fovea train boxes --dataset pts:helen --model mct --out boxes.json
  fovea train lbp-weights --dataset lfw:DIR --recogniser lbp --out lbp-weights.json)";
constexpr const char* bench_footer = R"(Examples:
  fovea bench detect photos/ --model haarcascade_frontalface_alt --against opencv
  fovea bench detect photos/ --limit 4 --model haarcascade_frontalface_alt --matrix --out bench/
  fovea bench landmarks photos/ --faces 1,64,4096)";

const CLI::App& deepest_parsed(const CLI::App& app) {
    const auto parsed = app.get_subcommands();
    return parsed.empty() ? app : deepest_parsed(*parsed.front());
}

std::string full_name(const CLI::App& app) {
    const CLI::App* parent = app.get_parent();
    return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

// "unknown flag '--thread' (did you mean '--threads'?)"
std::string unexpected_argument(const CLI::App& app, const std::string& argument) {
    std::vector<std::string> known;
    const bool is_flag = argument.size() > 1 && argument[0] == '-';
    if (is_flag) {
        for (const CLI::Option* option : app.get_options()) {
            for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
        }
    } else {
        for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
            known.push_back(command->get_name());
        }
    }
    const std::string name = argument.substr(0, is_flag ? argument.find('=') : std::string::npos);
    const std::string kind = is_flag ? "flag" : known.empty() ? "argument" : "subcommand";
    return "unknown " + kind + " '" + name + "'" + did_you_mean(name, known);
}

int usage_error(const CLI::App& program, const CLI::ParseError& error) {
    const CLI::App& app = deepest_parsed(program);
    const std::vector<std::string> unexpected = program.remaining(true);
    // What was mistyped explains better what is wrong than what is missing because of it.
    const bool mistyped = !unexpected.empty() && unexpected[0] != "--";
    std::string message = mistyped ? unexpected_argument(app, unexpected[0]) : std::string(error.what());
    while (!message.empty() && (message.back() == '.' || message.back() == '\n')) message.pop_back();
    print_error(message + "; see '" + full_name(app) + " --help'");
    return static_cast<int>(ExitCode::usage);
}

ExitCode run_guarded(const Command& command) {
    Console console(*command.output);
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
        print_error(error.what());
        return ExitCode::failed;
    }
}

}  // namespace

std::vector<Command> add_all_commands(CLI::App& program) {
    std::vector<Command> commands;
    commands.push_back(add_run_command(program));
    commands.push_back(add_detect_command(program));
    commands.push_back(add_merge_command(program));
    commands.push_back(add_enroll_command(program));
    commands.push_back(add_identify_command(program));
    CLI::App* gallery =
        program.add_subcommand("gallery", "Look into galleries of faces, join and clean them");
    gallery->require_subcommand(1);
    gallery->footer(gallery_footer);
    commands.push_back(add_gallery_info_command(*gallery));
    commands.push_back(add_gallery_merge_command(*gallery));
    commands.push_back(add_gallery_remove_command(*gallery));
    CLI::App* evaluate = program.add_subcommand("evaluate", "Evaluate results against ground truth");
    evaluate->require_subcommand(1);
    evaluate->footer(evaluate_footer);
    commands.push_back(add_evaluate_detection_command(*evaluate));
    commands.push_back(add_evaluate_landmarks_command(*evaluate));
    commands.push_back(add_evaluate_verification_command(*evaluate));
    commands.push_back(add_evaluate_identification_command(*evaluate));
    commands.push_back(add_compare_command(program));
    commands.push_back(add_convert_command(program));
    commands.push_back(add_healthcheck_command(program));
    commands.push_back(add_verify_command(program));
    CLI::App* train =
        program.add_subcommand("train", "Train detectors, landmark models and region weights of recognisers");
    train->require_subcommand(1);
    train->footer(train_footer);
    commands.push_back(add_train_mct_command(*train));
    commands.push_back(add_train_boxes_command(*train));
    commands.push_back(add_train_landmarks_command(*train));
    commands.push_back(add_train_lbp_weights_command(*train));
    CLI::App* bench = program.add_subcommand("bench", "Measure speed");
    bench->require_subcommand(1);
    bench->footer(bench_footer);
    commands.push_back(add_bench_detect_command(*bench));
    commands.push_back(add_bench_landmarks_command(*bench));
    commands.push_back(add_bench_recognition_command(*bench));
    commands.push_back(add_bench_archive_command(*bench));
    commands.push_back(add_devices_command(program));
    commands.push_back(add_completion_command(program));
    return commands;
}

int run_cli(int argc, char** argv) {
    handle_interrupts();
    CLI::App program("Evaluates face detectors, processes photo archives and catches accuracy regressions.",
                     "fovea");
    program.set_version_flag("--version", "fovea " + fovea_version(), "Print the version and stop");
    program.footer(program_footer);
    program.require_subcommand(1);
    program.get_formatter()->column_width(34);
    const std::vector<Command> commands = add_all_commands(program);
    try {
        program.parse(argc, argv);
    } catch (const CLI::Success& help_or_version) {
        return program.exit(help_or_version);
    } catch (const CLI::ParseError& error) {
        return usage_error(program, error);
    }
    const auto chosen = std::find_if(commands.begin(), commands.end(),
                                     [](const Command& command) { return command.app->parsed(); });
    return static_cast<int>(run_guarded(*chosen));
}

}  // namespace fovea
