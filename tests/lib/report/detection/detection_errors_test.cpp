#include <algorithm>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "lib/report/detection/detection_content.hpp"
#include "lib/report/detection/operating_tallies.hpp"
#include "lib/report/write/view_json.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"
#include "tests/support/page_view.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

/// The sections that explain errors, as a page's data.
Json sections_of(const Dataset& dataset, const std::vector<std::string>& names,
                 std::vector<DetectionAnalysis> analyses) {
    const std::vector<DetectionEvaluation> evaluations(names.size());
    const ReportContext context;
    report::Report of;
    of.sections = report::analysis_sections({dataset, evaluations, names, std::move(analyses), context});
    return report::view_json(of);
}

std::string texts_of(const Json& view, const std::string& id) {
    const Json section = page_section(view, id);
    REQUIRE(section.is_object());
    return page_texts(section);
}

/// The stems of all plots, in their order.
void collect_stems(const Json& json, std::vector<std::string>& stems) {
    if (!json.is_structured()) return;
    if (json.is_object() && json.contains("stem")) stems.push_back(json["stem"].get<std::string>());
    for (const Json& element : json) collect_stems(element, stems);
}

std::vector<std::string> stems_of(const Json& view) {
    std::vector<std::string> stems;
    collect_stems(view, stems);
    return stems;
}

}  // namespace

TEST_CASE("the page explains the worked example's errors", "[report][errors]") {
    EvaluationCase example = worked_example();
    example.options.mode = ProtocolMode::corrected;
    example.dataset.samples[0].image = "<a>.png";
    example.results.images[0].image = "<a>.png";
    example.dataset.samples[0].attributes = {{"fold", "1 & 2"}};
    const DetectionAnalysis analysis = analyse_detection(example.dataset, example.evaluate());
    const Json view = sections_of(example.dataset, {"mct"}, {analysis});
    CHECK(stems_of(view) == std::vector<std::string>{"error_delta_ap", "rate_by_faces_in_image",
                                                     "rate_by_face_width", "reliability", "iou_cumulative"});
    // Two of three false positives lie in the background; without them AP is 1 and not 0.833.
    CHECK_THAT(texts_of(view, "errors"),
               Contains("\nbackground\n") && Contains("\n66.7\u00A0%\n") && Contains("\n16.7\n"));
    CHECK_THAT(texts_of(view, "errors"), !Contains("\nother\n"));
    CHECK_THAT(texts_of(view, "confusion"), Contains("best F1") && Contains("\n0.857\n"));
    CHECK_THAT(texts_of(view, "slices"), Contains("\n1 & 2\n") && Contains("Faces in the image"));
    CHECK_THAT(texts_of(view, "reliability"), Contains("Brier score"));
    // IoU 1, 1 and 0.8.
    CHECK_THAT(texts_of(view, "fit"), Contains("\n0.8\n100.0\u00A0%") && Contains("\n0.9\n66.7\u00A0%"));
    // At best F1 only the first image has an error.
    CHECK_THAT(texts_of(view, "worst"), Contains("<a>") && !Contains("b.png"));
    for (const Json& section : view["sections"]) CHECK_FALSE(section.contains("fold"));
}

TEST_CASE("the page explains every detector's errors", "[report][errors]") {
    // The same images for both; the second finds one of two faces, and raises no false positive.
    const auto evaluated = [](std::vector<Detection> first, std::vector<Detection> second) {
        EvaluationCase example;
        example.add("a.png", {face(0, 0, 20, 20)}, std::move(first));
        example.add("b.png", {face(0, 0, 20, 20)}, std::move(second));
        example.dataset.samples[0].attributes = {{"light", "day"}};
        example.dataset.samples[1].attributes = {{"light", "night"}};
        example.add("c.png", {}, {});
        example.dataset.samples[2].attributes = {{"light", "night"}};
        return example;
    };
    const EvaluationCase keen =
        evaluated({detection(3, 0, 0, 20, 20)}, {detection(2, 0, 0, 20, 20), detection(1, 60, 0, 20, 20)});
    const EvaluationCase shy = evaluated({detection(3, 0, 0, 20, 20)}, {});
    const Json view = sections_of(
        keen.dataset, {"keen", "shy"},
        {analyse_detection(keen.dataset, keen.evaluate()), analyse_detection(shy.dataset, shy.evaluate())});
    CHECK(stems_of(view) == std::vector<std::string>{"error_delta_ap", "error_delta_ap_2",
                                                     "rate_by_faces_in_image", "reliability", "reliability_2",
                                                     "iou_cumulative"});
    // At its best F1 the first makes no error: it has no worst image, and the second's part is open.
    const Json worst = page_section(view, "worst")["sections"];
    REQUIRE(worst.size() == 1);
    CHECK(worst[0]["title"] == "shy");
    CHECK(worst[0]["fold"] == "open");
    for (const char* id : {"errors", "reliability"}) {
        CAPTURE(id);
        const Json parts = page_section(view, id)["sections"];
        REQUIRE(parts.size() == 2);
        CHECK(parts[0]["title"] == "keen");
        CHECK(parts[0]["fold"] == "open");
        CHECK(parts[1]["title"] == "shy");
        CHECK(parts[1]["fold"] == "closed");
    }
    // A face of two is missed: one error of kind "missed", as the last kind but "other" says.
    CHECK_THAT(texts_of(view, "errors"),
               Contains("\nErrors by kind of shy\n") && Contains("\nErrors of all detectors by kind\n"));
    // TP, FP, TN, FN, accuracy of faces and detections at the best F1: 2 0 – 0 and 1 0 – 1.
    CHECK_THAT(texts_of(view, "confusion"), Contains("keen") && Contains("shy") &&
                                                Contains("\n2\n0\n–\n0\n100.0\u00A0%\n") &&
                                                Contains("\n1\n0\n–\n1\n50.0\u00A0%\n"));
    // Detection rates by light: 100 % by day; by night 100 % and 0 %.
    CHECK_THAT(texts_of(view, "slices"), Contains("Image: light") && Contains("\nkeen\n") &&
                                             Contains("\nshy\n") && Contains("0.00 FP per image"));
    CHECK_THAT(texts_of(view, "fit"), Contains("\n0.9\n100.0\u00A0%\n50.0\u00A0%\n"));
    const Json pairing = page_section(view, "fit-pairing")["blocks"][0]["items"];
    CHECK(pairing[0]["term"] == "keen");
    CHECK(pairing[1]["term"] == "shy");
}

