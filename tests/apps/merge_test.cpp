#include <catch2/catch.hpp>

#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/shard_parts.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace {

std::vector<std::string> merge_command(const MadeParts& parts, const std::vector<std::string>& flags) {
    std::vector<std::string> command{"merge"};
    for (const auto& file : parts.files) command.push_back(file.string());
    command.insert(command.end(), flags.begin(), flags.end());
    return command;
}

}  // namespace

TEST_CASE("fovea merge gives the bytes of a single run", "[merge]") {
    const MadeParts parts(12, 8);
    const std::string out = parts.path("new/results.jsonl").string();
    const std::string features = parts.path("new/features.npy").string();
    const ProgramResult result = run_fovea(merge_command(parts, {"--out", out, "--features", features}));
    // The exit code is that of the run itself: some images could not be read.
    CHECK(result.exit_code == 3);
    CHECK(result.out == "8 parts, 12 images, 2 unreadable, 17 detections in " + out + "\n");
    CHECK_THAT(result.err, Contains("2 of 12 images could not be read: photo-4.jpg (no JPEG)"));
    CHECK(read_file(out) == parts.job.results(parts.job.all()));
    CHECK(read_feature_file_shape(features).rows == 17);
    CHECK(Json::parse(read_file(parts.path("new/run.json")))["parts"][7]["file"] == "../part-8.jsonl");

    const ProgramResult again = run_fovea(merge_command(parts, {"--out", out}));
    CHECK(again.exit_code == 2);
    CHECK_THAT(again.err, Contains("is there already") && Contains("--overwrite"));
    const ProgramResult json = run_fovea(merge_command(parts, {"--out", out, "--overwrite", "--json"}));
    CHECK(json.exit_code == 3);
    const Json outcome = Json::parse(json.out);
    CHECK(outcome["command"] == "merge");
    CHECK(outcome["exit_code"] == 3);
    CHECK(outcome["output"] == out);
    CHECK(outcome["manifest"] == parts.path("new/run.json").string());
    CHECK(outcome["parts"] == 8);
    CHECK(outcome["images"] == 12);
    CHECK(outcome["ok"] == 10);
    CHECK(outcome["unreadable_images"][1]["image"] == "photo-9.jpg");
    CHECK(outcome["detections"] == 17);
    CHECK_FALSE(outcome.contains("features"));
    CHECK_THAT(outcome["warnings"][0].get<std::string>(), Contains("--features"));

    // Two are unreadable, and one was left out.
    const ProgramResult allowed =
        run_fovea(merge_command(parts, {"--out", out, "--overwrite", "--max-unreadable", "3"}));
    CHECK(allowed.exit_code == 0);
    const ProgramResult more =
        run_fovea(merge_command(parts, {"--out", out, "--overwrite", "--max-unreadable", "2"}));
    CHECK(more.exit_code == 3);
    CHECK_THAT(more.err, Contains("3 images were unreadable or left out; --max-unreadable allows 2"));
}

TEST_CASE("fovea merge of readable images ends with 0", "[merge]") {
    const MadeParts parts(4, 2, [](std::size_t, Json& json) {
        json["skipped"] = Json::array();
        json["counts"]["skipped"] = 0;
    });
    const ProgramResult result = run_fovea(merge_command(
        parts, {"--out", parts.path("all.jsonl").string(), "--features", parts.path("all.npy").string()}));
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
}

TEST_CASE("fovea merge ends as the run itself where inputs were left out", "[merge]") {
    const MadeParts parts(4, 2);
    const ProgramResult result = run_fovea(merge_command(
        parts, {"--out", parts.path("all.jsonl").string(), "--features", parts.path("all.npy").string()}));
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Contains("1 input left out") && Contains("all.run.json"));
}

TEST_CASE("fovea merge says what it cannot merge in one sentence", "[merge]") {
    const MadeParts parts(12, 3);
    const std::string out = parts.path("all.jsonl").string();
    const ProgramResult missing =
        run_fovea({"merge", parts.files[0].string(), parts.files[2].string(), "--out", out});
    CHECK(missing.exit_code == 1);
    CHECK(missing.out.empty());
    CHECK(missing.err ==
          "fovea: error: 1 of the 3 shards is missing: 2; run them, or name their files, too. As indices of "
          "a job array from 0: --array=1.\n");
    CHECK_FALSE(std::filesystem::exists(out));
    const ProgramResult no_out = run_fovea(merge_command(parts, {}));
    CHECK(no_out.exit_code == 2);
    CHECK_THAT(no_out.err, Contains("--out"));
    const ProgramResult no_parts = run_fovea({"merge", "--out", out});
    CHECK(no_parts.exit_code == 2);
    CHECK_THAT(no_parts.err, Contains("PARTS"));
}
