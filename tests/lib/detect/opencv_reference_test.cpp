#include "lib/detect/opencv_reference.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/image/read_grey.hpp"
#include "tests/support/edge_scene.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

Detection detection_at(double x, double y, double score, std::optional<double> stage_sum = std::nullopt) {
    Detection detection;
    detection.box = {x, y, 20, 20};
    detection.score = score;
    detection.details.edit().stage_sum = stage_sum;
    return detection;
}

GreyImage decode(const std::string& bytes) {
    return decode_grey_image({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

}  // namespace

TEST_CASE("detections are compared as multisets, boxes and values to the last bit", "[opencv_reference]") {
    using enum ComparedValues;
    const std::vector<Detection> base{detection_at(1, 2, 5, 0.25), detection_at(1, 2, 5, 0.25),
                                      detection_at(9, 0, 7, 1.5)};
    std::vector<Detection> other{base[2], base[0], base[1]};
    CHECK(compare_detections(base, other, box_and_score).empty());
    CHECK(compare_detections(base, other, box_and_stage_sum).empty());

    other.pop_back();  // one of two equal ones
    DetectionDifference difference = compare_detections(base, other, box_and_score);
    CHECK(difference.only_first.size() == 1);
    CHECK(difference.only_second.empty());

    other = base;
    other[2].score = std::nextafter(7.0, 8.0);
    difference = compare_detections(base, other, box_and_score);
    CHECK(difference.only_first.size() == 1);
    CHECK(difference.only_second.size() == 1);
    CHECK(compare_detections(base, other, box_and_stage_sum).empty());

    other = base;
    other[2].details.edit().stage_sum.reset();
    CHECK_FALSE(compare_detections(base, other, box_and_stage_sum).empty());
    CHECK(compare_detections(base, other, box_and_score).empty());

    other = base;
    other[0].box.h = 21;
    CHECK_FALSE(compare_detections(base, other, box_and_score).empty());
}

TEST_CASE("the reference says what OpenCV says", "[opencv_reference]") {
    const TempDir folder;
    const auto model = folder.write("edge.xml", edge_cascade());
    const GreyImage image = decode(edge_pgm(20, 20));
    OpenCvReference reference(model);
    DetectorOptions options;
    options.min_neighbors = 0;

    // The image is one window, and the second stump's left leaf is 2.25.
    const std::vector<Detection> raw = reference.raw_windows(image.view(), options);
    REQUIRE(raw.size() == 1);
    CHECK(raw[0].box == Box{0, 0, 20, 20});
    CHECK(raw[0].details->stage_sum == 2.25);
    CHECK(reference.detect(image.view(), options) == 1);

    const GreyImage larger = decode(edge_pgm(40, 40));
    options.min_neighbors = 1;
    const std::vector<Detection> grouped = reference.grouped(larger.view(), options);
    REQUIRE_FALSE(grouped.empty());
    double windows = 0;
    for (const Detection& detection : grouped) {
        REQUIRE(detection.details->neighbors);
        CHECK(*detection.details->neighbors > 1);
        CHECK(detection.score == *detection.details->neighbors);
        windows += detection.score;
    }
    CHECK(windows <= static_cast<double>(reference.raw_windows(larger.view(), options).size()));
    options.score = ScoreKind::stage_sum;
    const std::vector<Detection> by_sum = reference.grouped(larger.view(), options);
    REQUIRE(by_sum.size() == grouped.size());
    for (std::size_t i = 0; i < by_sum.size(); ++i) {
        CHECK(by_sum[i].box == grouped[i].box);
        CHECK(by_sum[i].score == 2.25);
    }
}

TEST_CASE("of a one-stage cascade only windows that passed are told", "[opencv_reference]") {
    const TempDir folder;
    OpenCvReference reference(folder.write("one.xml", edge_cascade(1)));
    // Flat at both ends: windows there have no contrast and are never evaluated, but OpenCV lists them beside
    // those that passed when it is asked for stage sums.
    const GreyImage image = decode(edge_pgm(100, 40));
    DetectorOptions options;
    const std::vector<Detection> raw = reference.raw_windows(image.view(), options);
    REQUIRE_FALSE(raw.empty());
    for (const Detection& window : raw) {
        CHECK(window.details->stage_sum == 1.25);
        CHECK(window.box.x < 50);
        CHECK(window.box.x + window.box.w > 50);
    }
    options.score = ScoreKind::stage_sum;
    CHECK_THROWS_AS(reference.grouped(image.view(), options), UsageError);
}

TEST_CASE("a file that OpenCV cannot load is an error that names it", "[opencv_reference]") {
    const TempDir folder;
    CHECK_THROWS_WITH(OpenCvReference(folder.write("broken.xml", "<opencv_storage></opencv_storage>")),
                      Catch::Matchers::Contains("broken.xml"));
    CHECK_THROWS_AS(OpenCvReference(folder.path() / "missing.xml"), Error);
}
