// The program under every protocol with a program of its own, on sets small enough to be counted by hand,
// each with a quirk of the reference program that makes strict and corrected numbers differ.
#include <cmath>
#include <cstdlib>
#include <tuple>

#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/evaluate/detection/metrics.hpp"
#include "lib/evaluate/statistics/wilson_interval.hpp"
#include "lib/json/json.hpp"
#include "tests/apps/detection_runs.hpp"
#include "tests/support/page_view.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

/// A set of two images, or more, in files, and the number that a quirk changes.
struct ProtocolRun : DetectionRuns {
    std::string dataset;
    std::string results;
    std::vector<std::string> options;  ///< the protocol, where it is not the dataset's own

    ProgramResult table(const std::string& mode) const { return run(dataset, results, with_mode(mode)); }

    /// Checks a number of a protocol in --json and report.json, in both modes.
    void check(const std::string& protocol, const std::string& key, double strict, double corrected) const {
        CAPTURE(protocol);
        CAPTURE(key);
        const Json found = numbers(protocol, "strict");
        CHECK(found.at(key).get<double>() == Approx(strict).epsilon(1e-12));
        CHECK(found.at(key + "_corrected").get<double>() == Approx(corrected).epsilon(1e-12));
        CHECK_FALSE(found.contains(key + "_strict"));
        const Json other = numbers(protocol, "corrected");
        CHECK(other.at(key).get<double>() == Approx(corrected).epsilon(1e-12));
        CHECK(other.at(key + "_strict").get<double>() == Approx(strict).epsilon(1e-12));
        CHECK_FALSE(other.contains(key + "_corrected"));

        const Json detection = report(dataset, results, with_mode("strict")).at("detection");
        CHECK(detection.at("protocol").at("rule") == protocol);
        CHECK(detection.at("protocol").at("mode") == "strict");
        CHECK(detection.at(protocol) == found);
    }
    /// The interval of a number in strict mode holds the number.
    void check_interval(const std::string& protocol, const std::string& key, double lower,
                        double upper) const {
        const Json found = numbers(protocol, "strict");
        const Json& interval = found.at(key + "_ci95");
        REQUIRE(interval.size() == 2);
        CHECK(interval[0].get<double>() == Approx(lower).margin(1e-12));
        CHECK(interval[1].get<double>() == Approx(upper).margin(1e-12));
    }
    Json numbers(const std::string& protocol, const std::string& mode) const {
        return printed(dataset, results, with_mode(mode)).at("detection").at(protocol);
    }

  private:
    std::vector<std::string> with_mode(const std::string& mode) const {
        std::vector<std::string> arguments = options;
        arguments.insert(arguments.end(), {"--mode", mode});
        return arguments;
    }
};

/// A PASCAL VOC file of faces, boxes from 0.
std::string voc_xml(const std::vector<std::vector<int>>& boxes) {
    std::string xml = "<annotation>";
    for (const std::vector<int>& box : boxes) {
        xml += "<object><name>face</name><bndbox><xmin>" + std::to_string(box[0] + 1) + "</xmin><ymin>" +
               std::to_string(box[1] + 1) + "</ymin><xmax>" + std::to_string(box[0] + box[2]) +
               "</xmax><ymax>" + std::to_string(box[1] + box[3]) + "</ymax></bndbox></object>";
    }
    return xml + "</annotation>";
}

}  // namespace

TEST_CASE("fddb: ellipses are drawn with whole radii", "[cli][evaluate][protocols]") {
    // a: an ellipse of radii 2.9 found with radii 2: drawn, both are the same (IoU 1); as they are, 4 / 2.9^2
    // = 0.476, which is no hit. b: radii 2, found exactly. Strict: 2 of 2, corrected 1 of 2.
    ProtocolRun f;
    f.dataset = "fddb:" + f.write("ellipses.txt", "a\n1\n2.9 2.9 0 10 10 1\nb\n1\n2 2 0 10 10 1\n");
    f.results = "fddb:" + f.write("found.txt", "a\n1\n2 2 0 10 10 0.9\nb\n1\n2 2 0 10 10 0.8\n");
    f.check("fddb", "discrete_rate", 1, 0.5);
    f.check("fddb", "continuous_rate", 1, (4 / (2.9 * 2.9) + 1) / 2);
    f.check("fddb", "discrete_at_50_fp", 1, 0.5);
    // All faces are found in every resample: the interval is Wilson's of 2 in 2.
    f.check_interval("fddb", "discrete_rate", wilson_interval(2, 2)[0], 1);
    const ProgramResult table = f.table("strict");
    CHECK_THAT(table_row(table.out, "Discrete rate"), Contains("100.00 % 34.24–100.00 % corrected 50.00 %"));
    CHECK_THAT(table.err, Contains("The sizes of 2 images are unknown"));
    // A quarter of 1000 resamples holds a only (0), a quarter b only (1).
    CHECK_THAT(table_row(f.table("corrected").out, "Discrete rate"),
               Contains("50.00 % 0.00–100.00 % strict 100.00 %"));
}

