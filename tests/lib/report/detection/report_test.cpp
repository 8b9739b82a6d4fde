#include <algorithm>
#include <regex>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/evaluate/evaluate_detection.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/json/json.hpp"
#include "lib/report/detection/detection_report.hpp"
#include "lib/report/model/names.hpp"
#include "lib/report/page/report_context.hpp"
#include "lib/report/page/skipped.hpp"
#include "lib/results/formats/read_results.hpp"
#include "tests/lib/report/detection/sample_report.hpp"
#include "tests/support/page_view.hpp"
#include "tests/support/scoped_path.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

ReportContext sample_context(const Dataset& dataset) {
    ReportContext context;
    context.configuration = Json::parse(R"({"dataset": {"path": "<x> & 'y'"}, "device": "cpu"})");
    context.manifest =
        Json::parse(R"({"versions": {"fovea": "9.8.7"}, "device": "cpu", "timings": {"total": 1.5},
                                       "detectors": [{"name": "first", "model_sha256": "abc123"}]})");
    context.skipped = images_without_results(dataset, sample_results(dataset), "first");
    return context;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size()))
        ++n;
    return n;
}

/// Empty if every tag that is opened is closed in the right order, else what is wrong.
std::string balance_error(const std::string& markup) {
    static const std::set<std::string> without_end{"meta", "wbr", "br"};
    std::vector<std::string> open;
    std::size_t at = 0;
    while ((at = markup.find('<', at)) != std::string::npos) {
        if (markup[at + 1] == '!' || markup[at + 1] == '?') {
            ++at;
            continue;
        }
        const std::size_t end = markup.find('>', at);
        if (end == std::string::npos) return "a tag without end";
        const std::string tag = markup.substr(at + 1, end - at - 1);
        const std::string name = tag.substr(0, tag.find_first_of(" \n/", 1));
        at = end + 1;
        if (tag[0] == '/') {
            if (open.empty() || "/" + open.back() != tag) return "unexpected <" + tag + ">";
            open.pop_back();
        } else if (tag.back() != '/' && without_end.count(name) == 0) {
            open.push_back(name);
            // Style sheets and scripts hold '<' and '>' that are no tags.
            if (name == "style" || name == "script") at = markup.find("</" + name, at);
        }
    }
    return open.empty() ? "" : "not closed: <" + open.back() + ">";
}

/// The cells of a table's data that have an interval.
std::size_t intervals_in(const Json& table) {
    std::size_t found = 0;
    for (const Json& row : table.at("rows")) {
        for (const Json& cell : row) found += cell.contains("interval") ? 1 : 0;
    }
    return found;
}

}  // namespace

TEST_CASE("the report of one detector", "[report][gnuplot]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    const std::filesystem::path out = folder.path() / "report";
    const std::filesystem::path page =
        write_detection_report(out, dataset, {sample_evaluation(dataset, "first")}, sample_context(dataset));
    CHECK(page == out / "report.html");

    const Json json = Json::parse(bytes_of(out / "report.json"));
    CHECK(json["format"] == "fovea-report");
    CHECK(json["version"] == 1);
    CHECK(json["title"] == "Face detection on <faces> & \"friends\"");
    CHECK(json["dataset"]["images_annotated"] == 3);
    CHECK(json["detection"]["images"] == 3);
    CHECK(json["detection"]["faces"] == 4);
    CHECK(json["detection"]["roc"].is_array());
    CHECK_FALSE(json.contains("detectors"));
    CHECK(json["skipped"].size() == 1);
    CHECK(json["skipped"][0]["reason"] == "unreadable: truncated <JPEG>");
    CHECK(json["manifest"]["versions"]["fovea"] == "9.8.7");
    CHECK_FALSE(json["manifest"].contains("timings"));

    CHECK(count(bytes_of(out / "curves.csv"), "\n") == 1 + json["detection"]["roc"].size());
    for (const char* stem :
         {"roc", "roc_continuous", "precision_recall", "iou_histogram", "rate_by_faces_in_image",
          "rate_by_face_width", "error_delta_ap", "reliability", "iou_cumulative"}) {
        INFO(stem);
        const std::string svg = bytes_of(out / (std::string(stem) + ".svg"));
        CHECK_THAT(svg, Catch::StartsWith("<?xml") && Contains("viewBox=") && Contains("</svg>"));
        CHECK(balance_error(svg) == "");
    }

    const std::string html = bytes_of(page);
    check_page(html);
    const std::string text = page_texts(html);
    for (const char* title :
         {"Discrete ROC", "Continuous ROC", "Precision and recall", "Fit of the boxes (IoU)",
          "Detection rate by faces in the image", "Detection rate by face width"}) {
        CHECK_THAT(text, Contains("\n" + std::string(title) + "\n"));
    }
    CHECK(pictures_in(page_view(html)) == 3);  // one miss that could be read, two false positives
    CHECK_THAT(text, Contains("2 faces (50.0\u00A0%)") && Contains("2 false positives"));
    CHECK_THAT(text, Contains("unreadable: truncated <JPEG>"));
    CHECK_THAT(text, Contains("a<i>&'\"quoted\"."));
    CHECK_THAT(html, !Contains("a<i>") && !Contains("<JPEG>"));
    CHECK_THAT(text, Contains("<x> & 'y'") && Contains("9.8.7") && Contains("abc123"));
}

