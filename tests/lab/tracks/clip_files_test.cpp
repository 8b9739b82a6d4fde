#include "tests/lab/tracks/clip_files.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/support/video/video_maker.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

bool can_encode() {
    const bool there = has_encoder("libx264");
    if (!there) WARN("not run: FFmpeg has no encoder libx264");
    return there;
}

// Four frames of noise with two faces; the second is hidden in the last frame.
Clip small_clip(int faces) {
    Clip clip;
    clip.plan.name = "two words";
    clip.plan.seed = 7;
    clip.plan.size = {64, 48};
    clip.plan.frames = 4;
    clip.plan.faces = faces;
    for (int f = 0; f < 4; ++f) {
        clip.frames.push_back(smooth_noise(64, 48, 3, 20 + static_cast<std::uint32_t>(f)));
        std::vector<TrueFace>& truth = clip.truth.emplace_back();
        for (int i = 0; i < faces; ++i) {
            TrueFace& face = truth.emplace_back();
            face.number = i;
            face.face.box = {10.25 + f, 5.5 + 20 * i, 12.125, 14};
            face.face.landmarks = {{11.5 + f, 7.25}, {20.125, 9}, {15, 16.75 + f}};
            face.visible = i == 1 && f == 3 ? 0.25 : 1;
        }
    }
    return clip;
}

}  // namespace

TEST_CASE("a clip is read back with its frames and truth", "[track-bench]") {
    if (!can_encode()) return;
    const TempDir folder;
    const Clip clip = small_clip(2);
    const auto own = write_clip(clip, folder.path(), 0);
    CHECK(own.filename() == "two-words-7");

    const Dataset tracks = read_dataset("mot:" + own.string() + ",video=vid.mp4");
    REQUIRE(tracks.samples.size() == 4);
    const std::vector<Face>& first = tracks.samples[0].faces;
    REQUIRE(first.size() == 2);
    CHECK(first[1].box == clip.truth[0][1].face.box);
    CHECK(*find_attribute(first[1].attributes, "track") == "2");
    REQUIRE(tracks.samples[3].faces.size() == 2);
    CHECK(tracks.samples[3].faces[1].ignore);
    CHECK_FALSE(tracks.samples[3].faces[0].ignore);

    const Dataset truth = read_dataset("fovea:" + (own / "truth.json").string());
    REQUIRE(truth.samples.size() == 4);
    REQUIRE(truth.samples[2].faces.size() == 2);
    CHECK(truth.samples[2].faces[0].landmarks == clip.truth[2][0].face.landmarks);
    for (std::size_t f = 0; f < 4; ++f)
        CHECK(read_grey_image(tracks.samples[f].place()).pixels == clip.frames[f].pixels);

    Clip read = clip;
    for (GreyImage& frame : read.frames) frame.pixels.assign(frame.pixels.size(), 0);
    read_frames(own / clip_video_name, read);
    for (std::size_t f = 0; f < 4; ++f) CHECK(read.frames[f].pixels == clip.frames[f].pixels);
    read.frames.pop_back();
    CHECK_THROWS_WITH(read_frames(own / clip_video_name, read), Contains("4 frames, and 3 were written"));
}

TEST_CASE("a clip of one face is one of 300-VW, too", "[track-bench]") {
    if (!can_encode()) return;
    const TempDir folder;
    const Clip clip = small_clip(1);
    const auto own = write_clip(clip, folder.path(), 0);
    const Dataset points = read_dataset("300vw:" + own.string());
    REQUIRE(points.samples.size() == 4);
    CHECK(points.samples[1].faces.at(0).landmarks == clip.truth[1][0].face.landmarks);
}

TEST_CASE("H.264 changes the frames a little, the more the higher its rate factor", "[track-bench]") {
    if (!can_encode()) return;
    const TempDir folder;
    const Clip clip = small_clip(1);
    double errors[2] = {};
    for (const int i : {0, 1}) {
        Clip read = clip;
        read_frames(write_clip(clip, folder.path(), i == 0 ? 10 : 40) / clip_video_name, read);
        for (std::size_t f = 0; f < 4; ++f) {
            REQUIRE(read.frames[f].pixels.size() == clip.frames[f].pixels.size());
            for (std::size_t p = 0; p < clip.frames[f].pixels.size(); ++p)
                errors[i] += std::abs(read.frames[f].pixels[p] - clip.frames[f].pixels[p]);
        }
        errors[i] /= 4 * 64 * 48;
    }
    CHECK(errors[0] > 0);
    CHECK(errors[0] < 3);
    CHECK(errors[1] > 2 * errors[0]);
}

TEST_CASE("a clip that cannot be written says where", "[track-bench]") {
    if (!can_encode()) return;
    const TempDir folder;
    folder.write("file", "");
    CHECK_THROWS_WITH(write_clip(small_clip(1), folder.path() / "file", 0), Contains("file"));
    CHECK_THROWS_WITH(read_frames(folder.path() / "none.mkv", *std::make_unique<Clip>(small_clip(1))),
                      Contains("none.mkv") && Contains("cannot be read back"));
}
