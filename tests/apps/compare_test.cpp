#include <catch2/catch.hpp>

#include "lib/files/sha256.hpp"
#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// Two images with one face each. The old results find both and raise one alarm; the new ones find only a's.
struct Reports {
    Reports() {
        folder.write("set/a.pgm", edge_pgm(40, 30));
        folder.write("set/b.pgm", noise_pgm(60, 60, 1));
        folder.write("set/faces.xml",
                     "<?xml version='1.0' encoding='UTF-8'?>\n<dataset>\n<images>\n"
                     "<image file='a.pgm'><box top='0' left='10' width='20' height='20'/></image>\n"
                     "<image file='b.pgm'><box top='30' left='30' width='25' height='25'/></image>\n"
                     "</images>\n</dataset>\n");
        dataset = "dlib:" + path("set/faces.xml");
        old_results =
            folder.write("old.txt", "a.pgm 10 0 20 20 9\na.pgm 0 0 5 5 2\nb.pgm 30 30 25 25 8\n").string();
        new_results = folder.write("new.txt", "a.pgm 10 0 20 20 5\nb.pgm 0 0 20 20 4\n").string();
        REQUIRE(evaluate(old_results, {"--out", path("old")}).exit_code == 0);
        REQUIRE(evaluate(new_results, {"--out", path("new")}).exit_code == 0);
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    ProgramResult evaluate(const std::string& results, std::vector<std::string> more) const {
        std::vector<std::string> arguments{"evaluate",  "detection", "--dataset",   dataset,
                                           "--results", results,     "--fp-points", "0,1"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_fovea(arguments);
    }
    /// The new report, no worse than the old one.
    ProgramResult gate(std::vector<std::string> more) const {
        std::vector<std::string> arguments{"compare", path("new/report.json"), "--no-worse-than",
                                           path("old")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_fovea(arguments);
    }
    ProgramResult compare(std::vector<std::string> more) const {
        std::vector<std::string> arguments{"compare", path("old"), path("new/report.json")};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return run_fovea(arguments);
    }

    TempDir folder;
    std::string dataset;
    std::string old_results;
    std::string new_results;
};

const Json& number(const Json& json, const std::string& key) {
    for (const Json& entry : json["numbers"]) {
        if (entry["key"] == key) return entry;
    }
    FAIL("no number " + key);
    return json;
}

}  // namespace

TEST_CASE("compare evaluates both reports again on the same images", "[cli][compare]") {
    const Reports f;
    const Json report = Json::parse(read_bytes(f.path("old/report.json")));
    CHECK(report["evaluated"]["file"] == "evaluated.jsonl");
    CHECK(report["evaluated"]["sha256"] == sha256_of_file(f.path("old/evaluated.jsonl")));

    const ProgramResult result = f.compare({"--json", "--out", f.path("compared")});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["paired"] == true);
    const Json& rate = number(json, "detection.detection_rate");
    CHECK(rate["a"] == 1.0);
    CHECK(rate["b"] == 0.5);
    CHECK(rate["difference"] == -0.5);
    CHECK(rate["difference_ci95"] == Json{-1.0, 0.0});
    CHECK(json["faces"]["found_by_both"] == 1);
    CHECK(json["faces"]["found_by_a_only"] == 1);
    CHECK(json["faces"]["p_value"] == 1.0);  // 2 x 1/2
    CHECK(json["false_alarms"]["raised_by_a_only"] == 1);
    CHECK(json["false_alarms"]["raised_by_b_only"] == 1);
    REQUIRE(json["images"].size() == 2);
    CHECK(json["images"][0]["image"] == "b.pgm");  // a face and an alarm, before a's alarm
    CHECK(json["images"][0]["faces_lost"] == Json::parse("[[30.0,30.0,25.0,25.0]]"));
    CHECK(json["report"] == f.path("compared/compare.html"));
    CHECK(Json::parse(read_bytes(f.path("compared/compare.json")))["numbers"] == json["numbers"]);
    const std::string page = read_bytes(f.path("compared/compare.html"));
    CHECK_THAT(page,
               Contains("Images that changed") && Contains("data:image/jpeg;base64,") && Contains("A: old"));
    CHECK_THAT(read_bytes(f.path("compared/compare.md")),
               Contains("| Detection rate | 100.0\u00A0% | 50.0\u00A0% | −50.0 |"));
    // The plot holds the band of each.
    CHECK_THAT(read_bytes(f.path("compared/compare_roc.svg")), Contains("opacity") && Contains("</svg>"));

    // At no false positive both keep their best hits: the old one both faces, the new one a's.
    const Json at = Json::parse(f.compare({"--json", "--at", "0fp", "--threads", "1"}).out);
    CHECK(at["operating_point"]["a"]["threshold"] == 8.0);
    CHECK(at["operating_point"]["b"]["threshold"] == 5.0);
    CHECK(at["operating_point"]["b"]["false_positives"] == 0);
    CHECK(at["images"].size() == 1);
    CHECK(at["numbers"] == json["numbers"]);
    const ProgramResult table = f.compare({});
    CHECK_THAT(table.out, Contains("Average precision") &&
                              Contains("1 face found by A alone and 0 by B alone") && Contains("100.0 %") &&
                              !Contains("\u00A0"));
}

TEST_CASE("compare is a gate", "[cli][compare]") {
    const Reports f;
    const ProgramResult failed = f.gate({"--tolerance", "0.01", "--json"});
    CHECK(failed.exit_code == 4);
    CHECK_THAT(failed.err,
               Contains("fovea: error: the accuracy gate failed: detection.detection_rate is 0.5 in " +
                        f.path("new/report.json") + " and 1 in " + f.path("old") +
                        ", worse by 0.5, and 0.01 was allowed"));
    CHECK(Json::parse(failed.out)["exit_code"] == 4);
    CHECK(f.gate({"--tolerance", "0.5"}).exit_code == 0);
    CHECK(f.gate({"--metric", "precision"}).exit_code == 4);
    CHECK_THAT(f.gate({"--metric", "precision"}).err,
               Contains("--metric: detection.precision counts every detection kept"));
    CHECK_THAT(failed.err, !Contains("every detection"));
    CHECK(f.gate({"--tolerance", "0.2", "--metric", "precision"}).exit_code == 0);  // 2/3 and 1/2
    // The interval of -0.5 holds 0.
    CHECK(f.gate({"--significant", "--metric", "recall@2fp"}).exit_code == 0);
    CHECK(f.gate({"--metric", "recall@2fp"}).exit_code == 4);
    CHECK_THAT(f.gate({"--metric", "eer"}).err, Contains("in common no number 'eer'"));
    CHECK(f.compare({"--metric", "ap"}).exit_code == 2);
    CHECK(f.compare({"--significant"}).exit_code == 2);
    CHECK(f.compare({"--tolerance", "0.1"}).exit_code == 2);
    CHECK(f.compare({"--at", "often"}).exit_code == 2);
    // Three reports, or one alone.
    CHECK_THAT(f.compare({"--no-worse-than", f.path("old")}).err, Contains("name one report beside it"));
    CHECK_THAT(run_fovea({"compare", f.path("new")}).err, Contains("name two reports, A and B"));
    CHECK(f.gate({"--tolerance", "-1"}).exit_code == 2);
}

TEST_CASE("the gate's earlier spelling works, with a hint", "[cli][compare]") {
    const Reports f;
    const ProgramResult failed = f.compare({"--no-worse-than", "0.01"});
    CHECK(failed.exit_code == 4);
    CHECK_THAT(failed.err, Contains("write fovea compare " + f.path("new/report.json") + " --no-worse-than " +
                                    f.path("old") + " --tolerance 0.01"));
    CHECK(f.compare({"--no-worse-than", "0.5"}).exit_code == 0);
    CHECK(f.compare({"--no-worse-than", "-1"}).exit_code == 2);
    CHECK(f.compare({"--no-worse-than", "0.5", "--tolerance", "0.1"}).exit_code == 2);
    const ProgramResult renamed = f.evaluate(f.old_results, {"--bootstrap", "0", "--json"});
    CHECK(renamed.exit_code == 0);
    CHECK_THAT(renamed.err, Contains("--bootstrap is called --resamples now"));
    CHECK(renamed.out == f.evaluate(f.old_results, {"--resamples=0", "--json"}).out);
    CHECK(f.evaluate(f.old_results, {"--bootstrap=0"}).exit_code == 0);
    CHECK(!Contains("--bootstrap").match(run_fovea({"evaluate", "detection", "--help"}).out));
}

TEST_CASE("a comparison names the settings of results that were evaluated later",
          "[cli][compare][settings]") {
    const Reports f;
    const std::string model = f.folder.write("edge.xml", edge_cascade()).string();
    for (const char* scale : {"1.1", "1.25"}) {
        const std::string results = f.path(std::string(scale) + ".jsonl");
        REQUIRE(run_fovea({"detect", f.dataset, "--model", model, "--scale-factor", scale, "--device", "cpu",
                           "--out", results})
                    .exit_code == 0);
        REQUIRE(f.evaluate(results, {"--out", f.path(scale)}).exit_code == 0);
    }
    const ProgramResult result = run_fovea({"compare", f.path("1.1"), f.path("1.25"), "--json"});
    REQUIRE(result.exit_code == 0);
    CHECK(Json::parse(result.out)["settings"] ==
          Json::parse(R"([{"name": "scale_factor", "a": "1.1", "b": "1.25"}])"));
}

TEST_CASE("two detectors of one name are told apart by their settings", "[cli][compare][settings]") {
    const Reports f;
    const auto report = [&](const std::string& name, const std::string& scale, const std::string& model) {
        const Json manifest = Json::parse(
            R"({"command": "detect", "configuration": {"detectors": [{"name": "", "model": "m/mct.json",
                "scale_factor": )" +
            scale +
            R"(, "min_size": [20, 20], "box_offsets": {"left": 0.5}}], "image": {"decoder": "cpu",
                "scaled_decoding": false}}, "detectors": [{"name": "mct", "model_sha256": ")" +
            model + R"("}]})");
        Json json = Json::parse(read_bytes(f.path("old/report.json")));
        json["detection"]["name"] = "mct";
        json["manifest"] = manifest;
        return f.folder.write(name + "/report.json", json.dump()).string();
    };
    const std::string a = report("a", "1.1", "aaaa"), b = report("b", "1.25", "aaaa");
    const ProgramResult result = run_fovea({"compare", a, b, "--json", "--out", f.path("compared")});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["a"]["name"] == "A: mct (scale_factor 1.1)");
    CHECK(json["b"]["name"] == "B: mct (scale_factor 1.25)");
    REQUIRE(json["settings"].size() == 1);
    CHECK(json["settings"][0] == Json{{"name", "scale_factor"}, {"a", "1.1"}, {"b", "1.25"}});
    const std::string page = read_bytes(f.path("compared/compare.html"));
    CHECK_THAT(page, Contains("Settings that differ") && Contains("A: mct (scale_factor 1.1) and B: mct"));
    CHECK_THAT(read_bytes(f.path("compared/compare.md")), Contains("| 1.1 | 1.25 |"));
    CHECK_THAT(run_fovea({"compare", a, b}).out, Contains("differs: scale_factor is 1.1 in A and 1.25 in B"));
    // Equal settings: the reports are told apart by where they lie, and one from itself not at all.
    const std::string c = report("c", "1.1", "aaaa"), d = report("d", "null", "bbbb");
    CHECK(Json::parse(run_fovea({"compare", a, c, "--json"}).out)["b"]["name"] == "B: mct (" + c + ")");
    CHECK(Json::parse(run_fovea({"compare", a, a, "--json"}).out)["b"]["name"] == "B: mct");
    CHECK(Json::parse(run_fovea({"compare", a, d, "--json"}).out)["b"]["name"] ==
          "B: mct (scale_factor default, model_sha256 bbbb)");
}