TEST_CASE("fddb: sizes come from the images or from a list", "[cli][evaluate][protocols]") {
    // The face and the detection around it reach half out of the image, which the official program cuts off.
    ProtocolRun f;
    const std::string list = f.write("list/ellipses.txt", "a\n1\n20 20 0 0 50 1\n");
    f.results = "fddb:" + f.write("found.txt", "a\n1\n-30 30 50 40 0.9\n");
    f.write("originalPics/a.jpg", edge_pgm(100, 100));
    const std::string sizes = f.write("sizes.txt", "a 100 100\n");
    const auto warnings = [&](const std::string& dataset) { return f.run(dataset, f.results).err; };
    const auto rate = [&](const std::string& dataset) {
        return f.printed(dataset, f.results).at("detection").at("fddb").at("continuous_rate").get<double>();
    };
    const std::string unknown = "fddb:" + list + ",images=" + f.path("elsewhere");
    CHECK_THAT(warnings(unknown), Contains("The size of 1 image is unknown") && Contains("up to 0.012 off") &&
                                      Contains("sizes=FILE"));
    const double without = rate(unknown);
    const double listed = rate("fddb:" + list + ",sizes=" + sizes);
    CHECK(std::abs(listed - without) > 0.01);
    CHECK(rate("fddb:" + list + ",images=" + f.path("originalPics")) == listed);
    CHECK_THAT(warnings("fddb:" + list + ",images=" + f.path("originalPics")), !Contains("unknown"));
    CHECK_THAT(warnings("fddb:" + list + ",sizes=" + sizes), !Contains("unknown"));
}

TEST_CASE("fddb: there is one continuous rate", "[cli][evaluate][protocols]") {
    // a: half of the face, no hit, which counts 0.5 all the same. b: found exactly. Drawn, boxes are a pixel
    // larger.
    ProtocolRun f;
    f.dataset =
        "fovea:" + f.write("set.json",
                           R"({"format": "fovea-dataset", "version": 1, "name": "s", "root": ".", "images": [
        {"image": "a.jpg", "annotated": true, "size": [50, 50], "faces": [{"box": [0, 0, 9, 9]}]},
        {"image": "b.jpg", "annotated": true, "size": [50, 50], "faces": [{"box": [0, 0, 9, 9]}]}]})");
    f.results = f.write("found.txt", "a.jpg 0 0 9 4 0.9\nb.jpg 0 0 9 9 0.8\n");
    f.options = {"--protocol", "fddb", "--resamples", "0"};
    const Json detection = f.report(f.dataset, f.results, f.options).at("detection");
    CHECK(detection.at("fddb").at("continuous_rate") == Approx(0.75));
    CHECK(detection.at("continuous_rate") == Approx(0.75));
    CHECK(detection.at("fddb").at("discrete_rate") == Approx(0.5));
    CHECK(detection.at("mean_iou") == Approx(1));  // of the hit
    const std::string curves = read_bytes(f.path("report/curves.csv"));
    const std::string header = curves.substr(0, curves.find('\n'));
    CAPTURE(curves);
    CHECK_THAT(header, Contains("continuous_rate"));
    CHECK_THAT(curves, Contains(",0.25") && Contains(",0.75"));
}

TEST_CASE("wider: the Python port counts detections in the order of their file",
          "[cli][evaluate][protocols]") {
    // a: a false positive of score 0.1 stands before the hit of 0.9; b: a hit of 0.8. Port: the threshold
    // that lets in the hit of a lets in the alarm before it, so precision is 1/2 at recall 1/2 and 2/3 at
    // recall 1; its envelope is 2/3. The official program sorts: 1 and 1 before the alarm.
    ProtocolRun f;
    f.dataset =
        "wider:" + f.write("wider.txt", "e/a.jpg\n1\n0 0 9 9 0 0 0 0 0 0\ne/b.jpg\n1\n0 0 9 9 0 0 0 0 0 0\n");
    f.write("found/e/a.txt", "a.jpg\n2\n500 500 9 9 0.1\n0 0 9 9 0.9\n");
    f.write("found/e/b.txt", "b.jpg\n1\n0 0 9 9 0.8\n");
    f.results = "wider:" + f.path("found");
    const Json strict = f.numbers("wider", "strict");
    CHECK(strict.at("ap") == Approx(1));
    CHECK(strict.at("ap_port") == Approx(2.0 / 3));
    CHECK_FALSE(strict.contains("ap_corrected"));  // the same
    const Json port = f.numbers("wider", "port");
    CHECK(port.at("ap") == Approx(2.0 / 3));
    CHECK(port.at("ap_strict") == Approx(1));
    CHECK(port.at("ap_corrected") == Approx(1));
    // b alone: all scores are alike, so that they are scaled to 0 / 0 and nothing counts: 0.
    f.check_interval("wider", "ap", 0, 1);
    const ProgramResult table = f.table("strict");
    CHECK_THAT(table_row(table.out, "AP"), Contains("100.00 % 0.00–100.00 % port 66.67 %"));
    CHECK_THAT(table.err, !Contains("not sorted") && Contains("no lists of easy, medium and hard faces"));
    CHECK_THAT(f.table("port").err, Contains("The detections of 1 image are not sorted"));

    const Json detection = f.report(f.dataset, f.results, {"--mode", "port"}).at("detection");
    CHECK(detection.at("protocol").at("mode") == "port");
    const std::string page = read_bytes(f.path("report/report.html"));
    CHECK_THAT(page, Contains("the official MATLAB program (eval_tools)") &&
                         Contains("WiderFace-Evaluation, the Python port that many papers use"));
    const ProgramResult refused = f.run(f.dataset, f.results, {"--mode", "port", "--protocol", "coco"});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains("the protocol coco has no mode 'port'"));
}

