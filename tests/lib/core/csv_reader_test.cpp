#include "lib/core/csv_reader.hpp"

#include <catch2/catch.hpp>

#include "lib/core/csv.hpp"
#include "lib/core/error.hpp"

using namespace fovea;
using Row = std::vector<std::string>;

namespace {

std::vector<Row> rows_of(const std::string& bytes, char separator = ',') {
    CsvReader reader(bytes, separator);
    std::vector<Row> rows;
    while (reader.next()) rows.push_back(reader.cells());
    return rows;
}

}  // namespace

TEST_CASE("rows of CSV: quotes, line breaks and separators in cells", "[csv]") {
    CHECK(rows_of("").empty());
    CHECK(rows_of("\n\r\n").empty());
    CHECK(rows_of("a,b") == std::vector<Row>{{"a", "b"}});
    CHECK(rows_of("a,b\r\n,\r\n") == std::vector<Row>{{"a", "b"}, {"", ""}});
    CHECK(rows_of(" a , \"b \" ,c\n") == std::vector<Row>{{"a", "b ", "c"}});
    CHECK(rows_of("\"a\nb\",\"c,d\",\"e\"\"f\"\ng,h,i\n") ==
          std::vector<Row>{{"a\nb", "c,d", "e\"f"}, {"g", "h", "i"}});
    CHECK(rows_of("a;\"b;c\";1,5", ';') == std::vector<Row>{{"a", "b;c", "1,5"}});
    CHECK(rows_of("a\t\tb\n", '\t') == std::vector<Row>{{"a", "", "b"}});
    CHECK(rows_of("\"\"\n\n\"\"") == std::vector<Row>{{""}, {""}});
}

TEST_CASE("rows of CSV know their lines, and broken quotes are errors", "[csv]") {
    const std::string bytes = "a\n\"b\nc\"\n\nd,e\r\n";
    CsvReader reader(bytes, ',');
    REQUIRE(reader.next());
    CHECK((reader.line() == 1 && reader.text() == "a"));
    REQUIRE(reader.next());
    CHECK((reader.line() == 2 && reader.text() == "\"b\nc\""));
    REQUIRE(reader.next());
    CHECK((reader.line() == 5 && reader.text() == "d,e"));
    CHECK_FALSE(reader.next());
    CHECK_THROWS_WITH(rows_of("a,\"b\nc"), "a quote is not closed");
    CHECK_THROWS_WITH(rows_of("\"a\"b,c"), "text follows the closing quote of a cell");
}

TEST_CASE("cells that are written are read back", "[csv]") {
    for (const std::string text : {"a", "a,b", "a\"b", "a\r\nb", "=1+1", "'=x", "-3", ""}) {
        CAPTURE(text);
        const std::vector<Row> rows = rows_of("x," + csv_cell(text) + "\n");
        REQUIRE((rows.size() == 1 && rows[0].size() == 2));
        CHECK(csv_text(rows[0][1]) == text);
    }
}
