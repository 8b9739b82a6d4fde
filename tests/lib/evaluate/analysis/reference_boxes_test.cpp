#include "lib/evaluate/analysis/reference_boxes.hpp"

#include <catch2/catch.hpp>

#include "lib/evaluate/evaluate_detection.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"

using namespace fovea;
using namespace fovea::test;

TEST_CASE("another detector's boxes become ground truth", "[evaluate][errors]") {
    EvaluationCase other;
    other.add_result("a.png", {detection(0.9, 1, 2, 30, 40), detection(0.1, 100, 0, 10, 10)});
    other.add_result("nothing.png", {});
    other.add_result("broken.png", {});
    other.results.images[2].status = "unreadable: truncated";

    Dataset images;
    images.root = "/set";
    Sample sample;
    sample.image = "a.png";
    sample.path = "/set/a.png";
    sample.subject = "anna";
    sample.faces = {face(7, 7, 7, 7)};  // of another annotation
    images.samples = {sample};

    const Dataset dataset = dataset_from_results(other.results, &images, "boxes of B");
    CHECK(dataset.name == "boxes of B");
    REQUIRE(dataset.samples.size() == 3);
    CHECK(dataset.face_count() == 2);
    CHECK(dataset.samples[0].annotated);
    CHECK(dataset.samples[0].path == "/set/a.png");
    CHECK(dataset.samples[0].subject == "anna");
    CHECK(dataset.samples[0].size == ImageSize{1000, 1000});
    CHECK(dataset.samples[0].faces[0].box == Box{1, 2, 30, 40});
    // An image without findings has nothing to compare with.
    CHECK_FALSE(dataset.samples[1].annotated);
    CHECK_FALSE(dataset.samples[2].annotated);
    CHECK(dataset_from_results(other.results, nullptr, "alone").samples[0].path == "a.png");

    // A detector agrees with itself.
    const DetectionEvaluation evaluation = evaluate_detection(dataset, other.results, {}, "same");
    CHECK(evaluation.images == 1);
    CHECK(evaluation.value("detection_rate") == 1);
    CHECK(evaluation.value("mean_iou") == 1);
    CHECK(iou_shares(dataset, evaluation).back().share == 1);
}

TEST_CASE("shares of faces by IoU, whatever counts as a hit", "[evaluate][errors]") {
    EvaluationCase example;
    // IoU 1, 0.6, 0.25 (no hit at 0.5) and none.
    example.add("a.png",
                {face(0, 0, 10, 10), face(100, 0, 10, 10), face(200, 0, 10, 10), face(300, 0, 10, 10)},
                {detection(1, 0, 0, 10, 10), detection(1, 100, 0, 10, 6), detection(1, 200, 0, 10, 2.5)});
    const DetectionEvaluation evaluation = example.evaluate();
    CHECK(evaluation.true_positives == 2);
    const std::vector<IouShare> shares = iou_shares(example.dataset, evaluation);
    REQUIRE(shares.size() == 101);
    CHECK(shares[0].share == 1);
    CHECK(shares[1].share == 0.75);
    CHECK(shares[25].share == 0.75);  // 0.25 itself counts
    CHECK(shares[26].share == 0.5);
    CHECK(shares[60].iou == 0.6);
    CHECK(shares[60].share == 0.5);
    CHECK(shares[61].share == 0.25);
    CHECK(shares[100].share == 0.25);

    EvaluationCase no_faces;
    no_faces.add("a.png", {}, {});
    CHECK(iou_shares(no_faces.dataset, no_faces.evaluate()).empty());
}
