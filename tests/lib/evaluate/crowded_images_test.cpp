// Images with very many detections and faces: the same results as by a look at all pairs, in little time.
#include <chrono>
#include <cmath>
#include <functional>
#include <queue>
#include <random>
#include <tuple>

#include <catch2/catch.hpp>

#include "lib/evaluate/analysis/ambiguity.hpp"
#include "lib/evaluate/analysis/error_breakdown.hpp"
#include "lib/evaluate/compare/detection_changes.hpp"
#include "lib/evaluate/detection/match.hpp"
#include "lib/evaluate/detection/overlap_pairs.hpp"
#include "lib/evaluate/evaluate_detection.hpp"
#include "lib/evaluate/landmarks/landmarks.hpp"
#include "lib/evaluate/protocols/eye_distance.hpp"
#include "lib/evaluate/protocols/s_eyes_pairs.hpp"
#include "tests/lib/evaluate/protocols/protocol_images.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

class Random {
  public:
    explicit Random(unsigned seed) : generator_(seed) {}
    double between(double low, double high) { return low + (high - low) * (generator_() / 4294967296.0); }
    int below(int bound) { return static_cast<int>(generator_() % static_cast<unsigned>(bound)); }

  private:
    std::mt19937 generator_;
};

constexpr int crowds = 9;

// A detection of one of many kinds of crowd: scattered, in clusters, at one spot, on a lattice, without area,
// with far too large or small coordinates, with equal eyes and different boxes.
Detection one_of_crowd(int kind, Random& random) {
    Detection d;
    const double centre = 100 * random.below(5);
    const double scale = std::pow(10, random.between(-300, 300));
    switch (kind) {
        case 0:
            d.box = {random.between(0, 1000), random.between(0, 1000), random.between(10, 80),
                     random.between(10, 80)};
            break;
        case 1:
            d.box = {centre + random.between(0, 10), centre + random.between(0, 10), random.between(40, 50),
                     random.between(40, 50)};
            break;
        case 2:
            d.box = {10, 10, 40, 40};
            break;
        case 3:
            d.box = {4.0 * random.below(20), 4.0 * random.below(20), 40, 40};
            break;
        case 4:
            d.box = {4.0 * random.below(4), 4.0 * random.below(4), 20.0 * random.below(3),
                     20.0 * random.below(3)};
            break;
        case 5:
            d.box = {scale * random.between(-1, 1), scale * random.between(-1, 1),
                     std::pow(10, random.between(-300, 300)), scale};
            break;
        case 6:
            d.box = {1e-323 * random.below(30), 1e-323 * random.below(3), double(random.below(3)), 40};
            break;
        case 7:
            d.box = {centre + random.between(0, 10), centre, random.between(40, 50), 40};
            d.details.edit().landmarks = {{1e-310 * random.below(5), 0}, {1e300, double(random.below(2))}};
            break;
        default:
            d.box = {random.below(2) == 0 ? 1e308 : -1e308, 1, random.below(2) == 0 ? 1e308 : 3,
                     1e308 * random.below(2)};
    }
    return d;
}

std::vector<Detection> crowd(int kind, int size, int scores, Random& random) {
    std::vector<Detection> detections;
    for (int i = 0; i < size; ++i) {
        detections.push_back(one_of_crowd(kind, random));
        detections.back().score = random.below(scores);  // ties
    }
    return detections;
}

