#include "lib/results/formats/landmark_results.hpp"

#include <algorithm>
#include <map>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("a folder of .pts files is read as results, with and without images", "[evaluate][landmarks]") {
    const TempDir folder;
    folder.write("b/2.pts", "version: 1\nn_points: 2\n{\n1 2\n5 8\n}\n");
    folder.write("b/2.png", "");
    folder.write("a.pts", "3 4\n7 5\n");
    const DetectionResults results = read_landmark_results("pts:" + folder.path().string());
    REQUIRE(results.images.size() == 2);
    CHECK(results.records_every_image);
    CHECK(results.images[0].image == "a");  // no image lies beside it
    CHECK(results.images[1].image == "b/2.png");
    REQUIRE(results.images[1].detections.size() == 1);
    CHECK(results.images[1].detections[0].details->landmarks == std::vector<Point>{{1, 2}, {5, 8}});
    CHECK(results.images[1].detections[0].box == Box{1, 2, 4, 6});

    CHECK_THROWS_WITH(read_landmark_results("pts:" + (folder.path() / "none").string()),
                      Contains("is not a folder"));
    const TempDir empty;
    CHECK_THROWS_WITH(read_landmark_results("pts:" + empty.path().string()), Contains("holds no .pts file"));
    folder.write("a.pts", "3 4\n7 x\n");
    CHECK_THROWS_WITH(read_landmark_results("pts:" + folder.path().string()), Contains("a.pts:2"));
}

TEST_CASE("several .pts files of an image are its faces", "[evaluate][landmarks]") {
    const TempDir folder;
    for (const char* name : {"a_1.pts", "a_2.pts", "b.pts", "c_7.pts", "d_1.pts"})
        folder.write(name, "3 4\n7 5\n");
    Dataset dataset;
    for (const char* image : {"x/a.jpg", "x/b.jpg", "x/c_7.jpg", "x/c.jpg"})
        dataset.samples.emplace_back().image = image;
    const DetectionResults results = read_landmark_results("pts:" + folder.path().string(), dataset);
    std::map<std::string, std::size_t> faces;
    for (const ImageResult& image : results.images) faces[image.image] = image.detections.size();
    CHECK(faces == std::map<std::string, std::size_t>{{"a", 2}, {"b", 1}, {"c_7", 1}, {"d_1", 1}});
    // The images that lie beside are known, too.
    folder.write("d.png", "");
    const DetectionResults alone = read_landmark_results("pts:" + folder.path().string());
    CHECK(std::any_of(alone.images.begin(), alone.images.end(),
                      [](const ImageResult& image) { return image.image == "d.png"; }));
}

TEST_CASE("a dlib file is read as results, its ignored boxes left out", "[evaluate][landmarks]") {
    const TempDir folder;
    const std::string file =
        folder
            .write("found.xml",
                   "<?xml version='1.0'?><dataset><images>"
                   "<image file='a.png'>"
                   "<box top='1' left='2' width='3' height='4'><part name='0' x='2' y='1'/><part name='1' "
                   "x='5' y='5'/>"
                   "</box><box top='9' left='9' width='3' height='4' ignore='1'/></image>"
                   "<image file='b.png'/></images></dataset>")
            .string();
    const DetectionResults results = read_landmark_results("dlib:" + file);
    REQUIRE(results.images.size() == 2);
    REQUIRE(results.images[0].detections.size() == 1);
    CHECK(results.images[0].detections[0].box == Box{2, 1, 3, 4});
    CHECK(results.images[0].detections[0].details->landmarks == std::vector<Point>{{2, 1}, {5, 5}});
    CHECK(results.images[1].detections.empty());
}

TEST_CASE("other results are read as those of detectors", "[evaluate][landmarks]") {
    const TempDir folder;
    const std::string file =
        folder
            .write(
                "found.jsonl",
                R"({"image":"a.png","detections":[{"box":[0,0,9,9],"score":2,"landmarks":[[1,2],[3.5,4]]}]})"
                "\n")
            .string();
    const DetectionResults results = read_landmark_results(file);
    REQUIRE(results.images.size() == 1);
    CHECK(results.images[0].detections[0].details->landmarks == std::vector<Point>{{1, 2}, {3.5, 4}});
    // The file written equals the one read.
    CHECK_THAT(to_json_line(results.images[0]), Contains(R"("landmarks":[[1,2],[3.5,4]])"));
}
