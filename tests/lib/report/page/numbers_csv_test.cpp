#include "lib/report/page/numbers_csv.hpp"

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"

using namespace fovea;
using namespace fovea::report;

namespace {

const std::string heading = "detector,metric,value,ci95_low,ci95_high,definition\n";

}  // namespace

TEST_CASE("CSV of every number of an evaluation", "[report][csv]") {
    const Json report = Json::parse(R"({"detection": {
      "name": "n", "faces": 4, "is_raw": true, "undefined": null, "f1": 0.1, "f1_ci95": [0.0625, 0.25],
      "protocol": {"iou_threshold": 0.5}, "coco": {"ap": -1.5},
      "rate_at_false_positives": [{"false_positives": 16, "detection_rate": 0.75, "detection_rate_ci95": [0.5, 1]}],
      "roc": [{"threshold": 1, "detection_rate": 1}],
      "videos": [{"name": "a,b", "hota": 0.5}], "slices": [{"by": "width", "label": "2-4", "mean": 2}],
      "drift": [{"followed": 3, "mean": 1, "mean_ci95": [0, 2]}],
      "quantities": {"f1": {"name": "F1", "definition": "of \"all\""}, "videos.*.hota": {"definition": "of one"},
                     "rate_at_16_fp": {"definition": "rate"}}}})");
    CHECK(numbers_csv(report, "detector", "detection", "=x") ==
          heading +
              "\"'=x\",faces,4,,,\n"
              "\"'=x\",f1,0.1,0.0625,0.25,\"of \"\"all\"\"\"\n"
              "\"'=x\",coco.ap,-1.5,,,\n"
              "\"'=x\",rate_at_16_fp,0.75,0.5,1,rate\n"
              "\"'=x\",\"videos.a,b.hota\",0.5,,,of one\n"
              "\"'=x\",slices.width.2-4.mean,2,,,\n"
              "\"'=x\",drift.3.followed,3,,,\n"
              "\"'=x\",drift.3.mean,1,0,2,\n");
}

TEST_CASE("CSV of several evaluations", "[report][csv]") {
    const Json report = Json::parse(R"({"detection": {"faces": 1}, "detectors": [
      {"name": "a", "detection": {"faces": 1}}, {"name": "b", "detection": {"faces": 2}}]})");
    CHECK(numbers_csv(report, "detector", "detection", "a") == heading + "a,faces,1,,,\nb,faces,2,,,\n");
}