// average_overlapping by its definition, with a look at all pairs.
std::vector<Detection> averages_by_all_pairs(std::vector<Detection> left, ProtocolMode mode) {
    struct Window {
        Detection detection;
        Eyes eyes;
        double weight = 1;
        bool is_merged = false;
    };
    std::vector<Window> windows;
    for (const std::size_t i : order_by_falling_score(left, ProtocolMode::corrected)) {
        windows.push_back({left[i], eyes_of(left[i])});
    }
    using Pair = std::tuple<double, std::size_t, std::size_t>;
    std::priority_queue<Pair, std::vector<Pair>, std::greater<>> pairs;
    const auto add_pairs_of = [&](std::size_t last) {
        for (std::size_t i = 0; i < last; ++i) {
            const double closeness = s_eyes(windows[i].eyes, windows[last].eyes);
            if (!windows[i].is_merged && closeness < 0.5) pairs.emplace(closeness, i, last);
        }
    };
    for (std::size_t i = 1; i < windows.size(); ++i) add_pairs_of(i);
    while (!pairs.empty()) {
        const auto [closeness, i, k] = pairs.top();
        pairs.pop();
        if (windows[i].is_merged || windows[k].is_merged) continue;
        windows[i].is_merged = windows[k].is_merged = true;
        const Window& a = windows[i];
        const Window& b = windows[k];
        const double share = mode == ProtocolMode::strict ? 0.5 : b.weight / (a.weight + b.weight);
        const auto mix = [share](double x, double y) { return x + share * (y - x); };
        const auto mix_points = [&](const Point& p, const Point& q) {
            return Point{mix(p.x, q.x), mix(p.y, q.y)};
        };
        Window merged;
        const Box& p = a.detection.box;
        const Box& q = b.detection.box;
        merged.detection.box = {mix(p.x, q.x), mix(p.y, q.y), mix(p.w, q.w), mix(p.h, q.h)};
        merged.detection.score = std::max(a.detection.score, b.detection.score);
        merged.eyes = {mix_points(a.eyes.left, b.eyes.left), mix_points(a.eyes.right, b.eyes.right)};
        merged.weight = a.weight + b.weight;
        windows.push_back(merged);
        add_pairs_of(windows.size() - 1);
    }
    std::vector<Detection> averages;
    for (Window& window : windows) {
        if (window.is_merged) continue;
        window.detection.details.edit().landmarks = {window.eyes.left, window.eyes.right};
        averages.push_back(window.detection);
    }
    std::vector<Detection> sorted;
    for (const std::size_t i : order_by_falling_score(averages, ProtocolMode::corrected)) {
        sorted.push_back(averages[i]);
    }
    return sorted;
}

std::vector<Face> faces_near(const std::vector<Detection>& detections, Random& random) {
    std::vector<Face> faces;
    for (const Detection& detection : detections) {
        if (random.below(4) == 0) continue;
        Face& face = faces.emplace_back();
        face.box = detection.box;
        face.box.x += 0.1 * face.box.w * random.between(-1, 1);
        face.ignore = random.below(5) == 0;
    }
    return faces;
}

const std::vector<std::tuple<std::string, ProtocolCase::Evaluate>> protocols{
    {"fddb", evaluate_fddb},
    {"wider", evaluate_wider},
    {"voc", [](const std::vector<ProtocolImage>& images,
               ProtocolMode mode) { return evaluate_voc(images, mode, 2010); }},
    {"coco", evaluate_coco},
    {"s-eyes", evaluate_s_eyes},
    {"uiuc", [](const std::vector<ProtocolImage>& images,
                ProtocolMode mode) { return evaluate_uiuc(images, mode, false); }},
    {"uiuc-scale", [](const std::vector<ProtocolImage>& images, ProtocolMode mode) {
         return evaluate_uiuc(images, mode, true);
     }}};

// 40 groups of faces and detections, 1,000 pixels apart, in which boxes overlap, touch and lie up to a pixel
// apart; at most 16 faces a group: of so few every one is looked at.
struct Groups {
    static constexpr int count = 40;
    std::vector<std::vector<Face>> faces;
    std::vector<std::vector<Detection>> detections;

