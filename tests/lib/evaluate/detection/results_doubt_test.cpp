#include "lib/evaluate/detection/results_doubt.hpp"

#include <cmath>
#include <functional>

#include <catch2/catch.hpp>

#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Contains;

namespace {

/// Twelve images with one face each.
EvaluationCase faces_of(const std::function<Detection(const Face&)>& found) {
    EvaluationCase set;
    for (int i = 0; i < 12; ++i) {
        const Face one = face(200 + 10 * i, 100 + 5 * i, 60, 80);
        set.add("i" + std::to_string(i), {one}, {found(one)});
    }
    return set;
}

std::vector<std::string> doubts_about(const EvaluationCase& set) {
    return doubts_about_results(set.dataset, set.results, pair_images(set.dataset, set.results));
}

Detection scaled(const Face& face, double factor) {
    return detection(1, face.box.x * factor, face.box.y * factor, face.box.w * factor, face.box.h * factor);
}

}  // namespace

TEST_CASE("results as they should be raise no doubt", "[evaluate][doubt]") {
    CHECK(doubts_about(faces_of([](const Face& face) { return scaled(face, 1); })).empty());
    // Bad, but not better in any other reading.
    CHECK(doubts_about(faces_of([](const Face&) { return detection(1, 5, 5, 9, 9); })).empty());
}

TEST_CASE("boxes of images of another size are told by one factor", "[evaluate][doubt]") {
    for (const auto& [factor, text] :
         {std::pair{0.5, "Multiplied by 2 "}, {2.0, "Multiplied by 0.5 "}, {0.3, "Multiplied by 3.33 "}}) {
        const auto doubts =
            doubts_about(faces_of([factor = factor](const Face& face) { return scaled(face, factor); }));
        REQUIRE(doubts.size() == 1);
        CHECK_THAT(doubts[0], Contains(text) && Contains("100.0 % of the faces, as they were read 0.0 %"));
    }
    // Every image by a factor of its own: no one factor fits 30 % of them.
    int image = 0;
    CHECK(doubts_about(faces_of([&](const Face& face) {
              return scaled(face, std::pow(1.3, ++image));
          })).empty());
    // Calibrated boxes were fitted to the faces.
    EvaluationCase calibrated = faces_of([](const Face& face) { return scaled(face, 0.5); });
    calibrated.results.is_calibrated = true;
    CHECK(doubts_about(calibrated).empty());
}

TEST_CASE("images that results do not name are told where a file names only detections",
          "[evaluate][doubt]") {
    EvaluationCase set = faces_of([](const Face& face) { return scaled(face, 1); });
    set.add_sample("empty", {});
    set.results.records_every_image = false;
    // An image without faces need not be named.
    CHECK(doubts_about(set).empty());
    set.results.images.resize(11);
    CHECK(doubts_about(set).empty());  // less than a tenth
    set.results.images.resize(10);
    const auto doubts = doubts_about(set);
    REQUIRE(doubts.size() == 1);
    CHECK_THAT(doubts[0],
               Contains("The results name 10 of the 12 images with faces; all faces of the other 2 count "));
    EvaluationCase small;
    for (const char* name : {"a", "b", "c"})
        small.add(name, {face(10, 10, 60, 80)}, {scaled(face(10, 10, 60, 80), 1)});
    small.results.records_every_image = false;
    small.results.images.resize(2);
    CHECK_THAT(doubts_about(small).at(0),
               Contains("all faces of the other one count as missed. If the detector did not see it, "));
    set.results.images.clear();
    CHECK(doubts_about(set) ==
          std::vector<std::string>{"The results hold no detection at all, so every face counts as missed."});
    // JSON Lines record every image: pair_images() says which are lacking.
    EvaluationCase lines = faces_of([](const Face& face) { return scaled(face, 1); });
    lines.results.images.resize(5);
    CHECK(doubts_about(lines).empty());
}

TEST_CASE("other sizes of images in the results are told", "[evaluate][doubt]") {
    EvaluationCase set = faces_of([](const Face& face) { return scaled(face, 1); });
    for (Sample& sample : set.dataset.samples) sample.size = ImageSize{1000, 1000};
    CHECK(doubts_about(set).empty());
    set.results.images[3].width = 500;
    CHECK(doubts_about(set).empty());  // less than a tenth
    set.results.images[7].height = 500;
    const auto doubts = doubts_about(set);
    REQUIRE(doubts.size() == 1);
    CHECK_THAT(doubts[0], Contains("2 of 12 images have another size") &&
                              Contains("'i3' 500x1000 instead of 1000x1000") &&
                              Contains("were they resized?"));
    for (Sample& sample : set.dataset.samples) sample.size = ImageSize{1000, 500};
    for (ImageResult& image : set.results.images) {
        image.width = 500;
        image.height = 1000;
    }
    REQUIRE(doubts_about(set).size() == 1);
    CHECK_THAT(doubts_about(set)[0], Contains("photographs that EXIF turns") && !Contains("resized"));
}
