#include <limits>

#include "lib/core/error.hpp"
#include "lib/evaluate/statistics/time_blocks.hpp"
#include "lib/evaluate/tracks/track_json.hpp"
#include "lib/evaluate/tracks/track_statistics.hpp"
#include "lib/evaluate/tracks/tracks.hpp"
#include "lib/json/json.hpp"
#include "lib/video/video_source.hpp"
#include "tests/lib/evaluate/tracks/perturbed_tracks.hpp"
#include "tests/lib/evaluate/tracks/small_tracks.hpp"

using namespace fovea;
using namespace fovea::track_tests;
using Catch::Matchers::Contains;

namespace {

/// A dataset of videos and results of them.
struct TrackCase {
    Dataset dataset;
    DetectionResults results;
    TrackEvaluationOptions options;

    TrackCase() {
        dataset.name = "test:clips";
        options.bootstrap_resamples = 200;
    }

    void add(const std::string& video, const Frames& truth, const Frames& found) {
        for (std::size_t i = 0; i < truth.size(); ++i) {
            Sample& sample = dataset.samples.emplace_back();
            sample.image = frame_name(video, static_cast<std::int64_t>(i));
            sample.annotated = true;
            for (const TrackedBox& box : truth[i]) {
                Face& face = sample.faces.emplace_back();
                face.box = box.box;
                face.ignore = box.use != TruthUse::counts;
                face.attributes = {{"track", std::to_string(box.track)}};
                if (box.use == TruthUse::left_out) face.attributes.push_back({"confidence", "0"});
            }
            ImageResult& result = results.images.emplace_back();
            result.image = sample.image;
            for (const TrackedBox& box : found[i]) {
                Detection& detection = result.detections.emplace_back();
                detection.box = box.box;
                detection.details.edit().track = static_cast<int>(box.track);
            }
        }
    }

    TrackEvaluation evaluate() const { return evaluate_tracks(dataset, results, options, "tracker"); }
};

Frames frames_of(const BoxesByFrame& boxes) {
    Frames frames;
    for (std::size_t i = 0; i < boxes.frames(); ++i)
        frames.emplace_back(boxes.frame(i).begin(), boxes.frame(i).end());
    return frames;
}

TrackCase crowds(std::size_t videos) {
    TrackCase example;
    for (std::size_t i = 0; i < videos; ++i) {
        const TrackVideo video = crowded_video(20 + i, 60, 5, 12);
        example.add("clip" + std::to_string(i) + ".mp4", frames_of(video.truth), frames_of(video.results));
    }
    return example;
}

double value_of(const TrackEvaluation& evaluation, const char* key) {
    return *number_of_key(evaluation.estimates, key).value;
}

TrackCase switching() {
    TrackCase example;
    const Frames truth(4, {at(1, 0)});
    example.add("b.mp4", truth, {{at(1, 0)}, {at(1, 0)}, {at(2, 0)}, {at(2, 0)}});
    example.add("a.mp4", truth, truth);
    return example;
}

}  // namespace

TEST_CASE("tracks of a dataset: numbers by video, by name, and for all", "[evaluate][tracks]") {
    const TrackEvaluation evaluation = switching().evaluate();
    REQUIRE(evaluation.videos.size() == 2);
    CHECK(evaluation.videos[0].name == "a");
    CHECK(evaluation.videos[1].name == "b");
    CHECK(evaluation.videos[1].frames == std::vector<std::int64_t>{0, 1, 2, 3});
    CHECK(evaluation.videos[0].numbers.clear.switches == 0);
    CHECK(evaluation.videos[1].numbers.clear.switches == 1);
    CHECK(evaluation.images == 8);
    CHECK(value_of(evaluation, "ass_a") == Approx(0.75));
    CHECK(value_of(evaluation, "hota") == Approx(std::sqrt(0.75)));
    CHECK(value_of(evaluation, "mota") == Approx(7.0 / 8));
    CHECK(value_of(evaluation, "idf1") == Approx(0.75));
    CHECK(evaluation.units == "videos");
    CHECK(evaluation.warnings.empty());
    // The two videos are drawn twice: both good, both bad, or one of each.
    const Number& hota = number_of_key(evaluation.estimates, "hota");
    REQUIRE(hota.ci95);
    CHECK((*hota.ci95)[0] == Approx(std::sqrt(0.5)));
    CHECK((*hota.ci95)[1] == Approx(1));
}