    explicit Groups(bool with_ellipses) {
        Random random(11);
        for (int group = 0; group < count; ++group) {
            const double x = 1000.0 * (group % 8);
            const double y = 1000.0 * (group / 8);
            const auto box = [&] {
                return Box{x + random.below(60), y + 0.5 * random.below(120), 10 + 0.5 * random.below(40),
                           10.0 + random.below(20)};
            };
            const auto ellipse = [&](const Box& b) -> std::optional<Ellipse> {
                if (!with_ellipses || random.below(2) == 0) return std::nullopt;
                return Ellipse{b.centre(), b.h / 2, b.w / 2, random.between(0, 3)};
            };
            faces.emplace_back();
            detections.emplace_back();
            for (int i = random.below(16); i >= 0; --i) {
                Face& face = faces.back().emplace_back();
                face.box = box();
                face.ellipse = ellipse(face.box);
                face.ignore = random.below(6) == 0;
            }
            for (int i = random.below(3); i >= 0; --i) {  // COCO takes 100 detections of an image
                Detection& found = detections.back().emplace_back();
                found.box = random.below(3) == 0 ? faces
                                                       .back()[static_cast<std::size_t>(random.below(
                                                           static_cast<int>(faces.back().size())))]
                                                       .box
                                                 : box();
                found.details.edit().ellipse = ellipse(found.box);
                found.score = random.below(5);
            }
        }
    }
};

}  // namespace

TEST_CASE("S_eyes averages the pairs that a look at all pairs finds, in the same order",
          "[evaluate][crowd]") {
    const int kind = GENERATE(range(0, crowds));
    Random random(static_cast<unsigned>(kind));
    for (int run = 0; run < 12; ++run) {
        const std::vector<Detection> detections =
            crowd(kind, random.below(300), run % 2 == 0 ? 3 : 1000000, random);
        for (const ProtocolMode mode : {ProtocolMode::strict, ProtocolMode::corrected}) {
            const std::vector<Detection> found = average_overlapping(detections, mode);
            const std::vector<Detection> expected = averages_by_all_pairs(detections, mode);
            REQUIRE(found.size() == expected.size());
            for (std::size_t i = 0; i < found.size(); ++i) {
                REQUIRE(found[i].box == expected[i].box);
                REQUIRE(found[i].score == expected[i].score);
                REQUIRE(found[i].details->landmarks == expected[i].details->landmarks);
            }
        }
    }
}

TEST_CASE("S_eyes pairs detections with the faces that a look at all faces finds", "[evaluate][crowd]") {
    const int kind = GENERATE(range(0, crowds));
    Random random(static_cast<unsigned>(kind));
    const std::vector<Detection> detections = crowd(kind, 200, 1000, random);
    const std::vector<Face> faces = faces_near(detections, random);
    const auto pairs = s_eyes_pairs(faces, detections, ProtocolMode::corrected);
    const auto all_pairs = s_eyes_pairs(faces, detections, ProtocolMode::strict);
    for (std::size_t d = 0; d < detections.size(); ++d) {
        std::vector<int> expected;
        for (const PairCandidate& candidate : all_pairs[d].candidates) {
            if (candidate.is_hit) expected.push_back(candidate.face);
        }
        std::vector<int> found;
        for (const PairCandidate& candidate : pairs[d].candidates) found.push_back(candidate.face);
        REQUIRE(found == expected);
        bool hits_ignored_face = false;
        for (const Face& face : faces) {
            hits_ignored_face |= face.ignore && s_eyes(eyes_of(face), eyes_of(detections[d])) < 0.5;
        }
        REQUIRE(pairs[d].hits_ignored_face == hits_ignored_face);
        REQUIRE(all_pairs[d].hits_ignored_face == hits_ignored_face);
    }
}

TEST_CASE("an index of hits finds the faces that a look at all faces finds", "[evaluate][crowd]") {
    const int kind = GENERATE(range(0, crowds));
    const DetectionProtocol protocol = GENERATE(DetectionProtocol::iou, DetectionProtocol::mit_cmu);
    DetectionEvaluationOptions options;
    options.protocol = protocol;
    options.iou_threshold = GENERATE(0.1, 0.5, 1.0, 0.0);
    Random random(static_cast<unsigned>(kind));
    const std::vector<Detection> detections = crowd(kind, 150, 1000, random);
    const std::vector<Face> faces = faces_near(detections, random);
    const HitIndex index(faces, options);
    for (const Detection& detection : detections) {
        std::vector<std::size_t> expected;
        for (std::size_t i = 0; i < faces.size(); ++i) {
            if (is_hit(faces[i].box, detection.box, options)) expected.push_back(i);
        }
        std::vector<std::size_t> found;
        index.visit_hits(detection.box, [&](std::size_t i) { found.push_back(i); });
        REQUIRE(found == expected);
    }
}

