#include "lib/core/error.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/dataset/formats/write_dataset.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/formats/write_results.hpp"
#include "lib/results/results.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

Dataset frames_of(const std::vector<std::string>& images) {
    Dataset dataset;
    dataset.name = "clips";
    for (const std::string& image : images) dataset.samples.emplace_back().image = image;
    return dataset;
}

const std::vector<std::string> two_frames{"a.mp4#000000", "a.mp4#000001"};

DetectionResults read_mot(const std::string& text, const std::vector<std::string>& images = two_frames) {
    const TempDir folder;
    return read_results("mot:" + folder.write("a.txt", text).string(), frames_of(images));
}

std::string error_of_mot(const std::string& text) {
    try {
        read_mot(text);
    } catch (const Error& error) {
        return error.what();
    }
    return "read";
}

}  // namespace

TEST_CASE("MOTChallenge's results: boxes by frames and tracks", "[results][mot]") {
    const DetectionResults results = read_mot(
        "2,7,-10.5,20,30,40.25,0.5,-1,-1,-1\r\n1,3,1,2,3,4,1,-1,-1,-1\n\n1 , 4 ,5, 6,7,8\n1 5 9 9 9 9 -2\n");
    CHECK_FALSE(results.records_every_image);
    REQUIRE(results.images.size() == 2);
    CHECK(results.images[0].image == "a.mp4#000001");
    const Detection& second = results.images[0].detections.at(0);
    CHECK(second.box == Box{-10.5, 20, 30, 40.25});
    CHECK(second.score == 0.5);
    CHECK(second.details->track == 7);
    REQUIRE(results.images[1].detections.size() == 3);
    CHECK(results.images[1].detections[0].details->track == 3);
    CHECK(results.images[1].detections[1].box == Box{5, 6, 7, 8});
    CHECK(results.images[1].detections[1].score == 1);
    CHECK(results.images[1].detections[2].score == -2);
    CHECK(results.warnings.empty());
    CHECK(read_mot("").images.empty());
}

TEST_CASE("MOTChallenge's results are recognised by their first line", "[results][mot]") {
    const TempDir folder;
    const auto file = folder.write("a.txt", "1,3,1,2,3,4,1,-1,-1,-1\n");
    CHECK(read_results(file.string(), frames_of(two_frames)).images.at(0).detections.at(0).details->track ==
          3);
    CHECK_THROWS_WITH(read_results(file.string()), Contains("only a dataset tells"));
    CHECK_THROWS_WITH(read_results("mot:" + file.string()), Contains("only a dataset tells"));
    CHECK_THROWS_WITH(read_results("mot:" + file.string(), frames_of({})), Contains("has no image"));
}

TEST_CASE("broken lines of MOTChallenge's results are named", "[results][mot]") {
    CHECK_THAT(error_of_mot("1,3,1,2,3,4\n1,3,1,2,3\n"), Contains("a.txt:2") && Contains("6 to 10 numbers"));
    CHECK_THAT(error_of_mot("1,3,1,2,x,4\n"), Contains("6 to 10 numbers"));
    CHECK_THAT(error_of_mot("1,3,1,2,3,4,5,6,7,8,9\n"), Contains("6 to 10 numbers"));
    CHECK_THAT(error_of_mot("1,3,1,2,3,4x\n"), Contains("6 to 10 numbers"));
    CHECK_THAT(error_of_mot("1,3,1,2,nan,4\n"), Contains("6 to 10 numbers"));
    CHECK_THAT(error_of_mot("1,3,1,2,3,1e999\n"), Contains("6 to 10 numbers"));
    CHECK_THAT(error_of_mot("0,3,1,2,3,4\n"), Contains("the number of a frame"));
    CHECK_THAT(error_of_mot("1.5,3,1,2,3,4\n"), Contains("the number of a frame"));
    CHECK_THAT(error_of_mot("1e300,3,1,2,3,4\n"), Contains("the number of a frame"));
    CHECK_THAT(error_of_mot("1,-1,1,2,3,4\n"), Contains("the number of a track"));
    CHECK_THAT(error_of_mot("1,2147483648,1,2,3,4\n"), Contains("the number of a track"));
    CHECK(error_of_mot("1,2147483647,1,2,3,4\n") == "read");
}

TEST_CASE("boxes of frames that are not in the dataset are left out with a warning", "[results][mot]") {
    const DetectionResults results = read_mot("1,3,1,2,3,4\n9,3,1,2,3,4\n10,3,1,2,3,4\n");
    CHECK(results.images.size() == 1);
    REQUIRE(results.warnings.size() == 1);
    CHECK_THAT(results.warnings[0],
               Contains("2 boxes lie in frames that 'a' does not have") && Contains("first in frame 9"));
}

