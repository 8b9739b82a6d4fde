#include "lib/files/text_encoding.hpp"

#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/text_encodings.hpp"

using namespace fovea;
using namespace std::string_literals;

TEST_CASE("texts of every encoding become UTF-8", "[files][encoding]") {
    // One, two, three and four bytes in UTF-8; the last is a pair of surrogates in UTF-16.
    const std::string text = "<a>\n\u00E9\u4E2D\U0001F600";
    for (const test::Encoded& encoded : test::encodings_of(text)) {
        INFO(encoded.name);
        CHECK(text_as_utf8(encoded.bytes) == text);
    }
    CHECK(text_as_utf8("") == "");
    CHECK(text_as_utf8("caf\xE9") == "caf\xE9");
    CHECK(text_as_utf8("\xFF\xFE"s) == "");
    // Only what may begin XML or JSON is looked into without a mark.
    CHECK(text_as_utf8("a\0b\0"s) == "a\0b\0"s);
}

TEST_CASE("lines that end with CR alone are lines", "[files][encoding]") {
    CHECK(text_as_utf8("a\rb\r") == "a\nb\n");
    CHECK(text_as_utf8("a\r\nb\r\n") == "a\r\nb\r\n");
    CHECK(text_as_utf8("\xFF\xFE\x61\x00\x0D\x00\x62\x00"s) == "a\nb");
}

TEST_CASE("broken UTF-16 and UTF-32 is refused", "[files][encoding]") {
    CHECK_FALSE(text_as_utf8("\xFF\xFE\x61"s));              // half a character
    CHECK_FALSE(text_as_utf8("\xFF\xFE\x00\xD8\x61\x00"s));  // half a pair
    CHECK_FALSE(text_as_utf8("\xFF\xFE\x00\xD8"s));
    CHECK_FALSE(text_as_utf8("\xFF\xFE\x00\xDC"s));
    CHECK_FALSE(text_as_utf8("\xFF\xFE\x00\x00\x00\x00\x11\x00"s));  // U+110000
    CHECK_FALSE(text_as_utf8("\xFF\xFE\x00\x00\x00\xD8\x00\x00"s));  // a surrogate
    // The beginning of a file may end anywhere.
    CHECK(head_as_utf8("\xFF\xFE\x61\x00\x62"s) == "a");
    CHECK_THROWS_WITH(file_text_as_utf8("\xFF\xFE\x61"s, "a.txt"),
                      Catch::Contains("'a.txt'") && Catch::Contains("UTF-16"));
}

TEST_CASE("Windows' code page has characters where ISO-8859-1 has none", "[files][encoding]") {
    CHECK(windows_1252_as_utf8("J\xF6rg \x80\x92\x81") == "J\u00F6rg \u20AC\u2019\xC2\x81");
}
