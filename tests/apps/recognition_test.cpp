#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// Pairs by falling score: g g i g i i i; AUC 11/12, EER 1/4 at 0.7.
constexpr const char* seven_pairs =
    "a b 0.9 1\nc d 0.8 1\ne f 0.4 1\na c 0.7 0\na d 0.3 0\na e 0.2 0\na f 0.1 0\n";

// Three subjects in the gallery; Ann's probe is identified, Bob's is second, and nobody knows Dan.
constexpr const char* subjects = "a Ann\nb Bob\nc Cid\npa Ann\npb Bob\npd Dan\n";
constexpr const char* matrix = ",a,b,c\npa,0.9,0.1,0.2\npb,0.6,0.5,0.4\npd,0.3,0.2,0.1\n";

struct Files {
    std::string write(const std::string& name, const std::string& bytes) const {
        return folder.write(name, bytes).string();
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    TempDir folder;
};

}  // namespace

TEST_CASE("verification of labelled pairs: numbers, report, gate", "[cli][evaluate][verification]") {
    const Files f;
    const std::string pairs = f.write("mine.txt", seven_pairs);
    const ProgramResult result = run_fovea({"evaluate", "verification", "--pairs", pairs, "--out",
                                            f.path("dev"), "--json", "--require", "verification.auc>=0.9"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["verification"]["name"] == "mine");
    CHECK(json["verification"]["auc"].get<double>() == Approx(11.0 / 12));
    CHECK(json["verification"]["eer"].get<double>() == Approx(0.25));
    CHECK(json["requirements"][0]["passed"] == true);
    CHECK_FALSE(json["verification"].contains("roc"));
    CHECK_THAT(result.err, Contains("TAR at FAR") && Contains("is undefined"));

    const Json report = Json::parse(read_bytes(f.path("dev/report.json")));
    CHECK(report["verification"]["threshold_at_eer"] == 0.7);
    CHECK(report["verification"]["roc"].size() == 7);
    CHECK_THAT(read_bytes(f.path("dev/curves.csv")), Contains("mine,0.7,2,1,0.6666666666666666,0.25\n"));
    for (const char* name : {"roc.svg", "det.svg", "scores.svg"}) {
        CAPTURE(name);
        CHECK_THAT(read_bytes(f.path(std::string("dev/") + name)), Contains("<svg"));
    }
    const std::string page = read_bytes(f.path("dev/report.html"));
    CHECK_THAT(page, Contains("25.00"));
    CHECK_THAT(page, Contains("3 genuine pairs") && Contains("Equal error rate"));
    CHECK_THAT(page, Contains("default-src 'none'"));

    // The threshold of this run on another: 0.7 accepts one of two impostors and half of the genuine pairs.
    const std::string test = f.write("test.csv", "a,b,0.7,1\nc,d,0.6,1\na,c,0.75,0\na,d,0.1,0\n");
    const ProgramResult applied = run_fovea({"evaluate", "verification", "--pairs", test, "--threshold-from",
                                             f.path("dev/report.json"), "--json", "--quiet"});
    CAPTURE(applied.err);
    REQUIRE(applied.exit_code == 0);
    const Json at = Json::parse(applied.out)["verification"];
    CHECK(at["threshold"] == 0.7);
    CHECK(at["fmr_at_threshold"] == 0.5);
    CHECK(at["fnmr_at_threshold"] == 0.5);
    CHECK(at["hter_at_threshold"] == 0.5);
    CHECK(at["accuracy_at_threshold"] == 0.5);

    const ProgramResult failed =
        run_fovea({"evaluate", "verification", "--pairs", pairs, "--require", "verification.eer<=0.1"});
    CHECK(failed.exit_code == 4);
    CHECK_THAT(failed.err, Contains("verification.eer<=0.1 was required, but it is 0.25"));

    // A report that cannot be written costs no numbers: no file takes the place of a folder.
    f.write("late/report.html/in-the-way", "");
    const ProgramResult late =
        run_fovea({"evaluate", "verification", "--pairs", pairs, "--out", f.path("late"), "--json"});
    CHECK(late.exit_code == 2);
    CHECK_THAT(late.err, Contains("report.html"));
    CHECK(Json::parse(late.out)["exit_code"] == 2);
    CHECK(Json::parse(late.out)["verification"]["eer"].get<double>() == Approx(0.25));
}

TEST_CASE("recognisers are compared in one report, the same for any number of threads",
          "[cli][evaluate][verification]") {
    const Files f;
    const std::string a = f.write("a.txt", seven_pairs);
    const std::string b = f.write("b.txt", "a b 0.9 1\na c 0.95 0\nc d 0.1 1\na d - 0\n");
    const auto run = [&](const std::string& out, const std::string& threads) {
        return run_fovea({"evaluate", "verification", "--pairs", a, b, "--out", out, "--threads", threads});
    };
    const ProgramResult result = run(f.path("one"), "1");
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("Recogniser") && Contains("0.9167*") && Contains("report: "));
    REQUIRE(run(f.path("two"), "2").exit_code == 0);
    // The page says when and by what command it was made, in these definitions alone.
    const auto page_of = [&](const std::string& folder) {
        std::string page = read_bytes(f.path(folder + "/report.html"));
        const std::size_t begin = page.find("report made by");
        const std::size_t end = page.find("\"id\":\"effective-configuration\"", begin);
        REQUIRE(end != std::string::npos);
        return page.erase(begin, end - begin);
    };
    CHECK(page_of("one") == page_of("two"));
    for (const char* name : {"report.json", "report.md", "numbers.csv", "curves.csv", "roc.svg", "roc.pdf",
                             "scores_2.svg", "scores_2.pdf"}) {
        CAPTURE(name);
        CHECK(read_bytes(f.path(std::string("one/") + name)) ==
              read_bytes(f.path(std::string("two/") + name)));
    }
    const Json report = Json::parse(read_bytes(f.path("one/report.json")));
    CHECK(report["recognisers"][1]["verification"]["impostors_failed_to_enrol"] == 1);
    // A report of one recogniser in the same folder leaves nothing of the second.
    REQUIRE(run_fovea({"evaluate", "verification", "--pairs", a, "--overwrite", "--out", f.path("one")})
                .exit_code == 0);
    for (const char* name : {"scores_1.svg", "scores_2.svg", "scores_1.pdf", "scores_2.pdf"}) {
        CAPTURE(name);
        CHECK_FALSE(std::filesystem::exists(f.path(std::string("one/") + name)));
    }
}

