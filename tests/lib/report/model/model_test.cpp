#include <cmath>

#include <catch2/catch.hpp>

#include "lib/report/model/number_tables.hpp"
#include "lib/report/model/plot.hpp"
#include "lib/report/model/report.hpp"
#include "lib/report/model/shown_columns.hpp"
#include "lib/report/write/text.hpp"

using namespace fovea;
using namespace fovea::report;

namespace {

const Quantity rate{"rate", "Rate", "What is found.", Better::higher, Unit::share};
const Quantity error{"error", "Error", "What is off.", Better::lower, Unit::number};
const Quantity spread{"spread", "Spread", "", Better::neither, Unit::number};

}  // namespace

TEST_CASE("rivals stand in rows, their best numbers stand out", "[report][model]") {
    const Numbers a{{rate, 0.5, Interval{0.25, 0.75}}, {error, 2, {}}, {spread, 1, {}}};
    const Numbers b{{rate, 0.8, {}}, {error, 1, {}}, {spread, 3, {}}};
    const Numbers c{{rate, {}, {}}, {error, 1.0004, {}}, {spread, 2, {}}};
    const std::vector<std::string> names{"a", "b", "c"};
    const Table table = rivals_by_number("Tracker", names, {&a, &b, &c}, {"error", "rate", "spread"});
    REQUIRE(table.columns.size() == 4);
    CHECK(table.columns[1].title == "Error");
    CHECK(table.columns[2].definition == "What is found.");
    CHECK(table.rows[0][2].text == "50.0\u00A0%");
    CHECK(table.rows[0][2].interval == "25.0–75.0\u00A0%");
    CHECK(table.rows[2][2].text == "–");
    const auto best = best_cells(table);
    // The least error, twice as they read alike; the largest rate; a spread is neither better nor worse.
    CHECK(best[0] == std::vector<bool>{false, false, false, false});
    CHECK(best[1] == std::vector<bool>{false, true, true, false});
    CHECK(best[2] == std::vector<bool>{false, true, false, false});

    const Table turned = numbers_by_rival(names, {&a, &b, &c});
    CHECK(turned.columns.size() == 4);
    CHECK(best_cells(turned)[0] == std::vector<bool>{false, false, true, false});
    CHECK(numbers_by_rival({"a"}, {&a}).columns[1].title == "Value");
}

TEST_CASE("nothing stands out among equals", "[report][model]") {
    const Numbers one{{rate, 1, {}}};
    const Numbers same{{rate, 0.99999, {}}};
    CHECK(best_cells(rivals_by_number("x", {"a", "b"}, {&one, &same}, {}))[0] ==
          std::vector<bool>{false, false});
    CHECK(best_cells(rivals_by_number("x", {"a"}, {&one}, {}))[0] == std::vector<bool>{false, false});
}

TEST_CASE("curves are thinned to what can be seen", "[report][model]") {
    std::vector<PlotPoint> curve;
    for (int i = 0; i <= 100'000; ++i) curve.push_back({i * 0.001, i < 50'000 ? 0.0 : 0.5});
    const std::vector<PlotPoint> kept = thinned(curve, 100, 1);
    CHECK(kept.size() <= 1004);
    CHECK(kept.front().x == 0);
    CHECK(kept.back().x == Approx(100));
    const auto jump = std::find_if(kept.begin(), kept.end(), [](const PlotPoint& p) { return p.y == 0.5; });
    REQUIRE(jump != kept.end());
    CHECK(jump->x == 50);
    CHECK(thinned(std::vector<PlotPoint>{}, 1, 1).empty());
    // A break and a point with an interval stay, however near they are.
    CHECK(thinned({{0, 0}, {1e-9, no_value}, {2e-9, 0}, {3e-9, 0, 0, 1}, {1, 1}}, 1, 1).size() == 5);
}

TEST_CASE("sections without content add nothing", "[report][model]") {
    Section section{"a", "A"};
    section.add(Table{.columns = {{"x"}}});
    CHECK(section.is_empty());
    Report report;
    Section within{"b", "B"};
    within.add({Plot{"roc", "ROC", ""}, Plot{"pr", "PR", ""}});
    section.sections.push_back(within);
    report.sections.push_back(section);
    REQUIRE(plots_of(report).size() == 2);
    CHECK(plots_of(report)[1]->stem == "pr");
}

TEST_CASE("a table has a column for each member shown and a row for each subject", "[report]") {
    struct Runner {
        const char* name;
        double seconds;
    };
    ShownColumns<Runner> columns{{words("Runner"), [](const Runner& runner) { return Cell(runner.name); }}};
    append(columns, {{{"Time", "in seconds"}, [](const Runner& r) { return value_cell(r.seconds, 1); }}});
    const Table table = table_of(columns, std::vector<Runner>{{"a", 1.25}, {"b", 2}});
    CHECK(text_table(table) == "Runner  Time\na        1.2\nb        2.0\n");
    CHECK(table.columns[1].definition == "in seconds");
    CHECK_FALSE(table.columns[0].is_numeric);
    CHECK(table.rows[0][1].value == 1.25);
    CHECK(text_table(table_of(columns, {})) == "Runner  Time\n");
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
    const auto kept = [&](Scale scale) {
        const Axis x{.label = {}, .scale = scale, .min = 1, .max = 100'001};
        return thinned(points, x, share_axis("")).size();
    };
    CHECK(kept(Scale::linear) <= 1002);
    CHECK(kept(Scale::log) < 1002);
    CHECK(kept(Scale::log) > 500);
}

TEST_CASE("bars lie in the rows of a row axis", "[report]") {
    const Axis axis = row_axis("", {{0, "first"}, {1, "second"}});
    CHECK(axis.is_reversed);
    CHECK((axis.min == -0.6 && axis.max == 1.6));
    const PlotRect bar = row_bar(0.25, 0.5, 1, 0.25);
    CHECK((bar.x == 0.25 && bar.x2 == 0.5 && bar.y == 0.75 && bar.y2 == 1.25));
}
