#include <algorithm>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "apps/options/max_unreadable.hpp"
#include "apps/terminal/interrupt.hpp"
#include "apps/terminal/summary.hpp"
#include "lib/core/text.hpp"
#include "lib/files/folder.hpp"
#include "lib/job/merge/merge_shards.hpp"
#include "lib/json/json.hpp"
#include "lib/run/track/merge_tracks.hpp"

namespace fovea {
namespace {

constexpr const char* merge_shards_footer = R"(Examples:
  fovea merge part-*.jsonl --out results.jsonl
  fovea merge part-*.jsonl --features all.npy --out results.jsonl     # the features as well
  fovea merge part-1/ part-2/ --out tracks/                           # folders of 'fovea track'

PARTS are the results of all shards of one job ('fovea detect ARCHIVE --shard I/N --out PART'), in any
order, each with its manifest beside it, or the folders of all shards of 'fovea track'. The merged files
have the bytes of one run over the whole archive. The program refuses parts that are missing, incomplete, changed, or from another configuration
or archive. It writes nothing then.)";

struct MergeFlags {
    std::vector<std::string> parts;
    std::string out;
    std::string features;
    bool overwrite = false;
    std::optional<UnreadableLimit> max_unreadable;
};

ExitCode merge(const MergeFlags& flags, Console& console) {
    const InterruptGuard interrupt;
    const MergeRequest request{
        {flags.parts.begin(), flags.parts.end()}, flags.out, flags.features, flags.overwrite};
    const bool are_tracks = std::all_of(request.parts.begin(), request.parts.end(), is_folder);
    const MergeResult outcome =
        (are_tracks ? merge_tracks : merge_shards)(request, job_hooks(console, interrupt));
    console.clear_progress();
    for (const std::string& warning : outcome.warnings) spdlog::warn("{}", warning);
    const ExitCode code =
        exit_code_of_job(outcome.interrupted, lost_inputs(outcome, outcome.skipped), flags.max_unreadable);
    const std::string parts = counted(outcome.parts, "part");
    if (outcome.interrupted) {
        console.print_summary(parts + ": interrupted, nothing was written\n");
    } else {
        warn_unreadable(outcome.unreadable, outcome.images);
        warn_pages_left_out(outcome.pages_left_out);
        if (outcome.skipped > 0) {
            spdlog::warn("{} left out, as {} says", counted(outcome.skipped, "input"),
                         outcome.manifest.string());
        }
        console.print_summary(fmt::format("{}, {}, {} unreadable, {} in {}\n", parts,
                                          counted(outcome.images, "image"), outcome.unreadable.size(),
                                          are_tracks ? counted(outcome.detections, "box", "boxes")
                                                     : counted(outcome.detections, "detection"),
                                          flags.out));
    }
    Json json{{"command", "merge"},     {"exit_code", static_cast<int>(code)},
              {"output", flags.out},    {"manifest", outcome.manifest.string()},
              {"parts", outcome.parts}, {"interrupted", outcome.interrupted}};
    if (!outcome.interrupted) {
        json["images"] = outcome.images;
        json["ok"] = outcome.images - outcome.unreadable.size();
        json["unreadable"] = outcome.unreadable.size();
        json["unreadable_images"] = unreadable_json(outcome.unreadable);
        json[are_tracks ? "boxes" : "detections"] = outcome.detections;
        json["skipped"] = outcome.skipped;
        if (!flags.features.empty()) {
            json["features"] = {{"file", flags.features}, {"rows", outcome.feature_rows}};
        }
    }
    json["warnings"] = outcome.warnings;
    console.print_json(json);
    return code;
}

}  // namespace

Command add_merge_command(CLI::App& program) {
    CLI::App* app = program.add_subcommand("merge", "Merge the results of all shards of a job");
    auto flags = std::make_shared<MergeFlags>();
    app->footer(merge_shards_footer);
    app->add_option("PARTS", flags->parts, "Results of the shards, or their folders of tracks")
        ->type_name("")
        ->required();
    app->add_option("--out,-o", flags->out,
                    "Results file that is made; its manifest lies beside it. For tracks, the folder")
        ->type_name("FILE|DIR")
        ->required()
        ->group("Output");
    app->add_option("--features", flags->features,
                    "File for the features of all faces, where the parts have some")
        ->type_name("FILE")
        ->group("Output");
    add_overwrite_flag(*app, flags->overwrite, "a file");
    add_max_unreadable_flag(*app, flags->max_unreadable, "Output");
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return merge(*flags, console); }};
}

}  // namespace fovea
