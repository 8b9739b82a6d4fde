// fovea list, and jobs over the lists that it makes.

#include <filesystem>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

struct ListedPhotos : PhotoFolder {
    ListedPhotos() : PhotoFolder({}) {
        for (int i = 0; i < 40; ++i) {
            folder.write("photos/" + std::to_string(i % 4) + "/" + std::to_string(i) + ".pgm",
                         i == 17 ? "no image" : edge_pgm(40 + 8 * i, 30 + i % 7));
        }
    }

    std::vector<std::string> detect(const std::string& images, const std::string& out,
                                    const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{"detect",          images, "--model",   model, "--device", "cpu",
                                       "--min-neighbors", "1",    "--threads", "2",   "--out",    path(out)};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    std::string bytes(const std::string& name) const { return read_bytes(path(name)); }
    Json json(const std::string& name) const { return Json::parse(bytes(name)); }
};

}  // namespace

TEST_CASE("parts of a list are merged into the bytes of a run over the folder", "[list][cli][merge]") {
    const ListedPhotos photos;
    const std::string list = photos.path("photos.fvl");
    REQUIRE(run_fovea(photos.detect(photos.photos, "whole.jsonl")).exit_code == 3);
    const ProgramResult made = run_fovea({"list", photos.photos, "--out", list});
    CHECK(made.exit_code == 0);
    CHECK(made.err.empty());
    CHECK_THAT(made.out, Contains("photos.fvl: 40 images, ") && Contains("folder: " + photos.photos));

    std::vector<std::string> merge{"merge"};
    for (const std::string shard : {"1", "2", "3"}) {
        // A photograph that comes later belongs to no part, and makes no part worthless.
        if (shard == "2") photos.folder.write("photos/0/added.pgm", edge_pgm(40, 30));
        const ProgramResult part =
            run_fovea(photos.detect(list, "part-" + shard + ".jsonl", {"--shard", shard + "/3"}));
        CAPTURE(part.err);
        REQUIRE(part.exit_code == 0);
        merge.push_back(photos.path("part-" + shard + ".jsonl"));
    }
    merge.insert(merge.end(), {"--out", photos.path("merged.jsonl"), "--max-unreadable", "1"});
    const ProgramResult merged = run_fovea(merge);
    CAPTURE(merged.err);
    CHECK(merged.exit_code == 0);
    CHECK(photos.bytes("merged.jsonl") == photos.bytes("whole.jsonl"));
    const std::string sha256 = photos.json("part-1.run.json")["dataset"]["sources"][0]["list_sha256"];
    CHECK_THAT(made.out, Contains("list: " + sha256));
    CHECK(photos.json("merged.run.json")["dataset"]["sources"] ==
          Json::array({{{"path", list}, {"list_sha256", sha256}}}));
    CHECK(photos.json("merged.run.json")["work"]["description"]["images"]["list_sha256"] == sha256);

    // Finished results are those of this list.
    const ProgramResult again = run_fovea(photos.detect(list, "merged.jsonl", {"--resume"}));
    CAPTURE(again.err);
    CHECK(again.exit_code == 3);
    CHECK(photos.bytes("merged.jsonl") == photos.bytes("whole.jsonl"));

    // Parts of another list are refused, and a part goes on with its own.
    REQUIRE(run_fovea({"list", photos.photos, "--out", list, "--overwrite"}).exit_code == 0);
    REQUIRE(run_fovea(photos.detect(list, "other.jsonl", {"--shard", "2/3"})).exit_code == 0);
    const ProgramResult mixed = run_fovea({"merge", photos.path("part-1.jsonl"), photos.path("other.jsonl"),
                                           photos.path("part-3.jsonl"), "--out", photos.path("mixed.jsonl")});
    CHECK(mixed.exit_code == 1);
    CHECK_THAT(mixed.err, Contains("the whole lists have 40 and 41 images"));
    const ProgramResult resumed =
        run_fovea(photos.detect(list, "part-1.jsonl", {"--shard", "1/3", "--resume"}));
    CHECK(resumed.exit_code == 2);
    CHECK_THAT(resumed.err, Contains("other work"));
}

