#include "lib/report/landmarks/landmark_report.hpp"

#include <cmath>
#include <map>

#include <catch2/catch.hpp>

#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/report/landmarks/landmark_content.hpp"
#include "lib/report/landmarks/landmark_exhibits.hpp"
#include "lib/video/video_source.hpp"
#include "tests/lib/evaluate/landmarks/landmark_cases.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// The worked example with a picture of "c", the worst face.
struct Pictured : LandmarkCase {
    Pictured() : LandmarkCase(worked_landmarks()) {
        dataset.samples[2].path = folder.write("c.pgm", noise_pgm(120, 90, 3));
    }
    TempDir folder;
};

}  // namespace

TEST_CASE("a landmarks report has its files, and the page needs none of them",
          "[evaluate][landmarks][report]") {
    const Pictured example;
    const TempDir out;
    const std::vector<LandmarkEvaluation> one{example.evaluate()};
    ReportContext context;
    const std::filesystem::path page = write_landmark_report(out.path(), example.dataset, one, context);
    CHECK(page == out.path() / "report.html");
    const Json json = Json::parse(read_bytes(out.path() / "report.json"));
    CHECK(json["landmarks"]["nme"]["outer_eye_corners"]["auc_0.08"].get<double>() == Approx(0.28125));
    CHECK(json["landmarks"]["by_point"].size() == 68);
    CHECK_FALSE(json.contains("landmarkers"));
    for (const char* stem : {"ced_outer_eye_corners", "ced_pupils", "ced_box_diagonal", "ced_sqrt_box_area",
                             "regions", "points", "mean_shape"}) {
        CAPTURE(stem);
        CHECK(std::filesystem::file_size(out.path() / (std::string(stem) + ".svg")) > 1000);
    }
    const std::string html = read_bytes(page);
    CHECK_THAT(html, Contains("Its mean error (NME by outer eye corners) is ") && Contains("0.0633"));
    CHECK_THAT(html, Contains("Missed faces") && Contains("Worst faces") && Contains("Best faces"));
    // The JPEG of "c" begins as all do, in base64.
    CHECK_THAT(html, Contains("\"/9j/") && Contains("NME 0.1200"));
    CHECK_THAT(html, Contains("default-src 'none'"));
    // A row a face, and the missed one without numbers; errors of c: 6 pixels, 0.12, 6/32.
    const std::string faces = read_bytes(out.path() / "faces.csv");
    CHECK_THAT(faces, Contains("test,c,0,found,6,0.12,0.1875,") && Contains("test,d,0,missed,,,,,\n"));
    CHECK_THAT(read_bytes(out.path() / "curves.csv"), Contains("test,outer_eye_corners,0.12,0.75\n"));

    for (const char* name : {"numbers.csv", "report.md", "points.pdf"}) {
        CAPTURE(name);
        CHECK(std::filesystem::exists(out.path() / name));
    }

    const TempDir again;
    write_landmark_report(again.path(), example.dataset, one, context);
    for (const auto& file : std::filesystem::directory_iterator(out.path())) {
        CAPTURE(file.path());
        CHECK(read_bytes(file.path()) == read_bytes(again.path() / file.path().filename()));
    }
}

