// fovea track --resume and --shard, fovea merge of tracks: whole runs of the program.

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/apps/panned_clip.hpp"
#include "tests/apps/refusal.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/json_lines.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/video/reference_frames.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;
using FolderBytes = std::map<std::string, std::string>;

/// A kill may come between a file and its only bytes.
bool is_written(const fs::path& file) {
    std::error_code none;
    const std::uintmax_t bytes = fs::file_size(file, none);
    return !none && bytes > 0;
}

/// Five sequences; the third has no faces, and a picture of the fourth cannot be read.
struct Clips {
    static constexpr int frames = 12;
    static constexpr std::size_t sequences = 5;

    Clips() {
        for (const auto& [name, first] :
             std::map<std::string, int>{{"a", 0}, {"b/c", 8}, {"e", 16}, {"f", 24}})
            write_panned_clip(folder, "clips/" + name, frames, first);
        for (int i = 0; i < frames; ++i)
            folder.write("clips/d/" + std::to_string(i) + ".pgm",
                         "P5\n64 48\n255\n" + std::string(64 * 48, 'x'));
        folder.write("clips/e/5.pgm", "P5\n380 300\n255\ncut off");
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    Words command(const std::string& out, const Words& more = {}) const {
        Words words{"track",      path("clips"), "--model",          "mct",
                    "--out",      path(out),     "--device",         "cpu",
                    "--redetect", "4",           "--max-unreadable", "1"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    ProgramResult track(const std::string& out, const Words& more = {}) const {
        return run_fovea(command(out, more));
    }
    Json manifest(const std::string& out) const { return Json::parse(read_bytes(path(out + "/run.json"))); }
    /// Every file but the manifest.
    FolderBytes files(const std::string& out) const {
        FolderBytes files;
        for (const auto& entry : fs::recursive_directory_iterator(path(out))) {
            const std::string name = entry.path().lexically_relative(path(out)).generic_string();
            if (entry.is_regular_file() && name != "run.json") files[name] = read_bytes(entry.path());
        }
        return files;
    }
    /// Starts the command, and kills it once the journal has the record of a sequence.
    int kill_behind(std::size_t sequence, const std::string& out, const Words& more) const {
        Words words = command(out, more);
        words.insert(words.begin(), fovea_program());
        StartedProgram program(words);
        const std::string record = path(out + "/.track-journal/" + std::to_string(sequence) + "/record");
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
        while (!is_written(record) && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        program.send_signal(SIGKILL);
        return program.wait().exit_code;
    }

    TempDir folder;
};

Json without_timings(Json manifest) {
    manifest.erase("timings");
    return manifest;
}

}  // namespace

TEST_CASE("a track job that is killed goes on to the bytes of an uninterrupted one", "[cli][track]") {
    if (!has_photograph()) return;
    const Clips f;
    REQUIRE(f.track("whole", {"--explain"}).exit_code == 0);
    const FolderBytes whole = f.files("whole");
    REQUIRE(whole.contains("mot/b/c.txt"));
    REQUIRE(whole.contains("faces/a-1.png"));
    REQUIRE(whole.contains("decisions.jsonl"));
    REQUIRE_FALSE(whole.contains("shown/a.bin"));

    for (std::size_t sequence : {std::size_t{0}, std::size_t{2}}) {
        if (f.kill_behind(sequence, "out", {"--explain", "--resume"}) != 128 + SIGKILL) {
            WARN("not run: the job was done before it was killed");
            return;
        }
        CHECK_FALSE(fs::exists(f.path("out/results.jsonl")));
        CHECK_FALSE(fs::exists(f.path("out/run.json")));
    }
    CHECK_THAT(refusal_of(f.command("out", {"--explain"})),
               Contains("an interrupted job") && Contains("--resume"));
    CHECK_THAT(refusal_of(f.command("out", {"--explain", "--resume", "--min-score", "0.7"})),
               Contains("other work") && Contains("min_score"));
    CHECK_THAT(refusal_of(f.command("out", {"--explain", "--resume", "--look-back", "8"})),
               Contains("tracking/look_back is 8 and was 60"));
    CHECK_THAT(refusal_of(f.command("out", {"--explain", "--resume", "--overwrite"})),
               Contains("one of them"));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < Clips::sequences; ++i)
        kept += is_written(f.path("out/.track-journal/" + std::to_string(i) + "/record"));
    REQUIRE(kept >= 3);
    SECTION("the sequences that are done are not followed again") {
        // Files that come meanwhile change nothing.
        f.folder.write("clips/g/0.pgm", "P5\n64 48\n255\n" + std::string(64 * 48, 'x'));
    }
    SECTION("a torn record, and parts that its record does not describe, are passed over") {
        const std::string record = read_bytes(f.path("out/.track-journal/0/record"));
        f.folder.write("out/.track-journal/0/record", record.substr(0, record.size() / 2));
        std::string part = read_bytes(f.path("out/.track-journal/1/rest"));
        part.at(part.size() / 2) ^= 1;
        f.folder.write("out/.track-journal/1/rest", part);
        fs::resize_file(f.path("out/.track-journal/2/results.jsonl"), 7);
        kept -= 3;
    }
    SECTION("what stands behind the parts is cut off") {
        std::ofstream(f.path("out/.track-journal/0/results.jsonl"), std::ios::app) << "{\"image\":";
        std::ofstream(f.path("out/.track-journal/3/results.jsonl"), std::ios::app) << "torn";
        std::ofstream(f.path("out/.track-journal/job"), std::ios::app) << std::string(300, '\0');
    }
    const ProgramResult result = f.track("out", {"--explain", "--resume", "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(Json::parse(result.out)["resumed"] == kept * Clips::frames);
    CHECK((f.files("out") == whole));
    Json manifest = without_timings(f.manifest("out"));
    manifest["configuration"]["output"] = f.path("whole");
    CHECK(manifest == without_timings(f.manifest("whole")));

    fs::remove_all(f.path("clips/g"));
    // Complete results stay as they are; the rest of a journal goes, which a kill may leave.
    f.folder.write("out/.track-journal/1/rest", "x");
    f.folder.write("out/.track-parts/tracks.csv", "x");
    const std::string before = read_bytes(f.path("out/run.json"));
    const ProgramResult again = f.track("out", {"--explain", "--resume", "--json"});
    REQUIRE(again.exit_code == 0);
    Json first = Json::parse(result.out);
    first["resumed"] = Clips::frames * Clips::sequences;
    CHECK(Json::parse(again.out) == first);
    CHECK(read_bytes(f.path("out/run.json")) == before);
    CHECK((f.files("out") == whole));
    // The same work replaces them, other work does not.
    CHECK(f.track("out", {"--explain"}).exit_code == 0);
    CHECK_THAT(refusal_of(f.command("out")),
               Contains("is there already, by other work (work/tracking/explain"));
}

TEST_CASE("a track job that is interrupted goes on", "[cli][track]") {
    if (!has_photograph()) return;
    const Clips f;
    REQUIRE(f.track("whole").exit_code == 0);
    StartedProgram program([&] {
        Words words = f.command("out");
        words.insert(words.begin(), fovea_program());
        return words;
    }());
    while (!fs::exists(f.path("out/.track-journal/1/record")))
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    program.send_signal(SIGTERM);
    const ProgramResult result = program.wait();
    if (result.exit_code != 130) {
        WARN("not run: the job was done before it was interrupted");
        return;
    }
    CHECK(f.manifest("out")["complete"] == false);
    const std::size_t lines = json_lines(read_bytes(f.path("out/results.jsonl"))).size();
    CHECK(lines >= 2 * Clips::frames);
    REQUIRE(f.track("out", {"--resume", "--threads", "1"}).exit_code == 0);
    CHECK((f.files("out") == f.files("whole")));
    CHECK(f.manifest("out")["complete"] == true);
}

TEST_CASE("shards of tracks are merged to the bytes of one run", "[cli][track][merge]") {
    if (!has_photograph()) return;
    const Clips f;
    REQUIRE(f.track("whole", {"--explain"}).exit_code == 0);
    const FolderBytes whole = f.files("whole");
    Json wanted = f.manifest("whole");
    for (const char* key : {"timings", "device"}) wanted.erase(key);
    wanted["command"] = "merge";
    const auto merge = [&](const Words& folders, const std::string& out, const Words& more = {}) {
        Words words{"merge", "--out", f.path(out)};
        for (const std::string& folder : folders) words.push_back(f.path(folder));
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    for (const int count : {2, 7}) {
        CAPTURE(count);
        Words folders;
        std::size_t sequences = 0;
        for (int i = 1; i <= count; ++i) {
            folders.push_back(std::to_string(count) + "-" + std::to_string(i));
            const ProgramResult part =
                f.track(std::to_string(count) + "-{shard}",
                        {"--explain", "--shard", std::to_string(i) + "/" + std::to_string(count)});
            CAPTURE(part.err);
            REQUIRE(part.exit_code == 0);
            const Json manifest = f.manifest(folders.back());
            CHECK(manifest["work"]["shard"] == std::to_string(i) + "/" + std::to_string(count));
            CHECK(manifest["work"]["description"] == wanted["work"]["description"]);
            sequences += manifest["sequences"].size();
        }
        CHECK(sequences == Clips::sequences);
        std::swap(folders.front(), folders.back());
        const std::string out = "merged-" + std::to_string(count);
        const ProgramResult result = run_fovea(merge(folders, out, {"--max-unreadable", "1"}));
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        CHECK_THAT(result.out, Contains(std::to_string(count) + " parts, 60 images, 1 unreadable, "));
        CHECK((f.files(out) == whole));
        Json merged = f.manifest(out);
        CHECK(merged["parts"].size() == static_cast<std::size_t>(count));
        CHECK(merged["parts"][0]["file"] == "../" + std::to_string(count) + "-1/results.jsonl");
        merged.erase("parts");
        merged["configuration"]["output"] = f.path("whole");
        CHECK(merged == wanted);
    }

    CHECK_THAT(refusal_of(merge({"2-1", "2-2"}, "merged-2")), Contains("is there already"));
    CHECK(run_fovea(merge({"2-1", "2-2"}, "merged-2", {"--overwrite", "--max-unreadable", "1"})).exit_code ==
          0);
    CHECK((f.files("merged-2") == whole));
    const ProgramResult resumed = f.track("merged-2", {"--explain", "--resume", "--json"});
    CHECK(resumed.exit_code == 0);
    CHECK(Json::parse(resumed.out)["resumed"] == Clips::frames * Clips::sequences);
    const auto failure = [&](const Words& folders) {
        const ProgramResult result = run_fovea(merge(folders, "none"));
        CHECK(result.exit_code == 1);
        CHECK_FALSE(fs::exists(f.path("none/results.jsonl")));
        CHECK_FALSE(fs::exists(f.path("none/.track-parts")));
        return result.err;
    };
    CHECK_THAT(failure({"2-1"}), Contains("1 of the 2 shards is missing: 2;"));
    CHECK_THAT(failure({"2-1", "2-1"}), Contains("are the same shard"));
    CHECK_THAT(failure({"2-1", "7-2"}), Contains("different numbers of shards"));
    CHECK_THAT(failure({"whole"}), Contains("was not made with --shard"));
    REQUIRE(f.track("other", {"--shard", "2/2", "--look-back", "8"}).exit_code == 0);
    CHECK_THAT(failure({"2-1", "other"}), Contains("not of the same work") && Contains("look_back"));
    CHECK_THAT(refusal_of(merge({"2-1", "2-2"}, "2-1", {"--overwrite"})), Contains("is also an input"));
    CHECK_THAT(refusal_of(merge({"2-1", "2-2/results.jsonl"}, "none")), Contains("there is no results file"));
    CHECK_THAT(refusal_of(merge({"2-1/results.jsonl", "2-2/results.jsonl"}, "none.jsonl")),
               Contains("holds tracks; name the folders"));
    CHECK_THAT(refusal_of(merge({"2-1", "2-2"}, "none", {"--features", f.path("f.npy")})),
               Contains("--features"));
    // Shards lie there in full; then a file of one is changed.
    const std::size_t second = f.manifest("2-2")["sequences"].size();
    REQUIRE(second > 0);
    for (const char* name : {"results.jsonl", "tracks.csv", "mot", "shown", "faces"}) {
        CAPTURE(name);
        fs::remove_all(f.path("bad"));
        fs::copy(f.path("2-2"), f.path("bad"), fs::copy_options::recursive);
        fs::path file = f.path(std::string("bad/") + name);
        if (fs::is_directory(file)) {
            for (const auto& entry : fs::recursive_directory_iterator(fs::path(file))) {
                if (entry.is_regular_file() && fs::file_size(entry) > 0) file = entry.path();
            }
        }
        std::string bytes = read_bytes(file);
        bytes.at(bytes.size() / 2) ^= 1;
        std::ofstream(file, std::ios::binary) << bytes;
        CHECK_THAT(failure({"2-1", "bad"}), Contains("was changed"));
        fs::remove(file);
        if (file.filename() != "results.jsonl") CHECK_THAT(failure({"2-1", "bad"}), Contains("was changed"));
    }
    fs::copy(f.path("2-2"), f.path("longer"), fs::copy_options::recursive);
    std::ofstream(f.path("longer/tracks.jsonl"), std::ios::app) << "{}\n";
    CHECK_THAT(failure({"2-1", "longer"}), Contains("more or fewer bytes"));
    f.folder.write("longer/.track-journal/job", "x");
    CHECK_THAT(failure({"2-1", "longer"}), Contains("'fovea track' and --resume"));
}

TEST_CASE("annotated videos are made by --resume where they are missing", "[cli][track]") {
    if (!has_photograph()) return;
    if (!has_encoder("libx264")) {
        WARN("not run: FFmpeg has no libx264 here");
        return;
    }
    const Clips f;
    const Words annotate{"--annotate", f.path("videos")};
    REQUIRE(f.track("out", annotate).exit_code == 0);
    const Json manifest = f.manifest("out");
    CHECK(manifest["annotated"]["encoder"] == "libx264");
    const FolderBytes whole = f.files("out");
    const std::string kept = f.path("videos/a.mp4"), missing = f.path("videos/b/c.mp4");
    const auto time = fs::last_write_time(kept);
    fs::remove(missing);
    Words resume = annotate;
    resume.push_back("--resume");
    const ProgramResult result = f.track("out", resume);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("annotated: " + f.path("videos")));
    CHECK(fs::last_write_time(kept) == time);
    CHECK(reference_frames(missing).size() == Clips::frames);
    CHECK((f.files("out") == whole));
    CHECK(without_timings(f.manifest("out")) == without_timings(manifest));
    // Videos of somebody else are not replaced.
    f.folder.write("others/a.mp4", "mine");
    CHECK_THAT(refusal_of(f.command("out", {"--resume", "--annotate", f.path("others")})),
               Contains("others/a.mp4' is there already"));
    CHECK(read_bytes(f.path("others/a.mp4")) == "mine");

    SECTION("also where the program is killed while it makes them") {
        fs::remove_all(f.path("videos"));
        Words words = f.command("out", annotate);
        words.insert(words.begin(), fovea_program());
        StartedProgram program(words);
        while (!fs::exists(f.path("videos/b/c.mp4.part")) && !fs::exists(f.path("videos/f.mp4")))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        program.send_signal(SIGKILL);
        program.wait();
        CHECK(f.manifest("out")["complete"] == true);
        REQUIRE(f.track("out", resume).exit_code == 0);
        for (const char* video : {"a", "b/c", "d", "f"})
            CHECK(reference_frames(f.path(std::string("videos/") + video + ".mp4")).size() == Clips::frames);
        CHECK(without_timings(f.manifest("out")) == without_timings(manifest));
    }
}