TEST_CASE("a folder has a file for each sequence", "[results][mot]") {
    const TempDir folder;
    folder.write("t/A.txt", "1,1,0,0,9,9\n");
    folder.write("t/data/B.txt", "2,2,0,0,9,9\n");
    const Dataset dataset =
        frames_of({"A/img1/000001.jpg", "B/img1/000001.jpg", "B/img1/000002.jpg", "C/img1/000001.jpg"});
    const DetectionResults results = read_results("mot:" + (folder.path() / "t").string(), dataset);
    REQUIRE(results.images.size() == 2);
    CHECK(results.images[0].image == "A/img1/000001.jpg");
    CHECK(results.images[1].image == "B/img1/000002.jpg");
    REQUIRE(results.warnings.size() == 1);
    CHECK_THAT(results.warnings[0], Contains("1 sequence has no file") && Contains("'C.txt'"));
    CHECK_THROWS_WITH(read_results("mot:" + folder.path().string(), dataset),
                      Contains("holds no results") && Contains("'A', 'B', 'C'"));
    // A file alone is of the sequence that it is named by.
    CHECK(read_results("mot:" + (folder.path() / "t/A.txt").string(), dataset).images.size() == 1);
    const auto other = folder.write("other.txt", "1,1,0,0,9,9\n");
    CHECK_THROWS_WITH(read_results("mot:" + other.string(), dataset), Contains("several"));
}

TEST_CASE("results are written as MOTChallenge has them, and read back", "[results][convert][mot]") {
    const Dataset dataset = frames_of({"a.mp4#000000", "a.mp4#000001", "b.mp4#000004"});
    DetectionResults results;
    for (const Sample& sample : dataset.samples) {
        ImageResult& image = results.images.emplace_back();
        image.image = sample.image;
        Detection& detection = image.detections.emplace_back();
        detection.box = {0.1, -2, 30, 40.5};
        detection.score = 0.25;
        detection.details.edit().track = 3;
    }
    std::vector<std::string> losses;
    const OutputFiles files = render_results(results, &dataset, "mot", losses);
    CHECK(losses.empty());
    REQUIRE(files.files.size() == 2);
    CHECK(files.files[0].name == "a.txt");
    CHECK(files.files[0].bytes == "1,3,0.1,-2,30,40.5,0.25,-1,-1,-1\n2,3,0.1,-2,30,40.5,0.25,-1,-1,-1\n");
    CHECK(files.files[1].bytes == "5,3,0.1,-2,30,40.5,0.25,-1,-1,-1\n");
    const TempDir folder;
    for (const auto& file : files.files) folder.write(file.name, file.bytes);
    const DetectionResults again = read_results("mot:" + folder.path().string(), dataset);
    REQUIRE(again.images.size() == 3);
    CHECK(again.images[2].image == "b.mp4#000004");
    CHECK(again.images[2].detections[0].box == results.images[2].detections[0].box);

    CHECK_THROWS_WITH(render_results(results, nullptr, "mot", losses), Contains("name it as DATASET"));
    results.images[1].detections[0].details.edit().track.reset();
    CHECK_THROWS_WITH(render_results(results, &dataset, "mot", losses),
                      Contains("'a.mp4#000001' has no track"));
}

TEST_CASE("spellings: MOTChallenge's results", "[results][mot][spelling]") {
    for (const char* const line :
         {"2,3,5,6,7,8", "2,3,5,6,7,8,1", "2.0,3e0,+5,6,7,8,1.0", "2,3,5,6,7,8,1,-1,-1,-1,",
          "2,3,5,6,7,8,1,n/a,,nan", "2 3 5 6 7 8 1 x y z", "2, 3, 5, 6, 7, 8, 1, -1, -1, -1\r"}) {
        CAPTURE(line);
        const DetectionResults results = read_mot(std::string(line) + "\n");
        REQUIRE(results.images.size() == 1);
        CHECK(results.images[0].image == "a.mp4#000001");
        const Detection& found = results.images[0].detections.at(0);
        CHECK(found.box == Box{5, 6, 7, 8});
        CHECK(found.score == 1);
        CHECK(found.details->track == 3);
    }
    // TrackEval takes these for boxes that nothing hits.
    CHECK(read_mot("1,3,1,2,-3,4\n").images.at(0).detections.at(0).box == Box{1, 2, -3, 4});
    CHECK_THAT(error_of_mot("1,3,1,2,3,4,high\n"), Contains("6 to 10 numbers"));
}