TEST_CASE("a list of the same names with other sizes is another list", "[list][cli][merge]") {
    const ListedPhotos photos;
    const std::string list = photos.path("photos.fvl");
    REQUIRE(run_fovea({"list", photos.photos, "--out", list}).exit_code == 0);
    REQUIRE(run_fovea(photos.detect(list, "part-1.jsonl", {"--shard", "1/2"})).exit_code == 0);
    photos.folder.write("photos/0/0.pgm", edge_pgm(400, 300));
    REQUIRE(run_fovea({"list", photos.photos, "--out", list, "--overwrite"}).exit_code == 0);
    REQUIRE(run_fovea(photos.detect(list, "part-2.jsonl", {"--shard", "2/2"})).exit_code == 0);
    const ProgramResult mixed = run_fovea(
        {"merge", photos.path("part-1.jsonl"), photos.path("part-2.jsonl"), "--out", photos.path("m.jsonl")});
    CHECK(mixed.exit_code == 1);
    CHECK_THAT(mixed.err, Contains("they are parts of two list files"));
}

TEST_CASE("fovea list shows a list", "[list][cli]") {
    const ListedPhotos photos;
    const std::string list = photos.path("photos.fvl");
    photos.folder.write("photos/drawing.psd", "x");
    const ProgramResult made = run_fovea({"list", photos.photos, "--out", list, "--parts", "8"});
    CHECK(made.exit_code == 0);
    CHECK_THAT(made.err, Contains("1 input left out: *.psd"));
    CHECK_THAT(made.out,
               Contains("1 input left out") && Contains("parts: 8, from ") && Contains(" of the mean"));
    const ProgramResult shown = run_fovea({"list", list, "--parts", "8"});
    CHECK(shown.exit_code == 0);
    CHECK(shown.out == made.out);
    const Json json = Json::parse(run_fovea({"list", list, "--parts", "1", "--json"}).out);
    CHECK(json["images"] == 40);
    CHECK(json["bytes"] == json["parts"]["largest"]["bytes"]);
    CHECK(json["parts"]["smallest"]["images"] == 40);
    CHECK(json["skipped"] == 1);
    CHECK(json["root"] == photos.photos);
    const std::string names = run_fovea({"list", list, "--names"}).out;
    CHECK_THAT(names, Contains("0/0.pgm\n0/4.pgm\n") && Contains("3/39.pgm\n"));
    CHECK(std::count(names.begin(), names.end(), '\n') == 40);
    CHECK(
        run_fovea({"list", photos.photos, "--pattern", "1/*", "--out", photos.path("one.fvl"), "--names"})
            .out ==
        "1/1.pgm\n1/5.pgm\n1/9.pgm\n1/13.pgm\n1/17.pgm\n1/21.pgm\n1/25.pgm\n1/29.pgm\n1/33.pgm\n1/37.pgm\n");
}

TEST_CASE("fovea list refuses what makes no sense", "[list][cli]") {
    const ListedPhotos photos;
    const std::string list = photos.path("photos.fvl");
    const auto refused = [&](const std::vector<std::string>& flags) {
        std::vector<std::string> words{"list", photos.photos};
        words.insert(words.end(), flags.begin(), flags.end());
        const ProgramResult result = run_fovea(words);
        CHECK(result.exit_code == 2);
        CHECK_FALSE(fs::exists(list));
        return result.err;
    };
    CHECK_THAT(refused({}), Contains("is no list file; name the one to be made with --out"));
    CHECK_THAT(refused({"--out", photos.path("photos.jpg")}), Contains("has the name of an image"));
    CHECK_THAT(refused({"--out", photos.photos}), Contains("--out"));
    CHECK_THAT(refused({"--out", list, "--parts", "0"}), Contains("--parts"));
    photos.folder.write("full.fvl", "something");
    CHECK_THAT(refused({"--out", photos.path("full.fvl")}), Contains("--overwrite"));
    CHECK(photos.bytes("full.fvl") == "something");
    const ProgramResult absent = run_fovea({"list", photos.path("absent.fvl")});
    CHECK(absent.exit_code == 2);
    CHECK_THAT(absent.err, Contains("absent.fvl"));
    REQUIRE(run_fovea({"list", photos.photos, "--out", list}).exit_code == 0);
    const ProgramResult selected = run_fovea({"list", list, "--limit", "2"});
    CHECK(selected.exit_code == 2);
    CHECK_THAT(selected.err, Contains("--out"));
    // Other commands say who reads it.
    const ProgramResult evaluated = run_fovea({"convert", list, "--to", "coco"});
    CHECK(evaluated.exit_code == 2);
    CHECK_THAT(evaluated.err, Contains("fovea detect and fovea track read"));
}
