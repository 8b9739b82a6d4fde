#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "lib/report/detection/detection_content.hpp"
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
    CHECK(stems_of(view) == std::vector<std::string>{"error_delta_ap", "reliability", "iou_cumulative"});
    // Two of three false positives lie in the background; without them AP is 1 and not 0.833.
    CHECK_THAT(texts_of(view, "errors"),
               Contains("\nbackground\n") && Contains("\n66.7\u00A0%\n") && Contains("\n16.7\n"));
    CHECK_THAT(texts_of(view, "errors"), !Contains("\nother\n"));
    CHECK_THAT(texts_of(view, "confusion"), Contains("best F1") && Contains("\n0.857\n"));
    CHECK_THAT(texts_of(view, "conditions"), Contains("\n1 & 2\n") && Contains("Faces in the image"));
    CHECK_THAT(texts_of(view, "reliability"), Contains("Brier score"));
    // IoU 1, 1 and 0.8.
    CHECK_THAT(texts_of(view, "fit"), Contains("\n0.8\n100.0\u00A0%") && Contains("\n0.9\n66.7\u00A0%"));
    // At best F1 only the first image has an error.
    CHECK_THAT(texts_of(view, "worst"), Contains("<a>") && !Contains("b.png"));
    for (const Json& section : view["sections"]) CHECK_FALSE(section.contains("fold"));
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
    const Json view = sections_of(
        keen.dataset, {"keen", "shy"},
        {analyse_detection(keen.dataset, keen.evaluate()), analyse_detection(shy.dataset, shy.evaluate())});
    CHECK(stems_of(view) == std::vector<std::string>{"error_delta_ap", "error_delta_ap_2", "reliability",
                                                     "reliability_2", "iou_cumulative"});
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
    CHECK_THAT(texts_of(view, "conditions"), Contains("Image: light") && Contains("\nkeen\n") &&
                                                 Contains("\nshy\n") && Contains("0.50 FP per image"));
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
