// fovea detect over videos.

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include <catch2/catch.hpp>
#include <signal.h>

#include "lib/json/json.hpp"
#include "lib/video/video_source.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/json_lines.hpp"
#include "tests/support/peak_memory.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/video/mp4_boxes.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

namespace fs = std::filesystem;

/// Clips in a folder, with photographs beside them.
struct Clips : PhotoFolder {
    Clips() : PhotoFolder({}) { fs::create_directories(photos); }

    std::string add(const std::string& name, int frames, int gop = 30) const {
        VideoPlan plan;
        plan.width = 80;
        plan.height = 60;
        plan.frames = frames;
        plan.gop = gop;
        plan.b_frames = 2;
        plan.options = {{"preset", "veryfast"}, {"x264-params", "scenecut=0"}};
        const auto file = fs::path(photos) / name;
        fs::create_directories(file.parent_path());
        make_video(file, plan);
        return file.string();
    }
    std::vector<std::string> command(const std::string& what, const std::string& out,
                                     const std::vector<std::string>& more = {}) const {
        std::vector<std::string> words{"detect", what,      "--model",         model, "--device", "cpu",
                                       "--out",  path(out), "--min-neighbors", "1"};
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }
    ProgramResult detect(const std::string& what, const std::string& out,
                         const std::vector<std::string>& more = {}) const {
        return run_fovea(command(what, out, more));
    }
    std::string bytes(const std::string& name) const { return read_bytes(path(name)); }
    std::vector<Json> lines(const std::string& name) const { return json_lines(bytes(name)); }
    std::vector<std::string> names(const std::string& name) const {
        std::vector<std::string> all;
        for (const Json& line : lines(name)) all.push_back(line.at("image"));
        return all;
    }
};

std::vector<std::string> frame_names(const std::string& video, const std::vector<int>& numbers) {
    std::vector<std::string> names;
    for (const int number : numbers) names.push_back(frame_name(video, number));
    return names;
}

int run_and_kill(const std::vector<std::string>& arguments, std::chrono::microseconds after) {
    std::vector<std::string> command{fovea_program()};
    command.insert(command.end(), arguments.begin(), arguments.end());
    StartedProgram program(command);
    std::this_thread::sleep_for(after);
    program.send_signal(SIGKILL);
    return program.wait().exit_code;
}

}  // namespace

TEST_CASE("every frame of a video has a line with its number and time", "[cli][video]") {
    const Clips clips;
    const std::string clip = clips.add("clip.mp4", 50);
    for (const std::string& what : {clip, "video:" + clip}) {
        const ProgramResult result = clips.detect(what, "r.jsonl", {"--overwrite"});
        CAPTURE(what, result.err);
        REQUIRE(result.exit_code == 0);
        const std::vector<Json> lines = clips.lines("r.jsonl");
        REQUIRE(lines.size() == 50);
        std::size_t detections = 0;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            CHECK(lines[i]["image"] == frame_name("clip.mp4", static_cast<std::int64_t>(i)));
            CHECK(lines[i]["frame"] == i);
            CHECK(lines[i]["time"].get<double>() == Approx(0.04 * static_cast<double>(i)).margin(1e-9));
            CHECK(lines[i]["width"] == 80);
            CHECK(lines[i]["height"] == 60);
            detections += lines[i]["detections"].size();
        }
        CHECK(detections > 0);
    }
    const Json manifest = Json::parse(clips.bytes("r.run.json"));
    CHECK(manifest["counts"]["images"] == 50);
    CHECK(manifest["counts"]["unreadable"] == 0);
}

