#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/core/splitmix.hpp"
#include "lib/dataset/readers/video/frame_truth.hpp"
#include "lib/evaluate/tracks/track_video.hpp"

namespace fovea::track_tests {

/// Numbers that look random, and are the same everywhere.
class Draws {
  public:
    explicit Draws(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() { return mixed(state_++); }
    double share() { return static_cast<double>(next() >> 11) * 0x1p-53; }  ///< in [0, 1)

  private:
    std::uint64_t state_;
};

/// A tracker's errors: boxes are off and sometimes missed, tracks change their number every 150 frames, some
/// frames have nothing, and some boxes are of no face.
inline void add_perturbed(const std::vector<TrackedBox>& truth, std::size_t frame, Draws& draws,
                          BoxesByFrame& results) {
    results.begin_frame();
    if (draws.next() % 29 == 0) return;
    for (const TrackedBox& box : truth) {
        if (draws.next() % 10 == 0) continue;
        TrackedBox found;
        found.track = 2 * box.track + (static_cast<std::int64_t>(frame / 150) + box.track) % 2;
        found.box.x = box.box.x + box.box.w * (draws.share() - 0.5) * 0.5;
        found.box.y = box.box.y + box.box.h * (draws.share() - 0.5) * 0.5;
        found.box.w = box.box.w * (0.8 + 0.4 * draws.share());
        found.box.h = box.box.h * (0.8 + 0.4 * draws.share());
        results.add(found);
    }
    if (draws.next() % 5 == 0) {
        TrackedBox false_one;
        false_one.track = 1'000'000 + static_cast<std::int64_t>(frame / 25);
        false_one.box = {1800 * draws.share(), 1000 * draws.share(), 60, 80};
        results.add(false_one);
    }
}

/// A sequence of LTFT with such results.
inline TrackVideo perturbed_video(const std::filesystem::path& truth_file, std::uint64_t seed) {
    TrackVideo video;
    video.name = truth_file.stem().string();
    Draws draws(seed);
    const FramesOfFaces frames = read_track_file(truth_file, {}).faces;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        std::vector<TrackedBox> truth;
        video.truth.begin_frame();
        for (const Face& face : frames[i]) {
            const std::string& track = *find_attribute(face.attributes, "track");
            TrackedBox box{0, face.box, face.ignore ? TruthUse::ignored : TruthUse::counts};
            std::from_chars(track.data(), track.data() + track.size(), box.track);
            truth.push_back(box);
            video.truth.add(box);
        }
        add_perturbed(truth, i, draws, video.results);
    }
    return video;
}

/// Boxes of few sizes and places, so that many overlaps are equal: what is paired depends on how ties fall.
inline TrackVideo crowded_video(std::uint64_t seed, int frames, int tracks, std::uint64_t places) {
    TrackVideo video;
    Draws draws(seed * 1000003);
    const auto pixels = [&](std::uint64_t count) { return static_cast<double>(draws.next() % count); };
    for (int frame = 0; frame < frames; ++frame) {
        video.truth.begin_frame();
        video.results.begin_frame();
        for (int side = 0; side < 2; ++side) {
            for (int track = 0; track < tracks; ++track) {
                if (draws.next() % 4 == 0) continue;
                TrackedBox box;
                box.track = track * 3 + side;
                box.box.x = pixels(places);
                box.box.y = pixels(places);
                box.box.w = 4 + 2 * pixels(4);
                box.box.h = 4 + 2 * pixels(4);
                const bool is_truth = side == 0;
                if (is_truth && draws.next() % 12 == 0) box.use = TruthUse::ignored;
                (is_truth ? video.truth : video.results).add(box);
            }
        }
    }
    return video;
}

}  // namespace fovea::track_tests