TEST_CASE("wider: a box of negative size is a face that nothing finds", "[cli][evaluate][protocols]") {
    // One of two faces is found at precision 1: AP 1/2 in all modes.
    ProtocolRun f;
    f.dataset = "wider:" + f.write("wider.txt", "a.jpg\n2\n10 20 -2 23 0 0 0 0 0 0\n50 50 9 9 0 0 0 0 0 0\n");
    f.results = f.write("found.txt", "a.jpg 50 50 9 9 0.9\na.jpg 8 20 2 23 0.5\n");
    const Json numbers = f.numbers("wider", "strict");
    CHECK(numbers.at("ap") == Approx(0.5));
    CHECK_FALSE(numbers.contains("ap_port"));
    CHECK_FALSE(numbers.contains("ap_corrected"));
    const ProgramResult check = run_fovea({"healthcheck", f.dataset, "--no-images"});
    CHECK_THAT(check.out, Contains("boxes without area"));
}

TEST_CASE("wider: each level counts its faces", "[cli][evaluate][protocols]") {
    // The large face counts at all levels, the small one at hard only. Detections by falling score: the small
    // one, the large one, an alarm that fixes the lower end of the scores. Easy: what hits the small face is
    // ignored, AP 1. Hard: AP 1 of both. b is missed: hard 2 of 3 faces at precision 1, easy 1 of 1.
    ProtocolRun f;
    f.dataset =
        "fovea:" + f.write("set.json",
                           R"({"format": "fovea-dataset", "version": 1, "name": "s", "root": ".", "images": [
        {"image": "a.jpg", "annotated": true, "faces": [
            {"box": [0, 0, 90, 90], "attributes": {"easy": "yes", "medium": "yes", "hard": "yes"}},
            {"box": [200, 0, 9, 9], "attributes": {"hard": "yes"}}]},
        {"image": "b.jpg", "annotated": true, "faces": [{"box": [0, 0, 9, 9], "attributes": {"hard": "yes"}}]}]})");
    f.results = f.write("found.txt", "a.jpg 200 0 9 9 0.9\na.jpg 0 0 90 90 0.8\na.jpg 500 500 9 9 0.1\n");
    f.options = {"--protocol", "wider"};
    for (const char* mode : {"strict", "port", "corrected"}) {
        const Json numbers = f.numbers("wider", mode);
        CHECK(numbers.at("easy_ap") == Approx(1));
        CHECK(numbers.at("medium_ap") == Approx(1));
        CHECK(numbers.at("hard_ap") == Approx(2.0 / 3));
        CHECK_FALSE(numbers.contains("ap"));
    }
}

TEST_CASE("wider: the official files, with a detector's boxes", "[cli][evaluate][protocols][data]") {
    const char* const data = std::getenv("FOVEA_DATA");
    if (data == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return;
    }
    const std::string folder = std::string(data) + "/lists/wider-face";
    const DetectionRuns f;
    REQUIRE(run_program({"tar", "-C", f.folder.path().string(), "-xf", folder + "/predictions-yolov5.tar.xz"})
                .exit_code == 0);
    // Strict: scripts/evaluators/wider_official.m in Octave 7.3; port: WiderFace-Evaluation, commit 53474e0.
    const std::vector<std::tuple<std::string, double, double>> expected{
        {"easy_ap", 0.94372141847357194, 0.9438591782654254},
        {"medium_ap", 0.92519238515923896, 0.925214065385135},
        {"hard_ap", 0.82731962579338292, 0.8273762170921879}};
    const Json numbers = f.printed("wider:" + folder, "wider:" + f.path("yolov5"), {"--resamples", "0"})
                             .at("detection")
                             .at("wider");
    for (const auto& [key, strict, port] : expected) {
        CAPTURE(key);
        CHECK(std::abs(numbers.at(key).get<double>() - strict) < 1e-14);
        CHECK(std::abs(numbers.at(key + "_port").get<double>() - port) < 1e-14);
    }
}