TEST_CASE("faces and detections far apart are matched in one image as in images of their own",
          "[evaluate][crowd]") {
    const bool with_ellipses = GENERATE(false, true);
    const ProtocolMode mode = GENERATE(ProtocolMode::strict, ProtocolMode::corrected);
    const Groups groups(with_ellipses);
    ProtocolCase apart;
    std::vector<Face> faces;
    std::vector<Detection> detections;
    for (int i = 0; i < Groups::count; ++i) {
        const auto group = static_cast<std::size_t>(i);
        apart.add(groups.faces[group], groups.detections[group]);
        faces.insert(faces.end(), groups.faces[group].begin(), groups.faces[group].end());
        detections.insert(detections.end(), groups.detections[group].begin(), groups.detections[group].end());
    }
    REQUIRE(faces.size() > 200);
    REQUIRE(detections.size() <= 100);
    ProtocolCase together;
    together.add(faces, detections);
    for (const auto& [name, evaluate] : protocols) {
        CAPTURE(name);
        // Every pair costs something in the strict protocol of S_eyes, however far: groups are not matched
        // alone.
        if (name == "s-eyes" && mode == ProtocolMode::strict) continue;
        const ImageTrace one = evaluate(together.images(), mode)->trace(0);
        const auto many = evaluate(apart.images(), mode);
        std::vector<DetectionMatch> outcomes;
        std::vector<double> best_iou;
        std::vector<double> face_iou;
        std::vector<char> is_found;
        for (std::size_t i = 0; i < many->units(); ++i) {
            const ImageTrace trace = many->trace(i);
            outcomes.insert(outcomes.end(), trace.outcome.outcomes.begin(), trace.outcome.outcomes.end());
            const std::vector<double> best_here = trace.outcome.best_iou.all();
            best_iou.insert(best_iou.end(), best_here.begin(), best_here.end());
            face_iou.insert(face_iou.end(), trace.face_iou.begin(), trace.face_iou.end());
            for (const int match : trace.outcome.face_match) is_found.push_back(match >= 0 ? 1 : 0);
        }
        std::vector<char> is_found_in_one;
        for (const int match : one.outcome.face_match) is_found_in_one.push_back(match >= 0 ? 1 : 0);
        CHECK(is_found_in_one == is_found);
        CHECK(one.face_iou == face_iou);
        std::vector<double> best_in_one = one.outcome.best_iou.all();
        std::vector<DetectionMatch> outcomes_in_one = one.outcome.outcomes;
        if (name == "s-eyes") {  // whose detections are averages, by falling score
            std::sort(best_in_one.begin(), best_in_one.end());
            std::sort(best_iou.begin(), best_iou.end());
            std::sort(outcomes_in_one.begin(), outcomes_in_one.end());
            std::sort(outcomes.begin(), outcomes.end());
        }
        CHECK(best_in_one == best_iou);
        CHECK(outcomes_in_one == outcomes);
        CHECK(std::count(is_found.begin(), is_found.end(), char{1}) > 10);
    }
}

