#include "lib/report/stored/report_numbers.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/report/stored/compare.hpp"
#include "lib/report/stored/regression_gate.hpp"

using namespace fovea;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

namespace {

const Json report = Json::parse(R"({
  "version": 1, "dataset": {"faces": 9},
  "detection": {"protocol": {"rule": "iou", "iou_threshold": 0.5}, "faces": 10, "average_precision": 0.8,
    "average_precision_ci95": [0.7, 0.9], "f1": 0.6, "detection_rate": 0.9, "recall": 0.9,
    "wider": {"easy_ap": 0.7, "easy_ap_corrected": 0.71},
    "rate_at_false_positives": [{"false_positives": 16, "detection_rate": 0.5, "detection_rate_ci95": [0.4, 0.6]}],
    "roc_thresholds": 3,
    "roc": [{"false_positives": 0, "detection_rate": 0.2}, {"false_positives": 3, "detection_rate": 0.45},
            {"false_positives": 20, "detection_rate": 0.9}]},
  "landmarks": {"nme": {"outer_eye_corners": {"mean": 0.05, "auc_0.08": 0.4}, "pupils": {"mean": 0.06}}},
  "verification": {"eer": 0.1, "accuracy": 0.95, "accuracy_std": 0.01, "tar_at_far_0.001": 0.7},
  "identification": {"rank1": 0.99, "quantities": {"rank1": {"name": "Rank-1", "unit": "share",
    "better": "higher", "headline": true}}}, "configuration": {"threads": 4}})");

std::vector<std::string> keys_of(const Json& json) {
    std::vector<std::string> keys;
    for (const ReportNumber& number : report_numbers(json)) keys.push_back(number.key);
    return keys;
}

std::string meaning(const std::string& metric) {
    return resolve_metric(metric, keys_of(report), "--metric: the report has", {"detection.wider.easy_ap"});
}

ComparedNumber compared(const std::string& key, double first, double second, Better better) {
    ComparedNumber number;
    number.key = number.name = key;
    number.first = first;
    number.second = second;
    number.higher_is_better = is_higher_better({key, "", "", better});
    number.headline = better != Better::neither;
    complete_difference(number);
    return number;
}

}  // namespace

TEST_CASE("the numbers of a report by name", "[compare][metrics]") {
    const auto numbers = report_numbers(report);
    const auto find = [&](const std::string& key) {
        for (const ReportNumber& number : numbers) {
            if (number.key == key) return number;
        }
        FAIL("no " + key);
        return numbers[0];
    };
    CHECK(find("detection.average_precision").value == 0.8);
    CHECK(find("detection.average_precision").ci95 == Interval{0.7, 0.9});
    CHECK(find("detection.rate_at_16_fp").value == 0.5);
    CHECK(find("detection.rate_at_16_fp").ci95 == Interval{0.4, 0.6});
    CHECK(find("landmarks.nme.outer_eye_corners.auc_0.08").value == 0.4);
    for (const ReportNumber& number : numbers) {
        CHECK(number.key.find("configuration") == std::string::npos);
        CHECK(number.key.find("protocol") == std::string::npos);
        CHECK(number.key.find("roc[") == std::string::npos);
    }
}

TEST_CASE("short names of metrics", "[compare][metrics]") {
    const auto ap_of = [](const std::vector<std::string>& keys) {
        return resolve_metric("AP", keys, "--metric: the report has");
    };
    const std::string area = "detection.average_precision";
    CHECK(ap_of({area}) == area);
    CHECK(ap_of({area, "detection.fddb.discrete_rate"}) == area);
    CHECK(ap_of({area, "detection.coco.ap", "detection.coco.ap_50"}) == "detection.coco.ap");
    CHECK(ap_of({area, "detection.voc2010.ap", "detection.voc2010.ap_corrected"}) == "detection.voc2010.ap");
    CHECK_THROWS_WITH(ap_of({area, "detection.wider.easy_ap", "detection.wider.hard_ap"}),
                      Contains("detection.wider.easy_ap, detection.wider.hard_ap"));
    CHECK(resolve_metric("average_precision", {area, "detection.coco.ap"}, "") == "detection.coco.ap");
    CHECK(resolve_metric(area, {area, "detection.coco.ap"}, "") == area);
    CHECK(meaning("ap") == "detection.wider.easy_ap");
    CHECK(meaning("recall@16fp") == "detection.rate_at_16_fp");
    CHECK(meaning("rate @ 16 FP") == "detection.rate_at_16_fp");
    CHECK(meaning("F1") == "detection.f1");
    CHECK(meaning("recall") == "detection.recall");
    CHECK(meaning("faces") == "detection.faces");  // not dataset.faces
    CHECK(meaning("tar@far=0.001") == "verification.tar_at_far_0.001");
    CHECK(meaning("eer") == "verification.eer");
    CHECK(meaning("rank1") == "identification.rank1");
    CHECK(meaning("rank-1") == "identification.rank1");
    CHECK(meaning("nme") == "landmarks.nme.outer_eye_corners.mean");
    CHECK(meaning("pupils.mean") == "landmarks.nme.pupils.mean");
    CHECK(meaning("easy_ap") == "detection.wider.easy_ap");
    CHECK(meaning("Easy AP") == "detection.wider.easy_ap");
    CHECK(meaning("wider.easy-ap") == "detection.wider.easy_ap");
    CHECK_THROWS_WITH(
        meaning("esay_ap"),
        Contains("no number 'esay_ap' (did you mean 'easy_ap'?); it has detection.wider.easy_ap, and all "
                 "others in report.json"));
    CHECK_THROWS_WITH(meaning("mean"),
                      Contains("landmarks.nme.outer_eye_corners.mean, landmarks.nme.pupils.mean"));
    CHECK_THROWS_WITH(meaning("recall@17fp"), Contains("no number 'recall@17fp'"));
    CHECK_THROWS_AS(meaning("detection.average_precison"), UsageError);
    CHECK(false_positives_of("recall@16fp") == 16);
    CHECK(false_positives_of("detection.rate_at_5_fp") == 5);
    CHECK_FALSE(false_positives_of("recall@fp"));
    CHECK_FALSE(false_positives_of("recall@-1fp"));
    CHECK_FALSE(false_positives_of("recall@1.5fp"));
}

