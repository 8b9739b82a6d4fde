#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/results/formats/read_results.hpp"
#include "lib/results/results.hpp"
#include "tests/support/images.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace {

Dataset images(const TempDir& folder) {
    Dataset dataset;
    for (const char* name : {"a.jpg", "sub/b.pgm", "c.jpg"}) {
        Sample& sample = dataset.samples.emplace_back();
        sample.image = name;
        sample.path = folder.path() / name;
        sample.annotated = true;
        sample.size = ImageSize{200, 100};
    }
    // Its size is in the file alone.
    dataset.samples[1].size.reset();
    folder.write("sub/b.pgm", "P5 4 2 255\n12345678");
    return dataset;
}

}  // namespace

TEST_CASE("YOLO results are a text file per image, in shares of it", "[results][yolo]") {
    const TempDir folder;
    const Dataset dataset = images(folder);
    folder.write("labels/a.txt", "0 0.5 0.5 0.25 0.5 0.75\n0 0.1 0.25 0.1 0.5 0.5\n");
    folder.write("labels/c.txt", "");
    const std::string path = (folder.path() / "labels").string();
    for (const std::string& specification : {path, "yolo:" + path}) {
        const DetectionResults results = read_results(specification, dataset);
        REQUIRE(results.images.size() == 2);
        CHECK(results.images[0].image == "a.jpg");
        REQUIRE(results.images[0].detections.size() == 2);
        CHECK(results.images[0].detections[0].box == Box{75, 25, 50, 50});
        CHECK(results.images[0].detections[0].score == 0.75);
        CHECK(results.images[0].detections[1].box == Box{10, 0, 20, 50});
        CHECK(results.images[1].image == "c.jpg");
        CHECK(results.images[1].detections.empty());
        CHECK_FALSE(results.records_every_image);
        CHECK(results.warnings.empty());
    }
    folder.write("labels/sub/b.txt", "0 0.5 0.5 0.5 1\n2 0.5 0.5 0.5 1\n");
    folder.write("labels/other.txt", "0 0.5 0.5 0.5 1\n");
    const DetectionResults more = read_results("yolo:" + path, dataset);
    CHECK(more.images.at(2).image == "sub/b.pgm");
    CHECK(more.images.at(2).detections.at(0).box == Box{1, 0, 2, 2});
    CHECK(more.images.at(2).detections.at(0).score == 1);
    REQUIRE(more.warnings.size() == 3);
    CHECK_THAT(more.warnings[0], Contains("1 file of YOLO results left out") && Contains("other.txt"));
    CHECK_THAT(more.warnings[1], Contains("2 lines") && Contains("score 1"));
    CHECK_THAT(more.warnings[2], Contains("2 classes"));
}

TEST_CASE("YOLO results that cannot be read say why", "[results][yolo]") {
    const TempDir folder;
    Dataset dataset = images(folder);
    folder.write("labels/a.txt", "0 0.5 0.5 0.25\n");
    const std::string path = "yolo:" + (folder.path() / "labels").string();
    CHECK_THROWS_WITH(read_results(path, dataset), Contains("a.txt") && Contains("class cx cy w h"));
    folder.write("labels/a.txt", "0 0.5 0.5 0.25 0.5 0.75\n");
    CHECK_THROWS_AS(read_results(path), UsageError);
    dataset.samples[0].size.reset();
    CHECK_THROWS_WITH(read_results(path, dataset), Contains("'a.jpg' is not known"));
    folder.write("others/other.txt", "0 0.5 0.5 0.5 1\n");
    CHECK_THROWS_WITH(read_results("yolo:" + (folder.path() / "others").string(), dataset),
                      Contains("no image in common") && Contains("other.txt"));
    CHECK_THROWS_AS(read_results("yolo:" + (folder.path() / "sub").string(), dataset), UsageError);
    CHECK_THROWS_AS(read_results("yolo:" + (folder.path() / "sub/b.pgm").string(), dataset), UsageError);
}

namespace {

struct Found {
    double score = 0;
    std::optional<int> track;

    friend bool operator==(const Found&, const Found&) = default;
};

/// Those of a.jpg and c.jpg, whose files are \p a and \p c.
std::vector<Found> found_in(const std::string& a, const std::string& c, std::size_t warnings) {
    const TempDir folder;
    const Dataset dataset = images(folder);
    folder.write("labels/a.txt", a);
    folder.write("labels/c.TXT", c);
    const DetectionResults results = read_results("yolo:" + (folder.path() / "labels").string(), dataset);
    CHECK(results.warnings.size() == warnings);
    std::vector<Found> found;
    for (const ImageResult& image : results.images) {
        for (const Detection& detection : image.detections) {
            CHECK(detection.box == Box{75, 25, 50, 50});
            found.push_back({detection.score, detection.details->track});
        }
    }
    return found;
}

}  // namespace

TEST_CASE("spellings: YOLO's results, whose sixth column is a score or a track",
          "[results][yolo][spelling]") {
    const std::string box = "0 0.5 0.5 0.25 0.5";
    const auto line = [&](const std::string& more) { return box + " " + more + "\n"; };
    using All = std::vector<Found>;
    // Two sentences: that they are tracks, and that scores are 1.
    CHECK(found_in(line("1") + line("2"), line("2") + line("7"), 2) == All{{1, 1}, {1, 2}, {1, 2}, {1, 7}});
    CHECK(found_in(line("1.0") + line("+2"), line("3e0"), 2) == All{{1, 1}, {1, 2}, {1, 3}});
    // A face that has no track yet.
    CHECK(found_in(line("4") + box + "\n", "", 2) == All{{1, 4}, {1, {}}});
    // One of them is no track's number, or stands twice in a file.
    CHECK(found_in(line("1") + line("2"), line("0.5"), 0) == All{{1, {}}, {2, {}}, {0.5, {}}});
    CHECK(found_in(line("1") + line("1"), line("2"), 0) == All{{1, {}}, {1, {}}, {2, {}}});
    CHECK(found_in(line("0") + line("1"), line("1"), 0) == All{{0, {}}, {1, {}}, {1, {}}});
    // Seven columns: score and track, also where some have no track.
    CHECK(found_in(line("0.9 3") + line("0.8 4.0"), line("1 1"), 0) == All{{0.9, 3}, {0.8, 4}, {1, 1}});
    CHECK(found_in(line("0.9 3") + line("1"), "\r\n# none\r\n", 0) == All{{0.9, 3}, {1, {}}});
    const TempDir folder;
    const Dataset dataset = images(folder);
    for (const char* const more : {"0.9 0.5", "0.9 0", "0.9 x", "0.9 1 2"}) {
        CAPTURE(more);
        folder.write("labels/a.txt", line(more));
        CHECK_THROWS_AS(read_results("yolo:" + (folder.path() / "labels").string(), dataset), Error);
    }
}