TEST_CASE("a name cannot break the XML of figures", "[report][gnuplot]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    write_detection_report(folder.path() / "report", dataset,
                           {sample_evaluation(dataset, "a ]]> <b>"), sample_evaluation(dataset, "second", 6)},
                           sample_context(dataset));
    const std::string svg = bytes_of(folder.path() / "report" / "roc.svg");
    CHECK_THAT(svg, Contains("a ]]&gt; &lt;b>") && !Contains("]]>"));
}

TEST_CASE("the report of several detectors", "[report][gnuplot]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    std::vector<DetectionEvaluation> evaluations;
    for (int i = 0; i < 9; ++i)
        evaluations.push_back(sample_evaluation(dataset, "d" + std::to_string(i), 3.0 * i));
    evaluations[1].name = "O'Brien </script><script>alert(1)</script> `x` " + std::string(300, 'W');
    evaluations[2].name = "d0";
    const std::string html =
        bytes_of(write_detection_report(folder.path() / "r", dataset, evaluations, sample_context(dataset)));
    check_page(html);
    const std::string text = page_texts(html);
    CHECK_THAT(text, Contains("</script><script>alert(1)</script>"));
    CHECK_THAT(html, !Contains("<script>alert(1)"));
    CHECK_THAT(text, Contains("9 detectors") && Contains("d0 (2)") && Contains("\nRate at 5 FP\n"));
    const Json json = Json::parse(bytes_of(folder.path() / "r" / "report.json"));
    REQUIRE(json["detectors"].size() == 9);
    CHECK(json["detectors"][0]["detection"] == json["detection"]);
    // Small numbers in a row: of average precision, the rates at three numbers of false positives, best F1,
    // the rate and precision of all and false positives per image, and of the mean IoU where a face is found.
    const auto finding = std::count_if(evaluations.begin(), evaluations.end(),
                                       [](const DetectionEvaluation& e) { return e.true_positives > 0; });
    CHECK(finding > 0);
    const Json view = page_view(html);
    CHECK(intervals_in(view["headline"][0]["blocks"][0]) == 9 * 8 + static_cast<std::size_t>(finding));
    const Interval interval = json["detection"]["rate_at_false_positives"][0]["detection_rate_ci95"];
    CHECK_THAT(text, Contains("\n" + percent_range(interval) + "\n"));
    CHECK(json["detectors"][2]["name"] == "d0 (2)");

    // Every detector has its errors, scores and worst images, and they are in the page once.
    for (const char* id : {"errors", "reliability", "worst"}) {
        CAPTURE(id);
        const Json section = page_section(view, id);
        REQUIRE(section.is_object());
        CHECK(section["sections"].size() == 9);
        CHECK(section["sections"][8]["title"] == "d8");
        CHECK(section["sections"][8]["fold"] == "closed");
    }
    // gone.png cannot be shown.
    CHECK_THAT(text, Contains("pictures are missing from the report; the first, of gone.png: "));
}