TEST_CASE("voc2007: 3 of 10 faces do not reach the recall 0.3", "[cli][evaluate][protocols]") {
    // Ten images with a face each, three found, no false positive. Precision is 1 up to recall 3/10: of the
    // eleven recalls, 0, 0.1, 0.2 and 0.3 are reached (4/11), strictly without 0.3, which is
    // 0.30000000000000004 (3/11).
    ProtocolRun f;
    for (int i = 0; i < 10; ++i) f.write("voc/" + std::to_string(i) + ".xml", voc_xml({{0, 0, 10, 10}}));
    f.dataset = "voc:" + f.path("voc");
    f.results = "voc:" + f.write("comp4.txt", "0 0.9 1 1 10 10\n1 0.8 1 1 10 10\n2 0.7 1 1 10 10\n");
    f.options = {"--protocol", "voc2007"};
    f.check("voc2007", "ap", 3.0 / 11, 4.0 / 11);
    const Json numbers = f.numbers("voc2007", "strict");
    CHECK(numbers.at("max_recall") == Approx(0.3));
    CHECK_FALSE(numbers.contains("max_recall_corrected"));  // both modes agree
    CHECK(numbers.at("precision_at_max_recall") == 1.0);
    const std::string row = table_row(f.table("strict").out, "AP");
    CHECK_THAT(row, Contains(" 0.2727 0.") && Contains(" corrected 0.3636"));
}

TEST_CASE("voc2010: the face of the largest overlap decides, be it taken", "[cli][evaluate][protocols]") {
    // a: faces at x = 0 and x = 3; a detection at 0, and one at 1, which overlaps the first by 9/11 and the
    // second by 8/12. Strict: a false positive, recall 1/2 at precision 1. Corrected: it takes the second
    // face. b: nothing to be seen and nothing found.
    ProtocolRun f;
    f.write("voc/a.xml", voc_xml({{0, 0, 10, 10}, {3, 0, 10, 10}}));
    f.write("voc/b.xml", voc_xml({}));
    f.dataset = "voc:" + f.path("voc");
    f.results = "voc:" + f.write("comp4.txt", "a 0.9 1 1 10 10\na 0.8 2 1 11 10\n");
    f.check("voc2010", "ap", 0.5, 1);
    f.check("voc2010", "max_recall", 0.5, 1);
    // Strictly the first detection reaches the largest recall, 1/2; the alarm behind it costs nothing there.
    CHECK(f.numbers("voc2010", "strict").at("precision_at_max_recall") == 1.0);
    // b alone: strictly 0, as there is neither a face nor a detection.
    CHECK_THAT(table_row(f.table("strict").out, "AP"), Contains("0.5000 0.0000–0.5000 corrected 1.0000"));
}

TEST_CASE("coco: faces to be ignored count", "[cli][evaluate][protocols]") {
    // a: a face, found exactly. b: a face marked to be ignored, missed; iscrowd = 0 overwrites that mark.
    // Strict: 1 of 2 faces, 51 of the 101 recalls (0 ... 0.50) at precision 1 / (1 + 2^-52). Corrected: 1 of
    // 1.
    ProtocolRun f;
    f.dataset = "coco:" + f.write("coco.json",
                                  R"({"images":[{"id":3,"file_name":"a.jpg"},{"id":4,"file_name":"b.jpg"}],
        "annotations":[
        {"id":1,"image_id":3,"category_id":1,"bbox":[10,0,20,20],"area":400,"iscrowd":0},
        {"id":2,"image_id":4,"category_id":1,"bbox":[10,0,20,20],"area":400,"iscrowd":0,"ignore":1}],
        "categories":[{"id":1,"name":"face"}]})");
    f.results = "coco:" +
                f.write("found.json", R"([{"image_id":3,"category_id":1,"bbox":[10,0,20,20],"score":0.9}])");
    f.check("coco", "ap", 51.0 / 101, 1);
    f.check("coco", "ap_50", 51.0 / 101, 1);
    f.check("coco", "ar_1", 0.5, 1);
    f.check("coco", "ap_small", 51.0 / 101, 1);
    // b alone: no face found; a alone: all.
    f.check_interval("coco", "ar_100", 0, 1);
    const Json numbers = f.numbers("coco", "strict");
    CHECK_FALSE(numbers.contains("ap_medium"));  // no such face: undefined
    CHECK_FALSE(numbers.contains("ar_large"));
    const ProgramResult table = f.table("strict");
    CHECK_THAT(table_row(table.out, "AP"), Contains("0.5050 0.0000–1.0000 corrected 1.0000"));
    CHECK_THAT(table_row(table.out, "AP large"), Contains("–"));
    CHECK_THAT(table.err, Contains("marked \"ignore\": pycocotools counts it all the same"));
    CHECK_THAT(table.out, Contains("Ignored faces: the strict numbers of coco count it") &&
                              !Contains("count neither way"));
    // The page and its Markdown say the same, and what the headline number is without that face.
    f.report(f.dataset, f.results);
    const std::string page = page_texts(read_bytes(f.path("report/report.html")));
    CHECK_THAT(page,
               Contains("1 more is ignored: the strict numbers of coco count it, as pycocotools does") &&
                   Contains("AP is 0.5050 with the ignored faces and 1.0000 without them") &&
                   Contains("strict, with ignored faces; without them 1.0000") &&
                   !Contains("count neither way"));
    CHECK_THAT(read_bytes(f.path("report/report.md")),
               Contains("1 more is ignored: the strict numbers of coco count it, as pycocotools does"));
    // Corrected numbers leave it out, as all others do.
    f.report(f.dataset, f.results, {"--mode", "corrected"});
    CHECK_THAT(page_texts(read_bytes(f.path("report/report.html"))),
               Contains("1 more is ignored: they count neither way") && Contains("AP is 1.0000.") &&
                   !Contains("without them"));
    f.write("worse.json", R"([{"image_id":4,"category_id":1,"bbox":[70,70,9,9],"score":0.9}])");
    f.report(f.dataset, f.results, {"--results", "coco:" + f.path("worse.json")});
    CHECK_THAT(page_texts(read_bytes(f.path("report/report.html"))),
               Contains("The best is found: AP is 0.5050 with the ignored faces and 1.0000 without them"));
    // The table's other numbers leave the ignored face out: one of one is found, and no number exceeds 1.
    CHECK_THAT(table_row(table.out, "found"), Contains("found 1.000 100.0 % 100.0 % 0.000 1.000 1 1 "));
    // Numbers are asked for as they are printed; unknown names are answered with the nearest one and the
    // list.
    const auto gate = [&](const std::string& require) {
        return f.run(f.dataset, f.results, {"--protocol", "coco", "--require", require});
    };
    CHECK(gate("AP50 >= 0.5").exit_code == 0);
    CHECK(gate("ap small >= 0.51").exit_code == 4);
    CHECK(gate("coco.AP-50 >= 0.51").exit_code == 4);
    const ProgramResult unknown = gate("ap_5o >= 0.5");
    CHECK(unknown.exit_code == 2);
    CHECK_THAT(unknown.err,
               Contains("no number 'ap_5o' (did you mean 'ap_50'?); it has detection.coco.ap, "));
    for (const char* key : {"ap", "ap_50", "ap_75", "ap_small", "ar_1", "ar_10", "ar_100", "ar_small"}) {
        CHECK(numbers.contains(key));
    }
}

