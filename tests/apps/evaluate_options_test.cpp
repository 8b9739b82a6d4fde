// The options of `evaluate detection` and its report, by whole-program runs.
#include <filesystem>
#include <map>

#include "lib/json/json.hpp"
#include "tests/apps/detection_runs.hpp"
#include "tests/support/page_view.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

/// Three images of flat grey with a pattern, a face of 20 x 20 at (10, 10) in each, in folds 1, 2 and 3.
struct ThreeFaces : DetectionRuns {
    ThreeFaces() {
        std::string images;
        for (int i = 0; i < 3; ++i) {
            const std::string name(1, static_cast<char>('a' + i));
            write("set/" + name + ".pgm", picture(60 * (i + 1), 5 * i));
            images += std::string(i > 0 ? ",\n" : "\n") + R"({"image": ")" + name +
                      R"(.pgm", "annotated": true, "attributes": {"fold": ")" + std::to_string(i + 1) +
                      R"("}, "faces": [{"box": [10, 10, 20, 20]}]})";
        }
        dataset =
            "fovea:" +
            write("set.json", R"({"format": "fovea-dataset", "version": 1, "name": "three", "root": "set",
                                        "images": [)" +
                                  images + "]}");
        // Detections by falling score: hit, false positive, hit, two false positives; c's face is missed.
        results =
            write("found.txt",
                  "a.pgm 10 10 20 20 0.9\na.pgm 0 0 5 5 0.8\nb.pgm 10 10 20 20 0.7\nb.pgm 40 0 9 9 0.6\n"
                  "c.pgm 40 0 9 9 0.5\n");
    }
    /// 64 x 48 pixels around `grey`, by turns `amplitude` brighter and darker.
    static std::string picture(int grey, int amplitude) {
        std::string pgm = "P5\n64 48\n255\n";
        for (int i = 0; i < 64 * 48; ++i) {
            pgm += static_cast<char>(grey + ((i + i / 64) % 2 == 0 ? amplitude : -amplitude));
        }
        return pgm;
    }
    Json operating_point(const std::string& choice) const {
        return report(dataset, results, {"--operating-point", choice, "--resamples", "0"})
            .at("detection")
            .at("operating_point");
    }

    std::string dataset;
    std::string results;
};

std::map<std::string, std::string> files_in(const std::string& folder) {
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        files[entry.path().filename().string()] = read_bytes(entry.path());
    }
    return files;
}

