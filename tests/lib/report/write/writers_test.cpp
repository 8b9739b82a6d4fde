#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/report/write/latex.hpp"
#include "lib/report/write/markdown.hpp"
#include "lib/report/write/page.hpp"
#include "lib/report/write/text.hpp"
#include "lib/report/write/view_json.hpp"
#include "tests/support/page_view.hpp"

using namespace fovea;
using namespace fovea::report;
using namespace fovea::test;
using Catch::Contains;
using Catch::StartsWith;

namespace {

/// Two detectors of hostile names by a rate with an interval and an error.
Table sample_table() {
    const Quantity rate{"r", "Rate", "Found.", Better::higher, Unit::share};
    const Quantity error{"e", "Error_1", "Off.", Better::lower, Unit::number};
    return {.title = "Numbers",
            .columns = {words("Detector"), {"Rate", "Found."}, {"Error_1", "Off."}},
            .rows = {{"a_<b>|\x1B", number_cell({rate, 0.8617, Interval{0.85, 0.8731}}),
                      number_cell({error, 0.25, {}})},
                     {"c", number_cell({rate, 0.5, {}}), number_cell({error, {}, {}})}},
            .rivals = Rivals::rows,
            .note = "A note."};
}

Report sample() {
    Report report;
    report.title = "Faces_1 </script>";
    report.lead = {{Run::plain("2 faces of "), Run::strong("mct"), Run::plain(".")}};
    report.protocol = "IoU > 0.5.";
    Section section{"numbers", "Numbers"};
    section.add(sample_table());
    Plot plot{"roc", "ROC", "Rates."};
    plot.x = {.label = "FP", .scale = Scale::log1p, .min = 0};
    plot.y = share_axis("Rate");
    plot.series.push_back({.name = "mct", .points = {{0, 0.5, 0.25, 0.75}, {1, no_value}, {2, 1.0 / 3}}});
    plot.lines.push_back({.x = 0.5});
    section.add(std::vector<Plot>{plot});
    Section closed{"closed", "Closed"};
    closed.fold = Fold::closed;
    closed.add(Paragraph{"Hidden words."});
    report.sections = {section, closed};
    return report;
}

}  // namespace

TEST_CASE("text stays text in Markdown", "[report]") {
    CHECK(markdown_text("a_b|c*\nd") == "a\\_b\\|c\\* d");
    CHECK(markdown_text("<b>[x](y)`~{#}") == "\\<b\\>\\[x\\](y)\\`\\~\\{\\#\\}");
    CHECK(markdown_text("a\tb\x1B\xFF") == "a b\uFFFD\uFFFD");
    // Neither an entity nor an item of a list.
    CHECK(markdown_text("&lt;b&gt; & c") == "\\&lt;b\\&gt; & c");
    CHECK(markdown_text("R&D") == "R&D");
    CHECK(markdown_text("- a - b") == "\\- a - b");
    CHECK(markdown_text("+ a") == "\\+ a");
    CHECK(markdown_text("12. a 3. b") == "12\\. a 3. b");
    CHECK(markdown_text("1) a") == "1\\) a");
    CHECK(markdown_text("-1.5") == "-1.5");
    CHECK(markdown_text("-") == "-");
}

TEST_CASE("a report in Markdown has its parts in order, closed ones left out", "[report]") {
    const std::string text = markdown_report(sample());
    CHECK_THAT(text,
               StartsWith("# Faces\\_1 \\</script\\>\n\n2 faces of **mct**.\n\nIoU \\> 0.5.\n\n"
                          "## Numbers\n\n**Numbers**\n\n| Detector | Rate | Error\\_1 |\n|---|--:|--:|\n"
                          "| a\\_\\<b\\>\\|\uFFFD | **86.2\u00A0%** (85.0–87.3\u00A0%) | 0.250 |\n"
                          "| c | 50.0\u00A0% | – |\n\nA note.\n\n![ROC](roc.svg)\n\nRates.\n"));
    CHECK_THAT(text, !Contains("Hidden"));
}

