// Times the numbers of tracks on the ten sequences of LTFT with made-up results, and writes both sides as
// MOTChallenge's text. scripts/bench-tracks.sh runs it beside TrackEval; alone: scripts/run-tests.sh
// '[.track-bench]'.

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

#include <catch2/catch.hpp>

#include "lib/core/text.hpp"
#include "lib/evaluate/tracks/track_metrics.hpp"
#include "tests/lib/evaluate/tracks/perturbed_tracks.hpp"

namespace fovea {
namespace {

using namespace track_tests;

std::string mot_text(const BoxesByFrame& boxes, bool is_truth) {
    std::string text;
    for (std::size_t i = 0; i < boxes.frames(); ++i) {
        for (const TrackedBox& box : boxes.frame(i)) {
            text += std::to_string(i + 1) + "," + std::to_string(box.track);
            for (const double value : {box.box.x, box.box.y, box.box.w, box.box.h})
                text += "," + shortest_number(value);
            const bool is_ignored = box.use != TruthUse::counts;
            text += !is_truth ? ",1,-1,-1,-1\n" : is_ignored ? ",0,8,1\n" : ",1,1,1\n";
        }
    }
    return text;
}

void write_sequence(const std::filesystem::path& folder, const TrackVideo& video, const std::string& name) {
    const std::filesystem::path sequence = folder / "truth" / name;
    std::filesystem::create_directories(sequence / "gt");
    std::filesystem::create_directories(folder / "trackers" / "t" / "data");
    std::ofstream(sequence / "gt" / "gt.txt") << mot_text(video.truth, true);
    std::ofstream(sequence / "seqinfo.ini")
        << "[Sequence]\nname=" + name + "\nseqLength=" + std::to_string(video.truth.frames()) + "\n";
    std::ofstream(folder / "trackers" / "t" / "data" / (name + ".txt")) << mot_text(video.results, false);
}

// FOVEA_BENCH_OUT names a folder, to which the sequences are written; FOVEA_BENCH_COPIES how often.
TEST_CASE("tracks of the ten sequences of LTFT: time", "[.track-bench]") {
    const char* const data = std::getenv("FOVEA_DATA");
    if (data == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return;
    }
    std::vector<TrackVideo> videos;
    for (const char* name : {"bengal", "choke1", "choke2", "shibuya", "sidewalk", "street", "terminal_1",
                             "terminal_2", "terminal_3", "terminal_4"}) {
        const auto file =
            std::filesystem::path(data) / "video" / "ltft-annotations" / (std::string(name) + ".txt");
        videos.push_back(perturbed_video(file, std::uint64_t{videos.size() + 1} << 32));
    }
    std::vector<double> times;
    for (int run = 0; run < 5; ++run) {
        const std::clock_t start = std::clock();
        for (const TrackVideo& video : videos) {
            const PreparedVideo prepared = prepare_video(video);
            CHECK(evaluate_hota(prepared, TrackMode::strict).numbers.tp[0] > 0);
            CHECK(evaluate_clear(prepared, 0.5, TrackMode::strict).numbers.tp > 0);
            CHECK(evaluate_identity(prepared, 0.5, TrackMode::strict).tp > 0);
        }
        times.push_back(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    }
    std::sort(times.begin(), times.end());
    std::printf("HOTA, CLEAR and identity in memory, CPU time, median of 5: %.4f s\n", times[2]);
    const char* const out = std::getenv("FOVEA_BENCH_OUT");
    if (out == nullptr) return;
    const char* const copies = std::getenv("FOVEA_BENCH_COPIES");
    for (int copy = 0; copy < (copies != nullptr ? std::atoi(copies) : 1); ++copy) {
        for (const TrackVideo& video : videos)
            write_sequence(out, video, copy == 0 ? video.name : video.name + "_" + std::to_string(copy));
    }
    std::ofstream(std::filesystem::path(out) / "seconds.txt") << times[2];
}

}  // namespace
}  // namespace fovea
