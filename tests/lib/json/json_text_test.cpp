#include "lib/json/json_text.hpp"

#include <string>

#include <catch2/catch.hpp>

using namespace fovea;
using Catch::Matchers::Contains;

namespace {

/// The byte at which a text goes wrong; -1 if it does not.
long wrong_at(const std::string& text, const std::string& reason = "") {
    try {
        parse_json(text);
    } catch (const Json::parse_error& error) {
        CHECK_THAT(error.what(), Contains(reason));
        return static_cast<long>(error.byte);
    }
    return -1;
}

std::string nested(int depth) {
    std::string text;
    for (int i = 0; i < depth; ++i) text += i % 2 == 0 ? "[" : "{\"a\":";
    text += "1";
    for (int i = depth; i-- > 0;) text += i % 2 == 0 ? "]" : "}";
    return text;
}

}  // namespace

TEST_CASE("JSON that others wrote is read, or refused with its place", "[core][json]") {
    CHECK(parse_json(R"({"b": [1, "x"], "a": null})").dump() == R"({"b":[1,"x"],"a":null})");
    CHECK(wrong_at("[1, 2", "syntax error") == 6);
    CHECK(wrong_at("") == 1);
    CHECK(wrong_at("\"\xFF\"") == 2);
    // Numbers that a double does not hold, which the library reports without a place.
    CHECK(wrong_at("[1, 1e999]", "1e999") == 5);
    CHECK(wrong_at("-1e400", "-1e400") == 1);
    CHECK(parse_json("1e308") == 1e308);
    CHECK(parse_json("1e-999") == 0);
}

TEST_CASE("JSON nests so deep and no deeper", "[core][json]") {
    for (const int depth : {0, 1, deepest_json - 1, deepest_json}) CHECK(wrong_at(nested(depth)) == -1);
    CHECK(wrong_at(nested(deepest_json + 1), "256 deep") > 0);
    // Each list is a byte; the first one too many is told.
    CHECK(wrong_at(std::string(1000000, '[')) == deepest_json + 1);
    // Brackets in texts, behind escaped quotes too, and those side by side do not count.
    CHECK(wrong_at("[\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\\\\\", 1]") == -1);
    std::string many = "[";
    for (int i = 0; i < 1000; ++i) many += "[],";
    CHECK(wrong_at(many + "{}]") == -1);
}

TEST_CASE("what a callback throws passes the reader of JSON", "[core][json]") {
    CHECK_THROWS_AS(parse_json("{\"a\": 1}", [](int, Json::parse_event_t, Json&) -> bool { throw 7; }), int);
}

TEST_CASE("JSON's text has nothing that a terminal obeys, and reads back the same", "[core][json]") {
    const std::string name = "a\u009B1m\x1B\x7F\u202Eb\u2066\u2028\u00E9\u200D\"\\\u0416";
    const std::string text = compact_text({{"\u202Ekey", name}});
    CHECK(text ==
          "{\"\\u202ekey\":\"a\\u009b1m\\u001b\\u007f\\u202eb\\u2066\\u2028\u00E9\u200D\\\"\\\\\u0416\"}");
    CHECK(Json::parse(text)["\u202Ekey"] == name);
    CHECK(Json::parse(indented_text({{"a", {name, "\u0085"}}}))["a"] == Json({name, "\u0085"}));
    CHECK(indented_text("\u202E") == "\"\\u202e\"");
    // Bytes that are no UTF-8 are replaced, as before.
    CHECK(compact_text("\xC2\u0085\xE2\x80") == "\"\uFFFD\\u0085\uFFFD\"");
}