TEST_CASE("coco: a face whose id is 0 is never found", "[cli][evaluate][protocols]") {
    // Both faces are found; what finds that of id 0 counts as a false positive, and has the larger score:
    // precision is 1/2 at the recalls 0 ... 0.50.
    ProtocolRun f;
    f.dataset = "coco:" + f.write("coco.json",
                                  R"({"images":[{"id":3,"file_name":"a.jpg"},{"id":4,"file_name":"b.jpg"}],
        "annotations":[
        {"id":0,"image_id":3,"category_id":1,"bbox":[10,0,20,20],"area":400,"iscrowd":0},
        {"id":1,"image_id":4,"category_id":1,"bbox":[10,0,20,20],"area":400,"iscrowd":0}],
        "categories":[{"id":1,"name":"face"},{"id":2,"name":"hand"}]})");
    const std::string faces = R"({"image_id":3,"category_id":1,"bbox":[10,0,20,20],"score":0.9},
                                 {"image_id":4,"category_id":1,"bbox":[10,0,20,20],"score":0.8})";
    f.results = "coco:" + f.write("found.json", "[" + faces + "]");
    f.check("coco", "ap", 51 * 0.5 / 101, 1);

    // Detections of another category change nothing, and are named.
    const std::string both =
        "coco:" +
        f.write("both.json",
                "[" + faces + R"(,{"image_id":3,"category_id":2,"bbox":[80,0,20,20],"score":0.95}])");
    CHECK(f.printed(f.dataset, both).at("detection").at("coco") == f.numbers("coco", "strict"));
    CHECK_THAT(f.run(f.dataset, both).err,
               Contains("1 of 3 results have a category_id that is not that of the dataset's faces"));
    const Json report = f.report(f.dataset, both);
    CHECK(report.at("detection").at("detections") == 2);
    CHECK(f.report(f.dataset + ",category=hand", both).at("detection").at("detections") == 1);
}

