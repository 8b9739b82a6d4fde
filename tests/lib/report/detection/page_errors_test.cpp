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
    const std::vector<report::Plot> plots = report::analysis_plots(analysis);
    REQUIRE(plots.size() == 3);
    CHECK(plots[0].stem == "error_delta_ap");
    CHECK(plots[1].stem == "reliability");
    CHECK(plots[2].stem == "iou_cumulative");
    for (const report::Plot& plot : plots) CHECK_THAT(plot.svg, Contains("<svg") && Contains("</svg>"));

    const std::vector<report::DocumentPart> parts =
        report::analysis_parts(example.dataset, analysis, plots, "");
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
    CHECK(part(report::analysis_parts(example.dataset, analysis, plots, "mct"), "errors").title ==
          "Errors of mct");
}

TEST_CASE("without detections and faces there is nothing to explain", "[report][errors]") {
    EvaluationCase example;
    example.add("a.png", {}, {});
    const DetectionAnalysis analysis = analyse_detection(example.dataset, example.evaluate());
    CHECK(report::analysis_plots(analysis).empty());
    for (const report::DocumentPart& each : report::analysis_parts(example.dataset, analysis, {}, "")) {
        CHECK(each.html.empty() == (each.id != "confusion"));
    }
    const Json json = analysis_to_json(example.dataset, analysis);
    CHECK_FALSE(json["errors"].contains("average_precision"));
    CHECK(json["operating_point"]["images"]["true_negatives"] == 1);
    CHECK(json["worst_images"].empty());
}
