#include "lib/evaluate/compare/trend.hpp"

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"

using namespace fovea;

namespace {

// A step of so many standard errors.
TrendPoint point_of(std::size_t run, double standard_errors, Better better = Better::higher) {
    TrendPoint point{run, 0.5};
    ComparedNumber& step = point.step.emplace();
    step.higher_is_better = is_higher_better({"", "", "", better});
    step.difference = 0.01 * standard_errors;
    step.ci95 =
        Interval{*step.difference - 0.01 * 1.959963984540054, *step.difference + 0.01 * 1.959963984540054};
    return point;
}

TrendLine line_of(const std::vector<TrendPoint>& steps) {
    TrendLine line{"mct", {"detection.f1", "F1", ""}};
    line.points.push_back({0, 0.5});
    line.points.insert(line.points.end(), steps.begin(), steps.end());
    return line;
}

}  // namespace

TEST_CASE("changes are significant for the whole line", "[compare][trend]") {
    // Two-sided p of 2 standard errors: 0.0455, of 2.3: 0.02145, of 3: 0.0027 (normal table).
    SECTION("one step is not corrected") {
        TrendLine line = line_of({point_of(1, -2)});
        mark_changes(line);
        CHECK(line.points[1].step->p_value == Approx(0.0455).margin(5e-5));
        CHECK(line.points[1].is_change);
        CHECK(change_word(line.points[1]) == "worse");
        CHECK(change_word(line.points[0]).empty());
    }
    SECTION("of two, the larger must reach 0.025 and lets the other through") {
        TrendLine line = line_of({point_of(1, 2), point_of(2, -2)});
        mark_changes(line);
        CHECK_FALSE((line.points[1].is_change || line.points[2].is_change));
        line = line_of({point_of(1, 2), point_of(2, -2.3)});
        mark_changes(line);
        CHECK((line.points[1].is_change && line.points[2].is_change));
        CHECK(change_word(line.points[1]) == "better");
    }
    SECTION("steps that cannot be tested do not count, and equal runs do") {
        TrendPoint unknown = point_of(2, 9);
        unknown.step->ci95.reset();
        TrendLine line = line_of({point_of(1, 2), unknown, TrendPoint{3, 0.5}});
        mark_changes(line);
        CHECK(line.points[1].is_change);
        CHECK_FALSE(line.points[2].is_change);
        CHECK_FALSE(line.points[2].step->p_value);
        line = line_of({point_of(1, 2), point_of(2, 0)});
        mark_changes(line);
        CHECK(line.points[2].step->p_value == 1.0);
        CHECK_FALSE(line.points[1].is_change);
    }
    SECTION("smaller may be better") {
        TrendLine line = line_of(
            {point_of(1, 3, Better::lower), point_of(2, -3, Better::lower), point_of(3, 3, Better::neither)});
        mark_changes(line);
        CHECK(change_word(line.points[1]) == "worse");
        CHECK(change_word(line.points[2]) == "better");
        CHECK(change_word(line.points[3]) == "changed");
    }
    SECTION("nothing") {
        TrendLine line = line_of({});
        line.points.clear();
        CHECK_NOTHROW(mark_changes(line));
    }
}

TEST_CASE("a trend in files", "[compare][trend]") {
    Trend trend{{"day 1", "day 2"},
                {"r/day 1", "r/day 2"},
                {line_of({point_of(1, -3)})},
                {{"day 0", "why", true}},
                {}};
    trend.lines[0].points[0].ci95 = Interval{0.4, 0.6};
    mark_changes(trend.lines[0]);
    const Json json = trend_to_json(trend);
    CHECK(json["runs"][1] == Json{{"name", "day 2"}, {"report", "r/day 2"}});
    CHECK(json["left_out"][0] == Json{{"run", "day 0"}, {"reason", "why"}});
    CHECK(json["lines"][0]["higher_is_better"] == true);
    CHECK(json["lines"][0]["points"][0] == Json{{"run", "day 1"}, {"value", 0.5}, {"ci95", {0.4, 0.6}}});
    CHECK(json["lines"][0]["points"][1]["change"] == "worse");
    CHECK(json["lines"][0]["points"][1]["paired"] == false);
    const std::string csv = trend_csv(trend);
    CHECK(
        csv.starts_with("run,name,key,value,ci95_low,ci95_high,difference,p_value,change\n"
                        "day 1,mct,detection.f1,0.5,0.4,0.6,,,\n"
                        "day 2,mct,detection.f1,0.5,,,-0.03,0.0026"));
    CHECK(csv.ends_with(",worse\n"));
}