TEST_CASE("a metric may name a detector, however that is called", "[compare][metrics]") {
    const std::vector<std::string> names{"wild", "wild.v2", "a b", "my \"best\""};
    const auto of = [&](const std::string& text) {
        const RivalMetric found = split_metric(text, names);
        return found.rival + "|" + found.metric;
    };
    CHECK(of("ap") == "|ap");
    CHECK(of("wild.ap") == "wild|ap");
    CHECK(of("wild.v2.ap") == "wild.v2|ap");
    CHECK(of("wild.v3.ap") == "wild|v3.ap");
    CHECK(of("'wild'.v2.ap") == "wild|v2.ap");
    CHECK(of("a b.recall@3fp") == "a b|recall@3fp");
    CHECK(of("\"a b\".detection.f1") == "a b|detection.f1");
    CHECK(of("my \"best\".ap") == "my \"best\"|ap");
    CHECK(of("wild.") == "|wild.");
    CHECK(of("wilder.ap") == "|wilder.ap");
    CHECK(false_positives_named("wild.v2.recall@3fp") == 3);
    CHECK(false_positives_named("detection.rate_at_5_fp") == 5);
    CHECK_FALSE(false_positives_named("recall@1.5fp"));

    const Json two = Json::parse(R"({"detection": {"name": "one", "f1": 0.5},
        "detectors": [{"name": "one", "detection": {"f1": 0.5}}, {"name": "two", "detection": {"f1": 0.7}}],
        "landmarks": {"name": "two", "pixels": 3}})");
    CHECK(rivals_of(two) == std::vector<std::string>{"one", "two"});
    CHECK(report_of_rival(two, "two") ==
          Json{{"detection", {{"f1", 0.7}}}, {"landmarks", {{"name", "two"}, {"pixels", 3}}}});
    CHECK(report_of_rival(two, "three").empty());
    CHECK(rivals_of(Json("text")).empty());
    CHECK_THROWS_WITH(resolve_metric("tow.f1", keys_of(two), "it has", {}, rivals_of(two)),
                      Contains("did you mean 'two.f1'"));
}

TEST_CASE("a report states which way its numbers are better", "[compare][metrics]") {
    const auto quantity_of = [](const Json& json, const std::string& key) -> std::optional<Quantity> {
        for (const ReportNumber& number : report_numbers(json)) {
            if (number.key == key) return number.quantity;
        }
        FAIL("no " + key);
        return {};
    };
    const std::optional<Quantity> stated = quantity_of(report, "identification.rank1");
    REQUIRE(stated);
    CHECK(stated->name == "Rank-1");
    CHECK(stated->is_share());
    CHECK(stated->better == Better::higher);
    CHECK(stated->headline);
    CHECK_FALSE(quantity_of(report, "detection.f1"));
    Json odd = report;
    odd["detection"]["quantities"] = {{"f1", 7}, {"recall", {{"better", 1}, {"unit", "share"}}}};
    CHECK_FALSE(quantity_of(odd, "detection.f1"));
    CHECK(quantity_of(odd, "detection.recall")->better == Better::neither);
    odd["detection"]["quantities"] = "none";
    CHECK_FALSE(quantity_of(odd, "detection.recall"));

    // One of two reports may be of an earlier version; of two nothing can be judged by.
    Json earlier = report;
    earlier["identification"].erase("quantities");
    earlier["identification"]["rank1"] = 0.5;
    for (const auto& [a, b] : {std::pair(earlier, report), std::pair(report, earlier)}) {
        const std::vector<GatedNumber> judged = judge(compare_numbers(a, b), {0, {}, false});
        REQUIRE(judged.size() == 1);
        CHECK(judged[0].number.key == "identification.rank1");
    }
    CHECK_THROWS_WITH(judge(compare_numbers(earlier, earlier), {0, {}, false}),
                      Contains("neither report says which way its numbers are better"));
}