TEST_CASE("coco: several categories, each by itself, and their mean", "[cli][evaluate][protocols]") {
    // Persons: 1 of 1 found (the cat's box is no false positive of theirs). Cats: 1 of 1 found, by the lower
    // of two scores: precision 1/2. Dogs: none to be found, and none in the mean.
    ProtocolRun f;
    f.dataset = "coco:" + f.write("coco.json",
                                  R"({"images":[{"id":3,"file_name":"a.jpg"},{"id":4,"file_name":"b.jpg"}],
        "annotations":[
        {"id":1,"image_id":3,"category_id":1,"bbox":[10,0,40,40],"area":1600,"iscrowd":0},
        {"id":2,"image_id":4,"category_id":7,"bbox":[10,0,40,40],"area":1600,"iscrowd":0}],
        "categories":[{"id":1,"name":"person"},{"id":7,"name":"cat"},{"id":9,"name":"dog"}]})");
    f.results = "coco:" + f.write("found.json", R"([
        {"image_id":3,"category_id":1,"bbox":[10,0,40,40],"score":0.5},
        {"image_id":3,"category_id":7,"bbox":[10,0,40,40],"score":0.9},
        {"image_id":4,"category_id":7,"bbox":[10,0,40,40],"score":0.8},
        {"image_id":4,"category_id":9,"bbox":[10,0,40,40],"score":0.7},
        {"image_id":4,"category_id":99,"bbox":[10,0,40,40],"score":0.7}])");
    const ProgramResult none = f.run(f.dataset, f.results);
    CHECK(none.exit_code == 2);
    CHECK_THAT(none.err, Contains("several categories") && Contains("person, cat, dog"));

    const Json coco = f.printed(f.dataset, f.results, {"--category", "all"}).at("detection").at("coco");
    REQUIRE(coco.at("categories").size() == 3);
    const Json& person = coco["categories"][0];
    const Json& cat = coco["categories"][1];
    const Json& dog = coco["categories"][2];
    CHECK(person.at("name") == "person");
    CHECK(person.at("objects") == 1);
    CHECK(person.at("detections") == 1);
    CHECK(person.at("ap").get<double>() == Approx(1));
    CHECK(cat.at("id") == 7);
    CHECK(cat.at("detections") == 2);
    CHECK(cat.at("ap").get<double>() == Approx(0.5));
    CHECK(cat.at("ar_100") == Approx(1));
    CHECK(dog.at("detections") == 1);
    CHECK_FALSE(dog.contains("ap"));
    CHECK(coco.at("ap").get<double>() == Approx(0.75));
    CHECK(coco.at("ap_medium").get<double>() == Approx(0.75));
    CHECK_FALSE(coco.contains("ap_small"));

    // One category alone is as in all.
    const Json one = f.printed(f.dataset, f.results, {"--category", "cat", "--resamples", "0"});
    CHECK(one.at("detection").at("coco").at("ap") == cat.at("ap"));
    CHECK(one.at("detection").at("detections") == 2);

    const ProgramResult table = f.run(f.dataset, f.results, {"--category", "all", "--require", "ap>=0.8"});
    CHECK(table.exit_code == 4);
    CHECK_THAT(table_row(table.out, "cat"), Contains("0.5000"));
    CHECK_THAT(table_row(table.out, "dog"), Contains("–"));
    CHECK_THAT(table_row(table.out, "mean of 3 categories"), Contains("0.7500"));
    CHECK_THAT(table.err, Contains("1 of 5 results have a category_id"));
    CHECK(f.run(f.dataset, f.results, {"--category", "bird"}).exit_code == 2);
    CHECK(f.run(f.dataset, f.results, {"--category", "all", "--out", f.path("report")}).exit_code == 2);
    CHECK(f.run(f.dataset, f.results, {"--category", "all", "--protocol", "voc2010"}).exit_code == 2);
    const std::string text = f.write("found.txt", "a.jpg 10 0 40 40 0.5\n");
    const ProgramResult without = f.run(f.dataset, text, {"--category", "all"});
    CHECK(without.exit_code == 2);
    CHECK_THAT(without.err, Contains("'a.jpg'") && Contains("category_id"));
}

TEST_CASE("s-eyes: windows are averaged pair by pair", "[cli][evaluate][protocols]") {
    // Eyes 10 apart; windows shifted by 0, 1 and 2.4. The closest are averaged first: (0.5 + 2.4) / 2 = 1.45
    // as printed, 3.4 / 3 with equal weights. S_eyes is twice the shift over 10: 0.29 and 0.2267. b: found
    // exactly, S_eyes 0.
    ProtocolRun f;
    const std::string face = R"("faces": [{"box": [0, 0, 24, 24], "eyes": [7, 7, 17, 7]}])";
    f.dataset =
        "fovea:" + f.write("set.json",
                           R"({"format": "fovea-dataset", "version": 1, "name": "s", "root": ".", "images": [
        {"image": "a.jpg", "annotated": true, )" +
                               face + R"(}, {"image": "b.jpg", "annotated": true, )" + face + "}]}");
    const auto window = [](const std::string& score, double shift) {
        const std::string left = std::to_string(7 + shift);
        const std::string right = std::to_string(17 + shift);
        return R"({"box": [0, 0, 24, 24], "score": )" + score + R"(, "landmarks": [[)" + left + ", 7], [" +
               right + ", 7]]}";
    };
    const auto line = [](const std::string& image, const std::string& windows) {
        return R"({"image": ")" + image + R"(", "width": 64, "height": 48, "status": "ok", "detections": [)" +
               windows + "]}\n";
    };
    f.results = f.write(
        "found.jsonl", line("a.jpg", window("0.9", 0) + ", " + window("0.8", 1) + ", " + window("0.7", 2.4)) +
                           line("b.jpg", window("0.9", 0)));
    f.options = {"--protocol", "s-eyes"};
    f.check("s-eyes", "mean_s_eyes", 0.29 / 2, 2 * 3.4 / 3 / 10 / 2);
    f.check_interval("s-eyes", "mean_s_eyes", 0, 0.29);
    const Json numbers = f.numbers("s-eyes", "strict");
    CHECK(numbers.at("detection_rate") == 1.0);
    CHECK_FALSE(numbers.contains("detection_rate_corrected"));
    CHECK_THAT(table_row(f.table("strict").out, "Mean S_eyes"),
               Contains("0.1450 0.0000–0.2900 corrected 0.1133"));
}