TEST_CASE("several landmarkers are compared in one report", "[evaluate][landmarks][report]") {
    const Pictured example;
    LandmarkCase exact = example;
    for (ImageResult& result : exact.results.images) result.detections = {landmark_detection(grid_points())};
    LandmarkCase nothing = example;
    for (ImageResult& result : nothing.results.images) result.detections.clear();
    std::vector<LandmarkEvaluation> all{nothing.evaluate(), example.evaluate(), exact.evaluate()};
    all[0].name = "<none>";
    all[2].name = "exact";
    const TempDir out;
    ReportContext context;
    context.skipped = {{"d", "not in the results", "<none>"}};
    const std::string html = read_bytes(write_landmark_report(out.path(), example.dataset, all, context));
    CHECK_THAT(html, Contains("3 landmarkers") && Contains("\\u003cnone>") && Contains("not in the results"));
    CHECK(html.find("<none>") == std::string::npos);
    const Json json = Json::parse(read_bytes(out.path() / "report.json"));
    CHECK(json["landmarkers"][2]["landmarks"]["nme"]["pupils"]["auc_0.08"] == 1.0);
    CHECK(json["landmarks"]["name"] == "<none>");
    CHECK(std::filesystem::exists(out.path() / "mean_shape_2.svg"));
    CHECK_FALSE(std::filesystem::exists(out.path() / "mean_shape_1.svg"));  // nothing to colour it by
    const std::string text = read_bytes(out.path() / "report.md");
    CHECK_THAT(text, Contains("**3 landmarkers**") && Contains("is that of **exact**."));
    CHECK_THAT(text, Contains("| Failures \\> 0.10 | Found | Missed | Share missed |\n") &&
                         Contains(" | 0 | 4 | 100.0\u00A0% (51.0–100.0\u00A0%) |\n") &&
                         Contains(" | 4 | 0 | **0.0\u00A0%** (0.0–49.0\u00A0%) |\n"));
    CHECK_THAT(text, Contains("**NME by pupils**\n\n| Number | \\<none\\> | test | exact |\n"));
    CHECK_THAT(text, !Contains("\n### \\<none\\>: by region") && Contains("\n### test: by region\n") &&
                         Contains("\n| jaw | 0.0633 ("));
    CHECK_THAT(text, Contains("Ranges are 95\u00A0% intervals (bootstrap over images)."));
    const Json interval = json["landmarkers"][1]["landmarks"]["nme"]["pupils"]["auc_0.08_ci95"];
    CHECK_THAT(read_bytes(out.path() / "numbers.csv"),
               Contains("\ntest,nme.pupils.auc_0.08,") &&
                   Contains(',' + shortest_number(interval[0].get<double>()) + ',' +
                            shortest_number(interval[1].get<double>()) + ','));
}

TEST_CASE("landmarkers' numbers as Markdown and as lines", "[evaluate][landmarks][report]") {
    LandmarkCase example = worked_landmarks();
    example.options.bootstrap_resamples = 0;
    const TempDir out;
    write_landmark_report(out.path(), example.dataset, {example.evaluate()}, ReportContext{});
    // Errors of 1, 2.5 and 6 pixels, that is 0.02, 0.05 and 0.12 by outer eye corners (50 pixels), and a
    // missed face: mean 9.5 / 3 = 3.17 pixels, 0.0633; all points alike, so every region has these numbers
    // too. Failures: c and d.
    const std::string text = read_bytes(out.path() / "report.md");
    CHECK_THAT(text,
               Catch::StartsWith("# Face landmarks on set\n\n**test** was evaluated on 4 faces with 68 "
                                 "landmarks in 4 images of test:set. Its mean error (NME by outer eye "
                                 "corners) is **0.0633** over the 3 faces found; it missed **1**. The AUC "
                                 "up to 0.08 is **0.281**.\n\nThe error of a face"));
    CHECK_THAT(text, Contains("| Mean NME | 0.0633 | by outer eye corners |\n"
                              "| Median NME | 0.0500 | with missed 0.0850 |\n"
                              "| AUC@0.08 | 0.2812 | area under the CED |\n"
                              "| Failures | 50.0\u00A0% | above 0.08, missed faces among them |\n"
                              "| Missed | 25.0\u00A0% | 1 of 4 faces missed |\n"));
    CHECK_THAT(text,
               Contains("| Number | NME by outer eye corners | NME by pupils | NME by box diagonal |") &&
                   Contains("\n| Mean | 0.0633 | ") && Contains("\n| Failures \\> 0.08 | 50.0\u00A0% | "));
    CHECK_THAT(text, Contains("**Mean distance in pixels**\n\n| Number | test |\n|---|--:|\n"
                              "| Mean | 3.17 |\n| Median | 2.50 |\n"));
    CHECK_THAT(text,
               Contains("\n### by region\n\n| Region | Mean NME | Median NME | Quartiles | Upper whisker | "
                        "Outliers | Largest |\n|---|--:|--:|--:|--:|--:|--:|\n| jaw | 0.0633 | 0.0500 | "));
    CHECK_THAT(text, Contains("(ced_pupils.svg)") && !Contains("by point\n"));
    const std::string csv = read_bytes(out.path() / "numbers.csv");
    CHECK_THAT(csv, Catch::StartsWith("landmarker,metric,value,ci95_low,ci95_high,definition\n") &&
                        Contains("\ntest,faces,4,,,\ntest,faces_found,3,,,\ntest,faces_missed,1,,,") &&
                        Contains("\ntest,missed_rate,0.25,,,"));
    CHECK_THAT(csv, Contains("\ntest,nme.outer_eye_corners.median,0.05,,,") &&
                        Contains("\ntest,nme.outer_eye_corners.failure_rate,0.5,,,"));
    CHECK_THAT(csv,
               Contains("\ntest,pixels.median,2.5,,,") && Contains("\ntest,by_region.jaw.median,0.05,,,") &&
                   Contains("\ntest,by_point.36.median,0.05,,,") && Contains("\ntest,slices.face width."));
}

