#include "lib/report/page/markdown.hpp"

#include <catch2/catch.hpp>

using namespace fovea;
using namespace fovea::report;
using Catch::StartsWith;

TEST_CASE("text stays text in Markdown", "[report]") {
    CHECK(escape_markdown("a_b|c*\nd") == "a\\_b\\|c\\* d");
    CHECK(escape_markdown("<b>[x](y)`~{#}") == "\\<b\\>\\[x\\](y)\\`\\~\\{\\#\\}");
    CHECK(escape_markdown("a\tb\x1B\xFF") == "a b\uFFFD\uFFFD");
    // Neither an entity nor an item of a list.
    CHECK(escape_markdown("&lt;b&gt; & c") == "\\&lt;b\\&gt; & c");
    CHECK(escape_markdown("R&D") == "R&D");
    CHECK(escape_markdown("- a - b") == "\\- a - b");
    CHECK(escape_markdown("+ a") == "\\+ a");
    CHECK(escape_markdown("12. a 3. b") == "12\\. a 3. b");
    CHECK(escape_markdown("1) a") == "1\\) a");
    CHECK(escape_markdown("-1.5") == "-1.5");
    CHECK(escape_markdown("12.5") == "12.5");
    CHECK(escape_markdown("-") == "-");
    CHECK(markdown_table({{"A", "B"}, {"x", "1"}}) == "| A | B |\n|---|--:|\n| x | 1 |\n");
    CHECK(markdown_heading("Number", {"a|b", "c"}) == MarkdownRows{{"Number", "a\\|b", "c"}});
}

TEST_CASE("numbers stand in Markdown with their intervals", "[report]") {
    const Quantity rate{"r", "A_rate", "", Better::higher, Unit::share};
    const Quantity error{"e", "Error", "", Better::lower, Unit::number};
    CHECK(number_with_interval({rate, 0.8617, Interval{0.85, 0.8731}}) ==
          "86.2\u00A0% (85.0\u00A0% to 87.3\u00A0%)");
    CHECK(number_with_interval({rate, 0.8617, {}}, {2, 4}) == "86.17\u00A0%");
    CHECK(number_with_interval({error, 0.05, Interval{0.04, 0.0601}}, {1, 4}) == "0.0500 (0.0400 to 0.0601)");
    CHECK(number_with_interval({error, {}, {}}) == "–");
    MarkdownRows rows = markdown_heading("Number", {"a", "b"});
    const Numbers a{{rate, 0.5, {}}, {error, 0.25, {}}};
    const Numbers b{{rate, {}, {}}, {error, 2, {}}};
    add_numbers(rows, {&a, &b});
    CHECK(rows ==
          MarkdownRows{{"Number", "a", "b"}, {"A\\_rate", "50.0\u00A0%", "–"}, {"Error", "0.250", "2.000"}});
    CHECK(interval_note(1000, "images") ==
          "In brackets: 95 % intervals (bootstrap over images, 1,000 resamples).");
    CHECK(interval_note(0, "images").empty());
}

TEST_CASE("a Markdown page has its parts in order, empty ones left out", "[report]") {
    MarkdownPage page;
    page.title = "Faces_1";
    page.lead = "2 faces.";
    page.protocol = "IoU > 0.5.";
    page.tables = "| A |\n|---|\n";
    CHECK_THAT(markdown_page(page),
               StartsWith("# Faces\\_1\n\n2 faces.\nIoU \\> 0.5.\n\n| A |\n|---|\n\nMade by fovea "));
    page.note = "In brackets.";
    page.warnings = {"a: low."};
    page.plots = {{"roc", "ROC", "Rates.", "", "", ""}};
    CHECK_THAT(
        markdown_page(page),
        StartsWith("# Faces\\_1\n\n2 faces.\nIoU \\> 0.5.\n\n| A |\n|---|\n\nIn brackets.\n\n> a: low.\n\n"
                   "![ROC](roc.svg)\n\nRates.\n\nMade by fovea "));
}
