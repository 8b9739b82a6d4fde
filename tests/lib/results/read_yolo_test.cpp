#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/dataset/dataset.hpp"
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