TEST_CASE("a face that is ignored for lack of confidence counts as TrackEval has it", "[evaluate][tracks]") {
    TrackCase example;
    example.add("a.mp4", {{at(1, 0), at(2, 50, TruthUse::left_out), at(3, 90, TruthUse::ignored)}},
                {{at(1, 0), at(2, 50), at(3, 90)}});
    CHECK(example.evaluate().numbers.clear.fp == 1);
    CHECK(example.evaluate().other.clear.fp == 0);
    example.options.mode = TrackMode::corrected;
    CHECK(example.evaluate().numbers.clear.fp == 0);
    CHECK(example.evaluate().other.clear.fp == 1);
}

TEST_CASE("faces without tracks are one track where a frame has one face", "[evaluate][tracks]") {
    TrackCase example = switching();
    for (Sample& sample : example.dataset.samples) sample.faces[0].attributes.clear();
    CHECK(example.evaluate().numbers.counts.truth_tracks == 2);
    CHECK(value_of(example.evaluate(), "idf1") == Approx(0.75));
    example.dataset.samples[3].faces.push_back(example.dataset.samples[3].faces[0]);
    CHECK_THROWS_WITH(example.evaluate(), Contains("have no tracks") && Contains("b.mp4#000003"));
    example.dataset.samples[0].faces[0].attributes = {{"track", "1"}};
    CHECK_THROWS_WITH(example.evaluate(), Contains("b.mp4#000001") && Contains("has no track, but others"));
}

TEST_CASE("tracks may have names", "[evaluate][tracks]") {
    TrackCase example;
    example.add("a.mp4", {{at(1, 0), at(2, 50)}, {at(1, 0), at(2, 50)}}, {{at(5, 0)}, {at(5, 0)}});
    for (Sample& sample : example.dataset.samples) {
        sample.faces[0].attributes[0].value = "Ann";
        sample.faces[1].attributes[0].value = "Bob";
    }
    const TrackEvaluation evaluation = example.evaluate();
    CHECK(evaluation.numbers.counts.truth_tracks == 2);
    CHECK(evaluation.numbers.identity.tp == 2);
}

TEST_CASE("results without tracks are refused with what to do", "[evaluate][tracks]") {
    TrackCase example = switching();
    example.results.images[2].detections[0].details.edit().track.reset();
    CHECK_THROWS_WITH(example.evaluate(),
                      Contains("'b.mp4#000002' has no \"track\"") && Contains("mot:PATH"));
    example = switching();
    example.results.images[1].detections[0].box.x = std::numeric_limits<double>::infinity();
    CHECK_THROWS_WITH(example.evaluate(), Contains("'b.mp4#000001'") && Contains("not finite"));
    example = switching();
    example.results.images[1].detections.push_back(example.results.images[1].detections[0]);
    CHECK_THROWS_WITH(example.evaluate(), Contains("In 'b', frame 2, the results' track 1 has two boxes"));
}

TEST_CASE("frames that the results lack count as missed", "[evaluate][tracks]") {
    TrackCase example = switching();
    example.results.images.pop_back();
    const TrackEvaluation evaluation = example.evaluate();
    CHECK(evaluation.images_missing == 1);
    CHECK(evaluation.numbers.clear.fn == 1);
    REQUIRE(evaluation.warnings.size() == 1);
    CHECK_THAT(evaluation.warnings[0], Contains("a.mp4#000003"));
}

TEST_CASE("blocks of time: with each block once the numbers are those of the video", "[evaluate][tracks]") {
    for (const TrackMode mode : both_modes) {
        TrackCase example = crowds(1);
        example.options.mode = mode;
        const TrackEvaluation evaluation = example.evaluate();
        CHECK(evaluation.units == "blocks of 10 frames");
        REQUIRE(evaluation.statistics);
        REQUIRE(evaluation.statistics->units() == 6);
        const std::vector<std::uint16_t> ones(6, 1);
        std::vector<double> values(evaluation.statistics->quantities().size());
        evaluation.statistics->evaluate(ones, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            CAPTURE(evaluation.estimates[i].quantity.key);
            CHECK(values[i] == Approx(*evaluation.estimates[i].value).epsilon(1e-12));
            CHECK(evaluation.estimates[i].ci95.has_value());
        }
    }
}

