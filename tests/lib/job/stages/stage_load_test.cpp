#include "lib/job/stages/stage_load.hpp"

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"

using namespace fovea;

TEST_CASE("the busiest stage is the limit, by the share of its threads' time", "[pipeline]") {
    const std::vector<StageLoad> stages{{"decode", 4, {{"read", 2}, {"decode", 10}}, 10},  // 12 of 40 seconds
                                        {"detect", 1, {{"detect", 6}, {"describe", 1}}, 10},  // 7 of 10
                                        {"write", 1, {{"write", 0.5}}, 10}};
    CHECK(stages[0].busy() == Approx(0.3));
    CHECK(stages[1].busy() == Approx(0.7));
    CHECK(limiting_stage(stages) == "detect");
    CHECK(limiting_stage({}).empty());
    CHECK(limiting_stage(std::vector<StageLoad>{{"idle", 2, {}, 10}}).empty());
    CHECK(StageLoad{"none", 0, {{"x", 1}}, 10}.busy() == 0);
    CHECK(StageLoad{"none", 1, {{"x", 1}}, 0}.busy() == 0);
    const Json json = stages_to_json(stages);
    CHECK(json["decode"]["threads"] == 4);
    CHECK(json["decode"]["decode_seconds"] == 10);
    CHECK(json["detect"]["describe_seconds"] == 1);
}

TEST_CASE("time is added by any number of scopes", "[pipeline]") {
    BusySeconds busy;
    busy.add(1.5);
    busy.add(0.25);
    CHECK(busy.seconds() == Approx(1.75));
    { const BusyScope scope(busy); }
    CHECK(busy.seconds() >= 1.75);
}