TEST_CASE("wrong use of verification is told in a sentence", "[cli][evaluate][verification]") {
    const Files f;
    const std::string pairs = f.write("pairs.txt", seven_pairs);
    const auto error = [&](std::vector<std::string> arguments, int code) {
        arguments.insert(arguments.begin(), {"evaluate", "verification"});
        const ProgramResult result = run_fovea(arguments);
        CHECK(result.exit_code == code);
        CHECK(result.out.empty());
        return result.err;
    };
    CHECK_THAT(error({}, 2), Contains("either --scores"));
    CHECK_THAT(error({"--scores", pairs}, 2), Contains("--dataset"));
    CHECK_THAT(error({"--pairs", pairs, "--dataset", "x"}, 2), Contains("own pairs"));
    CHECK_THAT(error({"--pairs", pairs, "--threshold", "1", "--threshold-from", "x"}, 2),
               Contains("exclude"));
    CHECK_THAT(error({"--pairs", pairs, "--threshold", "nan"}, 2), Contains("finite"));
    CHECK_THAT(error({"--pairs", pairs, pairs, "--name", "one"}, 2), Contains("1 names for 2"));
    CHECK_THAT(error({"--pairs", pairs, "--name", ""}, 2), Contains("a name is empty"));
    CHECK_THAT(error({"--pairs", pairs, pairs, "--name", "x", "x"}, 2), Contains("are called 'x'"));
    CHECK_THAT(error({"--pairs", f.path("nothing")}, 2), Contains("nothing"));
    CHECK_THAT(error({"--pairs", f.write("nan.txt", "a b nan 1\n")}, 1), Contains("nan.txt:1"));
    CHECK_THAT(error({"--pairs", f.write("empty.txt", "")}, 1), Contains("no pairs"));
}

