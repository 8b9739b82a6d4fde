#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// A folder of reports: 20 images with one face each, of which a run finds the first ones.
struct Runs {
    Runs() {
        std::filesystem::create_directories(path("reports"));
        std::string images;
        for (int i = 0; i < count; ++i) {
            const std::string name = "i" + std::to_string(i) + ".pgm";
            folder.write("set/" + name, edge_pgm(40, 30));
            images += "<image file='" + name + "'><box top='0' left='10' width='20' height='20'/></image>\n";
        }
        dataset =
            "dlib:" +
            folder.write("set/faces.xml", "<dataset><images>" + images + "</images></dataset>").string();
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    void run(const std::string& name, int found, std::vector<std::string> more = {}) {
        std::string results = "i0.pgm 0 0 5 5 1\n";
        for (int i = 0; i < found; ++i) results += "i" + std::to_string(i) + ".pgm 10 0 20 20 9\n";
        const std::string file = folder.write("results.txt", results).string();
        more.insert(more.begin(), {"evaluate", "detection", "--dataset", dataset, "--results", file, "--out",
                                   path("reports/" + name), "--fp-points", "1", "-q"});
        REQUIRE(run_fovea(more).exit_code == 0);
    }
    ProgramResult trend(std::vector<std::string> more) const {
        more.insert(more.begin(), "trend");
        return run_fovea(more);
    }

    static constexpr int count = 20;
    TempDir folder;
    std::string dataset;
};

const Json& points_of(const Json& json, const std::string& name, const std::string& key) {
    for (const Json& line : json["lines"]) {
        if (line["name"] == name && line["key"] == key) return line["points"];
    }
    FAIL("no line " + key);
    return json;
}

}  // namespace

TEST_CASE("trend shows runs in the order of their names and marks what changed", "[cli][compare][trend]") {
    Runs f;
    f.run("run-2", 18);
    f.run("run-10", 6);
    f.run("run-1", 18);
    // The page may lie among the runs.
    const std::string out = f.path("reports/trend");
    const ProgramResult result = f.trend({f.path("reports"), "--out", out, "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["runs"].size() == 3);
    CHECK(json["runs"][1]["name"] == "run-2");
    CHECK(json["runs"][2]["name"] == "run-10");
    const Json& rates = points_of(json, "results", "detection.detection_rate");
    CHECK(rates[0]["value"] == 0.9);
    CHECK(rates[0].contains("ci95"));
    CHECK(rates[1]["difference"] == 0.0);
    CHECK(rates[1]["p_value"] == 1.0);
    CHECK_FALSE(rates[1].contains("change"));
    CHECK(rates[2]["value"] == 0.3);
    CHECK(rates[2]["paired"] == true);
    CHECK(rates[2]["change"] == "worse");
    CHECK(json["report"] == out + "/trend.html");
    CHECK(Json::parse(read_bytes(out + "/trend.json"))["lines"] == json["lines"]);
    CHECK_THAT(read_bytes(out + "/trend.csv"), Contains("run-10,results,detection.detection_rate,0.3,"));
    CHECK_THAT(read_bytes(out + "/trend.md"),
               Contains("# Runs run-1 to run-10") && Contains("worse than before") && Contains("Holm"));
    CHECK_THAT(read_bytes(out + "/trend_1.svg"), Contains("run-10") && Contains("</svg>"));
    // Another day, another run: the page is of the same folder, and is made again.
    f.run("run-11", 6);
    CHECK(f.trend({f.path("reports"), "--out", out, "-q"}).exit_code == 0);
    CHECK(f.trend({f.path("reports/run-1"), "--out", out, "-q"}).exit_code == 2);

    const ProgramResult table = f.trend({f.path("reports/run-1"), f.path("reports/run-10/report.json")});
    CHECK_THAT(table.out,
               Contains("2 runs: ") && Contains("90.0 %") && !Contains("run-2") && !Contains("\u00A0"));
    const Json chosen = Json::parse(
        f.trend({f.path("reports"), "--json", "--metric", "results.best_f1", "--metric", "recall@1fp"}).out);
    REQUIRE(chosen["lines"].size() == 2);
    CHECK(chosen["lines"][0]["key"] == "detection.best_f1");
    CHECK_THAT(f.trend({f.path("reports"), "--metric", "bset_f1"}).err, Contains("did you mean 'best_f1'"));
}

TEST_CASE("trend tells other runs apart, and counts those that cannot be read", "[cli][compare][trend]") {
    Runs f;
    f.run("a", 18);
    f.run("b-strict", 18, {"--iou-threshold", "0.7"});
    f.run("d", 17);
    f.folder.write("reports/c/report.json", read_bytes(f.path("reports/a/report.json")).substr(0, 900));
    std::filesystem::create_directories(f.path("reports/e"));
    const ProgramResult result = f.trend({f.path("reports"), "--json"});
    CHECK(result.exit_code == 3);
    const Json json = Json::parse(result.out);
    CHECK(json["runs"].size() == 2);
    CHECK(json["left_out"].size() == 3);
    CHECK_THAT(result.err,
               Contains("b-strict is left out: it is not of the newest run's task: the protocols differ") &&
                   Contains("c is left out:") && Contains("2 reports could not be read"));
    CHECK(f.trend({f.path("reports"), "--max-unreadable", "2", "-q"}).exit_code == 0);

    // A run whose record is gone is compared by the intervals of both.
    std::filesystem::remove(f.path("reports/a/evaluated.jsonl"));
    const Json apart = Json::parse(f.trend({f.path("reports/a"), f.path("reports/d"), "--json"}).out);
    CHECK(points_of(apart, "results", "detection.detection_rate")[1]["paired"] == false);
    // A report of another kind has none of the numbers.
    f.folder.write("reports/a/report.json", R"({"verification": {"eer": 0.1}})");
    CHECK_THAT(f.trend({f.path("reports/a"), f.path("reports/d")}).err,
               Contains("it has none of the numbers"));
    const auto mean = [](const char* value) {
        const std::string error = std::string(R"({"mean": )") + value + "}";
        return R"({"landmarks": {"nme": {"pupils": )" + error + R"(, "box_diagonal": )" + error +
               R"(}, "quantities": {"nme.pupils.mean": {"name": "Mean", "better": "lower", "headline": true},
                  "nme.box_diagonal.mean": {"name": "Mean", "better": "lower", "headline": true}}}})";
    };
    f.folder.write("l1/report.json", mean("0.05"));
    f.folder.write("l2/report.json", mean("0.04"));
    CHECK_THAT(f.trend({f.path("l1"), f.path("l2")}).out, Contains("Mean (nme.pupils.mean)") &&
                                                              Contains("Mean (nme.box_diagonal.mean)") &&
                                                              Contains("0.040"));
    // One detector alone is the same one, whatever it is called.
    f.run("f", 17, {"--name", "renamed"});
    const Json renamed = Json::parse(f.trend({f.path("reports/d"), f.path("reports/f"), "--json"}).out);
    CHECK(points_of(renamed, "renamed", "detection.f1").size() == 2);

    CHECK(f.trend({f.path("reports/c")}).exit_code == 2);
    CHECK_THAT(f.trend({f.path("reports/c")}).err, Contains("none of 1 report can be read"));
    CHECK_THAT(f.trend({f.path("reports/e")}).err, Contains("holds no report.json and no folders"));
    CHECK(f.trend({f.path("nowhere")}).exit_code == 2);
}