TEST_CASE("a page names all detectors that are best", "[report][gnuplot]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    const auto lead = [&](const std::vector<std::pair<std::string, double>>& detectors) {
        std::vector<DetectionEvaluation> evaluations;
        for (const auto& [name, shift] : detectors)
            evaluations.push_back(sample_evaluation(dataset, name, shift));
        const std::string html = bytes_of(
            write_detection_report(folder.path() / "r", dataset, evaluations, sample_context(dataset)));
        return page_lead(page_view(html));
    };
    CHECK_THAT(lead({{"a", 0}, {"far", 40}}), Contains("The best is a: ") &&
                                                  Contains("kept it also finds the most faces, ") &&
                                                  Contains("false positive"));
    CHECK_THAT(lead({{"far", 40}, {"a", 0}, {"b", 0}}),
               Contains("Equally good are a and b: ") && Contains("a and b find the most faces, "));
    CHECK_THAT(lead({{"a", 0}, {"b", 0}, {"c", 0}, {"d", 0}}),
               Contains("Equally good are a, b and 2 others: "));
}

TEST_CASE("all images stand beside the page for its browser", "[report][gnuplot]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    const std::vector<DetectionEvaluation> evaluations{sample_evaluation(dataset, "first"),
                                                       sample_evaluation(dataset, "far", 400)};
    ReportContext context = sample_context(dataset);
    context.pictures = {3, 1'000'000};
    const std::filesystem::path out = folder.path() / "r";
    const Json view = page_view(bytes_of(write_detection_report(out, dataset, evaluations, context)));
    CHECK(view["samples"]["address"] == "samples.js");
    const std::string script = bytes_of(out / "samples.js");
    REQUIRE(script.starts_with("foveaSamples("));
    const Json data = Json::parse(script.substr(13, script.rfind(");") - 13));
    CHECK(data["images"]["name"][1] == "b.png");
    CHECK(data["images"]["width"] == Json::parse("[160, 160, 0]"));
    // gone.png has no picture.
    CHECK(data["images"]["picture"] ==
          Json::parse(R"(["pictures/000001.jpg", "pictures/000002.jpg", null])"));
    CHECK(std::filesystem::file_size(out / "pictures/000002.jpg") > 500);
    CHECK(data["faces"]["image"] == Json::parse("[0, 0, 1, 1, 2]"));
    CHECK(data["faces"]["ignored"] == Json::parse("[0, 0, 0, 1, 0]"));
    // A hit, two false positives, a hit, and one on the ignored face; of "far" nothing is right.
    const Json& first = data["detections"][0];
    CHECK(first["outcome"] == Json::parse("[0, 1, 1, 0, 4]"));
    CHECK(first["face"][0] == 0);
    CHECK(first["face"][3] == 2);
    CHECK(first["face"][1] == -1);
    CHECK(data["detections"][1]["outcome"] == Json::parse("[1, 1, 1, 1, 1]"));

    // The budget ends the pictures, not the browser; a report without one removes its files.
    context.pictures = {3, 1};
    write_detection_report(out, dataset, evaluations, context);
    CHECK_FALSE(std::filesystem::exists(out / "pictures/000001.jpg"));
    CHECK(std::filesystem::exists(out / "samples.js"));
    context.pictures = {};
    write_detection_report(out, dataset, evaluations, context);
    CHECK_FALSE(std::filesystem::exists(out / "samples.js"));
}

TEST_CASE("reports without detections, pictures or context", "[report][gnuplot]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    const DetectionEvaluation silent = evaluate_detection(dataset, DetectionResults{}, {}, "silent");
    ReportContext context;
    context.thumbnails = 0;
    context.title = "Nothing <found>";
    const std::string html =
        bytes_of(write_detection_report(folder.path() / "r", dataset, {silent}, context));
    check_page(html);
    CHECK_THAT(page_texts(html), Contains("It detected nothing.") && Contains("There is no false positive."));
    CHECK(page_view(html)["title"] == "Nothing <found>");
    CHECK_THAT(html, Contains("<title>Nothing &lt;found&gt;</title>"));
    CHECK(pictures_in(page_view(html)) == 0);
}