TEST_CASE("identification: closed and open set, permutations, report", "[cli][evaluate][identification]") {
    const Files f;
    const std::string who = f.write("subjects.txt", subjects);
    const std::string scores = f.write("mine.csv", matrix);
    const ProgramResult result =
        run_fovea({"evaluate", "identification", "--subjects", who, "--scores", scores, "--out",
                   f.path("report"), "--json", "--require", "identification.rank1==0.5"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json identification = Json::parse(result.out)["identification"];
    CHECK(identification["gallery_subjects"] == 3);
    CHECK(identification["probes"] == 3);
    CHECK(identification["mated_probes"] == 2);
    CHECK(identification["rank1"] == 0.5);
    CHECK(identification["rank1_pessimistic"] == 0.5);
    CHECK(identification["open_set"]["unmated_probes"] == 1);
    CHECK(read_bytes(f.path("report/curves.csv")) ==
          "recogniser,rank,rate,optimistic,pessimistic\nmine,1,0.5,0.5,0.5\nmine,2,1,1,1\nmine,3,1,1,1\n");
    // pa 0.9 first; pb 0.5 not first; pd 0.3.
    CHECK(read_bytes(f.path("report/open_set.csv")) ==
          "recogniser,threshold,fpir,fnir,fnir_any_rank\nmine,0.9,0,0.5,0.5\nmine,0.5,0,0.5,0\nmine,0.3,1,0."
          "5,0\n");
    CHECK_THAT(read_bytes(f.path("report/report.html")), Contains("Open-set identification"));
    CHECK_THAT(read_bytes(f.path("report/report.md")), Contains("| mine | 2 | 1 | 0 | 0 | 0 | 0 |\n"));
    CHECK_THAT(read_bytes(f.path("report/numbers.csv")), Contains("\nmine,rank1,0.5,"));

    CHECK(run_fovea({"evaluate", "identification", "--subjects", who, "--scores", scores, "--require",
                     "identification.rank1>=0.6"})
              .exit_code == 4);
    const ProgramResult permuted = run_fovea(
        {"evaluate", "identification", "--subjects", who, "--scores", scores, "--permutations", "100"});
    CHECK(permuted.exit_code == 2);
    CHECK_THAT(permuted.err, Contains("no image is both"));
}

TEST_CASE("permutations compare two recognisers on scores of all with all",
          "[cli][evaluate][identification]") {
    const Files f;
    const std::string who = f.write("subjects.txt", "a1 A\na2 A\nb1 B\nb2 B\n");
    const std::string good = f.write("good.txt", "a1 a2 9\na1 b1 1\na1 b2 1\na2 b1 1\na2 b2 1\nb1 b2 9\n");
    const std::string bad = f.write("bad.txt", "a1 a2 1\na1 b1 9\na1 b2 9\na2 b1 9\na2 b2 9\nb1 b2 1\n");
    const ProgramResult result = run_fovea({"evaluate", "identification", "--subjects", who, "--scores", good,
                                            bad, "--permutations", "200", "--out", f.path("report")});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("good  bad  100.00 %    0.00 %    0.00 %"));
    const Json permutation = Json::parse(read_bytes(f.path("report/report.json")))["permutation"];
    CHECK(permutation["recognisers"][0]["rank1_mean"] == 1.0);
    CHECK(permutation["recognisers"][1]["rank1_mean"] == 0.0);
    CHECK(permutation["comparisons"][0]["mean_difference"] == -1.0);
    CHECK_THAT(read_bytes(f.path("report/permutations.svg")), Contains("<svg"));
    // Every choice of images has the mate first for the one and last for the other.
    CHECK_THAT(read_bytes(f.path("report/report.md")),
               Contains("| good | bad | 100.00\u00A0% | 0.00\u00A0% | 0.00\u00A0% | -100.00\u00A0% ("));
    CHECK_THAT(read_bytes(f.path("report/numbers.csv")),
               Contains("\ngood,permutation.rank1_mean,1,1,1,") &&
                   Contains("\ngood,permutation.better_than.bad,1,,,") &&
                   Contains("\nbad,permutation.better_than.good,0,,,"));
}

TEST_CASE("datasets of one folder a subject can be gallery and probes", "[cli][evaluate][identification]") {
    const Files f;
    for (const char* name : {"A/1.pgm", "A/2.pgm", "B/1.pgm", "B/2.pgm"})
        f.write(std::string("set/") + name, "P5 1 1 255 x");
    const std::string set = "folder:" + f.path("set");
    const std::string scores =
        f.write("s.txt", "A/1 A/2 3\nA/1 B/1 1\nA/1 B/2 1\nA/2 B/1 1\nA/2 B/2 5\nB/1 B/2 2\n");
    const ProgramResult result = run_fovea(
        {"evaluate", "identification", "--gallery", set, "--probes", set, "--scores", scores, "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    // A/1: mate 3 first. A/2: mate 3 behind B/2's 5. B/1: mate 2 first. B/2: 2 behind 5.
    CHECK(Json::parse(result.out)["identification"]["rank1"] == 0.5);
    const std::string missing = f.write("m.txt", "A/1 A/2 3\nA/1 B/1 1\nA/1 B/2 1\nA/2 B/1 1\nB/1 B/2 2\n");
    const ProgramResult incomplete =
        run_fovea({"evaluate", "identification", "--gallery", set, "--probes", set, "--scores", missing});
    CHECK(incomplete.exit_code == 1);
    CHECK_THAT(incomplete.err, Contains("'A/2.pgm'") && Contains("'B/2.pgm'"));
}

TEST_CASE("verifications are compared pair by pair, and gated by an earlier report",
          "[cli][evaluate][verification][compare]") {
    const Files f;
    const std::string pairs = f.write("mine.txt", seven_pairs);
    // c d scores below all impostors but two: AUC 9/12.
    const std::string worse = f.write(
        "worse.txt", "a b 0.9 1\nc d 0.25 1\ne f 0.4 1\na c 0.7 0\na d 0.3 0\na e 0.2 0\na f 0.1 0\n");
    const auto evaluate = [&](const std::string& file, std::vector<std::string> more) {
        more.insert(more.begin(), {"evaluate", "verification", "--pairs", file, "--json"});
        return run_fovea(more);
    };
    REQUIRE(evaluate(pairs, {"--out", f.path("a")}).exit_code == 0);
    REQUIRE(evaluate(worse, {"--out", f.path("b")}).exit_code == 0);
    const auto difference = [&](const std::string& a, const std::string& b) {
        const ProgramResult result = run_fovea({"compare", f.path(a), f.path(b), "--json"});
        CAPTURE(result.err);
        REQUIRE(result.exit_code == 0);
        const Json json = Json::parse(result.out);
        CHECK(json["paired"] == true);
        CHECK_THAT(json["method"].get<std::string>(), Contains("paired bootstrap over pairs"));
        for (const Json& number : json["numbers"]) {
            if (number["key"] == "verification.auc") return number;
        }
        FAIL("no AUC");
        return Json();
    };
    const Json same = difference("a", "a");
    CHECK(same["difference"] == 0.0);
    CHECK(same["difference_ci95"] == Json{0.0, 0.0});
    const Json lower = difference("a", "b");
    CHECK(lower["difference"].get<double>() == Approx(9.0 / 12 - 11.0 / 12));
    CHECK(lower["difference_ci95"][1].get<double>() <= 0);

    CHECK(evaluate(pairs, {"--no-worse-than", f.path("a")}).exit_code == 0);
    const ProgramResult failed = evaluate(worse, {"--no-worse-than", f.path("a"), "--tolerance", "0.1"});
    CHECK(failed.exit_code == 4);
    CHECK_THAT(failed.err, Contains("the accuracy gate failed: verification."));
    const Json verdict = Json::parse(failed.out)["no_worse_than"];
    CHECK(verdict["baseline"] == f.path("a"));
    CHECK(verdict["paired"] == true);
    for (const Json& number : verdict["numbers"]) {
        if (number["key"] == "verification.auc") CHECK(number["difference_ci95"] == lower["difference_ci95"]);
    }
    CHECK(evaluate(worse, {"--no-worse-than", f.path("a"), "--metric", "auc", "--tolerance", "0.2"})
              .exit_code == 0);
    CHECK(evaluate(worse, {"--tolerance", "0.2"}).exit_code == 2);
    CHECK(evaluate(worse, {"--max-unreadable", "2"}).exit_code == 2);

    // Evaluations of other pairs are not paired, and the gate refuses them.
    const std::string other = f.write("other.txt", std::string(seven_pairs) + "b c 0.5 0\n");
    REQUIRE(evaluate(other, {"--out", f.path("c")}).exit_code == 0);
    const Json unpaired = Json::parse(run_fovea({"compare", f.path("a"), f.path("c"), "--json"}).out);
    CHECK(unpaired["paired"] == false);
    CHECK_THAT(unpaired["method"].get<std::string>(), Contains("not of the same pairs"));
    const ProgramResult refused = evaluate(other, {"--no-worse-than", f.path("a")});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains("not of the same task"));
    // A record that is not the report's is refused.
    f.write("a/units.jsonl", read_bytes(f.path("a/units.jsonl")) + "\n");
    CHECK_THAT(run_fovea({"compare", f.path("a"), f.path("b")}).err, Contains("is not the record"));
}

TEST_CASE("identifications are compared probe by probe, and gated by an earlier report",
          "[cli][evaluate][identification][compare]") {
    const Files f;
    const std::string who = f.write("subjects.txt", subjects);
    const std::string half = f.write("half.csv", matrix);
    const std::string whole = f.write("all.csv", ",a,b,c\npa,0.9,0.1,0.2\npb,0.4,0.5,0.4\npd,0.3,0.2,0.1\n");
    const auto evaluate = [&](const std::string& scores, std::vector<std::string> more) {
        more.insert(more.begin(),
                    {"evaluate", "identification", "--subjects", who, "--scores", scores, "--json"});
        return run_fovea(more);
    };
    REQUIRE(evaluate(half, {"--out", f.path("half")}).exit_code == 0);
    REQUIRE(evaluate(whole, {"--out", f.path("all")}).exit_code == 0);
    const ProgramResult result = run_fovea({"compare", f.path("half"), f.path("all"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["paired"] == true);
    CHECK_THAT(json["method"].get<std::string>(), Contains("paired bootstrap over probes"));
    bool found = false;
    for (const Json& number : json["numbers"]) {
        if (number["key"] != "identification.rank1") continue;
        found = true;
        CHECK(number["difference"] == 0.5);
        CHECK(number["difference_ci95"] == Json{0.0, 1.0});
    }
    CHECK(found);
    const ProgramResult held = evaluate(whole, {"--no-worse-than", f.path("half"), "--metric", "rank1"});
    CHECK(held.exit_code == 0);
    CHECK_THAT(held.err, Contains("(95 % CI of the difference 0 to 1, paired)"));
    CHECK(evaluate(half, {"--no-worse-than", f.path("all")}).exit_code == 4);
    CHECK(evaluate(half, {"--no-worse-than", f.path("all"), "--tolerance", "0.5"}).exit_code == 0);
}
