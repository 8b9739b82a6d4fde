#include "lib/core/spelling.hpp"

#include <cmath>

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("whole numbers are whole however they are written", "[core][spelling]") {
    for (const char* const one : {"1", "+1", "001", "1.0", "1.", "1e0", "10e-1", "+1.00"})
        CHECK(spelled_whole(one) == 1);
    CHECK(spelled_whole("-0") == 0);
    CHECK(spelled_whole("-3.0") == -3);
    CHECK(spelled_whole("9223372036854775807") == 9223372036854775807);
    CHECK(spelled_whole("9007199254740992.0") == 9007199254740992);
    for (const char* const other : {"", "+", "-", "+-1", "++1", "1.5", "1e-1", "1x", " 1", "1 ", "0x1", "nan",
                                    "inf", "1e999", "9223372036854775808", "one", "1,0"})
        CHECK_FALSE(spelled_whole(other));
    CHECK(spelled_whole("5.0", 5, 5) == 5);
    CHECK_FALSE(spelled_whole("5.0", 6));
    CHECK_FALSE(spelled_whole("5", 0, 4));
    CHECK(whole_of(12.0) == 12);
    CHECK_FALSE(whole_of(12.25));
    CHECK_FALSE(whole_of(1e300));
}

TEST_CASE("marks have three spellings, in either case", "[core][spelling]") {
    for (const char* const set : {"1", "1.0", "+1", "true", "True", "TRUE", "yes", "Yes"})
        CHECK(spelled_mark(set) == true);
    for (const char* const not_set : {"0", "0.0", "-0", "false", "False", "no", "NO"})
        CHECK(spelled_mark(not_set) == false);
    for (const char* const other : {"", "2", "-1", "0.5", "maybe", "y", "on", "none", "true "})
        CHECK_FALSE(spelled_mark(other));
}

TEST_CASE("numbers are finite, and -0 is 0", "[core][spelling]") {
    CHECK(spelled_number("+1e-3") == 0.001);
    CHECK(spelled_number("-.5") == -0.5);
    CHECK_FALSE(std::signbit(*spelled_number("-0")));
    for (const char* const other : {"", "nan", "inf", "1e999", "1x", "+-1", "1 2"})
        CHECK_FALSE(spelled_number(other));
}

TEST_CASE("extensions are compared in either case", "[core][spelling]") {
    CHECK(ends_with_any_case("a.TXT", ".txt"));
    CHECK(ends_with_any_case("a.tXt", ".txt"));
    CHECK_FALSE(ends_with_any_case("txt", ".txt"));
}