TEST_CASE("results of videos do not depend on the number of threads", "[cli][video]") {
    const Clips clips;
    clips.add("a.mp4", 160, 40);
    clips.add("b/c.mkv", 30);
    clips.folder.write("photos/b/a.pgm", edge_pgm(50, 40));
    // Damaged in the middle: some frames may be missing, the same ones everywhere.
    std::string damaged = read_file_bytes(clips.add("d.ts", 200, 20));
    for (std::size_t i = 0; i < 3000; i += 50) damaged[damaged.size() / 2 + i] ^= 0x55;
    clips.folder.write("photos/d.ts", damaged);
    std::string first;
    for (const char* threads : {"1", "2", "4"}) {
        CAPTURE(threads);
        const ProgramResult result =
            clips.detect(clips.photos, std::string("r") + threads + ".jsonl", {"--threads", threads});
        CAPTURE(result.err);
        REQUIRE((result.exit_code == 0 || result.exit_code == 3));
        const std::string bytes = clips.bytes(std::string("r") + threads + ".jsonl");
        if (first.empty()) first = bytes;
        CHECK((bytes == first));
    }
    CHECK(std::count(first.begin(), first.end(), '\n') > 300);
}

TEST_CASE("selected frames keep their numbers and times", "[cli][video]") {
    const Clips clips;
    const std::string clip = clips.add("clip.mp4", 20);
    const auto names = [&](const std::vector<std::string>& flags) {
        std::vector<std::string> more = flags;
        more.emplace_back("--overwrite");
        const ProgramResult result = clips.detect(clip, "r.jsonl", more);
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        return clips.names("r.jsonl");
    };
    CHECK(names({"--every", "7"}) == frame_names("clip.mp4", {0, 7, 14}));
    CHECK(names({"--fps", "5"}) == frame_names("clip.mp4", {0, 5, 10, 15}));
    CHECK(names({"--from", "0.2", "--to", "0.32"}) == frame_names("clip.mp4", {5, 6, 7}));
    CHECK(clips.lines("r.jsonl")[0]["time"] == 0.2);
    CHECK(names({"--every", "3", "--from", "0.4"}) == frame_names("clip.mp4", {12, 15, 18}));
    CHECK(names({"--limit", "2"}) == frame_names("clip.mp4", {0, 1}));

    const ProgramResult none = clips.detect(clip, "x.jsonl", {"--from", "100"});
    CHECK(none.exit_code != 0);
    CHECK_THAT(none.err, Contains("--from"));
    for (const char* flag : {"--every", "--fps", "--from"})
        CHECK(clips.detect(clip, "x.jsonl", {flag, "much"}).exit_code == 2);
    CHECK(clips.detect(clip, "x.jsonl", {"--every", "0"}).exit_code == 2);
}

TEST_CASE("a folder of videos and photographs, some of them broken", "[cli][video]") {
    const Clips clips;
    clips.add("b.mp4", 3);
    clips.folder.write("photos/a.pgm", edge_pgm(50, 40));
    clips.folder.write("photos/c.mp4", "no video");
    clips.folder.write("photos/d.mkv", "");
    clips.folder.write("photos/e.pgm", "no image");
    const ProgramResult result = clips.detect(clips.photos, "r.jsonl");
    CHECK(result.exit_code == 3);
    CHECK_THAT(result.err, Contains("3 of 7 images could not be read") &&
                               Contains("c.mp4 (is no video that can be read)"));
    CHECK(clips.names("r.jsonl") == std::vector<std::string>{"a.pgm", "b.mp4#000000", "b.mp4#000001",
                                                             "b.mp4#000002", "c.mp4", "d.mkv", "e.pgm"});
    const Json manifest = Json::parse(clips.bytes("r.run.json"));
    CHECK(manifest["unreadable"].size() == 3);

    const ProgramResult alone = clips.detect(clips.photos + "/c.mp4", "alone.jsonl");
    CHECK(alone.exit_code == 3);
    CHECK_THAT(alone.err, Contains("c.mp4") && Contains("is no video that can be read"));

    const auto list = clips.folder.write("photos/l.txt", "b.mp4#000001\nb.mp4#000077\na.pgm\n").string();
    const ProgramResult listed = clips.detect("list:" + list, "l.jsonl");
    CHECK(listed.exit_code == 3);
    CHECK_THAT(listed.err, Contains("b.mp4#000077 (the video has no frame of this number)"));
    CHECK(clips.names("l.jsonl") == std::vector<std::string>{"b.mp4#000001", "b.mp4#000077", "a.pgm"});
}