TEST_CASE("without a record the numbers stand side by side", "[cli][compare]") {
    const Reports f;
    std::filesystem::remove(f.path("new/evaluated.jsonl"));
    const ProgramResult result = f.compare({"--json", "--out", f.path("compared")});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["paired"] == false);
    CHECK_THAT(json["method"].get<std::string>(), Contains("B has no record"));
    CHECK(number(json, "detection.detection_rate")["difference"] == -0.5);
    CHECK(number(json, "detection.rate_at_0_fp")["b"] == 0.5);
    CHECK(f.gate({"--tolerance", "0.01", "-q"}).exit_code == 4);
    CHECK_THAT(f.compare({"--at", "1fp"}).err, Contains("B has no record"));

    // Reports of other kinds have no record at all.
    const auto before =
        f.folder.write("v1/report.json", R"({"verification": {"eer": 0.1, "accuracy": 0.9}})").string();
    const std::string of_now = R"({"verification": {"eer": 0.2, "accuracy": 0.9, "quantities": {
        "eer": {"name": "EER", "unit": "share", "better": "lower", "headline": true}}}})";
    const auto after = f.folder.write("v2/report.json", of_now).string();
    const ProgramResult worse =
        run_fovea({"compare", after, "--no-worse-than", before, "--tolerance", "0.05"});
    CHECK(worse.exit_code == 4);
    CHECK_THAT(worse.err, Contains("verification.eer is 0.2"));
    const ProgramResult unstated = run_fovea({"compare", before, "--no-worse-than", before});
    CHECK(unstated.exit_code == 2);
    CHECK_THAT(unstated.err, Contains("neither report says which way its numbers are better"));
    CHECK(run_fovea({"compare", before, f.path("new")}).exit_code == 2);  // nothing in common
    CHECK(run_fovea({"compare", before, f.path("none.json")}).exit_code == 2);
    f.folder.write("v2/report.json", "{");
    CHECK_THAT(run_fovea({"compare", before, after}).err,
               Contains("report.json:1:") && Contains("expected well-formed JSON"));
}

