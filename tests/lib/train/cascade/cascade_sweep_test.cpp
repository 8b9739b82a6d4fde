// The values of a sweep, and what is refused.
#include "lib/train/cascade/cascade_sweep.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/train/cascade/cascade_config.hpp"

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

std::vector<std::string> texts_of(const std::string& text) {
    std::vector<std::string> texts;
    const CascadeSweep sweep = CascadeSweep::parse(text);
    for (const SweepValue& value : sweep.values()) texts.push_back(value.text);
    return texts;
}

std::string refusal_of_sweep(const std::string& text) {
    try {
        CascadeSweep::parse(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

CascadeTrainConfig swept(const std::string& sweep) {
    CascadeTrainConfig config;
    config.positives = {"voc:cars"};
    config.backgrounds = {"folder:streets"};
    config.sweep = sweep;
    return config;
}

}  // namespace

TEST_CASE("a sweep has the values from the first to the last", "[train-cascade][config]") {
    // Andargie 2019, table 5.2: 14 cascades.
    const CascadeSweep sweep = CascadeSweep::parse("max_false_alarm=0.30:0.95:0.05");
    REQUIRE(sweep.values().size() == 14);
    CHECK(sweep.field() == "max_false_alarm");
    CHECK(sweep.values()[0].value == 0.3);
    CHECK(sweep.values()[0].text == "0.30");
    CHECK(sweep.values()[6].value == 0.6);
    CHECK(sweep.values()[6].text == "0.60");
    CHECK(sweep.values()[13].value == 0.95);
    CHECK(texts_of("min_hit_rate=0.99:0.999:0.004") == std::vector<std::string>{"0.990", "0.994", "0.998"});
    CHECK(texts_of("stages=5:20:5") == std::vector<std::string>{"5", "10", "15", "20"});
    CHECK(texts_of("max_false_alarm=0.5:0.5:0.1") == std::vector<std::string>{"0.5"});
    CHECK(texts_of("stages=1:100:1").size() == 100);
}

TEST_CASE("a sweep that cannot be is refused with a reason", "[train-cascade][config]") {
    CHECK_THAT(refusal_of_sweep("0.3:0.9:0.1"), Contains("names no field"));
    CHECK_THAT(refusal_of_sweep("seed=1:3:1"), Contains("'seed=1:3:1' is not of a field"));
    CHECK_THAT(refusal_of_sweep("max_false_alarm=0.3:0.9"), Contains("has 2 numbers and not three"));
    CHECK_THAT(refusal_of_sweep("max_false_alarm=0.3:0.9:0.1:0.1"), Contains("has 4 numbers"));
    CHECK_THAT(refusal_of_sweep("max_false_alarm="), Contains("has '' where a number"));
    CHECK_THAT(refusal_of_sweep("max_false_alarm=0.3:0,9:0.1"), Contains("has '0,9' where a number"));
    CHECK_THAT(refusal_of_sweep("max_false_alarm=0.3:nan:0.1"), Contains("'nan'"));
    CHECK_THAT(refusal_of_sweep("max_false_alarm=0.9:0.3:0.1"), Contains("ends before it begins"));
    CHECK_THAT(refusal_of_sweep("max_false_alarm=0.3:0.9:0"), Contains("step above 0"));
    CHECK_THAT(refusal_of_sweep("max_false_alarm=0.3:0.9:-0.1"), Contains("step above 0"));
    CHECK_THAT(refusal_of_sweep("max_false_alarm=0.1:0.9:0.001"), Contains("more than 100 values"));
    CHECK_THAT(refusal_of_sweep("max_false_alarm=0.1:0.2:0.0000000001"), Contains("9 decimals"));
    CHECK_THAT(refusal_of_sweep("stages=5:20:2.5"), Contains("whole numbers"));
    CHECK_THAT(refusal_of_sweep("stages=5:20"), Contains("max_false_alarm=0.30:0.95:0.05"));
}

TEST_CASE("the values of a sweep keep to the field's range", "[train-cascade][config]") {
    CHECK_NOTHROW(validate_cascade_config(swept("max_false_alarm=0.1:0.9:0.1")));
    CHECK_NOTHROW(validate_cascade_config(swept("stages=1:100:9")));
    CHECK_THROWS_WITH(validate_cascade_config(swept("max_false_alarm=0.5:1:0.25")),
                      Contains("the value 1.00") && Contains("stages.max_false_alarm"));
    CHECK_THROWS_WITH(validate_cascade_config(swept("min_hit_rate=0.4:0.9:0.1")),
                      Contains("the value 0.4") && Contains("stages.min_hit_rate"));
    CHECK_THROWS_WITH(validate_cascade_config(swept("stages=0:3:1")), Contains("the value 0"));
    CHECK_THROWS_WITH(validate_cascade_config(swept("stages=99999999999999999999:99999999999999999999:1")),
                      Contains("stages.count"));
}

TEST_CASE("a sweep is tested on a fifth of the files, if nothing else is said", "[train-cascade][config]") {
    CascadeTrainConfig config = swept("");
    CHECK_FALSE(config.has_test());
    CHECK(config.test_share() == 0);
    config = swept("max_false_alarm=0.3:0.5:0.1");
    CHECK(config.has_test());
    CHECK(config.test_share() == 0.2);
    const CascadeSweep sweep = CascadeSweep::parse(config.sweep);
    const CascadeTrainConfig one = sweep.configuration(config, sweep.values()[1]);
    CHECK(one.stages.max_false_alarm == 0.4);
    CHECK(one.sweep.empty());
    CHECK(one.test_share() == 0.2);
    config.test.share = 0.5;
    CHECK(config.test_share() == 0.5);
    const CascadeSweep stages = CascadeSweep::parse("stages=3:7:2");
    CHECK(stages.configuration(config, stages.values()[2]).stages.stages == 7);
    const CascadeSweep hits = CascadeSweep::parse("min_hit_rate=0.9:0.99:0.01");
    CHECK(hits.configuration(config, hits.values()[1]).stages.min_hit_rate == 0.91);
}