TEST_CASE("pairs of overlapping boxes are those that a look at all boxes finds", "[evaluate][crowd]") {
    const Groups groups(false);
    std::vector<Face> faces;
    std::vector<Detection> detections;
    std::vector<OverlapPair> expected;
    std::vector<int> expected_landmarks;
    for (std::size_t i = 0; i < groups.faces.size(); ++i) {
        std::vector<Detection> found = groups.detections[i];
        for (Detection& detection : found) detection.details.edit().landmarks = {{0, 0}};
        for (OverlapPair pair : overlap_pairs(groups.faces[i], found, 0.1)) {
            expected.push_back({pair.face + faces.size(), pair.detection + detections.size(), pair.iou});
        }
        // A face alone is paired with a detection alone wherever that is.
        const bool is_alone = groups.faces[i].size() == 1 && found.size() == 1;
        for (const int pair : pair_landmarks(groups.faces[i], found)) {
            const bool keeps = pair >= 0 && !(is_alone && intersection_over_union(groups.faces[i][0].box,
                                                                                  found[0].box) < 0.1);
            expected_landmarks.push_back(keeps ? pair + static_cast<int>(detections.size()) : -1);
        }
        faces.insert(faces.end(), groups.faces[i].begin(), groups.faces[i].end());
        detections.insert(detections.end(), found.begin(), found.end());
    }
    const std::vector<OverlapPair> pairs = overlap_pairs(faces, detections, 0.1);
    REQUIRE(pairs.size() == expected.size());
    REQUIRE(pairs.size() > 20);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        CHECK(pairs[i].face == expected[i].face);
        CHECK(pairs[i].detection == expected[i].detection);
        CHECK(pairs[i].iou == expected[i].iou);
    }
    CHECK(pair_landmarks(faces, detections) == expected_landmarks);
}

TEST_CASE("evaluations of 100,000 detections in an image take seconds", "[evaluate][crowd]") {
    const DetectionProtocol protocol = GENERATE(
        DetectionProtocol::iou, DetectionProtocol::mit_cmu, DetectionProtocol::fddb, DetectionProtocol::wider,
        DetectionProtocol::voc2010, DetectionProtocol::coco, DetectionProtocol::s_eyes);
    // Boxes around every face of a lattice. All pairs would take minutes, but in strict mode, whose numbers
    // stand beside those of the corrected one, S_eyes has a cost for every face and every average of
    // detections.
    const int side = protocol == DetectionProtocol::s_eyes ? 10 : 100;
    const int boxes_per_face = 100000 / (side * side);
    EvaluationCase c;
    Random random(5);
    std::vector<Face> faces;
    ImageResult result;
    result.image = "crowd.png";
    for (int i = 0; i < side * side; ++i) {
        const double x = 60.0 * (i % side);
        const double y = 60.0 * (i / side);
        faces.push_back(face(x, y, 40, 40));
        for (int k = 0; k < boxes_per_face; ++k) {
            result.detections.push_back(detection(random.between(0, 1), x + random.between(-9, 9),
                                                  y + random.between(-9, 9), random.between(36, 44), 40));
        }
    }
    c.add_sample(result.image, faces);
    c.results.images.push_back(result);
    c.options.protocol = protocol;
    c.options.mode = ProtocolMode::corrected;
    c.options.bootstrap_resamples = 0;
    const auto start = std::chrono::steady_clock::now();
    const DetectionEvaluation evaluation = evaluate_detection(c.dataset, c.results, c.options, "crowd");
    break_down_errors(c.dataset, evaluation, std::nullopt);
    matching_ambiguity(c.dataset, evaluation);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(60));
    CHECK(evaluation.image_outcomes.at(0).face_match.size() == faces.size());
}

TEST_CASE("false positives of two detectors are compared without a look at all pairs", "[evaluate][crowd]") {
    // 90,000 boxes, no two of which overlap; the second detector's are 1 pixel wider: IoU 10 / 11.
    EvaluationCase first;
    EvaluationCase second;
    std::vector<Detection> boxes;
    for (int i = 0; i < 90000; ++i) boxes.push_back(detection(1, 20.0 * (i % 300), 20.0 * (i / 300), 10, 10));
    first.add("a.png", {face(-50, -50, 10, 10)}, boxes);
    for (Detection& box : boxes) box.box.w = 11;
    boxes.pop_back();
    boxes.push_back(detection(1, -20, 50, 10, 10));
    second.add("a.png", {face(-50, -50, 10, 10)}, boxes);
    first.options.bootstrap_resamples = second.options.bootstrap_resamples = 0;
    const DetectionEvaluation one = first.evaluate();
    const DetectionEvaluation other = second.evaluate();
    const auto start = std::chrono::steady_clock::now();
    const DetectionChanges changes = detection_changes(first.dataset, one, other);
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
    CHECK(changes.alarms_common == 89999);
    CHECK(changes.alarms_lost == 1);
    CHECK(changes.alarms_gained == 1);
}