TEST_CASE("blocks of time: associations are those of the blocks drawn", "[evaluate][tracks]") {
    // The first half of the video is one track of the results, the second half another.
    TrackCase example;
    Frames found(40, {at(1, 0)});
    for (std::size_t i = 20; i < 40; ++i) found[i] = {at(2, 0)};
    example.add("a.mp4", Frames(40, {at(7, 0)}), found);
    const TrackEvaluation evaluation = example.evaluate();
    CHECK(value_of(evaluation, "ass_a") == Approx(0.5));
    REQUIRE(evaluation.statistics->units() == 4);
    const auto at_weights = [&](const std::vector<std::uint16_t>& weights, const std::string& key) {
        std::vector<double> values(evaluation.statistics->quantities().size());
        evaluation.statistics->evaluate(weights, values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (evaluation.statistics->quantities()[i].key == key) return values[i];
        }
        return -1.0;
    };
    CHECK(at_weights({2, 2, 0, 0}, "ass_a") == Approx(1));
    CHECK(at_weights({2, 2, 0, 0}, "idf1") == Approx(1));
    CHECK(at_weights({2, 2, 0, 0}, "mota") == 1);
    // 30 of 40 frames are of the first track: 0.75² + 0.25².
    CHECK(at_weights({2, 1, 1, 0}, "ass_a") == Approx(0.625));
    CHECK(at_weights({2, 1, 1, 0}, "idf1") == Approx(0.75));
    // The switch is in the third block.
    CHECK(at_weights({0, 0, 4, 0}, "mota") == Approx(0.9));
}

TEST_CASE("how a video is divided into blocks", "[evaluate][tracks]") {
    CHECK(time_blocks(0) == 0);
    CHECK(time_blocks(19) == 0);
    CHECK(time_blocks(20) == 2);
    CHECK(time_blocks(199) == 19);
    CHECK(time_blocks(100'000) == 20);
    CHECK(time_block_of(0, 25, 2) == 0);
    CHECK(time_block_of(12, 25, 2) == 0);
    CHECK(time_block_of(13, 25, 2) == 1);
    CHECK(time_block_of(24, 25, 2) == 1);
    // Too short for any interval.
    TrackCase example;
    example.add("a.mp4", Frames(19, {at(1, 0)}), Frames(19, {at(1, 0)}));
    const TrackEvaluation evaluation = example.evaluate();
    CHECK(evaluation.units.empty());
    CHECK_FALSE(number_of_key(evaluation.estimates, "hota").ci95);
}

TEST_CASE("trackers are compared on the same resamples", "[evaluate][tracks]") {
    TrackCase example = crowds(6);
    std::vector<TrackEvaluation> evaluations{example.evaluate(), example.evaluate()};
    for (ImageResult& image : example.results.images) {
        if (!image.detections.empty()) image.detections.pop_back();
    }
    evaluations.push_back(example.evaluate());
    const std::vector<TrackComparison> comparisons = compare_trackers(evaluations, {"a", "b", "c"});
    REQUIRE(comparisons.size() == 2);
    CHECK(comparisons[0].second == "b");
    for (const PairedNumber& number : comparisons[0].numbers) {
        CHECK(number.difference == 0.0);
        CHECK(number.p_value == 1.0);
    }
    const PairedNumber& recall =
        *std::find_if(comparisons[1].numbers.begin(), comparisons[1].numbers.end(),
                      [](const PairedNumber& number) { return number.quantity.key == "recall"; });
    CHECK(*recall.difference < 0);
    CHECK(*recall.difference ==
          Approx(value_of(evaluations[2], "recall") - value_of(evaluations[0], "recall")));
    REQUIRE(recall.ci95);
    CHECK((*recall.ci95)[1] < 0);
    const Json json = track_comparisons_to_json(comparisons);
    CHECK(json[1]["numbers"]["recall"]["difference"] == *recall.difference);
}

TEST_CASE("report.json of tracks", "[evaluate][tracks]") {
    const Json json = track_evaluation_to_json(switching().evaluate());
    CHECK(json["mota"] == 0.875);
    CHECK(json["hota_ci95"].is_array());
    CHECK(json["switches"] == 1);
    CHECK(json["number_of_videos"] == 2);
    CHECK(json["by_threshold"].size() == 19);
    CHECK(json["by_threshold"][2]["iou"] == 0.15);
    CHECK(json["by_threshold"][2]["true_positives"] == 8);
    CHECK(json["corrected"]["mota"] == 0.875);
    CHECK(json["motmetrics"]["num_switches"] == 1);
    CHECK(json["videos"][1]["name"] == "b");
    CHECK(json["videos"][1]["idf1"] == 0.5);
    CHECK(json["protocol"]["mode"] == "strict");
    TrackCase example;
    example.add("a.mp4", Frames(3), Frames(3));
    const Json empty = track_evaluation_to_json(example.evaluate());
    CHECK(empty["motmetrics"]["mota"].is_null());
    CHECK(empty["warnings"].size() == 2);
}
