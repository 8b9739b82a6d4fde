#include <cmath>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/evaluate/detection/keypoint_similarity.hpp"
#include "lib/evaluate/evaluate_detection.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/results/formats/read_results.hpp"
#include "tests/lib/evaluate/protocols/protocol_cases.hpp"
#include "tests/support/sources.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
using Visibility = Keypoint::Visibility;

namespace {

Face face_with(double size, std::vector<Point> points) {
    Face result = face(0, 0, size, size);
    result.landmarks = std::move(points);
    return result;
}

Detection detection_with(double score, std::vector<Point> points) {
    Detection result = detection(score, 0, 0, 10, 10);
    result.details.edit().landmarks = std::move(points);
    return result;
}

std::string refusal(const ProtocolSet& set, const std::vector<double>& sigmas) {
    try {
        evaluate_oks(set.images(), ProtocolMode::strict, sigmas);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("OKS is a mean of Gaussians of the distances", "[evaluate][oks]") {
    // (2 * 0.5)² = 1, area 100: exp(-25 / 200) and exp(0).
    const Face two = face_with(10, {{0, 0}, {5, 5}});
    const std::vector<double> sigmas{0.5, 0.25};
    CHECK(keypoint_similarity(two, std::vector<Point>{{3, 4}, {5, 5}}, sigmas) ==
          Approx((std::exp(-0.125) + 1) / 2).epsilon(1e-15));
    // (2 * 0.25)² = 0.25: 25 / 0.25 / 100 / 2.
    CHECK(keypoint_similarity(two, std::vector<Point>{{0, 0}, {8, 9}}, sigmas) ==
          Approx((1 + std::exp(-0.5)) / 2).epsilon(1e-15));
    Face half = two;
    half.landmarks.clear();
    half.keypoints.edit() = {{{0, 0}, Visibility::hidden}, {{77, 77}, Visibility::unlabelled}};
    CHECK(keypoint_similarity(half, std::vector<Point>{{3, 4}, {5, 5}}, sigmas) ==
          Approx(std::exp(-0.125)).epsilon(1e-15));
    half.area = 50;
    CHECK(keypoint_similarity(half, std::vector<Point>{{3, 4}, {5, 5}}, sigmas) ==
          Approx(std::exp(-0.25)).epsilon(1e-15));
}

TEST_CASE("OKS of a face without landmarks goes by its box, doubled to every side", "[evaluate][oks]") {
    const Face box = face(10, 10, 20, 20);  // from -10 to 50
    const std::vector<double> sigmas{0.5};
    CHECK(keypoint_similarity(box, std::vector<Point>{{-10, 50}}, sigmas) == 1.0);
    CHECK(keypoint_similarity(box, std::vector<Point>{{53, 54}}, sigmas) ==
          Approx(std::exp(-25.0 / 400 / 2)).epsilon(1e-15));
    CHECK(keypoint_similarity(box, std::vector<Point>{{-13, 0}}, sigmas) ==
          Approx(std::exp(-9.0 / 400 / 2)).epsilon(1e-15));
}

TEST_CASE("Faces are found by their landmarks, wherever the boxes are", "[evaluate][oks]") {
    ProtocolSet set;
    set.add({face_with(100, {{10, 10}, {50, 50}})},
            {detection_with(0.9, {{10, 11}, {50, 50}}), detection_with(0.8, {{500, 10}, {500, 50}})});
    set.add({face_with(100, {{0, 0}, {9, 9}}), face(0, 0, 100, 100)}, {detection(0.95, 0, 0, 100, 100)});
    const std::vector<ProtocolImage> images = set.images();
    const auto evaluation = evaluate_oks(images, ProtocolMode::strict, {0.1});
    const auto numbers = numbers_of(*evaluation);
    // The second image's detection has no landmarks; so the second place of two holds the only hit, of two
    // faces.
    CHECK(numbers.at("ap_50") == Approx(0.5 * 51 / 101));
    CHECK(numbers.at("ar_50") == 0.5);
    const ImageTrace trace = evaluation->trace(0);
    CHECK(trace.outcome.face_match == std::vector<int>{0});
    CHECK(trace.outcome.outcomes[1] == DetectionMatch::false_positive);
    CHECK(evaluation->counts(set.samples[1].faces[0]));
    CHECK_FALSE(evaluation->counts(set.samples[1].faces[1]));
    const std::vector<std::string> warnings = evaluation->warnings();
    REQUIRE(warnings.size() == 2);
    CHECK_THAT(warnings[0], Contains("1 face has no labelled landmark"));
    CHECK_THAT(warnings[1], Contains("1 detection has no landmarks"));
}

TEST_CASE("OKS needs as many sigmas as landmarks", "[evaluate][oks]") {
    ProtocolSet three;
    three.add({face_with(10, {{0, 0}, {1, 1}, {2, 2}})}, {});
    CHECK_THAT(refusal(three, {}), Contains("no published OKS sigmas for 3 landmarks"));
    CHECK_THAT(refusal(three, {0.1, 0.2}), Contains("2 OKS sigmas for 3 landmarks"));
    CHECK(refusal(three, {0.1}) == "none");
    three.add({}, {detection_with(0.5, {{0, 0}})});
    CHECK_THAT(refusal(three, {0.1}), Contains("has 1 landmark, and the dataset's faces have 3"));
    ProtocolSet mixed;
    mixed.add({face_with(10, {{0, 0}}), face_with(10, {{0, 0}, {1, 1}})}, {});
    CHECK_THAT(refusal(mixed, {0.1}), Contains("differ in the number of landmarks"));
    ProtocolSet none;
    none.add({face(0, 0, 5, 5)}, {});
    CHECK_THAT(refusal(none, {0.1}), Contains("No face of the dataset has landmarks"));
    CHECK(known_sigmas(17).size() == 17);
    CHECK(known_sigmas(68)[67] == 0.008);
    CHECK(known_sigmas(5).empty());
}

TEST_CASE("Numbers of COCO's keypoints are pycocotools', from its files", "[evaluate][oks]") {
    const Json sets = Json::parse(read_file(test::source_file("tests/data/coco/oks.json"), "test data"));
    REQUIRE(sets.size() == 4);
    const std::vector<std::string> keys{"ap", "ap_50", "ap_75", "ap_medium", "ap_large",
                                        "ar", "ar_50", "ar_75", "ar_medium", "ar_large"};
    for (const Json& set : sets) {
        const TempDir dir;
        const auto truth = dir.write("truth.json", set["truth"].dump());
        const auto found = dir.write("found.json", set["found"].dump());
        const Dataset dataset = read_dataset("coco:" + truth.string());
        DetectionEvaluationOptions options;
        options.protocol = DetectionProtocol::oks;
        options.oks_sigmas = set["sigmas"].get<std::vector<double>>();
        options.bootstrap_resamples = 0;
        const DetectionEvaluation evaluation =
            evaluate_detection(dataset, read_results("coco:" + found.string(), dataset), options, "test");
        REQUIRE(evaluation.protocol_numbers.size() == keys.size());
        for (std::size_t i = 0; i < keys.size(); ++i) {
            const Number& estimate = evaluation.protocol_numbers[i].estimate;
            INFO(keys[i]);
            CHECK(estimate.quantity.key == keys[i]);
            const Json& expected = set["numbers"][i];
            CHECK(estimate.value ==
                  (expected.is_null() ? std::nullopt : std::optional(expected.get<double>())));
        }
    }
}
