#include <algorithm>

#include "lib/dataset/formats/read_dataset.hpp"
#include "tests/lib/dataset/readers/video/small_videos.hpp"
#include "tests/lib/dataset/support.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Names = std::vector<std::string>;

namespace {

/// A folder with a video of three frames, and boxes beside it.
struct VideoWithBoxes {
    TempDir dir;
    std::string video = dir.write("clip.y4m", small_video(3)).string();

    std::string specification(const std::string& boxes, const std::string& options = "") const {
        return "video:" + video + ",boxes=" + dir.write("gt.txt", boxes).string() + options;
    }
    std::string error(const std::string& boxes, const std::string& options = "") const {
        return error_of(specification(boxes, options));
    }
};

}  // namespace

TEST_CASE("video: a line of corners for each frame", "[dataset][video]") {
    const VideoWithBoxes files;
    const Dataset dataset =
        read_dataset(files.specification("165,93,216,147\n1 2\t3.5 4\r\n-1, -2,\t3 ,4\n\n"));
    CHECK(dataset.format == "video");
    CHECK(images_of(dataset) == Names{"clip.y4m#000000", "clip.y4m#000001", "clip.y4m#000002"});
    CHECK(dataset.has_ground_truth());
    CHECK(dataset.warnings.empty());
    CHECK(dataset.sources == std::vector<std::filesystem::path>{files.dir.path() / "gt.txt"});
    const std::vector<Box> boxes{{165, 93, 51, 54}, {1, 2, 2.5, 2}, {-1, -2, 4, 6}};
    for (std::size_t i = 0; i < 3; ++i) {
        const Sample& sample = dataset.samples[i];
        REQUIRE(sample.faces.size() == 1);
        CHECK(sample.faces[0].box == boxes[i]);
        CHECK(sample.annotated);
        REQUIRE(sample.frame);
        CHECK(sample.frame->number == static_cast<std::int64_t>(i));
        CHECK(sample.path == files.video);
        CHECK(sample.size == ImageSize{16, 16});
        CHECK(*find_attribute(sample.attributes, "video") == "clip.y4m");
    }
}

TEST_CASE("video: boxes may be corner and size", "[dataset][video]") {
    const VideoWithBoxes files;
    const Dataset dataset = read_dataset(files.specification("5,4,3,2\n9,9,1,1\n0,0,16,16\n", ",corners=no"));
    CHECK(dataset.samples[0].faces[0].box == Box{5, 4, 3, 2});
    CHECK(dataset.samples[1].faces[0].box == Box{9, 9, 1, 1});
    CHECK(read_dataset(files.specification("1,2,3,4\n1,2,3,4\n1,2,3,4\n", ",corners=yes")).face_count() == 3);
}

TEST_CASE("video: a frame whose line has no box shows no face", "[dataset][video]") {
    const VideoWithBoxes files;
    for (const char* none :
         {"NaN,NaN,NaN,NaN", "nan nan nan nan", "NAN\tNAN\tNAN\tNAN", "7,8,7,9", "7,8,9,8"}) {
        CAPTURE(none);
        const Dataset dataset =
            read_dataset(files.specification("1,2,3,4\n" + std::string(none) + "\n1,2,3,4"));
        REQUIRE(dataset.samples.size() == 3);
        CHECK(dataset.samples[1].faces.empty());
        CHECK(dataset.samples[1].annotated);
        CHECK(dataset.face_count() == 2);
    }
    CHECK(read_dataset(files.specification("1,2,0,4\n1,2,3,0\n0,0,0,0\n", ",corners=no")).face_count() == 0);
}

