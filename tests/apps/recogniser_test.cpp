#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/support/face_sets.hpp"
#include "tests/support/page_view.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

// A recogniser of textures: whole images of 64×72, no normalisation.
constexpr const char* recogniser = R"({"format": "fovea-recogniser", "version": 1, "name": "texture",
    "face": {"width": 64, "height": 72, "left_eye": [16, 24], "right_eye": [48, 24]},
    "normalisation": {"mask": false, "equalise": false, "standardise": false},
    "features": [{"points": 8, "radius": 2, "regions": {"columns": 4, "rows": 4}}]})";

struct Scene {
    Scene() : mine(folder.write("texture.json", recogniser).string()) { write_subjects(faces(), 6, 4); }
    std::filesystem::path faces() const { return folder.path() / "faces"; }
    std::string set() const { return "folder:" + faces().string(); }
    std::string path(const std::string& name) const { return (folder.path() / name).string(); }
    std::string text(const std::string& name) const {
        std::ifstream file(folder.path() / name);
        std::stringstream bytes;
        bytes << file.rdbuf();
        return bytes.str();
    }
    Json json(const std::string& name) const { return Json::parse(text(name)); }
    TempDir folder;
    std::string mine;
};

}  // namespace

TEST_CASE("a recogniser is evaluated on searches, as its scores are", "[cli][evaluate][recognise]") {
    const Scene s;
    ProgramResult result =
        run_fovea({"evaluate", "identification", "--gallery", s.set(), "--probes", s.set(), "--recogniser",
                   s.mine, "--faces", "image", "--permutations", "40", "--enrolled", "2", "--out",
                   s.path("own"), "--device", "cpu", "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json own = Json::parse(result.out);
    CHECK(own["faces"] == 24);
    CHECK(own["failures"].empty());
    CHECK(own["identification"]["rank1"] == 1.0);
    CHECK(own["permutation"]["recognisers"][0]["rank1_mean"] == 1.0);
    CHECK(own["permutation"]["enrolled"] == 2);
    const Json manifest = s.json("own/run.json");
    CHECK(manifest["recognition"]["recognisers"][0]["configuration"]["name"] == "texture");
    CHECK(manifest["recognition"]["scores"][0]["file"] == "scores.csv");
    CHECK_THAT(s.text("own/report.html"), Contains("2 gallery images were drawn, all others being probes"));

    // The scores that it left say the same.
    result = run_fovea({"evaluate", "identification", "--gallery", s.set(), "--probes", s.set(), "--scores",
                        s.path("own/scores.csv"), "--distance", "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    Json again = Json::parse(result.out)["identification"];
    for (const char* key : {"name", "warnings"}) again.erase(key);
    Json first = own["identification"];
    for (const char* key : {"name", "warnings"}) first.erase(key);
    CHECK(again == first);
}

TEST_CASE("a recogniser is evaluated on pairs; an image that gives no face is named",
          "[cli][evaluate][recognise]") {
    const Scene s;
    std::ofstream(s.faces() / "pairs.txt") << "2\t2\n"
                                              "s01\t1\t2\ns02\t1\t2\ns01\t1\ts02\t1\ns01\t2\ts03\t1\n"
                                              "s03\t1\t2\ns04\t1\t2\ns03\t1\ts04\t1\ns04\t2\ts05\t1\n";
    std::ofstream(s.faces() / "s05/s05_0001.png") << "no image";
    const ProgramResult result =
        run_fovea({"evaluate", "verification", "--dataset", "lfw:" + s.faces().string(), "--recogniser",
                   s.mine, "--faces", "image", "--out", s.path("out"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 3);
    CHECK_THAT(result.err, Contains("1 image gave no face") && Contains("s05/s05_0001.png: "));
    const Json json = Json::parse(result.out);
    CHECK(json["verification"]["best_accuracy"] == 1.0);
    CHECK(json["verification"]["impostors_failed_to_enrol"] == 1);
    CHECK(json["failures"][0]["image"] == "s05/s05_0001.png");
    std::istringstream scores(s.text("out/scores.txt"));
    std::string line;
    int lines = 0;
    while (std::getline(scores, line)) ++lines;
    CHECK(lines == 7);
    CHECK(s.json("out/report.json")["verification"]["pairs"] == 8);
}

TEST_CASE("a run recognises, beside detecting or alone", "[cli][run][recognise]") {
    const Scene s;
    Json config{{"recognition",
                 {{"recognisers", {s.mine}},
                  {"faces", "image"},
                  {"gallery", s.set()},
                  {"probes", {s.set()}},
                  {"permutations", {{"count", 9}, {"folds", 3}}}}},
                {"report", {{"title", "Textures"}}},
                {"device", "cpu"},
                {"output", s.path("run")}};
    s.folder.write("run.json", config.dump());
    ProgramResult result = run_fovea({"run", s.path("run.json")});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK_THAT(result.out, Contains("texture") && Contains("report: " + s.path("run/report.html")));
    CHECK(s.json("run/report.json")["identification"]["rank1"] == 1.0);
    CHECK(s.json("run/report.json")["title"] == "Textures");
    CHECK(s.json("run/run.json")["recognition"]["faces"] == 24);

    // Detection with a dataset of its own has the folder, and recognition one below it.
    config["dataset"] = {{"path", s.set()}, {"limit", 2}};
    s.folder.write("both.json", config.dump());
    result = run_fovea({"run", s.path("both.json"), "--out", s.path("both"), "--json"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const Json both = Json::parse(result.out);
    CHECK(both["images"] == 2);
    CHECK(both["recognition"]["identification"]["rank1"] == 1.0);
    CHECK(s.json("both/identification/report.json")["identification"]["probes"] == 24);
    CHECK(s.json("both/run.json")["counts"]["images"] == 2);
    CHECK(s.json("both/run.json")["recognition"]["scores"][0]["file"] == "identification/scores.csv");

    // The same detection, and another recognition.
    config["recognition"]["permutations"]["count"] = 6;
    s.folder.write("other.json", config.dump());
    result = run_fovea({"run", s.path("other.json"), "--out", s.path("both")});
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err,
               Contains("recognition/permutations/count is 6 and was 9") && Contains("--overwrite"));
    CHECK(run_fovea({"run", s.path("both.json"), "--out", s.path("both")}).exit_code == 0);
    result = run_fovea({"run", s.path("other.json"), "--out", s.path("both"), "--overwrite"});
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
}

TEST_CASE("the reports of a run link to each other", "[cli][run][recognise][report]") {
    const Scene s;
    const std::string image = (s.faces() / "s01" / "s01_0001.png").string();
    REQUIRE(std::filesystem::exists(image));
    const Json truth{
        {"images", {{{"id", 1}, {"file_name", image}}}},
        {"annotations", {{{"id", 1}, {"image_id", 1}, {"category_id", 1}, {"bbox", {4, 4, 20, 20}}}}},
        {"categories", {{{"id", 1}, {"name", "face"}}}}};
    s.folder.write("truth.json", truth.dump());
    const Json config{
        {"dataset", {{"path", "coco:" + s.path("truth.json")}}},
        {"recognition",
         {{"recognisers", {s.mine}}, {"faces", "image"}, {"gallery", s.set()}, {"probes", {s.set()}}}},
        {"device", "cpu"},
        {"output", s.path("run")}};
    s.folder.write("run.json", config.dump());
    const ProgramResult result = run_fovea({"run", s.path("run.json")});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const auto related = [&](const std::string& page) { return page_view(s.text(page))["related"]; };
    CHECK(related("run/report.html") ==
          Json::parse(R"([{"title": "Face identification", "address": "identification/report.html"}])"));
    CHECK(related("run/identification/report.html") ==
          Json::parse(R"([{"title": "Face detection", "address": "../report.html"}])"));
    // Both say when, where and by what they were made.
    for (const char* page : {"run/report.html", "run/identification/report.html"}) {
        const Json view = page_view(s.text(page));
        CHECK(page_definition(view, "made at") != "");
        CHECK(page_definition(view, "made on") != "");
        CHECK_THAT(page_definition(view, "made with"), Catch::EndsWith("run.json"));
    }
}

TEST_CASE("flags of recognisers that do not go together", "[cli][evaluate][recognise]") {
    const auto error_of = [](const std::vector<std::string>& arguments) {
        const ProgramResult result = run_fovea(arguments);
        CHECK(result.exit_code == 2);
        return result.err;
    };
    CHECK_THAT(error_of({"evaluate", "verification", "--recogniser", "lbp"}),
               Contains("needs the --dataset"));
    CHECK_THAT(error_of({"evaluate", "verification", "--recogniser", "lbp", "--pairs", "x"}),
               Contains("makes the scores itself"));
    CHECK_THAT(error_of({"evaluate", "verification", "--pairs", "x", "--faces", "image"}),
               Contains("are for a --recogniser"));
    CHECK_THAT(
        error_of({"evaluate", "identification", "--gallery", "x", "--probes", "y", "--recogniser", "none"}),
        Contains("there is no recogniser 'none'"));
    CHECK_THAT(error_of({"evaluate", "identification", "--gallery", "x", "--probes", "y", "--recogniser",
                         "lbp", "--fallback-eyes", "0,0,0"}),
               Contains("is not the places of two eyes"));
    CHECK_THAT(error_of({"evaluate", "identification", "--gallery", "x", "--probes", "y", "--recogniser",
                         "lbp", "--permutations", "5"}),
               Contains("'recognition.permutations.dataset' must be given"));
}

TEST_CASE("probes of one name have a report each", "[cli][run][recognise]") {
    const Scene s;
    // Probes of the second set, which has four of the six subjects.
    write_subjects(s.folder.path() / "b" / "faces", 4, 2);
    write_subjects(s.folder.path() / "c" / "faces-2", 2, 2);
    const auto set = [&](const std::string& name) { return "folder:" + s.path(name); };
    Json config{{"recognition",
                 {{"recognisers", {s.mine}},
                  {"faces", "image"},
                  {"gallery", s.set()},
                  {"probes", {s.set(), set("b/faces"), set("c/faces-2")}}}},
                {"device", "cpu"},
                {"output", s.path("run")}};
    s.folder.write("run.json", config.dump());
    // A report of somebody else, in the folder that the second probes come to have.
    s.folder.write("run/identification-faces-2/report.json", R"({"configuration": {"recognition": 1}})");
    const ProgramResult refused = run_fovea({"run", s.path("run.json")});
    CHECK(refused.exit_code == 2);
    CHECK_THAT(refused.err, Contains("identification-faces-2/report.json' is of other work"));
    std::filesystem::remove_all(s.folder.path() / "run");

    const ProgramResult result = run_fovea({"run", s.path("run.json")});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    const std::pair<const char*, int> reports[] = {
        {"identification-faces", 24}, {"identification-faces-2", 8}, {"identification-faces-2-2", 4}};
    for (const auto& [folder, probes] : reports) {
        CAPTURE(folder);
        const Json report = s.json("run/" + std::string(folder) + "/report.json");
        CHECK(report["identification"]["probes"] == probes);
        // Each page leads to the two others.
        const std::string page = s.text("run/" + std::string(folder) + "/report.html");
        for (const auto& [other, unused] : reports) {
            const bool is_linked =
                page.find("../" + std::string(other) + "/report.html") != std::string::npos;
            CHECK(is_linked == (std::string(other) != folder));
        }
    }
    const Json scores = s.json("run/run.json")["recognition"]["scores"];
    REQUIRE(scores.size() == 3);
    CHECK(scores[1]["file"] == "identification-faces-2/scores.csv");
}