TEST_CASE("shards of videos are merged into the bytes of one run", "[cli][video][merge]") {
    const Clips clips;
    clips.add("long.mp4", 520, 30);
    clips.add("short.mkv", 20);
    clips.folder.write("photos/a.pgm", edge_pgm(50, 40));
    REQUIRE(clips.detect(clips.photos, "whole.jsonl").exit_code == 0);
    std::vector<std::string> merge{"merge"};
    std::vector<std::size_t> sizes;
    for (int i = 1; i <= 3; ++i) {
        const std::string out = "part-" + std::to_string(i) + ".jsonl";
        const ProgramResult part = clips.detect(clips.photos, out, {"--shard", std::to_string(i) + "/3"});
        CAPTURE(part.err);
        REQUIRE(part.exit_code == 0);
        merge.push_back(clips.path(out));
        // No part between two cuts is divided: 120 frames each.
        std::map<std::int64_t, std::size_t> frames;
        for (const Json& line : clips.lines(out)) {
            if (line["image"].get<std::string>().rfind("long", 0) == 0)
                ++frames[line["frame"].get<std::int64_t>() / 120];
        }
        for (const auto& [piece, count] : frames) CHECK(count == (piece == 4 ? 40 : 120));
        sizes.push_back(frames.size());
    }
    // Five pieces for three.
    std::sort(sizes.begin(), sizes.end());
    CHECK(sizes == std::vector<std::size_t>{1, 2, 2});
    merge.insert(merge.end(), {"--out", clips.path("merged.jsonl")});
    const ProgramResult merged = run_fovea(merge);
    CAPTURE(merged.err);
    CHECK(merged.exit_code == 0);
    CHECK((clips.bytes("merged.jsonl") == clips.bytes("whole.jsonl")));
}

TEST_CASE("a job over videos goes on where it was killed", "[cli][video]") {
    const Clips clips;
    clips.add("a.mp4", 700, 30);
    VideoPlan counted;
    counted.encoder = "mpeg4";
    counted.frames = 300;
    counted.b_frames = 2;
    make_video(fs::path(clips.photos) / "b.avi", counted);
    clips.folder.write("photos/c.pgm", edge_pgm(50, 40));
    const auto begin = std::chrono::steady_clock::now();
    REQUIRE(clips.detect(clips.photos, "whole.jsonl").exit_code == 0);
    const auto length =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    const std::string whole = clips.bytes("whole.jsonl");
    const std::vector<std::string> resumed =
        clips.command(clips.photos, "part.jsonl", {"--resume", "--threads", "2"});
    std::mt19937 random(5);
    int inside = 0;
    // Until some were killed in the middle of the results, however fast or busy the machine is.
    for (int i = 0; i < 12 || (inside == 0 && i < 100); ++i) {
        const auto span = static_cast<std::uint64_t>(length.count());
        if (run_and_kill(resumed, std::chrono::microseconds(span / 10 + random() % span)) != 128 + SIGKILL) {
            for (const char* name : {"part.jsonl", "part.run.json"}) fs::remove(clips.path(name));
            continue;
        }
        const std::string before = clips.bytes("part.jsonl");
        inside += !before.empty() && before.size() < whole.size();
    }
    CHECK(inside > 0);
    const ProgramResult last = run_fovea(resumed);
    CAPTURE(last.err);
    REQUIRE(last.exit_code == 0);
    CHECK((clips.bytes("part.jsonl") == whole));
}

