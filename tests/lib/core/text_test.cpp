#include "lib/core/text.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

#include "lib/core/special_characters.hpp"
#include "lib/json/json.hpp"

using namespace fovea;

TEST_CASE("bytes that are not UTF-8 are found and replaced", "[core]") {
    CHECK(is_utf8(""));
    CHECK(is_utf8("Zo\xC3\xAB \xE2\x82\xAC \xF0\x9F\x98\x80"));
    for (const char* text : {"\xFF", "caf\xE9", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                             "\xE2\x82", "\x80", "\xF5\x80\x80\x80"}) {
        CHECK_FALSE(is_utf8(text));
    }
    CHECK(valid_utf8("a\xC3\xA9z") == "aéz");
    CHECK(valid_utf8("a\xFFz") == "a\uFFFDz");
    CHECK(valid_utf8("\xC3") == "\uFFFD");                        // cut off
    CHECK(valid_utf8("\xE2\x82z") == "\uFFFDz");                  // one character that lacks its end
    CHECK(valid_utf8("\xC0\xAF") == "\uFFFD\uFFFD");              // overlong "/"
    CHECK(valid_utf8("\xED\xA0\x80") == "\uFFFD\uFFFD\uFFFD");    // surrogate
    CHECK(valid_utf8("\xF0\x9F\x99\x82") == "\xF0\x9F\x99\x82");  // four bytes
    CHECK(valid_utf8("\xF4\x90\x80\x80").find('\xF4') == std::string::npos);  // beyond U+10FFFF
}

TEST_CASE("bytes are replaced as in the JSON that is written", "[core]") {
    std::mt19937 generator(7);
    // Bytes at which the rules change, so that short random texts meet all of them.
    const std::string bytes = "a\x7F\x80\x8F\x90\x9F\xA0\xBF\xC0\xC2\xDF\xE0\xED\xEF\xF0\xF4\xF5\xFF";
    for (int n = 0; n < 20000; ++n) {
        std::string text;
        for (unsigned i = generator() % 6; i > 0; --i) text += bytes[generator() % bytes.size()];
        const std::string json = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
        REQUIRE(valid_utf8(text) == Json::parse(json).get<std::string>());
    }
}

TEST_CASE("excerpts are one readable line", "[core]") {
    CHECK(excerpt("a\tb\xE9\x01") == "a\\tb\\xE9\\x01");
    CHECK(excerpt("é\n\x7F") == "é\\x0A\\x7F");
    CHECK(excerpt("\u0080\u009B1m\u00A0") == "\\xC2\\x80\\xC2\\x9B1m\u00A0");  // U+009B is ESC [ to terminals
    // A name that shows as "exegpj.jpg" or the like, and what breaks a line.
    CHECK(excerpt("exe\u202Egpj\u2066\u2069.\u2028") ==
          "exe\\xE2\\x80\\xAEgpj\\xE2\\x81\\xA6\\xE2\\x81\\xA9.\\xE2\\x80\\xA8");
    CHECK(excerpt("\xC2") == "\\xC2");
    CHECK(excerpt(std::string(100, 'x')) == std::string(100, 'x'));
    CHECK(excerpt(std::string(101, 'x')) == std::string(100, 'x') + "...");
    CHECK(excerpt("abé", 3) == "ab...");  // not in the middle of a character
    CHECK(excerpt("abé", 4) == "abé");
    CHECK(excerpt("") == "");
}

TEST_CASE("parts of texts", "[core]") {
    CHECK(trim(" \t a b\r\v") == "a b");
    CHECK(trim(" \t").empty());
    CHECK(line_at("a\nb\n", 0) == 1);
    CHECK(line_at("a\nb\n", 1) == 1);
    CHECK(line_at("a\nb\n", 2) == 2);
    CHECK(line_at("a\nb", 99) == 2);
}

