#include <filesystem>
#include <set>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/support/edge_scene.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// Images of Ann (3), Bob (2) and Cid (1); what they show is not looked at.
struct People {
    People() {
        for (const char* image : {"Ann/1", "Ann/2", "Ann/3", "Bob/1", "Bob/2", "Cid/1"})
            folder.write("people/" + std::string(image) + ".jpg", "");
        groups = folder.write("mine.txt", "Ann/1 1\nAnn/2.jpg 1\nBob/1 1\nBob/2 2\nCid/1 3\n").string();
    }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    ProgramResult evaluate(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(),
                         {"evaluate", "clustering", "--dataset", "folder:" + path("people")});
        return run_fovea(arguments);
    }

    TempDir folder;
    std::string groups;
};

}  // namespace

TEST_CASE("groups of faces are judged: numbers, report, gates", "[cli][evaluate][clustering]") {
    const People p;
    const ProgramResult result =
        p.evaluate({"--groups", p.groups, "--out", p.path("report"), "--json", "--require",
                    "clustering.bcubed_f1>=0.6", "--require", "pairwise_recall<=0.5"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    const Json& numbers = json["clustering"];
    CHECK(json["command"] == "evaluate clustering");
    CHECK(numbers["name"] == "mine");
    CHECK(numbers["images"] == 6);
    CHECK(numbers["subjects"] == 3);
    CHECK(numbers["groups"] == 3);
    CHECK(numbers["ungrouped"] == 1);
    // Precision: 2/3 twice, 1/3, and 1 three times. Recall: 2/3 twice, 1/3, 1/2 twice, 1.
    CHECK(numbers["bcubed_precision"].get<double>() == Approx(14.0 / 18));
    CHECK(numbers["bcubed_recall"].get<double>() == Approx(11.0 / 18));
    CHECK(numbers["bcubed_f1"].get<double>() == Approx(2.0 * 14 * 11 / (18 * 25)));
    CHECK(numbers["pairwise_precision"].get<double>() == Approx(1.0 / 3));
    CHECK(numbers["pairwise_recall"].get<double>() == Approx(1.0 / 4));
    CHECK(numbers["pairwise_f1"].get<double>() == Approx(2.0 / 7));
    CHECK(numbers["bcubed_f1_ci95"].size() == 2);
    CHECK(json["requirements"][1]["passed"] == true);

    std::set<std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(p.path("report")))
        files.insert(file.path().filename().string());
    for (const char* name : {"report.json", "report.html", "report.md", "numbers.csv"}) {
        CAPTURE(name);
        CHECK(files.contains(name));
    }
    const Json report = Json::parse(read_bytes(p.path("report/report.json")));
    CHECK(report["clustering"]["bcubed_f1"] == numbers["bcubed_f1"]);
    CHECK(report["configuration"]["groups"] == Json{p.groups});
    CHECK(report["verdicts"].size() == 2);
    CHECK_THAT(read_bytes(p.path("report/report.html")), Contains("Subjects in most groups"));

    const ProgramResult failed = p.evaluate({"--groups", p.groups, "--require", "bcubed_f1>=0.9"});
    CHECK(failed.exit_code == 4);
    CHECK_THAT(failed.err, Contains("bcubed_f1>=0.9 was required, but it is 0.684"));
    CHECK_THAT(failed.out, Contains("B-cubed F1") && Contains("Faces in no group"));

    // Against this report: itself is no worse, and one group of all is.
    const std::string baseline = p.path("report/report.json");
    const ProgramResult same = p.evaluate({"--groups", p.groups, "--no-worse-than", baseline, "--json"});
    CAPTURE(same.err);
    CHECK(same.exit_code == 0);
    CHECK(Json::parse(same.out)["no_worse_than"]["numbers"].size() == 2);
    const std::string one = p.folder.write("one.csv", "image,group\nAnn/1,7\nBob/1,7\nCid/1,7\n").string();
    const ProgramResult worse = p.evaluate({"--groups", one, "--no-worse-than", baseline});
    CHECK(worse.exit_code == 4);
    CHECK_THAT(worse.err, Contains("clustering.bcubed_f1"));
}

TEST_CASE("results of Fovea are groups, and several files are compared", "[cli][evaluate][clustering]") {
    const People p;
    std::string lines;
    const auto add = [&](const std::string& image, const std::string& who) {
        lines += R"({"image":")" + image + R"(.jpg","width":50,"height":50,"status":"ok","detections":[)" +
                 R"({"box":[0,0,9,9],"score":9,"person":99},{"box":[20,20,10,10],"score":1,)" + who + "}]}\n";
    };
    for (const char* image : {"Ann/1", "Ann/2", "Ann/3"}) add(image, R"("person":1)");
    for (const char* image : {"Bob/1", "Bob/2"}) add(image, R"("person":2)");
    add("Cid/1", R"("apart":"alone")");
    const std::string results = p.folder.write("people.jsonl", lines).string();
    const ProgramResult result = p.evaluate({"--groups", results, p.groups, "--name", "ours", "--name",
                                             "theirs", "--json", "--require", "theirs.bcubed_f1<0.9"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json json = Json::parse(result.out);
    CHECK(json["clustering"]["bcubed_f1"] == 1.0);
    CHECK(json["clustering"]["pairwise_f1"] == 1.0);
    CHECK(json["clustering"]["ungrouped"] == 1);
    CHECK(json["recognisers"][1]["name"] == "theirs");
    CHECK(json["recognisers"][1]["clustering"]["ungrouped"] == 1);
    CHECK(json["recognisers"][0]["clustering"]["units_sha256"] ==
          json["recognisers"][1]["clustering"]["units_sha256"]);
    // Standard input, once.
    ProgramOptions from_pipe;
    from_pipe.input = lines;
    const ProgramResult piped = run_fovea(
        {"evaluate", "clustering", "--dataset", "folder:" + p.path("people"), "--groups", "-", "--json"},
        from_pipe);
    CHECK(Json::parse(piped.out)["clustering"]["bcubed_f1"] == 1.0);
}

TEST_CASE("wrong use of clustering is told in a sentence", "[cli][evaluate][clustering]") {
    const People p;
    const auto error = [&](std::vector<std::string> arguments, int code) {
        const ProgramResult result = p.evaluate(std::move(arguments));
        CHECK(result.exit_code == code);
        CHECK(result.out.empty());
        return result.err;
    };
    CHECK_THAT(error({}, 2), Contains("--groups"));
    CHECK_THAT(run_fovea({"evaluate", "clustering", "--groups", p.groups}).err, Contains("--dataset"));
    CHECK_THAT(error({"--groups", p.path("nothing.txt")}, 2), Contains("nothing.txt"));
    CHECK_THAT(error({"--groups", p.groups, "--distance"}, 2), Contains("--distance"));
    CHECK_THAT(error({"--groups", p.groups, "--name", "a", "b"}, 2),
               Contains("2 names for 1 files of groups"));
    CHECK_THAT(error({"--groups", p.folder.write("x.txt", "Eve/1 1\n").string()}, 1),
               Contains("names none of the 6 images") && Contains("'Eve/1'"));
    CHECK_THAT(error({"--groups", p.folder.write("torn.txt", "Ann/1\n").string()}, 1),
               Contains("torn.txt:1: expected NAME GROUP"));
    CHECK_THAT(error({"--groups", p.groups, "--require", "purity>=0.5"}, 2), Contains("no number 'purity'"));

    const ProgramResult some =
        p.evaluate({"--groups", p.folder.write("y.txt", "Eve/1 1\nAnn/1 1\n").string()});
    CHECK(some.exit_code == 0);
    CHECK_THAT(some.err,
               Contains("1 name of the file is none of the dataset's") && Contains("No group has two faces"));
    p.folder.write("people/stray.jpg", "");
    CHECK_THAT(error({"--groups", p.groups}, 1), Contains("it is not known who is shown"));
}
