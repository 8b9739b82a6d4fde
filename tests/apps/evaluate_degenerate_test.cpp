// `evaluate detection` where there is nothing to count, and where a score is no number.
#include "lib/json/json.hpp"
#include "tests/apps/detection_runs.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

const std::vector<std::string> all_protocols{"iou",     "mit-cmu", "s-eyes", "fddb", "wider",
                                             "voc2007", "voc2010", "coco",   "uiuc", "uiuc-scale"};

/// A set of two images with the same faces, in Fovea's JSON; its specification.
std::string set_of(const DetectionRuns& runs, const std::string& faces) {
    std::string images;
    for (const char* name : {"a.jpg", "b.jpg"}) {
        images += std::string(images.empty() ? "" : ",") + R"({"image": ")" + name +
                  R"(", "annotated": true, "faces": [)" + faces + "]}";
    }
    return "fovea:" +
           runs.write("set.json", R"({"format": "fovea-dataset", "version": 1, "name": "s", "root": ".",
                                                 "images": [)" +
                                      images + "]}");
}

/// Checks the counts under every protocol and mode.
void check_counts(const DetectionRuns& runs, const std::string& dataset, const std::string& results,
                  int faces, int false_positives) {
    for (const std::string& protocol : all_protocols) {
        CAPTURE(protocol);
        const Json detection =
            runs.printed(dataset, results, {"--protocol", protocol, "--mode", "corrected"}).at("detection");
        CHECK(detection.at("faces") == faces);
        CHECK(detection.at("true_positives") == 0);
        CHECK(detection.at("false_positives") == false_positives);
        // A rate of no faces is undefined, and left out.
        for (const char* key : {"detection_rate", "recall", "average_precision", "best_f1"}) {
            CAPTURE(key);
            CHECK(detection.contains(key) == (faces > 0));
            CHECK(detection.value(key, 0.0) == 0.0);
        }
    }
}

}  // namespace

TEST_CASE("no faces at all: every detection is a false positive", "[cli][evaluate][degenerate]") {
    const DetectionRuns f;
    const std::string dataset = set_of(f, "");
    const std::string results = f.write("found.txt", "a.jpg 0 0 20 20 0.9\n");
    check_counts(f, dataset, results, 0, 1);
    CHECK(f.report(dataset, results).at("detection").at("faces") == 0);
}

TEST_CASE("no detections at all: every face is missed", "[cli][evaluate][degenerate]") {
    const DetectionRuns f;
    const std::string dataset = set_of(f, R"({"box": [0, 0, 20, 20]})");
    const std::string results = "text:" + f.write("found.txt", "");
    check_counts(f, dataset, results, 2, 0);
    CHECK(f.report(dataset, results).at("detection").at("false_negatives") == 2);
}

TEST_CASE("all faces ignored: there is nothing to find", "[cli][evaluate][degenerate]") {
    const DetectionRuns f;
    const std::string dataset = set_of(f, R"({"box": [0, 0, 20, 20], "ignore": true})");
    const std::string results = f.write("found.txt", "a.jpg 0 0 20 20 0.9\n");
    check_counts(f, dataset, results, 0, 0);
    CHECK(f.report(dataset, results).at("detection").at("faces_ignored") == 2);
}

TEST_CASE("a score that is no number is refused with its line", "[cli][evaluate][degenerate]") {
    const DetectionRuns f;
    const std::string dataset = set_of(f, R"({"box": [0, 0, 20, 20]})");
    f.write("wider/e/a.txt", "a.jpg\n1\n0 0 20 20 nan\n");
    const std::string line = R"({"image": "a.jpg", "width": 9, "height": 9, "status": "ok", "detections": [)";
    const std::vector<std::pair<std::string, std::string>> broken{
        {"text:" + f.write("a.txt", "b.jpg 0 0 9 9 1\na.jpg 0 0 20 20 nan\n"), "a.txt:2: "},
        {"fddb:" + f.write("fddb.txt", "a\n1\n0 0 20 20 nan\nb\n0\n"), "fddb.txt:3: "},
        {"wider:" + f.path("wider"), "a.txt:3: "},
        {"voc:" + f.write("voc.txt", "b 1 1 1 9 9\na nan 1 1 20 20\n"), "voc.txt:2: "},
        {"jsonl:" +
             f.write("a.jsonl", line + "]}\n" + line + R"({"box": [0, 0, 9, 9], "score": NaN}]})" + "\n"),
         "a.jsonl:2: "},
        {"coco:" + f.write("a.json",
                           "[\n{\"image_id\": \"a.jpg\", \"category_id\": 1,\n"
                           "\"bbox\": [0, 0, 9, 9], \"score\": NaN}]\n"),
         "a.json:3: "}};
    for (const auto& [results, place] : broken) {
        CAPTURE(results);
        const ProgramResult result = f.run(dataset, results);
        CHECK(result.exit_code == 1);
        CHECK_THAT(result.err, Contains(place));
        CHECK(result.out.empty());
    }
}