TEST_CASE("a report without any face found is a report", "[evaluate][landmarks][report]") {
    LandmarkCase nothing;
    nothing.add("a", {landmark_face(grid_points())}, {});
    const TempDir out;
    const std::string html =
        read_bytes(write_landmark_report(out.path(), nothing.dataset, {nothing.evaluate()}, ReportContext{}));
    CHECK_THAT(html, Contains("It found no face with landmarks."));
    CHECK_FALSE(std::filesystem::exists(out.path() / "points.svg"));
    CHECK_THAT(read_bytes(out.path() / "report.md"), Contains("| Missed | 100.0\u00A0%") &&
                                                         Contains("1 of 1 face missed") &&
                                                         !Contains("by region"));
    CHECK_THAT(read_bytes(out.path() / "numbers.csv"),
               Contains("\ntest,missed_rate,1,") && !Contains("outer_eye_corners.mean"));
    CHECK_THROWS_WITH(write_landmark_report(out.path(), nothing.dataset, {}, ReportContext{}),
                      Contains("no evaluation"));
}

TEST_CASE("a report on one model in several kinds of boxes says so", "[evaluate][landmarks][report]") {
    const Pictured example;
    std::vector<LandmarkEvaluation> all{example.evaluate(), example.evaluate()};
    all[1].name = "truth";
    const TempDir out;
    ReportContext context;
    context.landmarks_origin = "Landmarks by <model>.";
    const std::string html = read_bytes(write_landmark_report(out.path(), example.dataset, all, context));
    CHECK_THAT(html, Contains("Landmarks by \\u003cmodel>.") && Contains("2 kinds of boxes"));
}

TEST_CASE("landmarks' plots hold errors and shares as they are", "[evaluate][landmarks][report]") {
    const Pictured example;
    const std::vector<LandmarkEvaluation> one{example.evaluate()};
    const ReportContext context;
    const report::LandmarkersCompared landmarkers{example.dataset, one, {"test"}, context, ""};
    // One of 4 faces has an error of 0.02 and one of 0.05; the third, of 0.12, is beyond the axis' end or
    // not.
    const report::Plot ced = report::ced_plots(landmarkers).at(0);
    CHECK(ced.stem == "ced_outer_eye_corners");
    const std::vector<report::PlotPoint>& points = ced.series.at(0).points;
    REQUIRE(points.size() >= 4);
    CHECK(points[1].x == Approx(0.02));
    CHECK(points[1].y == 0.25);
    CHECK(points[2].x == Approx(0.05));
    CHECK(points[2].y == 0.5);
    CHECK(points.back().x == *ced.x.max);
    CHECK(ced.series[0].detail == "AUC 0.281");
    CHECK_FALSE(ced.series[0].band.empty());

    const std::vector<report::Plot> parts = report::part_plots(landmarkers);
    REQUIRE(parts.size() == 3);
    CHECK(parts[0].stem == "mean_shape");
    CHECK(parts[0].labels.at(0).text == "0");
    // All points have one error, so all are of full strength.
    REQUIRE(parts[0].series.back().rects.size() == 68);
    CHECK(parts[0].series.back().rects[36].strength == 1);
    CHECK(parts[0].series.back().rects[36].note == "point 36: 0.0500");
    REQUIRE(parts[1].series.at(0).boxes.size() == 8);
    CHECK(parts[1].x.marks.at(4).label == "right");
    CHECK(parts[1].x.marks.at(4).second == "eye");
    CHECK(parts[1].series[0].boxes[0].median == Approx(0.05));
    CHECK(parts[2].series.at(0).boxes.size() == 68);
}