TEST_CASE("video: as many lines as frames, else a warning says both numbers", "[dataset][video]") {
    const VideoWithBoxes files;
    const std::string line = "1,2,3,4\n";
    const Dataset fewer = read_dataset(files.specification(line + line));
    CHECK(images_of(fewer) == Names{"clip.y4m#000000", "clip.y4m#000001"});
    CHECK(fewer.warnings == Names{"1 frame of the video '" + files.video +
                                  "' (3 frames, 2 annotated) has no annotation and is left out"});

    const Dataset more = read_dataset(files.specification(line + line + line + line + line));
    REQUIRE(more.samples.size() == 5);
    CHECK(more.samples[4].image == "clip.y4m#000004");
    CHECK(more.samples[4].annotated);
    CHECK(more.warnings == Names{"2 annotated frames of the video '" + files.video +
                                 "' (3 frames, 5 annotated) are not in it and cannot be read"});
}

TEST_CASE("video: boxes lie in stored pixels, however these are shown", "[dataset][video]") {
    const VideoWithBoxes files;
    std::string stretched = small_video(3);
    stretched.insert(stretched.find('\n'), " A2:1");
    files.dir.write("clip.y4m", stretched);
    const Dataset annotated = read_dataset(files.specification("5,4,8,6\n1,2,3,4\n1,2,3,4\n"));
    CHECK(annotated.samples[0].size == ImageSize{16, 16});
    CHECK(has_square_pixels(annotated.samples[0].frame->video->facts));
    CHECK(annotated.samples[0].faces[0].box == Box{5, 4, 3, 2});
    REQUIRE(annotated.warnings.size() == 1);
    CHECK_THAT(annotated.warnings[0], Contains("clip.y4m' are not square") && Contains("not stretched"));
    // Without boxes, frames are as a player shows them.
    const Dataset plain = read_dataset("video:" + files.video);
    CHECK(plain.samples[0].size == ImageSize{32, 16});
    CHECK(plain.warnings.empty());
}

TEST_CASE("video: frames are selected with their boxes", "[dataset][video]") {
    const VideoWithBoxes files;
    DatasetOptions options;
    options.frames.every = 2;
    const Dataset dataset = read_dataset(files.specification("0,0,1,1\n0,0,2,2\n0,0,3,3\n"), options);
    CHECK(images_of(dataset) == Names{"clip.y4m#000000", "clip.y4m#000002"});
    CHECK(dataset.samples[1].faces[0].box == Box{0, 0, 3, 3});
    CHECK(dataset.warnings.empty());
}

TEST_CASE("video: boxes of a video that cannot be read stay", "[dataset][video]") {
    const TempDir dir;
    dir.write("broken.mp4", "no video");
    dir.write("gt.txt", "1,2,3,4\n");
    const Dataset dataset = read_dataset("video:" + (dir.path() / "broken.mp4").string() + ",boxes=gt.txt");
    CHECK(images_of(dataset) == Names{"broken.mp4#000000"});
    CHECK_FALSE(dataset.samples[0].frame);
    CHECK(dataset.face_count() == 1);
}

TEST_CASE("video: broken boxes are refused with file and line", "[dataset][video]") {
    const VideoWithBoxes files;
    const std::string gt = (files.dir.path() / "gt.txt").string();
    const std::string expected =
        ": expected the box of a frame, \"x1,y1,x2,y2\", or NaN,NaN,NaN,NaN where no "
        "face is seen";
    CHECK(files.error("1,2,3,4\n1,2,3\n") == gt + ":2: cannot read '1,2,3'" + expected);
    CHECK(files.error("1,2,3,4,5\n") == gt + ":1: cannot read '1,2,3,4,5'" + expected);
    CHECK(files.error("1,2,,4\n") == gt + ":1: cannot read '1,2,,4'" + expected);
    CHECK(files.error("1,2,3,4,5\n") == gt + ":1: cannot read '1,2,3,4,5'" + expected);
    CHECK(files.error("1,2,3,x\n") == gt + ":1: cannot read '1,2,3,x'" + expected);
    CHECK(files.error("1,2,3,NaN\n") == gt + ":1: cannot read '1,2,3,NaN'" + expected);
    CHECK(files.error("1,2,3,inf\n") == gt + ":1: cannot read '1,2,3,inf'" + expected);
    CHECK(files.error("1,2,3,1e9\n") == gt + ":1: cannot read '1,2,3,1e9'" + expected);
    CHECK(files.error("NaN,NaN,NaN\n") == gt + ":1: cannot read 'NaN,NaN,NaN'" + expected);
    CHECK(files.error("50,60,20,30\n") == gt + ":1: cannot read '50,60,20,30': expected x1,y1,x2,y2 with x1 "
                                               "<= x2 and y1 <= y2; write corners=no "
                                               "if they are x,y,w,h");
    CHECK(files.error("5,6,-2,3\n", ",corners=no") ==
          gt + ":1: cannot read '5,6,-2,3': expected x,y,w,h with w and h of 0 or more");
    CHECK_THAT(files.error("5 6 2\n", ",corners=no"), Contains("\"x,y,w,h\""));
    CHECK(files.error("") == gt + ": the file holds no box; expected a line for each frame of the video.");
    // Lines that are passed over would shift the frames behind them.
    const std::string gap =
        ": the line holds no box, but there must be a line for each frame; write "
        "NaN,NaN,NaN,NaN where no face is seen.";
    CHECK(files.error("1,2,3,4\n\n1,2,3,4\n") == gt + ":2" + gap);
    CHECK(files.error("# x y\n1,2,3,4\n") == gt + ":1" + gap);
}