TEST_CASE("videos that ask for much memory keep within the limit", "[cli][video]") {
    const Clips clips;
    const std::string small = clips.add("small.mp4", 10);
    const auto measure = [&](const fs::path& video, int threads) {
        return run_measured({"detect", video.string(), "--model", clips.model, "--device", "cpu",
                             "--memory-limit", "256M", "--threads", std::to_string(threads), "--overwrite",
                             "--out", clips.path("r.jsonl")});
    };
    SECTION("an index of millions of packets") {
        const int tracks = GENERATE(1, 20);
        const fs::path file = clips.folder.write(
            "index.mp4", with_samples(read_file_bytes(small), tracks == 1 ? 80'000'000 : 1'500'000, tracks));
        for (const int threads : {1, 16}) {
            const MeasuredRun run = measure(file, threads);
            CAPTURE(tracks, threads, run.peak_mebibytes, run.err);
            CHECK(run.exit_code == 3);
            CHECK(run.peak_mebibytes <= max_peak_mebibytes_at_256);
            if (tracks == 1)
                CHECK_THAT(run.err, Contains("its index needs more than the memory limit allows"));
        }
    }
    SECTION("frames that grow") {
        const std::string encoder = GENERATE("libx264", "libx265");
        if (!has_encoder(encoder)) return;
        VideoPlan plan;
        plan.encoder = encoder;
        plan.frames = 10;
        plan.width = 320;
        plan.height = 240;
        if (encoder == "libx264") plan.options = {{"preset", "ultrafast"}};
        if (encoder == "libx265")
            plan.options = {{"preset", "ultrafast"},
                            {"x265-params", "log-level=none:pools=1:frame-threads=1"}};
        const std::string extension = encoder == "libx264" ? "h264" : "hevc";
        make_video(clips.path("a." + extension), plan);
        plan.frames = 3;
        plan.width = 8000;
        plan.height = 4000;
        make_video(clips.path("b." + extension), plan);
        const fs::path file = clips.folder.write(
            "both." + extension, clips.bytes("a." + extension) + clips.bytes("b." + extension));
        for (const int threads : {1, 2, 16}) {
            const MeasuredRun run = measure(file, threads);
            CAPTURE(encoder, threads, run.peak_mebibytes, run.err);
            CHECK(run.exit_code == 3);
            CHECK(run.peak_mebibytes <= max_peak_mebibytes_at_256);
            const std::vector<Json> lines = clips.lines("r.jsonl");
            REQUIRE(lines.size() == 13);
            for (std::size_t i = 0; i < 10; ++i) CHECK(lines[i]["status"] == "ok");
            for (std::size_t i = 10; i < 13; ++i) {
                CHECK_THAT(lines[i]["status"].get<std::string>(),
                           Catch::StartsWith("unreadable: needs ") &&
                               Catch::EndsWith("more than the memory limit allows; raise --memory-limit"));
            }
        }
    }
}

TEST_CASE("a limit ends the listing of a video", "[cli][video]") {
    const Clips clips;
    clips.add("a.mp4", 600);
    clips.add("b.mp4", 30);
    REQUIRE(clips.detect(clips.photos, "all.jsonl").exit_code == 0);
    const std::vector<std::string> all = clips.names("all.jsonl");
    for (const auto& [limit, more] : {std::pair<std::size_t, std::vector<std::string>>{70, {}},
                                      {20, {"--every", "7"}},
                                      {9, {"--fps", "2"}},
                                      {610, {}}}) {
        std::vector<std::string> flags = more;
        REQUIRE(clips.detect(clips.photos, "whole.jsonl", flags).exit_code == 0);
        flags.insert(flags.end(), {"--limit", std::to_string(limit)});
        REQUIRE(clips.detect(clips.photos, "some.jsonl", flags).exit_code == 0);
        const std::vector<std::string> whole = clips.names("whole.jsonl"), some = clips.names("some.jsonl");
        REQUIRE(some.size() == limit);
        CHECK(std::equal(some.begin(), some.end(), whole.begin()));
        fs::remove(clips.path("whole.jsonl"));
        fs::remove(clips.path("some.jsonl"));
    }
    const Json manifest = Json::parse(clips.bytes("some.run.json"));
    CHECK(manifest["counts"]["images"] == 610);
}
