// fovea detect --update and --retry-unreadable: the bytes of a whole run, without doing all images again.

#include <chrono>
#include <filesystem>
#include <thread>

#include <catch2/catch.hpp>
#include <signal.h>

#include "lib/json/json.hpp"
#include "tests/support/archives.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/landmark_models.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

struct Growing : PhotoFolder {
    Growing() : PhotoFolder({}) {
        for (int i = 0; i < 30; ++i) write(i, 40 + i);
        folder.write("photos/b/broken.pgm", "no image");
        landmarks = folder.write("still.dat", still_landmark_file()).string();
        // Photographs of an archive are old.
        for (const auto& entry : fs::recursive_directory_iterator(photos))
            fs::last_write_time(entry.path(), fs::file_time_type::clock::now() - std::chrono::hours(24));
    }
    void write(int number, int width) const {
        folder.write("photos/" + std::to_string(number % 3) + "/" + std::to_string(number) + ".pgm",
                     edge_pgm(width, 30));
    }
    std::vector<std::string> words(const std::string& images, const std::vector<std::string>& more) const {
        std::vector<std::string> words{"detect",          images, "--model",   model, "--device", "cpu",
                                       "--min-neighbors", "1",    "--threads", "2"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    ProgramResult update(const std::vector<std::string>& more = {}) const {
        std::vector<std::string> flags{"--update", path("kept.jsonl")};
        flags.insert(flags.end(), more.begin(), more.end());
        return run_fovea(words(photos, flags));
    }
    /// The results are those of a whole run, and so is what the manifest counts.
    void check_equals_whole_run(const std::string& images) const {
        run_fovea(words(images, {"--out", path("whole.jsonl"), "--overwrite"}));
        CHECK(bytes("kept.jsonl") == bytes("whole.jsonl"));
        const Json updated = json("kept.run.json"), whole = json("whole.run.json");
        for (const char* key :
             {"counts", "unreadable", "skipped", "dataset", "work", "complete", "command"}) {
            CAPTURE(key);
            CHECK(updated[key] == whole[key]);
        }
        CHECK(updated["detectors"][0]["results_sha256"] == whole["detectors"][0]["results_sha256"]);
        CHECK_FALSE(fs::exists(path("kept.jsonl.update")));
    }
    std::string bytes(const std::string& name) const { return read_bytes(path(name)); }
    Json json(const std::string& name) const { return Json::parse(bytes(name)); }
    Json counts() const { return json("kept.run.json")["update"]; }

    std::string landmarks;
};

Json expected(int kept, int added, int changed, int gone, int retried = 0) {
    return {{"kept", kept}, {"added", added}, {"changed", changed}, {"retried", retried}, {"gone", gone}};
}

}  // namespace

TEST_CASE("an update does what is new or changed, and drops what is gone", "[update][cli]") {
    const Growing photos;
    // The first one does all.
    const ProgramResult first = photos.update();
    CAPTURE(first.err);
    REQUIRE(first.exit_code == 3);
    CHECK_THAT(first.out, Contains("31 new, 0 changed, 0 gone, 0 kept"));
    photos.check_equals_whole_run(photos.photos);
    CHECK(fs::exists(photos.path("kept.jsonl.fvl")));

    photos.write(40, 90);
    photos.write(7, 120);  // another size
    fs::remove(photos.path("photos/2/11.pgm"));
    const ProgramResult second = photos.update();
    CAPTURE(second.err);
    CHECK(second.exit_code == 3);
    CHECK_THAT(second.out, Contains("1 new, 1 changed, 1 gone, 29 kept"));
    CHECK(photos.counts() == expected(29, 1, 1, 1));
    photos.check_equals_whole_run(photos.photos);

    // Nothing is new.
    const ProgramResult third = photos.update({"--max-unreadable", "1"});
    CHECK(third.exit_code == 0);
    CHECK(photos.counts() == expected(31, 0, 0, 0));
    photos.check_equals_whole_run(photos.photos);

    // Other settings are other work, and lose nothing.
    const std::string before = photos.bytes("kept.jsonl");
    const ProgramResult other = photos.update({"--min-score", "1"});
    CHECK(other.exit_code == 2);
    CHECK_THAT(other.err, Contains("results of other work"));
    CHECK(photos.bytes("kept.jsonl") == before);
    const ProgramResult anew = photos.update({"--min-score", "1", "--overwrite"});
    CHECK(anew.exit_code == 3);
    CHECK(photos.counts() == expected(0, 31, 0, 0));
}

TEST_CASE("results of a run without a list are brought up to date by the time of the files",
          "[update][cli]") {
    const Growing photos;
    // Files have times of change that cannot be set back: they are older than the run only by waiting.
    std::this_thread::sleep_for(std::chrono::milliseconds(3100));
    REQUIRE(run_fovea(photos.words(photos.photos, {"--out", photos.path("kept.jsonl")})).exit_code == 3);
    photos.write(7, 120);
    photos.write(41, 50);
    const ProgramResult updated = photos.update();
    CAPTURE(updated.err);
    CHECK(updated.exit_code == 3);
    CHECK(photos.counts() == expected(30, 1, 1, 0));
    photos.check_equals_whole_run(photos.photos);

    // Nothing is guessed if the manifest does not say when it was begun.
    REQUIRE(run_fovea(photos.words(photos.photos, {"--out", photos.path("old.jsonl")})).exit_code == 3);
    Json manifest = photos.json("old.run.json");
    manifest["timings"].erase("began");
    photos.folder.write("old.run.json", manifest.dump());
    const ProgramResult old = run_fovea(photos.words(photos.photos, {"--update", photos.path("old.jsonl")}));
    CHECK(old.exit_code == 2);
    CHECK_THAT(old.err, Contains("does not tell when it was begun"));
}

TEST_CASE("an update keeps features, and reads archives", "[update][cli]") {
    const Growing photos;
    std::vector<TestMember> members;
    for (int i = 0; i < 12; ++i) members.push_back({std::to_string(i) + ".pgm", edge_pgm(60 + i, 40)});
    write_archive(photos.path("photos/a.tar"), members, TestArchive::ustar);
    const std::vector<std::string> features{"--landmarks", photos.landmarks, "--box-convention", "none"};
    const auto update = [&] {
        std::vector<std::string> flags{"--features", photos.path("results.npy")};
        flags.insert(flags.end(), features.begin(), features.end());
        return photos.update(flags);
    };
    REQUIRE(update().exit_code == 3);
    members[3].bytes = edge_pgm(100, 50);
    members.push_back({"new.pgm", edge_pgm(70, 40)});
    members.erase(members.begin());
    write_archive(photos.path("photos/a.tar"), members, TestArchive::ustar);
    photos.write(2, 77);
    const ProgramResult updated = update();
    CAPTURE(updated.err);
    REQUIRE(updated.exit_code == 3);
    CHECK(photos.counts()["added"] == 1);
    CHECK(photos.counts()["changed"] == 2);
    CHECK(photos.counts()["gone"] == 1);
    std::vector<std::string> whole{"--out", photos.path("whole.jsonl"), "--features",
                                   photos.path("whole.npy")};
    whole.insert(whole.end(), features.begin(), features.end());
    REQUIRE(run_fovea(photos.words(photos.photos, whole)).exit_code == 3);
    CHECK(photos.bytes("kept.jsonl") == photos.bytes("whole.jsonl"));
    CHECK(photos.bytes("results.npy") == photos.bytes("whole.npy"));
    CHECK(photos.json("kept.run.json")["features"]["sha256"] ==
          photos.json("whole.run.json")["features"]["sha256"]);
    const ProgramResult without = photos.update();
    CHECK(without.exit_code == 2);
    CHECK_THAT(without.err, Contains("--features"));
}

TEST_CASE("an update compares contents where that is wanted", "[update][cli]") {
    const Growing photos;
    REQUIRE(photos.update({"--verify-content"}).exit_code == 3);
    // Another time, the same bytes; and other bytes of the same length and time.
    fs::last_write_time(photos.path("photos/0/0.pgm"),
                        fs::file_time_type::clock::now() - std::chrono::hours(2));
    const fs::path same = photos.path("photos/1/1.pgm");
    const auto time = fs::last_write_time(same);
    std::string bytes = read_bytes(same.string());
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    photos.folder.write("photos/1/1.pgm", bytes);
    fs::last_write_time(same, time);
    REQUIRE(photos.update({"--verify-content"}).exit_code == 3);
    CHECK(photos.counts() == expected(30, 0, 1, 0));
    photos.check_equals_whole_run(photos.photos);
    const ProgramResult alone =
        run_fovea(photos.words(photos.photos, {"--out", photos.path("kept.jsonl"), "--verify-content"}));
    CHECK(alone.exit_code == 2);
    CHECK_THAT(alone.err, Contains("--update"));
}

TEST_CASE("unreadable images are read again", "[update][cli]") {
    const Growing photos;
    const auto retry = [&](const std::string& images, const std::vector<std::string>& more = {}) {
        std::vector<std::string> flags{"--out", photos.path("kept.jsonl"), "--retry-unreadable"};
        flags.insert(flags.end(), more.begin(), more.end());
        return run_fovea(photos.words(images, flags));
    };
    CHECK(retry(photos.photos).exit_code == 2);  // there are none
    REQUIRE(run_fovea(photos.words(photos.photos, {"--out", photos.path("kept.jsonl")})).exit_code == 3);
    const ProgramResult still = retry(photos.photos);
    CAPTURE(still.err);
    CHECK(still.exit_code == 3);
    CHECK_THAT(still.out, Contains("1 read again") && Contains("30 kept"));
    photos.check_equals_whole_run(photos.photos);
    photos.folder.write("photos/b/broken.pgm", edge_pgm(50, 40));
    const ProgramResult mended = retry(photos.photos);
    CHECK(mended.exit_code == 0);
    photos.check_equals_whole_run(photos.photos);

    // Other images are an update's work.
    photos.folder.write("photos/b/more.pgm", edge_pgm(50, 40));
    const ProgramResult more = retry(photos.photos);
    CHECK(more.exit_code == 2);
    CHECK_THAT(more.err, Contains("1 image came and 0 went since; use --update"));

    // A file that was replaced since its list was made is read as it is now.
    const std::string list = photos.path("photos.fvl");
    REQUIRE(run_fovea({"list", photos.photos, "--out", list}).exit_code == 0);
    photos.write(5, 130);
    REQUIRE(run_fovea(photos.words(list, {"--out", photos.path("kept.jsonl"), "--overwrite"})).exit_code ==
            3);
    CHECK_THAT(photos.bytes("kept.jsonl"), Contains("was replaced since its list was made"));
    const ProgramResult replaced = retry(list);
    CAPTURE(replaced.err);
    CHECK(replaced.exit_code == 0);
    CHECK_THAT(photos.bytes("kept.jsonl"), !Contains("unreadable"));
}

TEST_CASE("an update that was killed goes on", "[update][cli]") {
    const Growing photos;
    REQUIRE(photos.update().exit_code == 3);
    const std::string before = photos.bytes("kept.jsonl");
    for (int i = 50; i < 90; ++i) photos.write(i, 60 + i);
    std::vector<std::string> command{fovea_program()};
    for (const std::string& word : photos.words(photos.photos, {"--update", photos.path("kept.jsonl")}))
        command.push_back(word);
    bool was_killed = false;
    for (int milliseconds = 20; milliseconds < 400; milliseconds += 35) {
        StartedProgram program(command);
        std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
        program.send_signal(SIGKILL);
        was_killed = program.wait().exit_code != 3;
        if (!was_killed) break;
        // Results are the earlier ones or the new ones, as a whole.
        const std::string now = photos.bytes("kept.jsonl");
        if (now != before) CHECK(std::count(now.begin(), now.end(), '\n') == 71);
    }
    // Other options would not fit what lies there.
    if (fs::exists(photos.path("kept.jsonl.update/todo.json"))) {
        const ProgramResult other = photos.update({"--retry-unreadable"});
        CHECK(other.exit_code == 2);
        CHECK_THAT(other.err, Contains("with other options was interrupted"));
    }
    const ProgramResult last = photos.update();
    CAPTURE(last.err);
    CHECK(last.exit_code == 3);
    photos.check_equals_whole_run(photos.photos);
}

TEST_CASE("updates that make no sense are refused", "[update][cli]") {
    const Growing photos;
    const auto refused = [&](const std::vector<std::string>& flags) {
        const ProgramResult result = run_fovea(photos.words(photos.photos, flags));
        CHECK(result.exit_code == 2);
        return result.err;
    };
    const std::string results = photos.path("kept.jsonl");
    CHECK_THAT(refused({"--update", results, "--out", results}), Contains("leave --out out"));
    CHECK_THAT(refused({"--update", results, "--shard", "1/2"}), Contains("merge them"));
    CHECK_THAT(refused({"--update", results, "--crops", photos.path("crops")}), Contains("--crops"));
    CHECK_THAT(refused({"--retry-unreadable"}), Contains("name them with --out"));
    REQUIRE(run_fovea(photos.words(photos.photos, {"--out", results})).exit_code == 3);
    photos.folder.write("kept.jsonl", photos.bytes("kept.jsonl") + photos.bytes("kept.jsonl"));
    CHECK_THAT(refused({"--update", results}), Contains("was changed since its manifest was written"));
    photos.folder.write("kept.jsonl", "no results\n");
    CHECK_THAT(refused({"--update", results}), Contains("line 1 is no result of an image"));
    photos.folder.write("kept.jsonl.journal", "x");
    CHECK_THAT(refused({"--update", results}), Contains("complete it with --resume"));
}
