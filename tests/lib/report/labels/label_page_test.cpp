#include "lib/report/labels/label_page.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/json/json.hpp"
#include "lib/results/formats/read_results.hpp"
#include "tests/lib/dataset/readers/video/small_videos.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::report;
using namespace fovea::test;
using Catch::Contains;

namespace {

std::string lines_of_tracks() {
    std::string lines;
    for (int frame = 0; frame < 4; ++frame) {
        lines += R"({"image":"clip.y4m#00000)" + std::to_string(frame) +
                 R"(","status":"ok","detections":[{"box":[1,2,5,6],"score":1,"track":7},)" +
                 R"({"box":[8,2,5,6],"score":1}]})" + "\n";
    }
    return lines;
}

Json data_of(const std::string& page) {
    const std::string begin = "id=\"report\">";
    const std::size_t at = page.find(begin) + begin.size();
    return Json::parse(page.substr(at, page.find("</script>", at) - at));
}

}  // namespace

TEST_CASE("a page to label has the frames with the boxes of results", "[label]") {
    const TempDir folder;
    const std::string video = folder.write("clip.y4m", small_video(4)).string();
    const Dataset dataset = read_dataset(video);
    const DetectionResults results =
        read_results(folder.write("r.jsonl", lines_of_tracks()).string(), dataset);
    double progress = 0;
    const LabelSequence sequence =
        read_label_sequence(dataset, &results, [&](double share) { progress = share; });
    CHECK(progress == 1);
    CHECK(sequence.name == "clip");
    REQUIRE(sequence.frames.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        const LabelFrame& frame = sequence.frames[i];
        CHECK(frame.number == static_cast<std::int64_t>(i) + 1);
        CHECK(frame.size == ImageSize{16, 16});
        CHECK(frame.jpeg.starts_with("\xFF\xD8"));
        CHECK_FALSE(frame.is_annotated);
        REQUIRE(frame.boxes.size() == 2);
        CHECK(frame.boxes[0].person == 7);
        CHECK(frame.boxes[0].box == Box{1, 2, 5, 6});
        CHECK(frame.boxes[1].person == 2);  // the second in its frame
    }
    CHECK(read_label_sequence(dataset, nullptr).frames[3].boxes.empty());
}

TEST_CASE("a page to label has the faces of frames that are annotated already", "[label]") {
    const TempDir folder;
    folder.write("clip.y4m", small_video(4));
    const auto truth =
        folder.write("t.txt", "# annotated frames: 1-3 every 2\n1,4,0,1,2,3,1,1,1\n1,5,6,1,2,3,0,8,1\n");
    const Dataset dataset = read_dataset("mot:" + truth.string() + ",video=clip.y4m");
    const DetectionResults results =
        read_results(folder.write("r.jsonl", lines_of_tracks()).string(), dataset);
    const LabelSequence sequence = read_label_sequence(dataset, &results);
    REQUIRE(sequence.frames.size() == 3);
    REQUIRE(sequence.frames[0].boxes.size() == 2);
    CHECK(sequence.frames[0].is_annotated);
    CHECK(sequence.frames[0].boxes[0].person == 4);
    CHECK_FALSE(sequence.frames[0].boxes[0].is_ignored);
    CHECK(sequence.frames[0].boxes[1].is_ignored);
    CHECK_FALSE(sequence.frames[1].is_annotated);
    CHECK(sequence.frames[1].boxes.at(0).person == 7);
    CHECK(sequence.frames[2].is_annotated);
    CHECK(sequence.frames[2].boxes.empty());
}

TEST_CASE("a page to label holds data alone", "[label]") {
    LabelSequence sequence{"</script><script>alert(1)</script>", {}};
    sequence.frames.push_back(
        {.number = 3, .size = {64, 48}, .jpeg = "\x01\x02", .boxes = {{2, {1, 2, 3, 4}, true}}});
    sequence.frames.push_back({.number = 8, .size = {64, 48}, .unreadable = "gone", .is_annotated = true});
    const std::string page = label_page(sequence);
    CHECK_THAT(page,
               !Contains("<script>alert") && Contains("default-src 'none'") && Contains("fovea.read_tracks"));
    const Json data = data_of(page);
    CHECK(data["name"] == sequence.name);
    CHECK(data["frames"][0] == Json::parse(R"({"number":3,"width":64,"height":48,"jpeg":"AQI=","boxes":[
        {"person":2,"x":1.0,"y":2.0,"w":3.0,"h":4.0,"ignored":true}]})"));
    CHECK(data["frames"][1] ==
          Json::parse(R"({"number":8,"width":64,"height":48,"unreadable":"gone","annotated":true})"));
}

TEST_CASE("a page to label shows one sequence, and results of it", "[label]") {
    const TempDir folder;
    folder.write("videos/a.y4m", small_video(2));
    folder.write("videos/b.y4m", small_video(2));
    const Dataset two = read_dataset((folder.path() / "videos").string());
    CHECK_THROWS_AS(read_label_sequence(two, nullptr), UsageError);
    CHECK_THROWS_WITH(read_label_sequence(two, nullptr),
                      Contains("has 2 sequences, first 'a' and 'b'; a page shows one: name that alone."));
    const Dataset one = read_dataset((folder.path() / "videos/a.y4m").string());
    const DetectionResults other = read_results(folder.write("r.jsonl", lines_of_tracks()).string());
    CHECK_THROWS_WITH(read_label_sequence(one, &other), Contains("have no image in common"));
}
