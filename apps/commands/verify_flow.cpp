#include "apps/commands/verify_flow.hpp"

#include <spdlog/fmt/fmt.h>

#include "apps/options/common_options.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/core/text.hpp"
#include "lib/job/job_images.hpp"
#include "lib/json/json.hpp"
#include "lib/verify/flow_verification.hpp"

namespace fovea {
namespace {

ExitCode flow_exit_code(const FlowVerificationResult& outcome) {
    if (!outcome.differing.empty()) return ExitCode::backends_differ;
    if (outcome.interrupted) return ExitCode::interrupted;
    return outcome.unreadable.empty() ? ExitCode::done : ExitCode::inputs_skipped;
}

std::string describe_place(FlowPoint moved, bool found, float error) {
    return fmt::format("{} {} ({}, error {})", moved.x, moved.y, found ? "found" : "lost", error);
}

std::string describe_frames(const DifferingFrames& frames) {
    constexpr std::size_t shown = 5;
    std::string text = frames.from + " to " + frames.to + "\n";
    if (frames.corners_differ) text += "  OpenCV finds other corners\n";
    for (std::size_t i = 0; i < frames.differences.size() && i < shown; ++i) {
        const FlowDifference& d = frames.differences[i];
        text += fmt::format("  from {} {}: {}; {} says {}\n", d.point.x, d.point.y,
                            describe_place(d.moved, d.found, d.error), d.side,
                            describe_place(d.reference_moved, d.reference_found, d.reference_error));
    }
    if (frames.differing_points > shown) {
        text += fmt::format("  {} more points differ\n", frames.differing_points - shown);
    }
    return text;
}

Json place_json(FlowPoint moved, bool found, float error) {
    return {{"x", moved.x}, {"y", moved.y}, {"found", found}, {"error", error}};
}

Json frames_json(const DifferingFrames& frames) {
    Json json{{"from", frames.from},
              {"to", frames.to},
              {"corners_differ", frames.corners_differ},
              {"differing_points", frames.differing_points},
              {"first", Json::array()}};
    for (const FlowDifference& d : frames.differences) {
        json["first"].push_back(
            {{"x", d.point.x},
             {"y", d.point.y},
             {"fovea", place_json(d.moved, d.found, d.error)},
             {"other", d.side},
             {"reference", place_json(d.reference_moved, d.reference_found, d.reference_error)}});
    }
    return json;
}

std::string flow_verdict(const FlowVerificationResult& outcome, const std::string& reference) {
    if (outcome.pairs == 0) return "nothing was compared: there are no two frames of one size in a row\n";
    if (outcome.differing.empty()) {
        return fmt::format("the CPU with and without vectors and {} agree to the last bit\n", reference);
    }
    return fmt::format("the CPU and {} differ in {}, {}\n", reference,
                       counted(outcome.differing.size(), "pair"), counted(outcome.differing_points, "point"));
}

void show_flow(const FlowVerificationResult& outcome, const Device* gpu, int every, const Console& console) {
    std::string text;
    Json differences = Json::array();
    for (const DifferingFrames& frames : outcome.differing) {
        text += describe_frames(frames);
        differences.push_back(frames_json(frames));
    }
    const std::string reference = gpu != nullptr ? gpu->name() : "OpenCV";
    text += fmt::format("{}{} of frames, {} followed, {} found: {}",
                        outcome.interrupted ? "interrupted after " : "", counted(outcome.pairs, "pair"),
                        counted(outcome.points, "point"), outcome.found, flow_verdict(outcome, reference));
    console.print_summary(text);
    console.print_json({{"command", "verify"},
                        {"exit_code", static_cast<int>(flow_exit_code(outcome))},
                        {"reference", gpu != nullptr ? "cuda" : "opencv"},
                        {"reference_device", gpu != nullptr ? gpu->name() : "cpu"},
                        {"every", every},
                        {"pairs", outcome.pairs},
                        {"points", outcome.points},
                        {"found", outcome.found},
                        {"differing_points", outcome.differing_points},
                        {"differing_pairs", outcome.differing.size()},
                        {"differences", differences},
                        {"unreadable", outcome.unreadable.size()},
                        {"unreadable_images", unreadable_json(outcome.unreadable)},
                        {"interrupted", outcome.interrupted}});
}

}  // namespace

ExitCode verify_flow(const RunConfig& config, int every, const Device* gpu, Console& console) {
    const Dataset dataset = read_configured_dataset(config.dataset);
    const InterruptGuard interrupt;
    const FlowVerificationResult outcome =
        run_flow_verification(dataset, every, gpu, config.threads, job_hooks(console, interrupt));
    console.clear_progress();
    warn_unreadable(outcome.unreadable, dataset.samples.size());
    show_flow(outcome, gpu, every, console);
    return flow_exit_code(outcome);
}

}  // namespace fovea