TEST_CASE("numbers in sentences", "[core]") {
    CHECK(counted(0, "image") == "0 images");
    CHECK(counted(1, "image") == "1 image");
    CHECK(counted(2, "box", "boxes") == "2 boxes");
    CHECK(counted(1, "box", "boxes") == "1 box");
    CHECK(pluralise(1, "image") == "image");
    CHECK(pluralise(0, "image") == "images");
    CHECK(pluralise(2, "box", "boxes") == "boxes");
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(-1234567) == "-1,234,567");
    CHECK(number_of(1, "image") == "1 image");
    CHECK(number_of(2845, "image") == "2,845 images");
    CHECK(number_of(0, "image") == "no images");
    std::vector<std::string> sentences;
    for (const std::size_t count : {0, 1, 2})
        add_counted(sentences, count, "face", " has no box.", " have no box.");
    CHECK(sentences == std::vector<std::string>{"1 face has no box.", "2 faces have no box."});
    CHECK(shortest_number(0.1) == "0.1");
    CHECK(shortest_number(1.0 / 3) == "0.3333333333333333");
    CHECK(shortest_number(12) == "12");
    CHECK(shortest_number(-0.0) == "0");
    CHECK(shortest_number(1e6) == "1000000");
    CHECK(shortest_number(9007199254740992.0) == "9007199254740992");
    CHECK(shortest_number(1e22) == "1e+22");
    CHECK(std::stod(shortest_number(1.7e-300)) == 1.7e-300);
    CHECK(shortest_number(std::numeric_limits<double>::infinity()) == "inf");
}

TEST_CASE("characters that act where they are shown are told from those that are seen", "[core]") {
    for (const char* character : {"\x01",   "\n",     "\x1B",   "\x7F",   "\u0080", "\u009B", "\u009F",
                                  "\u061C", "\u200E", "\u200F", "\u2028", "\u2029", "\u202A", "\u202B",
                                  "\u202C", "\u202D", "\u202E", "\u2066", "\u2067", "\u2068", "\u2069"}) {
        CAPTURE(character);
        CHECK(is_control(character));
    }
    // A joiner belongs to the letters of a script, and to emoji.
    for (const char* character : {"a", " ", "~", "\u00A0", "\u00AD", "\u061B", "\u061D", "\u200D", "\u2010",
                                  "\u2027", "\u202F", "\u2065", "\u206A", "\uFFFD", "\U0001F600"}) {
        CAPTURE(character);
        CHECK_FALSE(is_control(character));
    }
}

TEST_CASE("markup: characters become entities", "[core]") {
    CHECK(escape_markup("a <b> & \"c\" 'd'", "") == "a &lt;b&gt; &amp; &quot;c&quot; 'd'");
    CHECK(escape_markup("it's\t\r\n", "'\t\n\r") == "it&#39;s&#9;&#13;&#10;");
    CHECK(escape_markup("\u00FC&#9;", "\t") == "\u00FC&amp;#9;");
    CHECK(escape_markup("", "'").empty());
}

TEST_CASE("text is wrapped at blanks, and a long word stays whole", "[core]") {
    CHECK(wrapped_lines("one two  three", 7) == std::vector<std::string>{"one two", "three"});
    CHECK(wrapped_lines("one two three", 6) == std::vector<std::string>{"one", "two", "three"});
    CHECK(wrapped_lines("a incomprehensible b", 5) == std::vector<std::string>{"a", "incomprehensible", "b"});
    CHECK(wrapped_lines("one two three", 0) == std::vector<std::string>{"one two three"});
    CHECK(wrapped_lines("one\n\ntwo", 80) == std::vector<std::string>{"one", "", "two"});
    CHECK(wrapped_lines("", 80).empty());
}

TEST_CASE("width counts characters, not bytes", "[core]") {
    CHECK(character_count("85–90 ≥") == 7);
    CHECK(wrapped_lines("é é é", 5) == std::vector<std::string>{"é é é"});
    CHECK(wrapped_lines("é é é", 4) == std::vector<std::string>{"é é", "é"});
}