TEST_CASE("uiuc: the first car in the file takes a detection that hits two", "[cli][evaluate][protocols]") {
    // test-0: the detection of 0.9 hits both cars, that of 0.8 the first one only. Strict: one found, one
    // false detection; corrected: both found. test-1: a car beyond the border, found.
    ProtocolRun f;
    f.write("cars/TestImages/test-0.pgm", edge_pgm(160, 60));
    f.write("cars/TestImages/test-1.pgm", edge_pgm(120, 60));
    f.write("cars/trueLocations.txt", "0: (0,0) (0,30)\n1: (6,-50)\n");
    f.dataset = f.path("cars");
    f.results =
        f.write("found.txt",
                "test-0.pgm 20 0 100 40 0.9\ntest-0.pgm -10 0 100 40 0.8\ntest-1.pgm -50 12 100 40 0.7\n");
    f.check("uiuc", "recall_at_eer", 2.0 / 3, 1);
    f.check("uiuc", "best_f", 2.0 / 3, 1);
    CHECK_THAT(table_row(f.table("strict").out, "Recall at EER"), Contains("corrected 100.00 %"));
    CHECK(fs::exists(f.path("report/recall_false_share.svg")));
    CHECK(f.run(f.dataset, f.results, {"--require", "recall_at_eer >= 0.66"}).exit_code == 0);
    const ProgramResult gate =
        f.run(f.dataset, f.results, {"--require", "detection.uiuc.recall_at_eer >= 0.67"});
    CHECK(gate.exit_code == 4);
    CHECK_THAT(gate.err, Contains("recall_at_eer"));
    CHECK(
        f.run(f.dataset, f.results, {"--no-worse-than", f.path("report/report.json"), "--mode", "corrected"})
            .exit_code != 0);  // of another mode
    CHECK(f.run(f.dataset, f.results, {"--no-worse-than", f.path("report/report.json")}).exit_code == 0);
    CHECK(run_fovea({"healthcheck", f.dataset}).exit_code == 0);
    const ProgramResult detect = run_fovea({"detect", "uiuc:" + f.dataset, "--out", f.path("own.jsonl")});
    INFO(detect.err);
    CHECK(detect.exit_code == 0);
    CHECK_THAT(f.run(f.dataset, f.path("own.jsonl")).err, Contains("no recall at EER"));
}

TEST_CASE("uiuc-scale: the width of a window counts, too", "[cli][evaluate][protocols]") {
    // A car of width 80, centre (70, 36). A window of width 99 is at 19 / 20 of the border: strict with its
    // centre cut to (70, 36), which is 0.9025; corrected with (70.5, 36.8), which adds 0.0006 and 0.01. A
    // window of width 101 is beyond.
    ProtocolRun f;
    f.write("trueLocations_Scale.txt", "0: (20,30,80)\n1: (20,30,80)\n");
    f.dataset = "uiuc-scale:" + f.path(".");
    f.results = f.write("found.txt", "test-0.pgm 21 17 99 39.6 0.9\ntest-1.pgm 20 16 101 40.4 0.8\n");
    const Json numbers = f.numbers("uiuc-scale", "strict");
    CHECK(numbers.at("recall_at_eer") == 0.5);
    CHECK(numbers.at("max_recall") == 0.5);
    CHECK_FALSE(numbers.contains("max_recall_corrected"));
    // The rule of a single scale makes both corners hits: 9 columns of 20 and 3 rows of 8; 10 and 4.
    CHECK(
        f.printed(f.dataset, f.results, {"--protocol", "uiuc"}).at("detection").at("uiuc").at("max_recall") ==
        1.0);
}

TEST_CASE("uiuc: the real cars, moved to the border of the ellipse and beyond",
          "[cli][evaluate][protocols]") {
    const char* const data = std::getenv("FOVEA_DATA");
    if (data == nullptr) {
        WARN("not run: FOVEA_DATA is not set");
        return;
    }
    DetectionRuns f;
    const std::string dataset = std::string("uiuc:") + data + "/objects/uiuc-cars";
    const Dataset cars = read_dataset(dataset);
    const auto numbers_of_moved = [&](double dx, double dy) {
        std::string lines;
        for (const Sample& sample : cars.samples) {
            for (const Face& car : sample.faces)
                lines += sample.image + " " + std::to_string(car.box.x + dx) + " " +
                         std::to_string(car.box.y + dy) + " 100 40 1\n";
        }
        return f.printed(dataset, f.write("moved.txt", lines)).at("detection").at("uiuc");
    };
    CHECK(numbers_of_moved(-20, 6).at("recall_at_eer") == 1.0);
    CHECK(numbers_of_moved(21, -6).at("recall_at_eer") == 0.0);
}

