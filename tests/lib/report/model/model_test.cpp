#include <cmath>

#include <catch2/catch.hpp>

#include "lib/report/model/plot.hpp"
#include "lib/report/model/shown_columns.hpp"

using namespace fovea;
using namespace fovea::report;

TEST_CASE("a table has a column for each member shown and a row for each subject", "[report]") {
    struct Runner {
        const char* name;
        double seconds;
    };
    ShownColumns<Runner> columns{{words("Runner"), [](const Runner& runner) { return Cell(runner.name); }}};
    append(columns, {{{"Time", "in seconds"}, [](const Runner& r) { return value_cell(r.seconds, 1); }}});
    const Table table = table_of(columns, std::vector<Runner>{{"a", 1.25}, {"b", 2}});
    using Texts = std::vector<std::vector<std::string>>;
    CHECK(texts_of(table) == Texts{{"Runner", "Time"}, {"a", "1.2"}, {"b", "2.0"}});
    CHECK(table.columns[1].definition == "in seconds");
    CHECK_FALSE(table.columns[0].is_numeric);
    CHECK(table.rows[0][1].value == 1.25);
    CHECK(texts_of(table_of(columns, {})) == Texts{{"Runner", "Time"}});
}

TEST_CASE("shares read in percent while percents show them", "[report]") {
    CHECK(small_share_cell(0.25).text == "25.0\u00A0%");
    CHECK(small_share_cell(0).text == "0.0\u00A0%");
    CHECK(small_share_cell(0.00031).text == "0.00031");
    CHECK(small_share_cell(0.00031).value == 0.00031);
    const Cell cell = share_cell(0.5, Interval{0.25, 0.75});
    CHECK((cell.text == "50.0\u00A0%" && cell.interval == "25.0–75.0\u00A0%"));
    CHECK(share_cell(std::nullopt, std::nullopt).text == "–");
}

TEST_CASE("curves without points are left out and others keep their look", "[report]") {
    const std::vector<Series> curves = curves_of({"a", "b", "c"}, {{{0, 1}}, {}, {{0, 2}}}, Mark::steps);
    REQUIRE(curves.size() == 2);
    CHECK((curves[1].name == "c" && curves[1].style.colour == 2 && curves[1].mark == Mark::steps));
    CHECK(curves[1].points[0].y == 2);
}

TEST_CASE("points of a logarithmic axis are thinned by their places on it", "[report]") {
    std::vector<PlotPoint> points;
    for (int i = 0; i <= 100'000; ++i) points.push_back({i + 1.0, 0.5});
    const auto count = [&](Scale scale) { return thinned(points, 5, 1, scale).size(); };
    CHECK(count(Scale::linear) == points.size());
    CHECK(count(Scale::log) < 1002);
    CHECK(count(Scale::log) > 500);
    CHECK(thinned(points, 5, 1, Scale::log)[1].x == 2);
}

TEST_CASE("bars lie in the rows of a row axis", "[report]") {
    const Axis axis = row_axis("", {{0, "first"}, {1, "second"}});
    CHECK(axis.is_reversed);
    CHECK((axis.min == -0.6 && axis.max == 1.6));
    const PlotRect bar = row_bar(0.25, 0.5, 1, 0.25);
    CHECK((bar.x == 0.25 && bar.x2 == 0.5 && bar.y == 0.75 && bar.y2 == 1.25));
}