TEST_CASE("tables for terminals keep to their width", "[report]") {
    const Table table = sample_table();
    CHECK(text_table(table) ==
          "Numbers\n"
          "Detector          Rate   Error_1\n"
          "a_<b>|\\x1B      86.2\u00A0%*    0.250\n"
          "            85.0–87.3\u00A0%\n"
          "c               50.0\u00A0%         –\n"
          "A note.\n");
    const std::string narrow = text_table(table, 26);
    CHECK_THAT(narrow, Contains("\nNot shown for lack of\nroom: Error_1.\n") && !Contains("0.250"));
    // The first two columns are there in any case.
    CHECK_THAT(text_table(table, 1), Contains("50.0"));
}

TEST_CASE("a table too wide for a terminal is turned where it fits then", "[report]") {
    Table table{.columns = {words("Runner"), {"Seconds"}, {"Metres"}, {"Place"}},
                .rows = {{"a", value_cell(9.5, 1), value_cell(100, 0), value_cell(2, 0)},
                         {"b", value_cell(9.25, 1), value_cell(100, 0), value_cell(1, 0)}},
                .rivals = Rivals::rows,
                .note = "Two runs on one day."};
    for (std::vector<Cell>& row : table.rows) row[1].better = Better::lower;
    CHECK(text_table(table, 33) ==
          "Runner  Seconds   Metres   Place\n"
          "a           9.5      100       2\n"
          "b           9.2*     100       1\n"
          "Two runs on one day.\n");
    CHECK(text_table(table, 20) ==
          "Runner     a     b\n"
          "Seconds  9.5   9.2*\n"
          "Metres   100   100\n"
          "Place      2     1\n"
          "Two runs on one day.\n");
    // The first two columns stay where turning does not help.
    CHECK_THAT(text_table(table, 12),
               Contains("Not shown\nfor lack of") && Contains("Two runs on\none day.\n"));
}

TEST_CASE("tables for papers", "[report]") {
    const std::string brackets = latex_table(sample_table(), "tab:x", LatexIntervals::brackets);
    CHECK(brackets ==
          "\\begin{table}\n\\centering\n\\begin{tabular}{lrr}\n\\toprule\n"
          "Detector & Rate (\\%) & Error\\_1 \\\\\n\\midrule\n"
          "a\\_\\textless{}b\\textgreater{}\\textbar{}\\textbackslash{}x1B & \\textbf{86.2} [85.0, 87.3] & "
          "0.250 \\\\\n"
          "c & 50.0 & -- \\\\\n"
          "\\bottomrule\n\\end{tabular}\n\\caption{Numbers}\n\\label{tab:x}\n\\end{table}\n");
    // Half of 87.31 - 85 is 1.155.
    CHECK_THAT(latex_table(sample_table(), "tab:x", LatexIntervals::plus_minus),
               Contains("\\textbf{86.2} $\\pm$ 1.2 &"));
    CHECK(latex_text("100 % of A&B ~ C^2 #1 $x {y}") ==
          "100 \\% of A\\&B \\textasciitilde{} C\\textasciicircum{}2 \\#1 \\$x \\{y\\}");
    CHECK(latex_intervals_of("") == std::nullopt);
    CHECK(latex_intervals_of("plus-minus") == LatexIntervals::plus_minus);
    CHECK_THROWS_AS(latex_intervals_of("none"), UsageError);
}

TEST_CASE("a page holds its report as data and nothing that acts", "[report]") {
    const std::string html = page_of(sample());
    check_page(html);
    CHECK_THAT(html, Contains("<title>Faces_1 &lt;/script&gt;</title>"));
    const Json view = page_view(html);
    CHECK(view == view_json(sample()));
    CHECK(view["title"] == "Faces_1 </script>");
    const Json plot = view["sections"][0]["blocks"][1];
    CHECK(plot["x"] == Json::parse(R"({"label": "FP", "scale": "log1p", "min": 0.0})"));
    CHECK(plot["y"]["share"] == true);
    CHECK(plot["series"][0]["y"] == Json::parse("[0.5, null, 0.333333]"));
    CHECK(plot["series"][0]["low"] == Json::parse("[0.25, null, null]"));
    CHECK(plot["lines"] == Json::parse(R"([{"x": 0.5}])"));
    const Json cell = view["sections"][0]["blocks"][0]["rows"][0][1];
    CHECK(cell ==
          Json::parse(
              R"({"text": "86.2\u00A0%", "value": 0.8617, "interval": "85.0–87.3\u00A0%", "best": true})"));
}
