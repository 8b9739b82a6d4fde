#include "lib/report/detection/page_errors.hpp"

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "lib/report/detection/analysis_plots.hpp"
#include "tests/lib/evaluate/detection/evaluation_cases.hpp"
#include "tests/support/visible_text.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

const report::DocumentPart& part(const std::vector<report::DocumentPart>& parts, const std::string& id) {
    for (const report::DocumentPart& each : parts) {
        if (each.id == id) return each;
    }
    FAIL("no part " + id);
    return parts.front();
}

}  // namespace

TEST_CASE("the page explains the worked example's errors", "[report][errors]") {
    EvaluationCase example = worked_example();
    example.options.mode = ProtocolMode::corrected;
    example.dataset.samples[0].image = "<a>.png";
    example.results.images[0].image = "<a>.png";
    example.dataset.samples[0].attributes = {{"fold", "1 & 2"}};
    const DetectionAnalysis analysis = analyse_detection(example.dataset, example.evaluate());
    const std::vector<report::DrawnPlot> plots = report::analysis_plots(analysis);
    REQUIRE(plots.size() == 3);
    CHECK(plots[0].stem == "error_delta_ap");
    CHECK(plots[1].stem == "reliability");
    CHECK(plots[2].stem == "iou_cumulative");
    for (const report::DrawnPlot& plot : plots) CHECK_THAT(plot.svg, Contains("<svg") && Contains("</svg>"));

    const std::vector<DetectionAnalysis> analyses{analysis};
    const std::vector<std::string> names{"mct"};
    const std::vector<report::DocumentPart> parts =
        report::analysis_parts(example.dataset, {analyses, names, plots});
    // Two of three false positives lie in the background; without them AP is 1 and not 0.833.
    CHECK_THAT(part(parts, "errors").html,
               Contains("background") && Contains("66.7") && Contains("16.7") && Contains("<svg"));
    CHECK_THAT(part(parts, "errors").html, !Contains(">other<"));
    CHECK_THAT(part(parts, "confusion").html, Contains("best F1") && Contains("0.857"));
    CHECK_THAT(part(parts, "conditions").html, Contains("1 &amp; 2") && Contains("Faces in the image"));
    CHECK_THAT(part(parts, "reliability").html, Contains("Brier score"));
    // IoU 1, 1 and 0.8.
    CHECK_THAT(visible_text(part(parts, "fit").html),
               Contains("\n0.8\n\n100.0") && Contains("\n0.9\n\n66.7"));
    // At best F1 only the first image has an error.
    CHECK_THAT(visible_text(part(parts, "worst").html), Contains("<a>") && !Contains("b.png"));
    for (const report::DocumentPart& each : parts) CHECK_THAT(each.html, !Contains("<details"));
}

TEST_CASE("the page explains every detector's errors", "[report][errors]") {
    // The same images for both; the second finds one of two faces, and raises no false alarm.
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
    const std::vector<DetectionAnalysis> analyses{analyse_detection(keen.dataset, keen.evaluate()),
                                                  analyse_detection(shy.dataset, shy.evaluate())};
    const std::vector<std::string> names{"keen", "shy"};
    const std::vector<report::DrawnPlot> plots = report::analysis_plots(analyses, names);
    std::vector<std::string> stems;
    for (const report::DrawnPlot& plot : plots) stems.push_back(plot.stem);
    CHECK(stems == std::vector<std::string>{"error_delta_ap", "reliability", "error_delta_ap_2",
                                            "reliability_2", "iou_cumulative"});
    const std::vector<report::DocumentPart> parts =
        report::analysis_parts(keen.dataset, {analyses, names, plots});
    // At its best F1 the first makes no error: it has no worst image, and the second's part is open.
    CHECK_THAT(part(parts, "worst").html,
               Contains("<details open><summary>shy</summary>") && !Contains("<summary>keen</summary>"));
    for (const char* id : {"errors", "reliability"}) {
        CAPTURE(id);
        CHECK_THAT(part(parts, id).html, Contains("<details open><summary>keen</summary>") &&
                                             Contains("<details><summary>shy</summary>"));
    }
    // A face of two is missed: one error of kind "missed", as the last kind but "other" says.
    CHECK_THAT(visible_text(part(parts, "errors").html), Contains("Errors by kind of shy"));
    CHECK_THAT(part(parts, "errors").html, Contains("Errors of all detectors by kind"));
    // TP, FP, TN, FN, accuracy of faces and detections at the best F1: 2 0 – 0 and 1 0 – 1.
    const std::string confusion = visible_text(part(parts, "confusion").html);
    CHECK_THAT(confusion, Contains("keen") && Contains("shy") && Contains("100.0") && Contains("50.0"));
    // Detection rates by light: 100 % by day; by night 100 % and 0 %.
    const std::string conditions = part(parts, "conditions").html;
    CHECK_THAT(conditions, Contains("Image: light") && Contains(">keen</th>") && Contains(">shy</th>") &&
                               Contains("0.50 FP per image"));
    CHECK_THAT(visible_text(part(parts, "fit").html), Contains("\n0.9\n\n100.0\u00A0%\n\n50.0\u00A0%"));
    CHECK_THAT(part(parts, "fit").html,
               Contains("<dt>keen</dt>") && Contains("<dt>shy</dt>") && Contains("class=\"legend plots\""));
}

TEST_CASE("without detections and faces there is nothing to explain", "[report][errors]") {
    EvaluationCase example;
    example.add("a.png", {}, {});
    const DetectionAnalysis analysis = analyse_detection(example.dataset, example.evaluate());
    CHECK(report::analysis_plots(analysis).empty());
    const std::vector<DetectionAnalysis> analyses{analysis};
    const std::vector<std::string> names{"mct"};
    const std::vector<report::DrawnPlot> plots;
    for (const report::DocumentPart& each :
         report::analysis_parts(example.dataset, {analyses, names, plots})) {
        CHECK(each.html.empty() == (each.id != "confusion"));
    }
    Json json;
    add_analysis(example.dataset, analysis, json);
    CHECK_FALSE(json["errors"].contains("average_precision"));
    CHECK(json["operating_point"]["images"]["true_negatives"] == 1);
    CHECK(json["worst_images"].empty());
}
