#include "lib/core/csv.hpp"

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("cells are quoted where they must be", "[core][csv]") {
    CHECK(csv_cell("plain name") == "plain name");
    CHECK(csv_cell("a,\"b\"") == "\"a,\"\"b\"\"\"");
    CHECK(csv_cell("two\nlines") == "\"two\nlines\"");
    CHECK(csv_cell("it's") == "it's");
    CHECK(csv_cell("'quoted'") == "'quoted'");
    CHECK(csv_cell("").empty());
}

TEST_CASE("no text is a formula to a spreadsheet, and each reads back", "[core][csv]") {
    CHECK(csv_cell("=1+1") == "\"'=1+1\"");
    CHECK(csv_cell("+a") == "\"'+a\"");
    CHECK(csv_cell("-a.png") == "\"'-a.png\"");
    CHECK(csv_cell("@SUM(A1)") == "\"'@SUM(A1)\"");
    CHECK(csv_cell("\t=1") == "\"'\t=1\"");
    CHECK(csv_cell("\r=1") == "\"'\r=1\"");
    CHECK(csv_cell("=HYPERLINK(\"x\",\"y\")") == "\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\"");
    CHECK(csv_cell("'=1") == "\"''=1\"");  // or it would read back as =1
    CHECK(csv_cell("a=1") == "a=1");

    CHECK(csv_text("'=1+1") == "=1+1");
    CHECK(csv_text("''=1") == "'=1");
    CHECK(csv_text("'quoted'") == "'quoted'");
    CHECK(csv_text("=1") == "=1");
    CHECK(csv_text("'") == "'");
    CHECK(csv_text("").empty());
}

TEST_CASE("rows of cells; numbers stay numbers", "[core][csv]") {
    CsvRows csv({"name", "number", "note"});
    csv.text("-x").number(-1.5).empty().end_row();
    csv.text("a,b").number(3).text("").end_row();
    CHECK(csv.bytes() == "name,number,note\n\"'-x\",-1.5,\n\"a,b\",3,\n");
    CsvRows without_heading({});
    without_heading.number(-0.25).end_row();
    CHECK(without_heading.bytes() == "-0.25\n");
}
