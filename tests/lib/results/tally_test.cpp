#include "lib/results/tally.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/results/readers.hpp"
#include "lib/results/results.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;

TEST_CASE("the lines of a results file are added up as far as is asked for", "[results]") {
    const TempDir folder;
    const std::string first =
        "{\"image\":\"a\",\"width\":4,\"height\":3,\"status\":\"ok\",\"detections\":[{\"box\":[0,0,1,1],"
        "\"score\":1},"
        "{\"box\":[0,0,1,1],\"score\":2}]}\n";
    const std::string second = "{\"image\":\"b\",\"status\":\"unreadable: cut off\",\"detections\":[]}\n";
    const auto file = folder.write("r.jsonl", first + second + "torn");
    const ResultsTally both = tally_results(file, first.size() + second.size());
    CHECK(both.images == 2);
    CHECK(both.detections == 2);
    REQUIRE(both.unreadable.size() == 1);
    CHECK(both.unreadable[0].image == "b");
    CHECK(both.unreadable[0].reason == "cut off");
    CHECK(both.pages_left_out == 0);
    CHECK(tally_results(file, first.size()).images == 1);
    CHECK(tally_results(file, 0).images == 0);
    CHECK_THROWS_WITH(tally_results(file, first.size() + second.size() + 4),
                      Contains("cut off") && Contains("r.jsonl"));
    CHECK_THROWS_AS(tally_results(file, 10000), Error);
    const std::string no_result = "{\"image\":\"c\",\"status\":\"ok\",\"detections\":[3]}\n";
    CHECK_THROWS_WITH(
        tally_results(folder.write("n.jsonl", first + no_result), first.size() + no_result.size()),
        Contains("line 2"));
    CHECK_THROWS_AS(tally_results(folder.path() / "none", 1), Error);
}

TEST_CASE("pages behind the first one of a file are added up", "[results]") {
    const TempDir folder;
    ImageResult scan;
    scan.image = "scan.tif";
    scan.width = 4;
    scan.height = 3;
    scan.pages = 12;
    const std::string line = to_json_line(scan);
    CHECK(line == R"({"image":"scan.tif","width":4,"height":3,"pages":12,"status":"ok","detections":[]})");
    const Json read = Json::parse(line);
    CHECK(results_detail::result_from_json(JsonPlace(read)).pages == 12);
    ImageResult single = scan;
    single.pages = 1;
    CHECK(to_json_line(single) ==
          R"({"image":"scan.tif","width":4,"height":3,"status":"ok","detections":[]})");
    const std::string lines = line + "\n" + to_json_line(single) + "\n" + line + "\n";
    CHECK(tally_results(folder.write("r.jsonl", lines), lines.size()).pages_left_out == 22);
}