TEST_CASE("a rate that was not asked for is read from the whole curve only", "[compare][metrics]") {
    Json json = report;
    add_rates_at(json, std::vector<int>{16, 5, 2, 20});
    const Json& rates = json["detection"]["rate_at_false_positives"];
    REQUIRE(rates.size() == 4);
    CHECK(rates[1] == Json{{"false_positives", 5}, {"detection_rate", 0.45}});
    CHECK(rates[2] == Json{{"false_positives", 2}, {"detection_rate", 0.2}});
    CHECK(rates[3] == Json{{"false_positives", 20}, {"detection_rate", 0.9}});
    Json thinned = report;
    thinned["detection"]["roc_thresholds"] = 4;
    CHECK_THROWS_WITH(add_rates_at(thinned, std::vector<int>{5}), Contains("--fp-points 5"));
    CHECK_NOTHROW(add_rates_at(thinned, std::vector<int>{16}));
}

TEST_CASE("what differs is said in a sentence, whatever stands there", "[compare][metrics]") {
    CHECK(incomparable(Json{{"detection", 1}}, Json{{"detection", Json::array()}}).empty());
    CHECK_THAT(
        incomparable(Json{{"detection", {{"protocol", "iou"}, {"faces", 1}}}}, Json{{"detection", "x"}}),
        Contains("the faces evaluated differ (1 and null)"));
    const std::string differ = incomparable(Json{{"detection", {{"faces", std::string(1000, 'x')}}}}, Json());
    CHECK(differ.size() < 200);
}

TEST_CASE("the gate of two reports", "[compare][gate]") {
    // 0.91 - 0.9 is 0.010000000000000009 in binary and still no more than 0.01.
    const ComparedNumber ap = compared("detection.average_precision", 0.91, 0.9, Better::higher);
    const ComparedNumber eer = compared("verification.eer", 0.1, 0.12, Better::lower);
    const ComparedNumber count = compared("detection.faces", 10, 5, Better::neither);
    ComparedNumber unjudged = ap;
    unjudged.headline = false;
    CHECK(judge({ap, count}, {0.01, {}, false})[0].passed);
    CHECK(judge({ap, count}, {0.01, {}, false}).size() == 1);
    CHECK_FALSE(judge({ap}, {0.009, {}, false})[0].passed);
    CHECK_FALSE(judge({eer}, {0.01, {}, false})[0].passed);  // smaller is better
    CHECK(judge({eer}, {0.02, {}, false})[0].passed);
    CHECK(judge({ap, eer}, {0, {"eer"}, false}).size() == 1);
    CHECK_THROWS_WITH(judge({ap}, {0, {"eer"}, false}), Contains("no number 'eer'"));
    CHECK_THROWS_WITH(judge({count}, {0, {"faces"}, false}), Contains("neither better"));
    CHECK_THROWS_WITH(judge({count, unjudged}, {0, {}, false}), Contains("no headline number"));
    CHECK_THROWS_WITH(judge({ap}, {0, {}, true}), Contains("has no interval"));
    ComparedNumber open = ap;
    open.ci95 = Interval{-0.03, 0.01};
    CHECK(judge({open}, {0, {}, true})[0].passed);
    open.ci95 = Interval{-0.03, -0.001};
    CHECK_FALSE(judge({open}, {0, {}, true})[0].passed);
    CHECK(regression_sentence(open, {0.005, {}, true}, "old", "new") ==
          "detection.average_precision is 0.9 in new and 0.91 in old, worse by 0.01, and 0.005 was allowed "
          "(95 % CI of the difference -0.03 to -0.001, not paired)");
    open.paired = true;
    CHECK_THAT(success_sentence(judge({open}, {0.02, {}, false}), {0.02, {}, false}, "old"),
               EndsWith("by more than 0.02 (95 % CI of the difference -0.03 to -0.001, paired)"));
    const auto judged = judge({open, ap, eer}, {0, {}, false});
    CHECK_THAT(failure_sentence(judged, {0, {}, false}, "old", "new"),
               StartsWith("detection.average_precision is 0.9 in new") &&
                   EndsWith("; worse, too: detection.average_precision, verification.eer"));
    CHECK(failure_sentence(judge({ap}, {0.01, {}, false}), {0.01, {}, false}, "old", "new").empty());
    CHECK(success_sentence(judge({ap}, {0.01, {}, false}), {0.01, {}, false}, "old") ==
          "detection.average_precision is not worse than in old by more than 0.01");
    CHECK(success_sentence(judge({open, open}, {0, {}, false}), {0, {}, false}, "old") ==
          "none of 2 numbers is worse than in old");
}