TEST_CASE("equal inputs give equal reports", "[report][gnuplot]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    const std::vector<DetectionEvaluation> evaluations{sample_evaluation(dataset, "first"),
                                                       sample_evaluation(dataset, "second", 4)};
    const ReportContext context = sample_context(dataset);
    write_detection_report(folder.path() / "1", dataset, evaluations, context);
    write_detection_report(folder.path() / "2", dataset, evaluations, context);
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "1")) {
        INFO(entry.path().filename().string());
        CHECK(bytes_of(entry.path()) == bytes_of(folder.path() / "2" / entry.path().filename()));
        ++files;
    }
    // report.json, .md and .html, two of numbers, the record, the list of files; 9 plots as SVG and PDF, two
    // of them for each detector.
    CHECK(files == 7 + 11 * 2);
}

TEST_CASE("a report that cannot be written says why", "[report]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    const std::vector<DetectionEvaluation> evaluations{sample_evaluation(dataset, "first")};
    CHECK_THROWS_AS(write_detection_report(folder.path() / "r", dataset, {}, {}), Error);

    const std::filesystem::path file = folder.write("file", "in the way");
    CHECK_THROWS_WITH(write_detection_report(file / "r", dataset, evaluations, {}),
                      Contains("there is no folder " + (file / "r").string()));
    // A folder where a file should be: cannot be opened, whoever the user is.
    std::filesystem::create_directories(folder.path() / "taken" / "report.json");
    CHECK_THROWS_WITH(write_detection_report(folder.path() / "taken", dataset, evaluations, {}),
                      Contains("report.json' is a device, a pipe or a folder"));

    const ScopedPath path(folder.path().string());
    CHECK_THROWS_WITH(write_detection_report(folder.path() / "r", dataset, evaluations, {}),
                      Contains("gnuplot-nox"));
}

TEST_CASE("a report that fails leaves an older one as it was", "[report][gnuplot]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    const std::filesystem::path out = folder.path() / "r";
    const auto names_in = [&] {
        std::set<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(out)) {
            names.insert(entry.path().filename().string());
        }
        return names;
    };
    {
        // Without gnuplot there is no page, and the numbers are there all the same.
        const ScopedPath path(folder.path().string());
        CHECK_THROWS_AS(write_detection_report(out, dataset, {sample_evaluation(dataset, "none")}, {}),
                        Error);
    }
    CHECK(names_in() == std::set<std::string>{".report-files", "curves.csv", "evaluated.jsonl", "numbers.csv",
                                              "report.json"});

    write_detection_report(out, dataset, {sample_evaluation(dataset, "first")}, {});
    const std::set<std::string> complete = names_in();
    CHECK(complete.size() == 7 + 9 * 2);
    CHECK(complete.contains("numbers.csv"));
    CHECK(complete.contains("report.md"));
    const std::string numbers = bytes_of(out / "report.json");
    CHECK_THAT(numbers, Contains("\"first\""));
    {
        const ScopedPath path(folder.path().string());
        CHECK_THROWS_AS(write_detection_report(out, dataset, {sample_evaluation(dataset, "second")}, {}),
                        Error);
    }
    CHECK(names_in() == complete);
    CHECK(bytes_of(out / "report.json") == numbers);
}