TEST_CASE("video: boxes are those of one video", "[dataset][video]") {
    const VideoWithBoxes files;
    const std::string other = files.dir.write("other.y4m", small_video(1)).string();
    const std::string both = files.specification("1,2,3,4\n") + "," + other;
    CHECK(is_usage_error(both));
    CHECK_THAT(error_of(both),
               EndsWith("names several videos, but boxes= gives the boxes of one; name that one."));
    CHECK(is_usage_error("video:" + files.video + ",corners=no"));
    CHECK_THAT(error_of("video:" + files.video + ",corners=no"),
               EndsWith("has corners=, which says how boxes=FILE is read; add that."));
    CHECK_THAT(files.error("1,2,3,4\n", ",corners=maybe"),
               EndsWith("has corners=maybe, expected yes or no."));
    CHECK_THAT(error_of("video:" + files.video + ",boxes=missing.txt"),
               Contains("There is no 'missing.txt'"));
    // A folder with one video is that video.
    const TempDir one;
    one.write("a.y4m", small_video(1));
    one.write("gt.txt", "1,2,3,4\n");
    CHECK(images_of(read_dataset("video:" + one.path().string() + ",boxes=gt.txt")) == Names{"a.y4m#000000"});
}

TEST_CASE("video: every truncation of boxes is read or refused", "[dataset][video]") {
    const VideoWithBoxes files;
    const std::string text = "1,2,3,4\nNaN,NaN,NaN,NaN\n5.5 6 7 8\n";
    for (std::size_t length = 0; length < text.size(); ++length) {
        INFO("first " << length << " bytes");
        const std::string error = files.error(text.substr(0, length));
        CHECK((error == "read" || error.find("gt.txt") != std::string::npos));
    }
}

TEST_CASE("video: the sequence david of TLD has a box in each of its 761 frames", "[dataset][video][data]") {
    const std::string data = fovea_data();
    if (data.empty()) return;
    const Dataset dataset = read_dataset("video:" + data + "/video/tld-david/david.mpg,boxes=gt.txt");
    REQUIRE(dataset.samples.size() == 761);
    CHECK(std::all_of(dataset.samples.begin(), dataset.samples.end(),
                      [](const Sample& sample) { return sample.frame && sample.faces.size() == 1; }));
    CHECK(dataset.warnings.empty());
    // Lines 1 and 761: 165,93,216,147 and 121.34,74.576,173.67,129.98
    CHECK(dataset.samples[0].image == "david.mpg#000000");
    CHECK(dataset.samples[0].faces[0].box == Box{165, 93, 51, 54});
    const Box& last = dataset.samples[760].faces[0].box;
    CHECK(last.x == 121.34);
    CHECK(last.w == Approx(52.33));
    CHECK(last.h == Approx(55.404));
}