/// True if a key that ends so is anywhere in it.
bool has_key_ending(const Json& json, const std::string& ending) {
    for (const auto& [key, value] : json.items()) {
        if (json.is_object() && key.ends_with(ending)) return true;
        if (value.is_structured() && has_key_ending(value, ending)) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("a report that cannot be written costs no numbers", "[cli][evaluate][report]") {
    const ThreeFaces f;
    // No file takes the place of a folder.
    f.write("report/curves.csv/in-the-way", "");
    const std::vector<std::string> out{"--out", f.path("report")};
    const ProgramResult people = f.run(f.dataset, f.results, out);
    CAPTURE(people.err);
    CHECK(people.exit_code == 2);
    CHECK_THAT(people.err, Contains("curves.csv"));
    CHECK(people.out == f.run(f.dataset, f.results).out);
    const Json programs = f.printed(f.dataset, f.results, out, 2);
    CHECK(programs["exit_code"] == 2);
    CHECK_FALSE(programs.contains("report"));
    CHECK(programs["detection"] == f.printed(f.dataset, f.results)["detection"]);
}

TEST_CASE("a report's files are there, and the same again", "[cli][evaluate][report]") {
    const ThreeFaces f;
    const Json first = f.report(f.dataset, f.results, {"--protocol", "voc2010"}, "first");
    f.report(f.dataset, f.results, {"--protocol", "voc2010", "--threads", "1"}, "second");
    auto files = files_in(f.path("first"));
    auto again = files_in(f.path("second"));
    // The page says when it was made and with what command; beside that it is the same.
    for (auto* made : {&files, &again}) {
        std::string& page = made->at("report.html");
        const Json view = page_view(page);
        CHECK_THAT(page_definition(view, "made at"), Catch::StartsWith("20") && Catch::EndsWith(" UTC"));
        CHECK_THAT(page_definition(view, "made with"), Contains("evaluate detection --dataset"));
        for (const char* term : {"made at", "made with"}) {
            const std::string text = Json(page_definition(view, term)).dump();
            const std::size_t at = page.find(text);
            REQUIRE(at != std::string::npos);
            page.erase(at, text.size());
        }
    }
    CHECK(files == again);
    for (const char* name :
         {"report.html", "report.md", "report.json", "numbers.csv", "curves.csv", "evaluated.jsonl",
          "roc.svg", "roc.pdf", "precision_recall.svg", "precision_recall.pdf"}) {
        CAPTURE(name);
        REQUIRE(files.contains(name));
        CHECK_FALSE(files.at(name).empty());
    }
    std::size_t pdfs = 0;
    for (const auto& [name, bytes] : files) {
        if (name.ends_with(".svg")) CHECK(files.contains(name.substr(0, name.size() - 4) + ".pdf"));
        if (!name.ends_with(".pdf")) continue;
        ++pdfs;
        CAPTURE(name);
        CHECK(bytes.starts_with("%PDF-"));
        CHECK_THAT(bytes.substr(bytes.size() - 10), Contains("%%EOF"));
    }
    CHECK(pdfs >= 4);

    // Two of three faces at precision 1 and 2/3: AP is 1/3 + 1/3 * 2/3 = 5/9.
    const double ap = first.at("detection").at("voc2010").at("ap");
    CHECK(ap == Approx(5.0 / 9));
    const std::string& numbers = files.at("numbers.csv");
    CHECK_THAT(numbers, Contains("voc2010.ap,0.5555") && Contains("found,faces,3,") &&
                            Contains("found,true_positives,2,") && Contains("found,detection_rate,0.6666"));
    CHECK_THAT(files.at("report.md"), Contains("| AP | 0.5556 (") && Contains("PASCAL VOC 2010"));
    CHECK_THAT(files.at("report.html"), !Contains("src=\"http") && !Contains("href=\"http"));
    CHECK_FALSE(std::filesystem::exists(f.path("first/report.json.part")));
}

TEST_CASE("boxes are calibrated on other folds", "[cli][evaluate][options]") {
    const ThreeFaces f;
    // Every box lies 10 to the right of its face of width 20: IoU 200 / 600 = 1/3, no hit, but a pair to
    // learn from. On the other folds, both edges are learned to be 10 / 20 to the left: every box becomes its
    // face.
    const std::string shifted =
        f.write("shifted.txt", "a.pgm 20 10 20 20 3\nb.pgm 20 10 20 20 2\nc.pgm 20 10 20 20 1\n");
    const Json json = f.printed(f.dataset, shifted, {"--calibrate-boxes"});
    REQUIRE(json.at("detectors").size() == 2);
    CHECK(json["detectors"][0]["name"] == "shifted");
    CHECK(json["detectors"][0]["detection"]["true_positives"] == 0);
    CHECK(json["detectors"][1]["name"] == "shifted, calibrated");
    CHECK(json["detectors"][1]["detection"]["true_positives"] == 3);
    CHECK(json["detectors"][1]["detection"]["mean_iou"] == Approx(1));
    CHECK_THAT(table_row(f.run(f.dataset, shifted, {"--calibrate-boxes"}).out, "shifted, calibrated"),
               Contains("100.0 %"));

    const Json report = f.report(f.dataset, shifted, {"--calibrate-boxes"});
    CHECK(report.at("detectors").at(1).at("detection").at("true_positives") == 3);
    const Json& calibration = report.at("box_calibration").at("shifted, calibrated");
    CHECK_THAT(calibration.at("folds_by").get<std::string>(), Contains("fold"));
    REQUIRE(calibration.at("folds").size() == 3);
    for (const Json& fold : calibration["folds"]) {
        CAPTURE(fold.dump());
        CHECK(fold.at("pairs_of_other_folds") == 2);
        CHECK(fold.at("left") == Approx(-0.5));
        CHECK(fold.at("right") == Approx(-0.5));
        CHECK(fold.at("top") == 0.0);
        CHECK(fold.at("bottom") == 0.0);
    }
    CHECK_FALSE(f.report(f.dataset, shifted, {}, "raw").contains("box_calibration"));
}

TEST_CASE("faces are measured for slices by brightness and sharpness", "[cli][evaluate][options]") {
    const ThreeFaces f;
    const ProgramResult refused = f.run(f.dataset, f.results, {"--measure-faces"});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains("--out"));

    // The faces are grey 60, 120 and 180; those of a and b are found.
    const auto group = [](const Json& report, const std::string& key) {
        for (const Json& entry : report.at("detection").at("slices")) {
            if (entry.at("key") == key) return entry;
        }
        return Json();
    };
    const Json report = f.report(f.dataset, f.results, {"--measure-faces"});
    for (const char* key : {"brightness", "sharpness"}) {
        CAPTURE(key);
        const Json slices = group(report, key);
        REQUIRE_FALSE(slices.is_null());
        int faces = 0;
        int found = 0;
        for (const Json& slice : slices.at("slices")) {
            faces += slice.at("faces").get<int>();
            found += slice.at("found").get<int>();
        }
        CHECK(faces == 3);
        CHECK(found == 2);
    }
    // The brightest one, and the one of the strongest pattern, is missed.
    for (const char* key : {"brightness", "sharpness"}) {
        CHECK(group(report, key).at("slices").back().at("found") == 0);
        CHECK(group(report, key).at("slices").front().at("found") == 1);
    }
    const Json unmeasured = f.report(f.dataset, f.results, {}, "unmeasured");
    CHECK(group(unmeasured, "brightness").is_null());

    // An image that cannot be read is told, and the report written.
    f.write("set/b.pgm", "no image");
    const ProgramResult broken = f.run(f.dataset, f.results, {"--measure-faces", "--out", f.path("broken")});
    CHECK(broken.exit_code == 3);
    CHECK_THAT(broken.err, Contains("1 of 3 images could not be read: b.pgm"));
    CHECK(std::filesystem::exists(f.path("broken/report.html")));
}

TEST_CASE("another detector's boxes stand for the truth", "[cli][evaluate][options]") {
    const ThreeFaces f;
    // The reference found the face of a, and something in b that the detector does not have: 1 of 2. Nothing
    // of the reference is known of c, so that its false positive does not count; 3 of the detector's 4 boxes
    // in a and b are alarms.
    const std::string reference =
        "text:" + f.write("reference.txt", "a.pgm 10 10 20 20 1\nb.pgm 0 20 15 15 1\n");
    for (const bool with_dataset : {true, false}) {
        CAPTURE(with_dataset);
        std::vector<std::string> arguments{"evaluate",  "detection", "--truth", reference,
                                           "--results", f.results,   "--json"};
        if (with_dataset) arguments.insert(arguments.end(), {"--dataset", f.dataset});
        const ProgramResult result = run_fovea(arguments);
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        const Json detection = Json::parse(result.out).at("detection");
        CHECK(detection.at("images") == 2);
        CHECK(detection.at("faces") == 2);
        CHECK(detection.at("true_positives") == 1);
        CHECK(detection.at("false_positives") == 3);
        CHECK(detection.at("average_precision") == 0.5);
    }
    // A detector against its own boxes: all are found.
    const Json same = f.printed(f.dataset, f.results, {"--truth", f.results}).at("detection");
    CHECK(same.at("faces") == 5);
    CHECK(same.at("detection_rate") == 1.0);
    CHECK(same.at("mean_iou") == 1.0);
    CHECK(run_fovea({"evaluate", "detection", "--truth", f.path("absent.txt"), "--results", f.results})
              .exit_code == 2);
}

TEST_CASE("the operating point is chosen", "[cli][evaluate][options]") {
    const ThreeFaces f;
    // 3 faces; detections by falling score: 0.9 hit (F1 2/4), 0.8 alarm (2/5), 0.7 hit (4/6), 0.6 alarm
    // (4/7), 0.5 alarm (4/8).
    struct Expected {
        std::string choice;
        double threshold;
        int true_positives;
        int false_positives;
    };
    for (const Expected& expected :
         {Expected{"best-f1", 0.7, 2, 1}, Expected{"all", 0.5, 2, 3}, Expected{"0fp", 0.9, 1, 0},
          Expected{"1fp", 0.7, 2, 1}, Expected{"0.8", 0.8, 1, 1}, Expected{"0.75", 0.75, 1, 1}}) {
        CAPTURE(expected.choice);
        const Json point = f.operating_point(expected.choice);
        CHECK(point.at("threshold") == expected.threshold);
        CHECK(point.at("detections").at("true_positives") == expected.true_positives);
        CHECK(point.at("detections").at("false_positives") == expected.false_positives);
        CHECK(point.at("detections").at("false_negatives") == 3 - expected.true_positives);
    }
    for (const char* wrong : {"nonsense", "fp", "-1fp", "1.5fp", "nan", "0.5x", ""}) {
        CAPTURE(wrong);
        const ProgramResult result = f.run(f.dataset, f.results, {"--operating-point", wrong});
        CHECK(result.exit_code == 2);
        CHECK_THAT(result.err, Contains("best-f1, all, Nfp"));
    }
}

TEST_CASE("published curves are drawn behind", "[cli][evaluate][options]") {
    const ThreeFaces f;
    const std::string curve = f.write("curve.txt", "rate fp\n0.5 0\n0.9 10\n");
    f.report(f.dataset, f.results,
             {"--resamples", "0", "--reference-curve", "Somebody 2014=" + curve, "--reference-continuous",
              "Somebody else=" + curve});
    const auto files = files_in(f.path("report"));
    CHECK_THAT(files.at("roc.svg"), Contains("Somebody 2014") && !Contains("Somebody else"));
    CHECK_THAT(files.at("report.html"), Contains("Somebody 2014") && Contains("Somebody else"));
    const std::string broken = f.write("broken.txt", "0.5 0\n1.5 10\n");
    const ProgramResult result = f.run(f.dataset, f.results, {"--reference-curve", broken});
    CHECK(result.exit_code == 1);
    CHECK_THAT(result.err, Contains("broken.txt:2: ") && Contains("from 0 to 1"));
    CHECK(f.run(f.dataset, f.results, {"--reference-curve", f.path("absent.txt")}).exit_code == 2);
}

TEST_CASE("without resamples there are no intervals", "[cli][evaluate][options]") {
    const ThreeFaces f;
    const Json with = f.report(f.dataset, f.results, {"--protocol", "fddb"}, "with").at("detection");
    Json without = f.report(f.dataset, f.results, {"--protocol", "fddb", "--resamples", "0"}, "without");
    CHECK(has_key_ending(with, "_ci95"));
    CHECK(with.at("protocol").at("ci95").at("resamples") == 1000);
    Json detection = without.at("detection");
    CHECK_FALSE(detection.at("protocol").contains("ci95"));
    // Wilson's intervals need no resamples.
    for (const char* key : {"slices", "calibration"}) detection.erase(key);
    CHECK_FALSE(has_key_ending(detection, "_ci95"));
    CHECK(detection.at("fddb").at("discrete_rate") == with.at("fddb").at("discrete_rate"));
    CHECK(detection.at("average_precision") == with.at("average_precision"));
    const std::string table = f.run(f.dataset, f.results, {"--protocol", "fddb", "--resamples", "0"}).out;
    CHECK_THAT(table_row(table, "Discrete rate"), Contains("66.67 %") && !Contains("–"));
    // Another seed moves intervals only.
    const Json seeded =
        f.printed(f.dataset, f.results, {"--protocol", "fddb", "--seed", "2"}).at("detection");
    CHECK(seeded.at("fddb").at("discrete_rate") == with.at("fddb").at("discrete_rate"));
    CHECK(f.run(f.dataset, f.results, {"--resamples", "-1"}).exit_code == 2);
}

TEST_CASE("a gate at a number of false positives", "[cli][evaluate][gate]") {
    const ThreeFaces f;  // with at most one false positive 2 of 3 faces
    const ProgramResult failed = f.run(f.dataset, f.results, {"--require", "recall@1fp >= 0.9"});
    CHECK(failed.exit_code == 4);
    CHECK_THAT(failed.err, Contains("recall@1fp >= 0.9 was required, but it is 0.666667"));
    const Json json = f.printed(f.dataset, f.results, {"--require", "recall@1fp >= 0.9"}, 4);
    CHECK(json.at("exit_code") == 4);
    CHECK(json.at("requirements").at(0).at("passed") == false);
    CHECK(json["requirements"][0].at("measured") == Approx(2.0 / 3));
    CHECK(f.run(f.dataset, f.results, {"--require", "recall@1fp >= 0.66", "recall@0fp<0.34"}).exit_code == 0);
    // The protocol's numbers by their keys.
    CHECK(f.run(f.dataset, f.results,
                {"--protocol", "fddb", "--require", "detection.fddb.discrete_rate >= 0.7"})
              .exit_code == 4);
    // The report says so itself: what failed comes first.
    const ProgramResult told =
        f.run(f.dataset, f.results,
              {"--require", "recall@0fp < 0.5", "--require", "recall@1fp >= 0.9", "--out", f.path("gated")});
    CHECK(told.exit_code == 4);
    const Json verdicts = Json::parse(read_bytes(f.path("gated/report.json")))["verdicts"];
    REQUIRE(verdicts.size() == 2);
    CHECK(verdicts[0]["passed"] == true);
    CHECK(verdicts[1]["name"] == "recall@1fp >= 0.9");
    CHECK(verdicts[1]["passed"] == false);
    CHECK(verdicts[1]["measured"] == "measured: 0.666667");
    const Json gate = page_view(read_bytes(f.path("gated/report.html")))["headline"][0];
    CHECK(gate["title"] == "The accuracy gate failed: 1 demand of 2");
    CHECK(gate["blocks"][0]["rows"][0][1]["text"] == "fails");
    CHECK_THAT(read_bytes(f.path("gated/report.md")),
               Contains("\n## The accuracy gate failed: 1 demand of 2\n") &&
                   Contains("| recall@1fp \\>= 0.9 | fails | measured: 0.666667 | require |"));
    const ProgramResult unknown = f.run(f.dataset, f.results, {"--require", "recal@1fp >= 0.9"});
    CHECK(unknown.exit_code == 2);
    CHECK_THAT(unknown.err, Contains("recal@1fp"));
}