TEST_CASE("errors over time: drift, categories and frames", "[evaluate][landmarks][report]") {
    LandmarkCase example;
    for (const char* video : {"114/vid.avi", "124/vid.avi"}) {
        for (int frame = 0; frame < 6; ++frame) {
            const std::vector<Point> truth = grid_points(3 * frame, 4 * frame);
            Detection found = landmark_detection(shifted(truth, frame % 3, 0));
            if (frame % 3 > 0) found.details.edit().followed = frame % 3;
            // The face is missed in frame 4.
            example.add(frame_name(video, frame), {landmark_face(truth)},
                        frame == 4 ? std::vector<Detection>{} : std::vector{found});
            example.dataset.samples.back().attributes = {{"category", video[1] == '1' ? "1" : "2"}};
        }
    }
    const std::vector<LandmarkEvaluation> one{example.evaluate()};
    const ReportContext context;
    const report::LandmarkersCompared landmarkers{example.dataset, one, {"test"}, context, ""};
    std::map<std::string, report::Plot> plots;
    for (report::Plot& plot : report::landmark_time_plots(landmarkers)) plots.emplace(plot.stem, plot);
    REQUIRE(plots.size() == 4);
    // Errors of 0, 1 and 2 of 50 pixels.
    const std::vector<report::PlotPoint>& drift = plots.at("drift").series.at(0).points;
    REQUIRE(drift.size() == 3);
    CHECK(drift[2].x == 2);
    CHECK(drift[2].y == Approx(0.04));
    CHECK(plots.at("ced_categories").series.size() == 2);
    const std::vector<report::PlotPoint>& errors = plots.at("nme_over_time_1").series.at(0).points;
    REQUIRE(errors.size() == 6);
    CHECK(errors[1].y == Approx(0.02));
    CHECK_FALSE(std::isfinite(errors[4].y));

    const TempDir out;
    write_landmark_report(out.path(), example.dataset, one, context);
    const std::string text = read_bytes(out.path() / "report.md");
    CHECK_THAT(
        text,
        Contains("**Errors by the frames since the last detection**\n\n| Frames since the last detection "
                 "| Faces | Mean NME | Median NME |\n|--:|--:|--:|--:|\n| 0 | 4 | 0.0000"));
    CHECK_THAT(text, Contains("| Category | Videos | Faces | Missed | Mean NME |") &&
                         Contains("\n| 1 | 1 | 6 | 1 |"));
    CHECK_THAT(
        text, Contains("| Video | Category | Faces | Missed | Mean NME | Failures \\> 0.08 | Mean jitter |"));
    CHECK(std::filesystem::file_size(out.path() / "nme_over_time_2.svg") > 1000);
}

TEST_CASE("worst, median and best faces, largest misses", "[evaluate][landmarks][report]") {
    LandmarkCase example = worked_landmarks();
    example.add("e", {landmark_face(grid_points(0, 0, 2))}, {});
    example.add("f", {landmark_face(grid_points(0, 0, 3))}, {});
    const LandmarkEvaluation evaluation = example.evaluate();
    const auto worst = report::landmark_exhibits(example.dataset, evaluation, report::LandmarkRank::worst, 2);
    REQUIRE(worst.size() == 2);
    CHECK(worst[0].sample == 2);
    CHECK(worst[0].facts.at(0) == "NME 0.1200");
    CHECK(worst[0].points.size() == 2);
    CHECK(worst[1].sample == 1);
    CHECK(
        report::landmark_exhibits(example.dataset, evaluation, report::LandmarkRank::best, 1).at(0).sample ==
        0);
    // Errors of 0.02, 0.05 and 0.12: around the median come b, a (by 0.03), c (by 0.07).
    const auto middle =
        report::landmark_exhibits(example.dataset, evaluation, report::LandmarkRank::median, 9);
    REQUIRE(middle.size() == 3);
    CHECK(middle[0].sample == 1);
    CHECK(middle[1].sample == 0);
    CHECK(middle[2].sample == 2);
    const auto missed = report::missed_landmark_exhibits(example.dataset, evaluation, 9, {"f"});
    REQUIRE(missed.size() == 2);
    CHECK(missed[0].sample == 4);  // twice as large as that of d
    CHECK(missed[1].sample == 3);
}
