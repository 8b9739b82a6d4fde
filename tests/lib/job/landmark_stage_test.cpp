#include "lib/job/landmark_stage.hpp"

#include <cstdlib>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/landmark/box_convention.hpp"
#include "tests/lib/evaluate/landmarks/landmark_cases.hpp"
#include "tests/support/landmark_models.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// The conventions "edge" and "landmarks" alone, as those that ship.
struct Conventions {
    Conventions() {
        const std::vector<BoxConvention> conventions{{"edge", {0.1, 0.2, 0.9, 1.1}, {}, 10},
                                                     {"landmarks", {0, 0.1, 1, 1}, {}, 10}};
        folder.write("landmarks/boxes.json", conventions_to_json(conventions).dump());
        if (const char* before = std::getenv("FOVEA_MODELS")) before_ = before;
        ::setenv("FOVEA_MODELS", folder.path().c_str(), 1);
    }
    ~Conventions() {
        if (before_) {
            ::setenv("FOVEA_MODELS", before_->c_str(), 1);
        } else {
            ::unsetenv("FOVEA_MODELS");
        }
    }

    TempDir folder;

  private:
    std::optional<std::string> before_;
};

Dataset dataset_of(Face face) {
    Dataset dataset;
    dataset.samples.emplace_back().faces.push_back(std::move(face));
    dataset.samples[0].annotated = true;
    return dataset;
}

}  // namespace

TEST_CASE("boxes are those of landmarks where they are tight around 68 points", "[pipeline][landmarks]") {
    Face face = landmark_face(grid_points());
    CHECK(has_landmark_boxes(dataset_of(face)));
    face.box.w += 1;  // inclusive borders
    CHECK(has_landmark_boxes(dataset_of(face)));
    face.box.y -= 1.5;
    CHECK_FALSE(has_landmark_boxes(dataset_of(face)));
    face.ignore = true;
    CHECK_FALSE(has_landmark_boxes(dataset_of(face)));  // none that counts
    Dataset mixed = dataset_of(landmark_face(grid_points()));
    mixed.samples[0].faces.push_back(face);
    CHECK(has_landmark_boxes(mixed));
    mixed.samples[0].faces[1].ignore = false;
    CHECK_FALSE(has_landmark_boxes(mixed));
    CHECK_FALSE(has_landmark_boxes(dataset_of(landmark_face({{0, 0}, {5, 5}}))));
}

TEST_CASE("conventions follow from detector and dataset, or from their name", "[pipeline][landmarks]") {
    const Conventions shipped;
    const Landmarker landmarker(still_landmark_model(), DetectionDevice::cpu(), "still");
    LandmarkConfig config;
    const BoxRule edge = rule_for_detector(config, landmarker, "mine", "models/edge.xml");
    CHECK(edge.of == "mine");
    CHECK(edge.convention == "edge");
    // The shape's tight box is (0, 0.25) to (1, 0.75): its edges must be those of the convention.
    CHECK(edge.edges.left == Approx(0.1));
    CHECK(edge.edges.right == Approx(0.9));
    CHECK(edge.edges.top + 0.25 * (edge.edges.bottom - edge.edges.top) == Approx(0.2));
    CHECK(edge.edges.top + 0.75 * (edge.edges.bottom - edge.edges.top) == Approx(1.1));
    CHECK(rule_for_detector(config, landmarker, "other", "other.xml").convention.empty());
    CHECK(rule_for_detector(config, landmarker, "other", "other.xml").edges == BoxTransform{});

    const Dataset tight = dataset_of(landmark_face(grid_points()));
    Face wide = landmark_face(grid_points());
    wide.box.w += 10;
    CHECK(rule_for_truth(config, landmarker, tight).convention == "landmarks");
    CHECK(rule_for_truth(config, landmarker, dataset_of(wide)).convention.empty());
    config.convention = "edge";
    CHECK(rule_for_truth(config, landmarker, tight).convention == "edge");
    config.convention = no_convention;
    CHECK(rule_for_truth(config, landmarker, tight).edges == BoxTransform{});
    CHECK(rule_for_detector(config, landmarker, "mine", "edge.xml").convention.empty());
    config.convention = "edges";
    CHECK_THROWS_WITH(rule_for_detector(config, landmarker, "mine", "edge.xml"),
                      Contains("there is no box convention 'edges'") && Contains("fovea train boxes"));
}

TEST_CASE("models of other numbers of points get boxes as they are", "[pipeline][landmarks]") {
    const Conventions shipped;
    const Landmarker five(still_landmark_model(5), DetectionDevice::cpu(), "five");
    LandmarkConfig config;
    CHECK(rule_for_detector(config, five, "mine", "edge.xml").convention.empty());
    CHECK(rule_for_truth(config, five, dataset_of(landmark_face(grid_points()))).convention.empty());
    config.convention = "edge";
    CHECK_THROWS_WITH(rule_for_detector(config, five, "mine", "edge.xml"),
                      Contains("for models of 68 points, but five has 5"));
}
