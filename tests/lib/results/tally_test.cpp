#include "lib/results/tally.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
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