TEST_CASE("without detections and faces there is nothing to explain", "[report][errors]") {
    EvaluationCase example;
    example.add("a.png", {}, {});
    const DetectionAnalysis analysis = analyse_detection(example.dataset, example.evaluate());
    const Json view = sections_of(example.dataset, {"mct"}, {analysis});
    REQUIRE(view["sections"].size() == 1);
    CHECK(view["sections"][0]["id"] == "confusion");
    CHECK(stems_of(view).empty());
    Json json;
    add_analysis(example.dataset, analysis, json);
    CHECK_FALSE(json["errors"].contains("average_precision"));
    CHECK(json["operating_point"]["images"]["true_negatives"] == 1);
    CHECK(json["worst_images"].empty());
}

TEST_CASE("what a threshold moves is told by places among the thresholds", "[report][errors]") {
    const EvaluationCase example = worked_example();
    const std::vector<DetectionEvaluation> evaluations{example.evaluate()};
    const ReportContext context;
    const report::DetectorsCompared of{
        example.dataset, evaluations, {"mct"}, {analyse_detection(example.dataset, evaluations[0])}, context};
    report::Report report;
    report.operating = report::operating_curves(of);
    report.sections = {report::slices_section(of)};
    const Json view = report::view_json(report);
    const Json& curve = view["operating"][0];
    CHECK(curve["thresholds"] == Json{0.9, 0.8, 0.7, 0.6, 0.5});
    CHECK(curve["threshold"] == 0.7);  // the best F1
    const auto check = [&](std::size_t tally, int faces, const Json& found, const Json& alarms) {
        CAPTURE(tally);
        const Json& own = curve["tallies"].at(tally);
        CHECK(own["faces"] == faces);
        CHECK(own["found"] == found);
        CHECK(own.value("false_positives", Json()) == alarms);
    };
    REQUIRE(curve["tallies"].size() == 9);
    // Whole images: a.png and b.png are found from 0.9 and 0.8 on, c.png raises its false positive at 0.6.
    check(0, 2, {0, 1, 1, 1}, {3, 1});
    // No face, one, two in the image.
    check(1, 0, Json::array(), {3, 1});
    check(2, 1, {1, 1}, {4, 1});
    check(3, 2, {0, 1, 2, 1}, {1, 1});
    // Two faces of 10 pixels' width, one of 20.
    check(4, 2, {0, 1, 1, 1}, nullptr);
    check(5, 1, {2, 1}, nullptr);
    // The worst image is a.png.
    check(8, 2, {0, 1, 2, 1}, {1, 1});
    // The row of two faces leads to its tally, which is one more than its place.
    const Json row = page_section(view, "slices-1")["blocks"][0]["rows"][2];
    CHECK(row[3]["follows"] == Json{0, 4, "found"});
    CHECK(row[4]["follows"] == Json{0, 4, "recall"});
    CHECK(row[5]["follows"] == Json{0, 4, "fp_per_image"});
    const Json width = page_section(view, "slices")["blocks"][3];
    CHECK(width["stem"] == "rate_by_face_width");
    CHECK(width["series"][0]["follows"] == Json{{"rival", 0}, {"tallies", {5, 6}}});
}

TEST_CASE("a slider of few thresholds has the report's own", "[report][errors]") {
    EvaluationCase example;
    std::vector<Face> faces;
    std::vector<Detection> detections;
    for (int i = 0; i < 1000; ++i) {
        faces.push_back(face(20 * i, 0, 10, 10));
        detections.push_back(detection(2000 - 2 * i, 20 * i, 0, 10, 10));
        detections.push_back(detection(1999 - 2 * i, 20 * i, 500, 10, 10));
    }
    example.add("a.png", faces, detections);
    example.options.bootstrap_resamples = 0;
    const std::vector<DetectionEvaluation> evaluations{example.evaluate()};
    const ReportContext context;
    for (const double score : {2000.0, 1234.5, 777.0, 1.0, 3000.0}) {
        CAPTURE(score);
        DetectionAnalysisOptions options;
        options.operating_point = {.kind = OperatingPointChoice::Kind::score, .score = score};
        const report::DetectorsCompared of{example.dataset,
                                           evaluations,
                                           {"mct"},
                                           {analyse_detection(example.dataset, evaluations[0], options)},
                                           context};
        const report::OperatingCurve curve = report::operating_curves(of).at(0);
        CHECK(curve.thresholds.size() <= 301);
        CHECK(std::is_sorted(curve.thresholds.rbegin(), curve.thresholds.rend()));
        const auto kept = std::partition_point(curve.thresholds.begin(), curve.thresholds.end(),
                                               [&](double threshold) { return threshold >= score; });
        const int found =
            kept == curve.thresholds.begin()
                ? 0
                : curve.true_positives.at(static_cast<std::size_t>(kept - curve.thresholds.begin()) - 1);
        CHECK(found == of.analyses[0].operating_point.detections.true_positives);
    }
}
