#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/lib/evaluate/protocols/coco_sets.hpp"
#include "tests/lib/evaluate/protocols/protocol_cases.hpp"

namespace fovea {
namespace {

using namespace test;

constexpr ProtocolMode strict = ProtocolMode::strict;
constexpr ProtocolMode corrected = ProtocolMode::corrected;

std::map<std::string, double> voc(const ProtocolSet& set, ProtocolMode mode, int year) {
    const std::vector<ProtocolImage> images = set.images();
    return numbers_of(*evaluate_voc(images, mode, year));
}

double ap(const ProtocolSet& set, ProtocolMode mode, int year) {
    return voc(set, mode, year).at("ap");
}

ImageTrace trace(const ProtocolSet& set, ProtocolMode mode) {
    const std::vector<ProtocolImage> images = set.images();
    return evaluate_voc(images, mode, 2010)->trace(0);
}

constexpr DetectionMatch hit = DetectionMatch::true_positive;
constexpr DetectionMatch miss = DetectionMatch::false_positive;
constexpr DetectionMatch ignored = DetectionMatch::ignored;
using Outcomes = std::vector<DetectionMatch>;

TEST_CASE("VOC: a worked example", "[evaluate][voc]") {
    // Two faces. Detections by falling score: hit, false positive, hit, false positive. Precision 1 up to
    // recall 1/2, then 2/3. All points: 1/2 * 1 + 1/2 * 2/3 = 5/6. Eleven: 6 recalls (0 ... 0.5) at 1, 5 at
    // 2/3: (6 + 10/3) / 11.
    ProtocolSet set;
    set.add({face(0, 0, 10, 10)}, {detection(0.7, 0, 0, 10, 10), detection(0.8, 50, 0, 10, 10)});
    set.add({face(0, 0, 10, 10)}, {detection(0.9, 0, 0, 10, 10), detection(0.1, 50, 0, 10, 10)});
    for (const ProtocolMode mode : {strict, corrected}) {
        CHECK(ap(set, mode, 2010) == Approx(5.0 / 6).epsilon(1e-12));
        CHECK(ap(set, mode, 2007) == Approx((6 + 10.0 / 3) / 11).epsilon(1e-12));
        CHECK(voc(set, mode, 2010).at("max_recall") == 1);
        CHECK(voc(set, mode, 2010).at("precision_at_max_recall") == 2.0 / 3);
    }
}

TEST_CASE("VOC: strictly, equal scores count in the order of the results' file", "[evaluate][voc]") {
    // The alarm is in the first image, the hit in the second. In the images' order precision is 1/2 at the
    // hit, in the file's it is 1; recall is 1 of 2.
    ProtocolSet set;
    set.add({face(0, 0, 10, 10)}, {detection(0.5, 50, 0, 10, 10)});
    set.add({face(0, 0, 10, 10)}, {detection(0.5, 0, 0, 10, 10)});
    const auto ap_with = [&](ProtocolMode mode, std::uint32_t first, std::uint32_t second) {
        std::vector<ProtocolImage> images = set.images();
        images[0].places = {&first, 1};
        images[1].places = {&second, 1};
        return numbers_of(*evaluate_voc(images, mode, 2010)).at("ap");
    };
    CHECK(ap(set, strict, 2010) == 0.25);
    CHECK(ap_with(strict, 1, 0) == 0.5);
    CHECK(ap_with(strict, 0, 1) == 0.25);
    CHECK(ap_with(corrected, 1, 0) == 0.25);
    CHECK(ap_with(corrected, 0, 1) == 0.25);
}

TEST_CASE("VOC: an overlap of just one half counts, a second hit does not", "[evaluate][voc]") {
    // Pixels 0 ... 9 and 0 ... 4: 5 of 10. Were widths xmax - xmin, it would be 4 of 9.
    ProtocolSet set;
    set.add({face(0, 0, 10, 10)},
            {detection(0.9, 0, 0, 5, 10), detection(0.8, 0, 0, 10, 10), detection(0.7, 0, 0, 4.9, 10)});
    for (const ProtocolMode mode : {strict, corrected}) {
        const ImageTrace steps = trace(set, mode);
        CHECK(steps.outcome.outcomes == Outcomes{hit, miss, miss});
        CHECK(steps.outcome.face_match == std::vector<int>{0});
        CHECK(steps.face_iou == std::vector<double>{0.5});
        CHECK(steps.outcome.best_iou.all() == std::vector<double>{0.5, 1, 0.49});
        REQUIRE(steps.steps.size() == 3);
        CHECK(steps.steps[0].true_positives == 1);
        CHECK(steps.steps[0].changes_end == 1);
        CHECK(steps.steps[1].false_positives == 1);
        CHECK(steps.steps[2].changes_end == 1);
        CHECK(ap(set, mode, 2010) == 1);
    }
}

TEST_CASE("VOC: a difficult face takes any number of detections and is not counted", "[evaluate][voc]") {
    ProtocolSet set;
    set.add({ignored_face(0, 0, 10, 10), face(50, 0, 10, 10)},
            {detection(0.9, 0, 0, 10, 10), detection(0.8, 0, 0, 10, 10), detection(0.7, 50, 0, 10, 10)});
    for (const ProtocolMode mode : {strict, corrected}) {
        CHECK(trace(set, mode).outcome.outcomes == Outcomes{ignored, ignored, hit});
        CHECK(trace(set, mode).outcome.face_match == std::vector<int>{-1, 2});
        CHECK(ap(set, mode, 2007) == Approx(1).epsilon(1e-12));
        CHECK(ap(set, mode, 2010) == 1);
    }
}

TEST_CASE("VOC quirk: the best face of all decides, be it taken", "[evaluate][voc]") {
    // The second detection, at x = 1, overlaps the face at 0 by 9/11, which is taken, and that at 3 by 8/12,
    // which is free.
    ProtocolSet set;
    set.add({face(0, 0, 10, 10), face(3, 0, 10, 10)},
            {detection(0.9, 0, 0, 10, 10), detection(0.8, 1, 0, 10, 10)});
    CHECK(trace(set, strict).outcome.outcomes == Outcomes{hit, miss});
    CHECK(trace(set, corrected).outcome.outcomes == Outcomes{hit, hit});
    CHECK(trace(set, corrected).face_iou[1] == Approx(8.0 / 12));
    CHECK(ap(set, strict, 2010) == 0.5);
    CHECK(ap(set, corrected, 2010) == 1);
}

TEST_CASE("VOC quirk: the best face of all decides, be it difficult", "[evaluate][voc]") {
    // At x = 1 of a difficult face at 0 and a counted one at 3: as above.
    ProtocolSet set;
    set.add({ignored_face(0, 0, 10, 10), face(3, 0, 10, 10)}, {detection(0.8, 1, 0, 10, 10)});
    CHECK(trace(set, strict).outcome.outcomes == Outcomes{ignored});
    CHECK(trace(set, corrected).outcome.outcomes == Outcomes{hit});
    CHECK(ap(set, strict, 2010) == 0);
    CHECK(ap(set, corrected, 2010) == 1);
}

TEST_CASE("VOC: of equal overlaps the first face is taken", "[evaluate][voc]") {
    ProtocolSet set;
    set.add({face(0, 0, 20, 20), face(10, 0, 20, 20)}, {detection(0.9, 5, 0, 20, 20)});
    for (const ProtocolMode mode : {strict, corrected}) {
        CHECK(trace(set, mode).outcome.face_match == std::vector<int>{0, -1});
    }
}

TEST_CASE("VOC quirk: the order decides between equal scores", "[evaluate][voc]") {
    ProtocolSet set;
    set.add({face(0, 0, 10, 10)}, {detection(0.9, 0, 0, 10, 10)});
    set.add({}, {detection(0.9, 0, 0, 10, 10)});
    CHECK(ap(set, strict, 2010) == 1);
    CHECK(ap(set, corrected, 2010) == 0.5);
    std::swap(set.samples[0], set.samples[1]);
    std::swap(set.detections[0], set.detections[1]);
    CHECK(ap(set, strict, 2010) == 0.5);
    CHECK(ap(set, corrected, 2010) == 0.5);
    // In one image: the first detection of the file takes the face.
    ProtocolSet one;
    one.add({face(0, 0, 10, 10)}, {detection(0.9, 1, 0, 10, 10), detection(0.9, 0, 0, 10, 10)});
    CHECK(trace(one, strict).outcome.outcomes == Outcomes{hit, miss});
    CHECK(trace(one, corrected).outcome.outcomes == Outcomes{miss, hit});
}

TEST_CASE("VOC quirk: a rounded recall misses its place", "[evaluate][voc]") {
    // n of 10 faces without a false positive: eleven points reach 0, 0.1 ... n/10. MATLAB's 0.3 is the double
    // above 3/10; its 0.6 and 0.7, made from 1 down, are those of 6/10 and 7/10.
    for (int n = 1; n <= 10; ++n) {
        ProtocolSet set;
        for (int i = 0; i < 10; ++i) {
            set.add({face(0, 0, 10, 10)},
                    i < n ? std::vector{detection(0.9 - 0.01 * i, 0, 0, 10, 10)} : std::vector<Detection>{});
        }
        INFO(n);
        CHECK(ap(set, strict, 2007) == Approx((n == 3 ? 3 : n + 1) / 11.0).epsilon(1e-12));
        CHECK(ap(set, corrected, 2007) == Approx((n + 1) / 11.0).epsilon(1e-12));
    }
}

TEST_CASE("VOC quirk: only difficult faces are hit", "[evaluate][voc]") {
    // Precision is 0/0 throughout: NaN at eleven points; the area begins and ends with a precision of 0.
    ProtocolSet set;
    set.add({ignored_face(0, 0, 10, 10), face(50, 0, 10, 10)}, {detection(0.9, 0, 0, 10, 10)});
    CHECK(std::isnan(ap(set, strict, 2007)));
    CHECK(ap(set, corrected, 2007) == 0);
    CHECK(ap(set, strict, 2010) == 0);
    CHECK(ap(set, corrected, 2010) == 0);
    // Once something counts, MATLAB's max passes over the NaN.
    set.detections[0].push_back(detection(0.8, 50, 0, 10, 10));
    CHECK(ap(set, strict, 2007) == Approx(1).epsilon(1e-12));
}

TEST_CASE("VOC quirk: without faces the eleven points are 0", "[evaluate][voc]") {
    ProtocolSet set;
    set.add({}, {detection(0.9, 0, 0, 10, 10)});
    CHECK(ap(set, strict, 2007) == 0);
    CHECK(std::isnan(ap(set, strict, 2010)));
    CHECK(std::isnan(ap(set, corrected, 2007)));
    CHECK(std::isnan(ap(set, corrected, 2010)));
    CHECK(std::isnan(voc(set, strict, 2007).at("max_recall")));
    set.detections[0].clear();
    CHECK(ap(set, strict, 2010) == 0);
    CHECK(std::isnan(ap(set, corrected, 2010)));
}

TEST_CASE("VOC: faces and no detections", "[evaluate][voc]") {
    ProtocolSet set;
    set.add({face(0, 0, 10, 10)}, {});
    for (const ProtocolMode mode : {strict, corrected}) {
        for (const int year : {2007, 2010}) {
            CHECK(ap(set, mode, year) == 0);
            CHECK(voc(set, mode, year).at("max_recall") == 0);
            CHECK(std::isnan(voc(set, mode, year).at("precision_at_max_recall")));
        }
    }
}

TEST_CASE("VOC: boxes without area hit nothing", "[evaluate][voc]") {
    ProtocolSet set;
    set.add({face(0, 0, 10, 10), face(20, 0, 0, 10)},
            {detection(0.9, 0, 0, 0, 10), detection(0.8, 20, 0, 0, 10)});
    for (const ProtocolMode mode : {strict, corrected}) {
        CHECK(trace(set, mode).outcome.outcomes == Outcomes{miss, miss});
    }
}

TEST_CASE("VOC: what cannot be evaluated is refused", "[evaluate][voc]") {
    ProtocolSet set;
    set.add({face(0, 0, 10, 10)}, {detection(NAN, 0, 0, 10, 10)});
    CHECK_THROWS_WITH(ap(set, strict, 2007), Catch::Contains("image_0.png"));
    set.detections.clear();
    set.samples.clear();
    CHECK_THROWS_AS(ap(set, strict, 2012), UsageError);
}

TEST_CASE("VOC: weights are repetitions", "[evaluate][voc]") {
    std::mt19937 generator(7);
    ProtocolSet set = make_large_set(60, 4);
    for (std::vector<Detection>& found : set.detections) {
        // No ties: their order among repeats is not defined.
        for (Detection& detection : found) detection.score = static_cast<double>(generator());
    }
    const std::vector<ProtocolImage> images = set.images();
    for (const ProtocolMode mode : {strict, corrected}) {
        for (const int year : {2007, 2010}) {
            const auto evaluation = evaluate_voc(images, mode, year);
            std::vector<std::uint16_t> weights;
            for (std::size_t i = 0; i < images.size(); ++i) {
                weights.push_back(static_cast<std::uint16_t>(generator() % 5));
            }
            const ProtocolSet repeated = set.repeated(weights);
            const std::vector<ProtocolImage> more = repeated.images();
            const std::vector<double> weighted = weighted_numbers(*evaluation, weights);
            const std::vector<double> plain =
                weighted_numbers(*evaluate_voc(more, mode, year), std::vector<std::uint16_t>(more.size(), 1));
            for (std::size_t i = 0; i < plain.size(); ++i)
                CHECK(weighted[i] == Approx(plain[i]).epsilon(1e-12));
            CHECK(plain[0] > 0.2);
        }
    }
}

}  // namespace
}  // namespace fovea
