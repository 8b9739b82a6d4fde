// The program on sets and results in the formats of others.

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

namespace {

ProgramResult evaluate(const std::string& dataset, const std::string& results) {
    return run_fovea({"evaluate", "detection", "--dataset", dataset, "--results", results, "--json"});
}

Json evaluation_of(const ProgramResult& result) {
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return Json::parse(result.out).at("detection");
}

}  // namespace

TEST_CASE("evaluate reads sets and results of WIDER FACE, FDDB, VOC and COCO", "[cli][evaluate][readers]") {
    const TempDir dir;
    // Each says the same: two images, the first with a face of 20 x 20 at (10, 0), which is found exactly.
    dir.write("fddb.txt", "a\n1\n10 10 0 20 10 1\nb\n0\n");
    dir.write("fddb-out.txt", "a\n1\n10 0 20 20 0.9\nb\n0\n");
    dir.write("wider.txt", "e/a.jpg\n1\n10 0 20 20 0 0 0 0 0 0\ne/b.jpg\n0\n0 0 0 0 0 0 0 0 0 0\n");
    dir.write("pred/e/a.txt", "a.jpg\n1\n10 0 20 20 0.9\n");
    dir.write("pred/e/b.txt", "b.jpg\n0\n");
    dir.write("voc/Annotations/a.xml",
              "<annotation><object><name>face</name><bndbox><xmin>11</xmin><ymin>1</ymin><xmax>30</xmax>"
              "<ymax>20</ymax></bndbox></object></annotation>");
    dir.write("voc/Annotations/b.xml", "<annotation/>");
    dir.write("comp4.txt", "a 0.9 11 1 30 20\n");
    dir.write("coco.json",
              R"({"images":[{"id":3,"file_name":"a.jpg"},{"id":4,"file_name":"b.jpg"}],"annotations":[
        {"id":1,"image_id":3,"category_id":1,"bbox":[10,0,20,20],"area":400,"iscrowd":0}],
        "categories":[{"id":1,"name":"face"}]})");
    dir.write("coco-out.json", R"([{"image_id":3,"category_id":1,"bbox":[10,0,20,20],"score":0.9}])");
    const auto path = [&](const std::string& name) { return (dir.path() / name).string(); };
    const std::vector<std::pair<std::string, std::string>> pairs{
        {"fddb:" + path("fddb.txt"), "fddb:" + path("fddb-out.txt")},
        {"wider:" + path("wider.txt"), "wider:" + path("pred")},
        {"voc:" + path("voc"), "voc:" + path("comp4.txt")},
        {"coco:" + path("coco.json"), "coco:" + path("coco-out.json")},
    };
    for (const auto& [dataset, results] : pairs) {
        INFO(dataset);
        const Json evaluation = evaluation_of(evaluate(dataset, results));
        CHECK(evaluation.at("faces") == 1);
        CHECK(evaluation.at("average_precision") == 1.0);
    }
    const ProgramResult broken =
        evaluate(pairs[0].first, "fddb:" + dir.write("nan.txt", "a\n1\n10 0 20 20 nan\nb\n0\n").string());
    CHECK(broken.exit_code == 1);
    CHECK_THAT(broken.err, Contains("nan.txt:3: ") && Contains("finite"));
    CHECK(evaluate("coco:" + path("absent.json"), "x").exit_code == 2);
}