TEST_CASE("compare refuses what is not the same", "[cli][compare]") {
    const Reports f;
    const auto one =
        f.folder.write("set/one.xml",
                       "<dataset><images><image file='a.pgm'>"
                       "<box top='0' left='10' width='20' height='20'/></image></images></dataset>");
    const auto moved =
        f.folder.write("set/moved.xml",
                       "<dataset><images><image file='a.pgm'>"
                       "<box top='1' left='10' width='20' height='20'/></image></images></dataset>");
    const auto report = [&](const std::filesystem::path& truth, const std::string& out,
                            const std::vector<std::string>& more = {}) {
        std::vector<std::string> arguments{"evaluate",  "detection",   "--dataset", "dlib:" + truth.string(),
                                           "--results", f.new_results, "--out",     f.path(out),
                                           "-q"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        REQUIRE(run_fovea(arguments).exit_code == 0);
    };
    report(one, "one");
    report(moved, "moved");
    report(one, "strict", {"--iou-threshold", "0.7"});
    const ProgramResult fewer = run_fovea({"compare", f.path("old"), f.path("one")});
    CHECK(fewer.exit_code == 2);
    CHECK_THAT(fewer.err,
               Contains("1 image is only in A, for example 'b.pgm'") && Contains("--intersection"));
    const ProgramResult common =
        run_fovea({"compare", f.path("old"), f.path("one"), "--intersection", "--json"});
    CAPTURE(common.err);
    REQUIRE(common.exit_code == 0);
    CHECK(Json::parse(common.out)["dataset_images"] == 1);
    CHECK(number(Json::parse(common.out), "detection.detection_rate")["difference"] == 0.0);
    CHECK_THAT(run_fovea({"compare", f.path("moved"), f.path("one")}).err,
               Contains("the ground truth of 'a.pgm'"));
    CHECK_THAT(run_fovea({"compare", f.path("strict"), f.path("one")}).err,
               Contains("A was evaluated by the protocol iou at IoU 0.7, B by iou at IoU 0.5"));
    f.folder.write("one/evaluated.jsonl", read_bytes(f.path("one/evaluated.jsonl")) + "\n");
    CHECK_THAT(run_fovea({"compare", f.path("old"), f.path("one")}).err, Contains("is not the record"));
}

TEST_CASE("two detectors of one report are compared", "[cli][compare]") {
    const Reports f;
    REQUIRE(run_fovea({"evaluate", "detection", "--dataset", f.dataset, "--results", f.old_results,
                       f.new_results, "--out", f.path("both"), "-q"})
                .exit_code == 0);
    const ProgramResult result =
        run_fovea({"compare", f.path("both") + ":old", f.path("both") + ":new", "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(Json::parse(result.out)["b"]["name"] == "B: new");
    CHECK(number(Json::parse(result.out), "detection.detection_rate")["difference"] == -0.5);
    const std::string others = "is a report of 2 detectors, of which the first, 'old', is compared";
    CHECK_THAT(result.err, !Contains(others));
    CHECK_THAT(run_fovea({"compare", f.path("both"), f.path("both") + ":new"}).err, Contains("A " + others));
    CHECK_THAT(run_fovea({"compare", f.path("both") + ":odl", f.path("both")}).err,
               Contains("did you mean 'old'?"));
}

TEST_CASE("evaluate is a gate against an earlier report", "[cli][compare][gate]") {
    const Reports f;
    const ProgramResult same =
        f.evaluate(f.old_results, {"--no-worse-than", f.path("old/report.json"), "--json"});
    CAPTURE(same.err);
    CHECK(same.exit_code == 0);
    CHECK(Json::parse(same.out)["no_worse_than"]["numbers"].size() == 5);  // AP, rate, F1, at 0 and 1 FP
    CHECK_THAT(same.err, Contains("the accuracy gate held: none of 5 numbers is worse than in " +
                                  f.path("old/report.json")));
    const ProgramResult worse =
        f.evaluate(f.new_results, {"--no-worse-than", f.path("old"), "--tolerance", "0.01"});
    CHECK(worse.exit_code == 4);
    CHECK_THAT(worse.err,
               Contains("detection.detection_rate is 0.5 in this evaluation and 1 in " + f.path("old")));
    CHECK(f.evaluate(f.new_results, {"--no-worse-than", f.path("old"), "--tolerance", "0.5"}).exit_code == 0);
    CHECK(f.evaluate(f.new_results, {"--no-worse-than", f.path("old"), "--metric", "recall@7fp"}).exit_code ==
          4);
    CHECK_THAT(f.evaluate(f.new_results, {"--no-worse-than", f.path("old"), "--metric", "eer"}).err,
               Contains("no number 'eer'"));
    const ProgramResult other =
        f.evaluate(f.new_results, {"--no-worse-than", f.path("old"), "--protocol", "mit-cmu"});
    CHECK(other.exit_code == 2);
    CHECK_THAT(other.err, Contains("the protocols differ"));
    CHECK(f.evaluate(f.new_results, {"--tolerance", "0.1"}).exit_code == 2);
    CHECK(f.evaluate(f.new_results, {"--no-worse-than", f.path("none")}).exit_code == 2);
    // The baseline is not written over.
    const std::string before = read_bytes(f.path("old/report.json"));
    CHECK(f.evaluate(f.new_results, {"--no-worse-than", f.path("old"), "--out", f.path("old")}).exit_code !=
          0);
    CHECK(read_bytes(f.path("old/report.json")) == before);

    CHECK(f.evaluate(f.new_results, {"--require", "recall@0fp >= 0.5", "--require", "ap>=0.5"}).exit_code ==
          0);
    // 3 false positives were not asked for: from the curve.
    const ProgramResult failed = f.evaluate(f.new_results, {"--require", "recall@3fp >= 0.9"});
    CHECK(failed.exit_code == 4);
    CHECK_THAT(failed.err,
               Contains("the accuracy gate failed: recall@3fp >= 0.9 was required, but it is 0.5"));
    CHECK_THAT(f.evaluate(f.new_results, {"--require", "ap >= 0.9"}).err,
               Contains("ap >= 0.9 was required, but it is 0.5 (95 % CI 0-1)"));
    CHECK(f.evaluate(f.new_results, {"--require", "tar@far=0.001>=0.9"}).exit_code == 2);
}

TEST_CASE("a gate of an evaluation pairs images as compare does", "[cli][compare][gate]") {
    const Reports f;
    const auto outcome_of = [](const ProgramResult& result, const char* member) {
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 4);
        return Json::parse(result.out)[member];
    };
    const Json compared = outcome_of(f.gate({"--json"}), "gate");
    const Json evaluated =
        outcome_of(f.evaluate(f.new_results, {"--no-worse-than", f.path("old"), "--json"}), "no_worse_than");
    CHECK(evaluated == compared);
    CHECK(evaluated["paired"] == true);
    CHECK(number(evaluated, "detection.detection_rate")["difference_ci95"] == Json{-1.0, 0.0});
    // The interval holds 0.
    const ProgramResult open = f.evaluate(f.new_results, {"--no-worse-than", f.path("old"), "--significant",
                                                          "--metric", "rate", "--out", f.path("gated")});
    CHECK(open.exit_code == 0);
    CHECK_THAT(open.err, Contains("(95 % CI of the difference -1 to 0, paired)"));
    CHECK_THAT(
        Json::parse(read_bytes(f.path("gated/report.json")))["verdicts"][0]["measured"].get<std::string>(),
        Contains("worse by 0.5; allowed: 0; 95 % interval of the difference, paired: -1 to 0"));
    CHECK(f.evaluate(f.new_results, {"--significant"}).exit_code == 2);

    std::filesystem::remove(f.path("old/evaluated.jsonl"));
    const ProgramResult apart = f.evaluate(f.new_results, {"--no-worse-than", f.path("old"), "--json"});
    CHECK_THAT(apart.err, Contains("--no-worse-than: Not paired, for A has no record") &&
                              Contains("A is " + f.path("old")) && Contains(", not paired)"));
    CHECK(outcome_of(apart, "no_worse_than")["paired"] == false);
    // A report of other images is no baseline, though it has as many.
    const auto moved =
        f.folder.write("set/moved.xml",
                       "<dataset><images><image file='a.pgm'><box top='1' left='10' width='20' height='20'/>"
                       "</image><image file='b.pgm'><box top='30' left='30' width='25' height='25'/></image>"
                       "</images></dataset>");
    REQUIRE(run_fovea({"evaluate", "detection", "--dataset", "dlib:" + moved.string(), "--results",
                       f.old_results, "--fp-points", "0,1", "--out", f.path("moved")})
                .exit_code == 0);
    CHECK_THAT(f.evaluate(f.new_results, {"--no-worse-than", f.path("moved")}).err,
               Contains("the ground truth of 'a.pgm' is not the same"));
}

TEST_CASE("gates name a detector", "[cli][compare][gate]") {
    const Reports f;
    const auto both = [&](std::vector<std::string> more) {
        more.insert(more.begin(), {"--results", f.new_results, "--name", "my v1.0", "--name", "b"});
        return f.evaluate(f.old_results, more);
    };
    CHECK(both({"--require", "b.recall@0fp >= 0.6"}).exit_code == 4);
    CHECK(both({"--require", "b.recall@0fp >= 0.5"}).exit_code == 0);
    CHECK(both({"--require", "my v1.0.recall@0fp >= 1"}).exit_code == 0);
    CHECK(both({"--require", "\"my v1.0\".detection.detection_rate >= 1"}).exit_code == 0);
    CHECK_THAT(both({"--require", "my v10.ap >= 1"}).err, Contains("did you mean 'my v1.0.ap'?"));
    CHECK_THAT(both({"--require", "b.f1 >= 0"}).err, Contains("detection.f1 counts every detection kept"));
    CHECK_THAT(both({"--require", "b.ff1 >= 0"}).err, Contains("within 'b', the report has no number 'ff1'"));
    REQUIRE(both({"--out", f.path("both")}).exit_code == 0);
    // "b" found less than the first, and as much as in the report.
    const ProgramResult same = both(
        {"--no-worse-than", f.path("both"), "--metric", "b.recall@3fp", "--metric", "recall@0fp", "--json"});
    CAPTURE(same.err);
    CHECK(same.exit_code == 0);
    const Json numbers = Json::parse(same.out)["no_worse_than"]["numbers"];
    REQUIRE(numbers.size() == 2);
    CHECK(numbers[0]["key"] == "detection.rate_at_0_fp");
    CHECK(numbers[1]["key"] == "b.detection.rate_at_3_fp");
    CHECK(numbers[1]["baseline"] == 0.5);
    CHECK_THAT(
        f.evaluate(f.new_results, {"--no-worse-than", f.path("both"), "--name", "c", "--metric", "c.ap"}).err,
        Contains("has no detector 'c'"));
    CHECK(run_fovea({"compare", f.path("both"), "--no-worse-than", f.path("both"), "--metric", "b.ap"})
              .exit_code == 0);
    // "only" gives numbers by the same names.
    CHECK(f.evaluate(f.old_results, {"--results", f.new_results, "--protocol", "voc2007", "--only", "voc2007",
                                     "--require", "new.ap >= 0.9"})
              .exit_code == 4);
}

TEST_CASE("operating points have one grammar", "[cli][compare][threshold]") {
    const Reports f;
    for (const char* at : {"0fp", "best-f1", "best_f1", "precision>=0.9", "recall>=1", "8"}) {
        CAPTURE(at);
        const ProgramResult compared = f.compare({"--at", at, "--json"});
        REQUIRE(compared.exit_code == 0);
        CHECK(Json::parse(compared.out)["operating_point"]["a"]["threshold"] == 8.0);
        CHECK(f.evaluate(f.old_results, {"--operating-point", at}).exit_code == 0);
        const ProgramResult from =
            f.evaluate(f.old_results, {"--threshold-from", f.path("old") + ":" + at, "--json"});
        const bool is_score = std::string(at) == "8";
        CHECK(from.exit_code == (is_score ? 2 : 0));
        if (!is_score) CHECK(Json::parse(from.out)["detection"]["at_threshold"]["threshold"] == 8.0);
    }
    CHECK_THAT(f.compare({"--at", "precision>=0.9"}).out,
               Contains("with a precision of at least 90.0 %, each at its own threshold"));
    CHECK_THAT(f.evaluate(f.old_results, {"--threshold-from", f.path("new") + ":recall>=1"}).err,
               Contains("no threshold of " + f.path("new") + " gives recall of at least 100.0 %"));
}

TEST_CASE("evaluate takes a threshold from an earlier report", "[cli][compare][threshold]") {
    const Reports f;
    // The old results' best F1 is at 8 (two hits), which none of the new ones reaches; at most 1 FP: 8, too.
    const ProgramResult none = f.evaluate(
        f.new_results, {"--threshold-from", f.path("old/report.json"), "--json", "--out", f.path("at")});
    CAPTURE(none.err);
    REQUIRE(none.exit_code == 0);
    CHECK(Json::parse(none.out)["detection"]["at_threshold"]["threshold"] == 8.0);
    CHECK(Json::parse(none.out)["detection"]["at_threshold"]["true_positives"] == 0);
    CHECK(Json::parse(read_bytes(f.path("at/report.json")))["detection"]["at_threshold"]["false_negatives"] ==
          2);
    CHECK_THAT(read_bytes(f.path("at/report.html")), Contains("At a threshold fixed on another run"));
    // The new ones' threshold without false positives is 5: the old ones then have 2 hits and no alarm.
    const ProgramResult both = f.evaluate(f.old_results, {"--threshold-from", f.path("new") + ":0fp"});
    // Score, faces found, false positives, precision, recall, F1.
    CHECK_THAT(both.out, Contains("\nold       no more than 0 false positives of " + f.path("new") +
                                  "        5            2                0    100.0 %  100.0 %  1.000\n"));
    CHECK(f.evaluate(f.old_results, {"--threshold-from", f.path("new") + ":often"}).exit_code == 2);
    CHECK(f.evaluate(f.old_results, {"--threshold-from", f.path("none.json")}).exit_code == 2);
}

TEST_CASE("the verdicts of gates are written as JUnit's tests", "[cli][compare][gate]") {
    const Reports f;
    const std::string file = f.path("verdicts.xml");
    const auto evaluate = [&](std::vector<std::string> more) {
        more.insert(more.end(), {"--junit", file, "-q"});
        return f.evaluate(f.new_results, more);
    };
    ProgramResult result = evaluate({"--require", "detection.faces==2", "--require", "recall>=0.9"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 4);
    CHECK(read_bytes(file) == R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="fovea" tests="2" failures="1">
  <testsuite name="fovea evaluate detection" tests="2" failures="1">
    <testcase classname="require" name="detection.faces==2">
      <system-out>measured: 2</system-out>
    </testcase>
    <testcase classname="require" name="recall&gt;=0.9">
      <failure message="measured: 0.5"/>
    </testcase>
  </testsuite>
</testsuites>
)");
    // The next run replaces it.
    result = evaluate({"--no-worse-than", f.path("old"), "--metric", "recall"});
    CHECK(result.exit_code == 4);
    CHECK_THAT(read_bytes(file),
               Contains("classname=\"no-worse-than " + f.path("old") +
                        "\" name=\"detection.recall\">\n      <failure message=\"measured: 0.5; "
                        "before: 1; worse by 0.5; allowed: 0\"/>"));
    CHECK(f.gate({"--tolerance", "0.6", "--metric", "detection_rate", "--junit", file}).exit_code == 0);
    CHECK_THAT(read_bytes(file),
               Contains("<testsuite name=\"fovea compare\" tests=\"1\" failures=\"0\">") &&
                   Contains("<system-out>measured: 0.5; before: 1; worse by 0.5; allowed: 0.6; 95 % "
                            "interval of the difference, paired: -1 to 0</system-out>"));
    // Another file stays.
    f.folder.write("verdicts.xml", "<notes/>");
    result = evaluate({"--require", "detection.faces==2"});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Contains("--junit: '" + file + "' is there, and no file of verdicts"));
    CHECK(read_bytes(file) == "<notes/>");
}
