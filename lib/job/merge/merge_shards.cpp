#include "lib/job/merge/merge_shards.hpp"

#include <algorithm>
#include <optional>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/journal/feature_file.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/merge/interleave_parts.hpp"
#include "lib/job/merge/merged_manifest.hpp"
#include "lib/json/json.hpp"
#include "lib/results/results.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

void check_outputs(const MergeRequest& request, const fs::path& manifest,
                   const std::vector<ShardPart>& parts) {
    InputFiles inputs;
    for (const ShardPart& part : parts) {
        inputs.add(part.results);
        inputs.add(part.manifest_file);
        if (part.features) inputs.add(part.features->file);
    }
    inputs.refuse_clashes(std::vector<PlannedOutput>{
        {request.out, "results"}, {manifest, "manifest"}, {request.features, "features"}});
    for (const fs::path& output : {request.out, manifest, request.features})
        check_merged_output(output, journal_path(output), request.overwrite);
}

void check_features(const std::vector<ShardPart>& parts) {
    const ShardPart& first = parts.front();
    for (const ShardPart& part : parts) {
        if (!part.features) {
            throw UsageError("the part " + display_name(part) +
                             " has no features, so none can be merged; leave --features out");
        }
        if (part.features->bins != first.features->bins) {
            throw Error("The features of " + display_name(first) + " have " +
                        counted(first.features->bins, "bin") + " and those of " + display_name(part) + " " +
                        std::to_string(part.features->bins) + "; merge parts of one configuration.");
        }
    }
}

}  // namespace

void check_merged_output(const fs::path& output, const fs::path& journal, bool overwrite) {
    if (output.empty()) return;
    if (is_there(journal)) {
        throw UsageError("the output '" + output.string() +
                         "' is of a job that was interrupted, whose journal '" + journal.string() +
                         "' is there; complete that one, or name another output");
    }
    if (!is_there(output)) return;
    if (!is_file(output)) {
        throw UsageError("'" + output.string() +
                         "' is no regular file, and cannot be replaced by one; name a file");
    }
    refuse_to_replace(output, overwrite);
}

bool check_parts(const std::vector<ShardPart>& parts, bool with_features, const JobHooks& hooks,
                 MergeResult& outcome) {
    for (const ShardPart& part : parts) {
        outcome.interrupted = hooks.is_cancelled();
        if (outcome.interrupted) return false;
        check_part_bytes(part, with_features);
    }
    const auto has_features = [](const ShardPart& part) { return part.features.has_value(); };
    if (!with_features && std::any_of(parts.begin(), parts.end(), has_features)) {
        outcome.warnings.emplace_back(
            "the parts have features, which are not merged; name a file for them with --features");
    }
    const ShardPart& first = parts.front();
    outcome.skipped = first.skipped;
    for (const ShardPart& part : parts) {
        if (unread_inputs(part) == unread_inputs(first)) continue;
        outcome.warnings.push_back("the parts " + display_name(first) + " and " + display_name(part) +
                                   " skipped different inputs; those of the first are kept in the manifest");
        break;
    }
    return true;
}

MergeResult merge_shards(const MergeRequest& request, const JobHooks& hooks) {
    MergeResult outcome;
    outcome.manifest = manifest_path(request.out);
    outcome.parts = request.parts.size();
    if (request.parts.empty()) throw UsageError("there is nothing to merge: name the results of all shards");
    if (outcome.manifest.empty()) {
        throw UsageError(
            "merged results are written to a file and renamed when they are complete; name one with --out");
    }
    const bool with_features = !request.features.empty();
    hooks.begin_stage("checking");
    const std::vector<ShardPart> parts = read_shard_parts(request.parts);
    if (with_features) check_features(parts);
    check_outputs(request, outcome.manifest, parts);
    if (!check_parts(parts, with_features, hooks, outcome)) return outcome;

    hooks.begin_stage("merging");
    make_parent_folder(request.out);
    if (with_features) make_parent_folder(request.features);
    // Files are opened, and so locked, before anything is removed on failure: they may be those of another
    // program.
    const std::filesystem::path out = replaceable_file(request.out);
    ResultsWriter results(part_of(out));
    StagedFile staged_results(out);
    std::optional<FeatureFile> features;
    std::optional<StagedFile> staged_features;
    if (with_features) {
        const std::filesystem::path file = replaceable_file(request.features);
        const FeatureFileShape shape = read_feature_file_shape(parts.front().features->file);
        features.emplace(part_of(file), shape.bins, FileExtent{}, shape.type);
        staged_features.emplace(file);
    }
    outcome.interrupted = !interleave_parts(parts, results, features ? &*features : nullptr, hooks, outcome);
    if (outcome.interrupted) return outcome;
    results.file().sync();
    results.close();
    if (features) features->close();
    for (const ShardPart& part : parts) {
        outcome.pages_left_out += part.pages_left_out;
        outcome.damaged += part.damaged;
    }
    // Before anything takes its place: what fails here leaves all as it was.
    const Json manifest =
        merged_manifest(parts, outcome, request, staged_results.part(),
                        staged_features ? staged_features->part() : std::filesystem::path());
    remove_stale_manifest(outcome.manifest);
    if (staged_features) staged_features->publish(Durability::at_once);
    staged_results.publish(Durability::at_once);
    write_json_file(outcome.manifest, manifest);
    return outcome;
}

}  // namespace fovea
