#include "lib/report/tracks/track_report.hpp"

#include <fstream>
#include <iterator>

#include "lib/json/json.hpp"
#include "lib/report/tracks/track_timeline.hpp"
#include "lib/video/video_source.hpp"
#include "tests/lib/evaluate/tracks/perturbed_tracks.hpp"
#include "tests/lib/evaluate/tracks/small_tracks.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using namespace fovea::track_tests;
using Catch::Matchers::Contains;

namespace {

struct ReportCase {
    Dataset dataset;
    DetectionResults results;

    ReportCase() { dataset.name = "test:clips"; }

    void add(const std::string& video, const Frames& truth, const Frames& found) {
        for (std::size_t i = 0; i < truth.size(); ++i) {
            Sample& sample = dataset.samples.emplace_back();
            sample.image = frame_name(video, static_cast<std::int64_t>(i));
            sample.annotated = true;
            for (const TrackedBox& box : truth[i]) {
                Face& face = sample.faces.emplace_back();
                face.box = box.box;
                face.attributes = {{"track", std::to_string(box.track)}};
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

    TrackEvaluation evaluate(const std::string& name) const {
        TrackEvaluationOptions options;
        options.bootstrap_resamples = 50;
        return evaluate_tracks(dataset, results, options, name);
    }
};

/// A switch in frame 2 of "b", a gap in frame 1 of "a".
ReportCase two_videos() {
    ReportCase example;
    const Frames truth(4, {at(7, 0)});
    example.add("a.mp4", truth, {{at(1, 0)}, {}, {at(1, 0)}, {at(1, 2)}});
    example.add("b.mp4", truth, {{at(1, 0)}, {at(1, 0)}, {at(2, 0)}, {at(2, 0)}});
    return example;
}

std::string bytes_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("the timeline of a video: spans seen and found, and switches", "[evaluate][tracks][report]") {
    const TrackEvaluation evaluation = two_videos().evaluate("t");
    const report::Timeline a = report::timeline_of(evaluation.videos[0]);
    REQUIRE(a.seen.size() == 1);
    CHECK(a.seen[0].first == 0);
    CHECK(a.seen[0].last == 3);
    REQUIRE(a.found.size() == 2);
    CHECK(a.found[0].last == 0);
    CHECK(a.found[1].first == 2);
    CHECK(a.found[1].last == 3);
    CHECK(a.switches.empty());
    const report::Timeline b = report::timeline_of(evaluation.videos[1]);
    REQUIRE(b.switches.size() == 1);
    CHECK(b.switches[0].frame == 2);
    CHECK(evaluation.videos[1].prepared.result_tracks[b.switches[0].before] == 1);
    CHECK(evaluation.videos[1].prepared.result_tracks[b.switches[0].after] == 2);
}

TEST_CASE("overlap over time, by stretches of frames", "[evaluate][tracks][report]") {
    const TrackEvaluation evaluation = two_videos().evaluate("t");
    const std::vector<report::OverlapPoint> points = report::overlap_over_time(evaluation.videos[0], 300);
    REQUIRE(points.size() == 4);
    CHECK(points[0].frame == 0);
    CHECK(points[0].mean_iou == 1);
    CHECK(points[1].found == 0);
    CHECK_FALSE(points[1].has_pairs);
    CHECK(points[3].mean_iou == Approx(2.0 / 3));
    const std::vector<report::OverlapPoint> halves = report::overlap_over_time(evaluation.videos[0], 2);
    REQUIRE(halves.size() == 2);
    CHECK(halves[0].frame == 0.5);
    CHECK(halves[0].found == 0.5);
    CHECK(halves[1].frame == 2.5);
    CHECK(halves[1].mean_iou == Approx(5.0 / 6));
}

TEST_CASE("a report of one tracker has its files", "[evaluate][tracks][report]") {
    const ReportCase example = two_videos();
    const TempDir out;
    const std::vector<TrackEvaluation> one{example.evaluate("tracker")};
    const std::filesystem::path page = write_track_report(out.path(), example.dataset, one, {});
    CHECK(page == out.path() / "report.html");
    const Json json = Json::parse(bytes_of(out.path() / "report.json"));
    CHECK(json["tracks"]["switches"] == 1);
    CHECK_FALSE(json.contains("trackers"));
    for (const char* stem : {"hota", "videos", "timeline_1_1", "timeline_2_1", "overlap_1", "found_1"}) {
        CAPTURE(stem);
        CHECK(std::filesystem::file_size(out.path() / (std::string(stem) + ".svg")) > 1000);
        CHECK(std::filesystem::exists(out.path() / (std::string(stem) + ".pdf")));
    }
    CHECK(bytes_of(out.path() / "switches.csv") ==
          "tracker,video,frame,truth,before,after\ntracker,b,2,7,1,2\n");
    CHECK_THAT(bytes_of(out.path() / "numbers.csv"),
               Contains("tracker,mota,0.75,") && Contains("tracker,videos.b.switches,1,"));
    CHECK_THAT(bytes_of(out.path() / "thresholds.csv"), Contains("tracker,b,0.5,"));
    CHECK_THAT(bytes_of(out.path() / "report.md"), Contains("| MOTA |") && Contains("| Switches | 1 |"));
    const std::string html = bytes_of(page);
    CHECK_THAT(html, Contains("Switches in b") && Contains("Tracks over time: b") && Contains("motmetrics"));
    // The browser itself refuses whatever would ask something outside.
    CHECK_THAT(html, Contains("default-src 'none'"));
    const TempDir again;
    write_track_report(again.path(), example.dataset, one, {});
    CHECK(bytes_of(again.path() / "report.html") == html);
}

TEST_CASE("several trackers are compared in one report", "[evaluate][tracks][report]") {
    ReportCase example = two_videos();
    std::vector<TrackEvaluation> all{example.evaluate("<first>")};
    for (ImageResult& image : example.results.images) image.detections.clear();
    all.push_back(example.evaluate("nothing"));
    const TempDir out;
    const std::string html = bytes_of(write_track_report(out.path(), example.dataset, all, {}));
    CHECK_THAT(html, Contains("2 trackers") && Contains("nothing − \\u003cfirst>"));
    CHECK(html.find("<first>") == std::string::npos);
    const Json json = Json::parse(bytes_of(out.path() / "report.json"));
    CHECK(json["trackers"].size() == 2);
    CHECK(json["differences"][0]["numbers"]["mota"]["difference"] == -0.75);
    CHECK(std::filesystem::exists(out.path() / "ass_a.svg"));
    CHECK(std::filesystem::exists(out.path() / "timeline_1_2.svg"));
    CHECK_THROWS_WITH(write_track_report(out.path(), example.dataset, {}, {}), Contains("no evaluation"));
}
