#include <cmath>

#include <catch2/catch.hpp>

#include "lib/evaluate/protocols/face_eval.hpp"
#include "tests/lib/evaluate/protocols/protocol_cases.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

std::map<std::string, double> numbers(const ProtocolSet& set) {
    return numbers_of(*evaluate_face_eval(set.images()));
}

}  // namespace

TEST_CASE("face-eval moves all detections until they fit the annotation", "[evaluate][face-eval]") {
    ProtocolSet set;
    // Three detections lie to the right, by 30, 30 and 36 of 100 pixels. Overlaps with a pixel added are 71
    // / 131, 71 / 131 and 65 / 137: the third is a miss, until all are moved by the mean of the first two.
    set.add({face(0, 0, 100, 100)}, {detection(0.9, 30, 0, 100, 100)});
    set.add({face(50, 60, 100, 100)}, {detection(0.8, 80, 60, 100, 100)});
    set.add({face(10, 10, 100, 100)}, {detection(0.7, 46, 10, 100, 100)});
    const FaceEvalResult result = evaluate_face_eval(set.images(), counted_detections(set.images()),
                                                     std::vector<std::uint16_t>{1, 1, 1});
    CHECK(result.unmoved_average_precision == Approx(2.0 / 3));
    CHECK(result.average_precision == Approx(1.0));
    // First -0.3; then the mean of 0, 0 and -0.06; then of 0.02, 0.02 and -0.04: nothing.
    CHECK(result.adaptation.shift_x == Approx(-0.32));
    CHECK(result.adaptation.shift_y == Approx(0).margin(1e-12));
    CHECK(result.adaptation.scale_x == Approx(1.0));
    CHECK(result.detections[2].left == Approx(14));
    CHECK_THAT(evaluate_face_eval(set.images())->warnings().at(0), Contains("moved by -0.32 of their width"));
    const ImageTrace trace = evaluate_face_eval(set.images())->trace(2);
    CHECK(trace.outcome.face_match == std::vector<int>{0});
    CHECK(trace.outcome.detections[0].box.x == Approx(14));
}

TEST_CASE("face-eval leaves out small faces and detections, and those marked", "[evaluate][face-eval]") {
    CHECK(is_left_out(face(0, 0, 29.9, 40)));
    CHECK(is_left_out(face(0, 0, 40, 29)));
    CHECK_FALSE(is_left_out(face(0, 0, 30, 30)));
    CHECK(is_left_out(ignored_face(0, 0, 50, 50)));
    ProtocolSet set;
    set.add({face(0, 0, 50, 50), ignored_face(100, 0, 50, 50), face(200, 0, 25, 25)},
            {detection(0.9, 100, 0, 50, 50),    // on an ignored face
             detection(0.8, 200, 0, 25, 25),    // on a small one
             detection(0.7, 0, 0, 21, 21),      // too small itself
             detection(0.6, 300, 0, 50, 50),    // nothing there
             detection(0.5, 0, 0, 50, 50),      // a hit
             detection(0.4, 0, 0, 50, 50),      // again
             detection(0.3, 0, 0, 21, 21.5)});  // high enough to count
    // False positive, hit, double: the hit has precision 1 / 2.
    CHECK(numbers(set).at("ap_unmoved") == Approx(0.5));
    CHECK(numbers(set).at("ap") == Approx(0.5));
    CHECK(counted_detections(set.images()).size() == 6);
    const ImageTrace trace = evaluate_face_eval(set.images())->trace(0);
    CHECK(trace.steps.size() == 6);
    CHECK(trace.outcome.outcomes[2] == DetectionMatch::ignored);
    CHECK(trace.outcome.outcomes[0] == DetectionMatch::ignored);
    CHECK(trace.outcome.outcomes[5] == DetectionMatch::false_positive);
}

TEST_CASE("face-eval takes the last of equal faces and needs more than half", "[evaluate][face-eval]") {
    ProtocolSet twins;
    twins.add({ignored_face(0, 0, 50, 50), face(0, 0, 50, 50)}, {detection(0.9, 0, 0, 50, 50)});
    CHECK(numbers(twins).at("ap") == 1.0);
    ProtocolSet half;
    // They share 51 of 101 columns with a pixel added; those below share 50 of 100.
    half.add({face(0, 0, 50, 50)}, {detection(0.9, 0, 0, 100, 50)});
    CHECK(numbers(half).at("ap_unmoved") == 1.0);
    ProtocolSet exactly;
    exactly.add({face(0, 0, 49, 50)}, {detection(0.9, 0, 0, 99, 50)});
    CHECK(numbers(exactly).at("ap_unmoved") == 0.0);
}

TEST_CASE("face-eval takes equal scores in the order of the file", "[evaluate][face-eval]") {
    ProtocolSet set;
    set.add({face(0, 0, 50, 50)}, {detection(0.5, 0, 0, 50, 50)});
    set.add({}, {detection(0.5, 0, 0, 50, 50)});
    CHECK(numbers(set).at("ap") == 1.0);
    const std::vector<std::uint32_t> second{1};
    const std::vector<std::uint32_t> first{0};
    std::vector<ProtocolImage> images = set.images();
    images[0].places = second;
    images[1].places = first;
    CHECK(numbers_of(*evaluate_face_eval(images)).at("ap") == 0.5);
}

TEST_CASE("face-eval's numbers of a resample are those of the images repeated", "[evaluate][face-eval]") {
    ProtocolSet set;
    set.add({face(0, 0, 100, 100)}, {detection(0.9, 20, 0, 100, 100), detection(0.3, 400, 0, 60, 60)});
    set.add({face(50, 60, 100, 100), face(300, 0, 60, 60)}, {detection(0.8, 75, 60, 100, 110)});
    set.add({face(10, 10, 100, 100)}, {detection(0.7, 46, 10, 100, 100), detection(0.6, 10, 10, 90, 90)});
    const std::vector<std::uint16_t> weights{3, 0, 2};
    const ProtocolSet repeated = set.repeated(weights);
    const std::vector<double> resampled = weighted_numbers(*evaluate_face_eval(set.images()), weights);
    const auto expected = numbers(repeated);
    CHECK(resampled[0] == Approx(expected.at("ap")));
    CHECK(resampled[1] == Approx(expected.at("ap_unmoved")));
    CHECK(std::isnan(weighted_numbers(*evaluate_face_eval(ProtocolSet().add({}, {}).images()), {1})[0]));
}