TEST_CASE("the numbers of a protocol alone are those of the whole evaluation", "[cli][evaluate][protocols]") {
    ProtocolRun f;
    f.write("voc/a.xml", voc_xml({{0, 0, 10, 10}, {30, 0, 10, 10}}));
    f.write("voc/b.xml", voc_xml({{0, 0, 10, 10}}));
    f.dataset = "voc:" + f.path("voc");
    f.results = "voc:" + f.write("comp4.txt", "a 0.9 1 1 10 10\nb 0.8 50 50 60 60\n");
    const Json whole = f.numbers("voc2010", "strict");
    const Json only = f.printed(f.dataset, f.results, {"--only", "voc2010"});
    const Json& numbers = only.at("detection").at("voc2010");
    for (const char* key : {"ap", "ap_ci95", "max_recall", "max_recall_ci95", "precision_at_max_recall"}) {
        CAPTURE(key);
        CHECK(numbers.at(key) == whole.at(key));
    }
    CHECK(only.at("detection").at("faces") == 3);
    CHECK(only.at("detection").at("detections") == 2);
    CHECK_FALSE(only.at("detection").contains("average_precision"));
    CHECK_THAT(table_row(f.run(f.dataset, f.results, {"--only", "voc2010"}).out, "AP"), Contains("0.3333"));
    CHECK(
        f.printed(f.dataset, f.results, {"--only", "voc2010", "--name", "mine"}).at("detection").at("name") ==
        "mine");
    CHECK(f.run(f.dataset, f.results, {"--only", "voc2010", "--require", "ap>=0.5"}).exit_code == 4);
    CHECK(f.run(f.dataset, f.results, {"--only", "voc2010", "--out", f.path("report")}).exit_code == 2);
    const ProgramResult other = f.run(f.dataset, f.results, {"--only", "coco"});
    CHECK(other.exit_code == 2);
    CHECK_THAT(other.err, Contains("the protocol here is voc2010"));
    CHECK(f.run(f.dataset, f.results, {"--only", "iou", "--protocol", "iou"}).exit_code == 2);
}

TEST_CASE("auto is the protocol of the dataset's format", "[cli][evaluate][protocols]") {
    DetectionRuns f;
    f.write("voc/a.xml", voc_xml({{10, 0, 20, 20}}));
    const std::string found = f.write("found.txt", "a.jpg 10 0 20 20 0.9\n");
    const std::vector<std::pair<std::string, std::string>> expected{
        {"fddb:" + f.write("fddb.txt", "a\n1\n10 10 0 20 10 1\n"), "fddb"},
        {"wider:" + f.write("wider.txt", "a.jpg\n1\n10 0 20 20 0 0 0 0 0 0\n"), "wider"},
        {"voc:" + f.path("voc"), "voc2010"},
        {"coco:" + f.write("coco.json", R"({"images":[{"id":3,"file_name":"a.jpg"}],"annotations":[
            {"id":1,"image_id":3,"category_id":1,"bbox":[10,0,20,20],"area":400,"iscrowd":0}],
            "categories":[{"id":1,"name":"face"}]})"),
         "coco"},
        {"mit-cmu-boxes:" + f.write("facegroundtruth.txt", "a.jpg 10 0 20 20\n"), "iou"},
    };
    const std::vector<std::string> protocols{"fddb", "wider", "voc2010", "coco", "voc2007", "s-eyes", "uiuc"};
    for (const auto& [dataset, protocol] : expected) {
        CAPTURE(dataset);
        for (const std::vector<std::string>& options :
             {std::vector<std::string>{}, std::vector<std::string>{"--protocol", "auto"}}) {
            const Json detection = f.printed(dataset, found, options).at("detection");
            CHECK(detection.at("faces") == 1);
            for (const std::string& other : protocols) {
                CAPTURE(other);
                CHECK(detection.contains(other) == (other == protocol));
            }
        }
        // Any other protocol can be asked for.
        CHECK(f.printed(dataset, found, {"--protocol", "voc2007"}).at("detection").at("voc2007").at("ap") ==
              Approx(1));
    }
    const ProgramResult unknown = f.run(expected[0].first, found, {"--protocol", "voc2017"});
    CHECK(unknown.exit_code == 2);
    CHECK_THAT(unknown.err, Contains("voc2017") && Contains("voc2007"));
    CHECK(f.run(expected[0].first, found, {"--mode", "lenient"}).exit_code == 2);
}
