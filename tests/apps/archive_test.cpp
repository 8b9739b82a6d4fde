// fovea detect over archives: interruption and resumption, shards, features, decoding.

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <catch2/catch.hpp>
#include <signal.h>

#include "lib/inputs/image_list.hpp"
#include "lib/job/journal/feature_file.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/json/json.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/results.hpp"
#include "tests/support/archives.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/encoders.hpp"
#include "tests/support/landmark_models.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

/// Many small images, some of them broken, and a landmark model that never moves its points.
struct Archive : PhotoFolder {
    explicit Archive(int count) : PhotoFolder({}) {
        for (int i = 0; i < count; ++i) {
            const std::string name = "photos/" + std::to_string(i / 100) + "/" + std::to_string(i) + ".pgm";
            folder.write(name, i % 37 == 5 ? "no image" : edge_pgm(40 + i % 30, 30 + i % 7));
        }
        landmarks = folder.write("still.dat", still_landmark_file()).string();
    }

    std::vector<std::string> command(const std::string& out,
                                     const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{"detect",          photos, "--model",   model, "--device", "cpu",
                                       "--min-neighbors", "1",    "--threads", "2",   "--out",    path(out)};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    std::vector<std::string> with_features(const std::string& out, const std::string& features,
                                           const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words = command(
            out, {"--landmarks", landmarks, "--box-convention", "none", "--features", path(features)});
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    std::string bytes(const std::string& name) const { return read_bytes(path(name)); }
    Json json(const std::string& name) const { return Json::parse(bytes(name)); }
    bool exists(const std::string& name) const { return fs::exists(path(name)); }

    std::string landmarks;
};

/// Kills a command after some time, or lets it end. \return its exit code
int run_and_kill(const std::vector<std::string>& arguments, std::chrono::microseconds after) {
    std::vector<std::string> command{fovea_program()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    StartedProgram program(command);
    std::this_thread::sleep_for(after);
    program.send_signal(SIGKILL);
    return program.wait().exit_code;
}

void append(const std::string& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary | std::ios::app) << bytes;
}

}  // namespace

TEST_CASE("however often a job is killed, the finished file is that of one run", "[cli][archive]") {
    const Archive archive(1200);
    const ProgramResult whole = run_fovea(archive.with_features("whole.jsonl", "whole.npy"));
    CAPTURE(whole.err);
    REQUIRE(whole.exit_code == 3);
    CHECK_FALSE(archive.exists("whole.jsonl.journal"));
    const std::vector<std::string> resumed = archive.with_features("part.jsonl", "part.npy", {"--resume"});

    std::mt19937 random(8);
    int killed = 0;
    for (int i = 0; i < 12; ++i) {
        const bool was_killed =
            run_and_kill(resumed, std::chrono::microseconds(10'000 + random() % 400'000)) == 128 + SIGKILL;
        killed += was_killed;
        if (!was_killed) {
            // It came to its end: again from the beginning.
            for (const char* name : {"part.jsonl", "part.npy", "part.run.json"})
                fs::remove(archive.path(name));
            continue;
        }
        // A loss of power may leave this behind what was synced.
        if (i % 3 == 1 && archive.exists("part.jsonl"))
            append(archive.path("part.jsonl"), "{\"image\":\"torn");
        if (i % 3 == 2 && archive.exists("part.npy"))
            append(archive.path("part.npy"), std::string(777, '\0'));
    }
    CHECK(killed > 0);
    const ProgramResult last = run_fovea(resumed);
    CAPTURE(last.err);
    REQUIRE(last.exit_code == 3);
    CHECK(archive.bytes("part.jsonl") == archive.bytes("whole.jsonl"));
    CHECK(archive.bytes("part.npy") == archive.bytes("whole.npy"));
    CHECK_FALSE(archive.exists("part.jsonl.journal"));
    const Json manifest = archive.json("part.run.json");
    const Json expected = archive.json("whole.run.json");
    CHECK(manifest["complete"] == true);
    CHECK(manifest["counts"] == expected["counts"]);
    CHECK(manifest["unreadable"] == expected["unreadable"]);
    CHECK(manifest["work"] == expected["work"]);
    CHECK(manifest["features"]["rows"] == expected["features"]["rows"]);
    CHECK(expected["counts"]["unreadable"] == 33);
    CHECK(expected["unreadable"][0]["image"] == "0/5.pgm");
}

TEST_CASE("what was interrupted is neither lost nor continued by other work", "[cli][archive]") {
    const Archive archive(900);
    StartedProgram program([&] {
        std::vector<std::string> words{fovea_program()};
        for (const std::string& word : archive.command("r.jsonl")) words.push_back(word);
        return words;
    }());
    // Until something is written, then as Ctrl-C does.
    for (int i = 0; i < 2000 && (!archive.exists("r.jsonl") || fs::file_size(archive.path("r.jsonl")) == 0);
         ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    program.send_signal(SIGINT);
    const ProgramResult interrupted = program.wait();
    CAPTURE(interrupted.err, interrupted.out);
    if (interrupted.exit_code != 130) {
        WARN("not run: the job was done before it was interrupted");
        return;
    }
    CHECK_THAT(interrupted.out, Contains("interrupted") && Contains("--resume"));
    const std::string before = archive.bytes("r.jsonl");
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const Json manifest = archive.json("r.run.json");
    CHECK(manifest["complete"] == false);
    CHECK(manifest["counts"]["images"] == lines);
    CHECK(archive.exists("r.jsonl.journal"));

    const ProgramResult again = run_fovea(archive.command("r.jsonl"));
    CHECK(again.exit_code == 2);
    CHECK_THAT(again.err, Contains("interrupted job") && Contains("--resume") && Contains("--overwrite"));
    const ProgramResult other = run_fovea(archive.command("r.jsonl", {"--resume", "--min-size", "24"}));
    CHECK(other.exit_code == 2);
    CHECK_THAT(other.err, Contains("min_size") && Contains("--overwrite"));
    CHECK(archive.bytes("r.jsonl") == before);
    CHECK(run_fovea(archive.command("r.jsonl", {"--resume", "--overwrite"})).exit_code == 2);

    // Images that come and go meanwhile: the list stays what it was.
    archive.folder.write("photos/0/new.pgm", edge_pgm(40, 30));
    // Another memory limit, and another spelling of the same folder, are no other work.
    std::vector<std::string> otherwise = archive.command("r.jsonl", {"--resume", "--memory-limit", "3G"});
    REQUIRE(std::count(otherwise.begin(), otherwise.end(), archive.photos) == 1);
    std::replace(otherwise.begin(), otherwise.end(), archive.photos, archive.path("./photos/"));
    const ProgramResult resumed = run_fovea(otherwise);
    CAPTURE(resumed.err);
    CHECK(resumed.exit_code == 3);
    CHECK_THAT(resumed.out, Contains(std::to_string(lines) + " of them before"));
    CHECK(archive.bytes("r.jsonl").rfind(before, 0) == 0);
    CHECK(archive.json("r.run.json")["counts"]["images"] == 900);

    // Complete, with another list: that is other work.
    const ProgramResult more = run_fovea(archive.command("r.jsonl", {"--resume"}));
    CHECK(more.exit_code == 2);
    fs::remove(archive.path("photos/0/new.pgm"));
    const std::string complete = archive.bytes("r.jsonl");
    const ProgramResult nothing = run_fovea(archive.command("r.jsonl", {"--resume"}));
    CAPTURE(nothing.err);
    CHECK(nothing.exit_code == 3);
    CHECK(archive.bytes("r.jsonl") == complete);
    CHECK_FALSE(archive.exists("r.jsonl.journal"));
    // A file that is no job's is not touched.
    archive.folder.write("mine.jsonl", "{}\n");
    CHECK(run_fovea(archive.command("mine.jsonl", {"--resume"})).exit_code == 2);
    CHECK(archive.bytes("mine.jsonl") == "{}\n");
}

TEST_CASE("an archive's manifest has its size, and no shard reads it as a whole", "[cli][archive][merge]") {
    const Archive archive(0);
    std::vector<TestMember> members;
    for (int i = 0; i < 12; ++i) members.push_back({std::to_string(i) + ".pgm", edge_pgm(40, 30)});
    const std::string tar = write_archive(archive.path("photos.tar"), members, TestArchive::ustar).string();
    std::vector<std::string> merge{"merge"};
    for (const std::string shard : {"1", "2"}) {
        const std::string out = archive.path("part-" + shard + ".jsonl");
        REQUIRE(run_fovea({"detect", tar, "--model", archive.model, "--shard", shard + "/2", "--out", out})
                    .exit_code == 0);
        merge.push_back(out);
    }
    merge.insert(merge.end(), {"--out", archive.path("merged.jsonl")});
    REQUIRE(run_fovea(merge).exit_code == 0);
    const Json sources = archive.json("merged.run.json")["dataset"]["sources"];
    CHECK(sources == Json::array({{{"path", tar}, {"bytes", fs::file_size(tar)}}}));
    CHECK(archive.json("part-1.run.json")["dataset"]["sources"] == sources);
}

TEST_CASE("shards are merged into the bytes of one run", "[cli][archive][merge]") {
    const Archive archive(150);
    REQUIRE(run_fovea(archive.with_features("whole.jsonl", "whole.npy")).exit_code == 3);
    std::vector<std::string> merge{"merge"};
    for (int i = 1; i <= 3; ++i) {
        const std::string shard = std::to_string(i) + "/3";
        const ProgramResult part =
            run_fovea(archive.with_features("part-{shard}.jsonl", "part-{shard}.npy", {"--shard", shard}));
        CAPTURE(part.err);
        // A complete part is done; merge tells of what could not be read.
        REQUIRE(part.exit_code == 0);
        merge.push_back(archive.path("part-" + std::to_string(i) + ".jsonl"));
    }
    merge.insert(merge.end(),
                 {"--out", archive.path("merged.jsonl"), "--features", archive.path("merged.npy")});
    const ProgramResult merged = run_fovea(merge);
    CAPTURE(merged.err);
    CHECK(merged.exit_code == 3);
    CHECK(archive.bytes("merged.jsonl") == archive.bytes("whole.jsonl"));
    CHECK(archive.bytes("merged.npy") == archive.bytes("whole.npy"));
    const Json manifest = archive.json("merged.run.json");
    CHECK(manifest["counts"] == archive.json("whole.run.json")["counts"]);
    CHECK(manifest["unreadable"] == archive.json("whole.run.json")["unreadable"]);
    CHECK(manifest["work"] == archive.json("whole.run.json")["work"]);
    CHECK(manifest["dataset"] == archive.json("whole.run.json")["dataset"]);
    // Merged results can be resumed like those of one run, and nothing is left to do.
    const ProgramResult resumed =
        run_fovea(archive.with_features("merged.jsonl", "merged.npy", {"--resume"}));
    CAPTURE(resumed.err);
    CHECK(resumed.exit_code == 3);
    CHECK(archive.bytes("merged.jsonl") == archive.bytes("whole.jsonl"));
    CHECK(archive.bytes("merged.npy") == archive.bytes("whole.npy"));
    CHECK(archive.json("merged.run.json")["counts"] == archive.json("whole.run.json")["counts"]);
}

TEST_CASE("every detection has a row of features", "[cli][archive]") {
    const Archive archive(40);
    REQUIRE(run_fovea(archive.with_features("r.jsonl", "r.npy")).exit_code == 3);
    std::size_t detections = 0;
    for (const ImageResult& image : read_results("jsonl:" + archive.path("r.jsonl")).images) {
        detections += image.detections.size();
    }
    REQUIRE(detections > 0);
    const FeatureFileShape shape = read_feature_file_shape(archive.path("r.npy"));
    CHECK(shape.rows == detections);
    const Json features = archive.json("r.run.json")["features"];
    CHECK(features["rows"] == detections);
    CHECK(features["bins"] == shape.bins);
    CHECK(features["recogniser"] == "lbp");
    const std::string bytes = archive.bytes("r.npy");
    CHECK(std::any_of(bytes.begin() + FeatureFile::header_bytes, bytes.end(), [](char c) { return c != 0; }));

    CHECK(run_fovea(archive.command("x.jsonl", {"--features", archive.path("x.npy")})).exit_code == 2);
    CHECK(run_fovea(archive.command("x.jsonl", {"--recogniser", "lbp"})).exit_code == 2);
    for (const char* taken : {"r.jsonl", "./r.jsonl", "r.run.json", "r.jsonl.journal"}) {
        const ProgramResult refused = run_fovea(archive.with_features("r.jsonl", taken));
        CHECK(refused.exit_code == 2);
        CHECK_THAT(refused.err, Contains("and features would both be written to"));
    }
    CHECK(archive.bytes("r.npy") == bytes);
}

TEST_CASE("JPEG is decoded smaller where only large faces are wanted", "[cli][archive]") {
    const PhotoFolder f({});
    cv::Mat picture(240, 320, CV_8UC3, cv::Scalar::all(200));
    picture.colRange(160, 320).setTo(cv::Scalar::all(40));
    const ByteVector jpeg = encode_jpeg(picture, 2);
    f.folder.write("photos/a.jpg", std::string(jpeg.begin(), jpeg.end()));
    const auto detect = [&](const std::string& out, std::vector<std::string> more) {
        more.insert(more.begin(), {"detect", f.photos, "--model", f.model, "--device", "cpu", "--min-size",
                                   "90", "--out", f.path(out)});
        return run_fovea(more);
    };
    REQUIRE(detect("full.jsonl", {}).exit_code == 0);
    REQUIRE(detect("reduced.jsonl", {"--scaled-decoding"}).exit_code == 0);
    const ImageResult full = read_results("jsonl:" + f.path("full.jsonl")).images.at(0);
    const ImageResult reduced = read_results("jsonl:" + f.path("reduced.jsonl")).images.at(0);
    CHECK(reduced.width == 320);
    CHECK(reduced.height == 240);
    REQUIRE_FALSE(full.detections.empty());
    REQUIRE_FALSE(reduced.detections.empty());
    for (const Detection& detection : reduced.detections) {
        CHECK(detection.box.w >= 90);
        // Coordinates of a quarter of the picture.
        CHECK(std::fmod(detection.box.x, 4) == 0);
        CHECK(detection.box.x + detection.box.w <= 320);
    }
    const Json manifest = Json::parse(read_bytes(f.path("reduced.run.json")));
    CHECK(manifest["decoding"]["images"]["reduced"] == 1);
    CHECK(manifest["configuration"]["image"]["scaled_decoding"] == true);
    CHECK(Json::parse(read_bytes(f.path("full.run.json")))["work"]["sha256"] != manifest["work"]["sha256"]);
    // Sharpness is measured at 64 pixels, which a half of 90 does not have.
    REQUIRE(detect("measured.jsonl", {"--scaled-decoding", "--quality"}).exit_code == 0);
    const Json measured = Json::parse(read_bytes(f.path("measured.run.json")));
    CHECK(measured["decoding"]["images"].value("reduced", 0) == 0);
}

TEST_CASE("what cannot be done with archives is refused with the reason", "[cli][archive]") {
    const Archive archive(3);
    const auto refused = [&](const std::vector<std::string>& more) {
        const ProgramResult result = run_fovea(archive.command("x.jsonl", more));
        CHECK(result.exit_code == 2);
        CHECK_FALSE(archive.exists("x.jsonl"));
        return result.err;
    };
    CHECK_THAT(refused({"--decoder", "nvjpeg"}), Contains("--decoder cpu"));
    CHECK_THAT(refused({"--decoder", "cpu", "--allow-mixed-decoders"}), Contains("--decoder auto"));
    CHECK_THAT(refused({"--memory-limit", "much"}), Contains("--memory-limit") && Contains("much"));
    CHECK_THAT(refused({"--memory-limit", "10M"}),
               Contains("must be 256M or more, but is '10M'") && !Contains("bytes"));
    CHECK_THAT(refused({"--memory-limit", "2048"}), Contains("'2048', a number of bytes; write M or G"));
    CHECK_THAT(refused({"--memory-limit", "2048B"}), Contains("must be 256M or more, but is '2048B'"));
    for (const char* size : {"iB", "B", "nan", "inf", "4GiBB", "-1G"}) {
        CHECK_THAT(refused({"--memory-limit", size}), Contains("must be a size"));
    }
    CHECK_THAT(refused({"--shard", "3/2"}), Contains("3/2"));
    CHECK_THAT(refused({"--shard", "auto"}), Contains("SLURM_ARRAY_TASK_ID"));
    const ProgramResult stdout_result = run_fovea({"detect", archive.photos, "--resume"});
    CHECK(stdout_result.exit_code == 2);
    CHECK_THAT(stdout_result.err, Contains("--out"));
}

TEST_CASE("sizes may be given in bytes", "[cli][archive]") {
    const Archive archive(1);
    for (const char* size : {"1073741824B", "1G", "1GiB", "1gb", "1048576K"}) {
        CAPTURE(size);
        const ProgramResult printed =
            run_fovea(archive.command("x.jsonl", {"--memory-limit", size, "--print-config"}));
        CHECK(printed.exit_code == 0);
        CHECK(Json::parse(printed.out)["memory_limit_megabytes"] == 1024);
    }
}

TEST_CASE("the manifest says how busy the stages were and what memory and energy it took", "[cli][archive]") {
    const Archive archive(20);
    REQUIRE(run_fovea(archive.command("r.jsonl")).exit_code == 3);
    const Json manifest = archive.json("r.run.json");
    const Json& stages = manifest["timings"]["stages"];
    for (const char* name : {"decode", "detect", "write"}) {
        CAPTURE(name);
        CHECK(stages[name]["threads"].get<int>() >= 1);
        CHECK(stages[name]["busy"].get<double>() > 0);
        CHECK(stages[name]["busy"].get<double>() <= 1.01);
    }
    CHECK(stages.contains(manifest["timings"]["limit"].get<std::string>()));
    CHECK(manifest["timings"]["peak_memory_bytes"].get<double>() > 1e6);
    CHECK(manifest["energy"].contains("cpu"));
    CHECK(manifest["decoding"]["images"] == Json{{"cpu", 19}, {"nvjpeg", 0}, {"nvdec", 0}});
}

namespace {

/// A job that has done some images, and was killed at the next one as often as its marks say.
void leave_killed_job(const Archive& archive, std::size_t done, const std::vector<MarkKind>& marks) {
    const Json manifest = archive.json("whole.run.json");
    const Json description{{"work", manifest["work"]["description"]},
                           {"request", manifest["configuration"]["dataset"]},
                           {"shard", nullptr}};
    const std::string whole = archive.bytes("whole.jsonl");
    std::size_t length = 0;
    for (std::size_t i = 0; i < done; ++i) length = whole.find('\n', length) + 1;
    const fs::path results = archive.path("job.jsonl");
    fs::remove(results);
    AppendedFile file(results);
    file.begin();
    file.append(std::string_view(whole).substr(0, length));
    const std::array outputs{&file};
    Journal journal =
        Journal::create(journal_path(results), description, read_image_list({archive.photos, {}, {}}));
    journal.mark(done, outputs);
    for (const MarkKind kind : marks) journal.mark(done, outputs, 0, kind);
    file.close();
}

}  // namespace

TEST_CASE("an image at which a job was killed twice for its memory is given up", "[cli][archive]") {
    const Archive archive(90);
    REQUIRE(run_fovea(archive.command("whole.jsonl")).exit_code == 3);
    const auto resumed = [&] { return run_fovea(archive.command("job.jsonl", {"--resume"})); };
    for (const auto& marks :
         {std::vector{MarkKind::begun, MarkKind::full}, std::vector{MarkKind::full, MarkKind::begun}}) {
        leave_killed_job(archive, 10, marks);
        const ProgramResult result = resumed();
        CHECK(result.exit_code == 3);
        CHECK_THAT(result.err, Contains("goes on with one image at a time"));
        CHECK(archive.bytes("job.jsonl") == archive.bytes("whole.jsonl"));
        CHECK(archive.json("job.run.json")["counts"] == archive.json("whole.run.json")["counts"]);
    }
    // One that was ended in peace, or was killed for something else, goes on as ever.
    for (const auto& marks : {std::vector{MarkKind::begun, MarkKind::full, MarkKind::written},
                              std::vector{MarkKind::begun, MarkKind::begun, MarkKind::begun}}) {
        leave_killed_job(archive, 10, marks);
        CHECK_THAT(resumed().err, !Contains("one image at a time"));
        CHECK(archive.bytes("job.jsonl") == archive.bytes("whole.jsonl"));
    }

    leave_killed_job(archive, 10, {MarkKind::begun, MarkKind::full, MarkKind::begun, MarkKind::full});
    const ProgramResult given_up = resumed();
    CHECK(given_up.exit_code == 3);
    const Json before = archive.json("whole.run.json"), manifest = archive.json("job.run.json");
    CHECK(manifest["counts"]["unreadable"] == before["counts"]["unreadable"].get<int>() + 1);
    CHECK(manifest["counts"]["images"] == 90);
    const std::string lines = archive.bytes("job.jsonl");
    CHECK(std::count(lines.begin(), lines.end(), '\n') == 90);
    CHECK_THAT(lines, Contains("unreadable: the program was killed twice for its memory"));
    // It is tried again when somebody asks for it.
    CHECK(run_fovea(archive.command("job.jsonl", {"--retry-unreadable"})).exit_code == 3);
    CHECK(archive.bytes("job.jsonl") == archive.bytes("whole.jsonl"));
}