TEST_CASE("files are staged until they are published", "[report]") {
    const TempDir folder;
    folder.write("a", "old");
    {
        StagedFiles files(folder.path(), "report");
        files.add("a", "new");
        files.add("b", "new");
        CHECK(bytes_of(folder.path() / "a") == "old");
        CHECK_FALSE(std::filesystem::exists(folder.path() / "b"));
    }
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
    StagedFiles files(folder.path(), "report");
    files.add("a", "new");
    files.publish();
    CHECK(bytes_of(folder.path() / "a") == "new");
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("skipped images are those without a result", "[report]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    DetectionResults results = sample_results(dataset);
    results.images.erase(results.images.begin());
    const std::vector<SkippedImage> skipped = images_without_results(dataset, results, "d");
    REQUIRE(skipped.size() == 2);
    CHECK(skipped[0] == SkippedImage{dataset.samples[0].image, "not in the results", "d"});
    CHECK(skipped[1] == SkippedImage{"gone.png", "unreadable: truncated <JPEG>", "d"});
}

TEST_CASE("images that results name loosely are not skipped", "[report]") {
    const TempDir folder;
    Dataset dataset = sample_dataset(folder);
    DetectionResults results = sample_results(dataset);
    dataset.samples[2].image = "set/gone.png";
    results.images[1].image = "./b.png";
    results.images[2] = {"set//gone.png", 9, 9, "ok", {}, {}};
    CHECK(images_without_results(dataset, results).empty());
    // Not one equal name: without folders and extensions.
    dataset.samples = {dataset.samples[1], dataset.samples[2]};
    results.images = {results.images[1], results.images[2]};
    results.images[0].image = "elsewhere/b.jpg";
    results.images[1].image = "gone";
    CHECK(images_without_results(dataset, results).empty());
}

TEST_CASE("an image without a trace in COCO results is one without detections", "[report][gnuplot]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    const std::string file =
        folder.write("coco.json", R"([{"image_id":"b.png","bbox":[42,31,38,38],"score":5}])").string();
    const DetectionResults results = read_results(file);
    ReportContext context;
    context.skipped = images_without_results(dataset, results, "coco");
    CHECK(context.skipped.empty());
    const DetectionEvaluation evaluation = evaluate_detection(dataset, results, {}, "coco");
    CHECK(evaluation.images == 3);
    CHECK(evaluation.images_missing == 0);
    // Two of the three images have no record, which is worth a look.
    REQUIRE(evaluation.warnings.size() == 1);
    CHECK_THAT(evaluation.warnings[0], Contains("1 of"));
    CHECK(evaluation.faces == 4);
    CHECK(evaluation.true_positives == 1);
    // Its faces are among the worst misses: both of the first image, and that of the file that is gone.
    const std::string html =
        bytes_of(write_detection_report(folder.path() / "r", dataset, {evaluation}, context));
    const std::string text = page_texts(html);
    CHECK_THAT(text, Contains("All 3, missed at best F1, largest first.") && Contains("40 × 40 px") &&
                         Contains("no such file"));
    CHECK_THAT(text, !Contains("Images without a result") && !Contains("no result"));
    CHECK_THAT(text, Contains("Warnings (2)") && Contains("pictures is missing from the report"));
    CHECK_FALSE(Json::parse(bytes_of(folder.path() / "r" / "report.json")).contains("skipped"));
}

TEST_CASE("the page says which interval is which", "[report][gnuplot]") {
    const TempDir folder;
    const Dataset dataset = sample_dataset(folder);
    const DetectionEvaluation evaluation = sample_evaluation(dataset, "first");
    REQUIRE(evaluation.estimate("detection_rate").ci95);
    const std::string html =
        bytes_of(write_detection_report(folder.path() / "r", dataset, {evaluation}, sample_context(dataset)));
    const Json json = Json::parse(bytes_of(folder.path() / "r" / "report.json"))["detection"];
    const Interval interval = json["detection_rate_ci95"];
    const Json tile = page_view(html)["headline"][0]["blocks"][0]["tiles"][0];
    CHECK(tile["interval"] == fixed(100 * interval[0], 1) + "–" + percent(interval[1]));
    CHECK_THAT(page_texts(html), Contains("95\u00A0% intervals (Wilson)"));
    // Two faces in one image, one found: Wilson's interval of 1 in 2 is 0.5 ± z sqrt(1/8 + z²/16) / (1 +
    // z²/2).
    const Json& group = json["slices"][0];
    CHECK(group["key"] == "faces_in_image");
    const Json& slice = group["slices"][1];
    CHECK(slice["faces"] == 2);
    CHECK(slice["wilson_ci95"][0].get<double>() == Approx(0.0945).margin(1e-4));
    CHECK(slice["wilson_ci95"][1].get<double>() == Approx(0.9055).margin(1e-4));
}
