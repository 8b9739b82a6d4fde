#include "lib/json/json_records.hpp"

#include <array>
#include <chrono>

#include <catch2/catch.hpp>

#include "lib/json/json.hpp"

using namespace fovea;
using Catch::Contains;

namespace {

enum Field : std::size_t { number_field, list_field, text_field, flag_field };
constexpr std::array<std::string_view, 4> names{"n", "l", "t", "f"};

/// The message of the JsonFieldError that `get` throws on the first record.
template <class Get>
std::string failure(const std::string& text, const Get& get) {
    try {
        read_json_records(text, names,
                          [&](std::string_view, std::size_t, const JsonRecord& record) { get(record); });
    } catch (const JsonFieldError& error) {
        return error.what;
    }
    return "none";
}

std::string double_failure(const std::string& text) {
    return failure(text, [](const JsonRecord& record) { (void)record.number(number_field); });
}

std::string integer_failure(const std::string& text) {
    return failure(text, [](const JsonRecord& record) { (void)record.integer(number_field); });
}

std::string box_failure(const std::string& text) {
    return failure(text, [](const JsonRecord& record) { (void)record.box(list_field); });
}

}  // namespace

TEST_CASE("Records of JSON lists come one by one with their place", "[core][json_records]") {
    std::string seen;
    const auto note = [&](std::string_view list, std::size_t position, const JsonRecord& record) {
        seen += std::string(list) + std::to_string(position) + (record.is_object ? "o" : "-");
        if (record.has(number_field)) seen += "n";
        if (record.has(list_field)) seen += "l";
        seen += " ";
    };
    CHECK(read_json_records(R"([{"n":1},{"l":[1,2],"other":{"n":[3]}},4,[[5]],{}])", names, note) ==
          JsonRoot::list);
    CHECK(seen == "0on 1ol 2- 3- 4o ");
    seen.clear();
    CHECK(read_json_records(R"({"a":[{"n":1},{"x":[{"n":2}]}],"b":{"n":[{"n":3}]},"c":[[],{"l":[]}],"n":7})",
                            names, note) == JsonRoot::object);
    CHECK(seen == "a0on a1o c0- c1ol ");
    seen.clear();
    CHECK(read_json_records("7", names, note) == JsonRoot::other);
    CHECK(read_json_records("[]", names, note) == JsonRoot::list);
    CHECK(seen.empty());
    CHECK_THROWS_AS(read_json_records("[{\"n\":NaN}]", names, note), Json::parse_error);
    CHECK_THROWS_AS(read_json_records("[1,", names, note), Json::parse_error);
    CHECK_THROWS_AS(read_json_records("", names, note), Json::parse_error);
}

TEST_CASE("Long lists are read in parts, and cut only between elements", "[core][json_records]") {
    // Texts and inner lists look like the places where a list is cut.
    std::string text = "[";
    static constexpr int count = 60000;
    for (int i = 0; i < count; ++i) {
        text += (i == 0 ? "" : i % 3 == 0 ? " ,\n" : ",");
        text += R"({"n":)" + std::to_string(i) + R"(,"t":"}, { \" ]","x":[{"n":1}, {"n":2}]})";
    }
    text += "]";
    REQUIRE(text.size() > std::size_t{2} << 20);
    const auto check = [](const std::string& whole) {
        int next = 0;
        bool in_order = true;
        const JsonRoot root = read_json_records(
            whole, names, [&](std::string_view, std::size_t position, const JsonRecord& record) {
                in_order = in_order && record.integer(number_field) == next && position == std::size_t(next);
                ++next;
            });
        CHECK(next == count);
        CHECK(in_order);
        return root;
    };
    CHECK(check(text) == JsonRoot::list);
    CHECK(check("{\"info\":{\"n\":[1]},\"none\":[],\"list\":" + text + ", \"more\": \"}\"}") ==
          JsonRoot::object);

    std::string plain = "[";
    for (int i = 0; i < count; ++i) plain += (i == 0 ? "{\"n\":" : " ,\n{\"n\":") + std::to_string(i) + "}";
    plain += " ] ";
    for (const std::size_t part_bytes :
         {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 18, plain.size()}) {
        const std::vector<std::string_view> parts = split_json_list(plain, part_bytes);
        CHECK((part_bytes < plain.size()) == (parts.size() > 1));
        int next = 0;
        bool in_order = true;
        for (const std::string_view part : parts) {
            const bool is_read = read_json_part(part, names, [&](const JsonRecord& record) {
                in_order = in_order && record.integer(number_field) == next++;
            });
            REQUIRE(is_read);
        }
        CHECK(next == count);
        CHECK(in_order);
    }
    // Here the first cut falls into a text.
    const std::vector<std::string_view> wrong = split_json_list(text, 10);
    CHECK_FALSE(read_json_part(wrong.front(), names, [](const JsonRecord&) {}));
    CHECK(split_json_list(" {} ").empty());
    CHECK(split_json_list("").empty());
    CHECK(split_json_list("[").empty());
    CHECK_FALSE(read_json_part(" ", names, [](const JsonRecord&) {}));
    CHECK_FALSE(read_json_part("1,", names, [](const JsonRecord&) {}));
}

TEST_CASE("Many short lists and a long one are read in time that grows with their bytes",
          "[core][json_records]") {
    std::string text = "{";
    constexpr int lists = 100000;
    for (int i = 0; i < lists; ++i) text += "\"" + std::to_string(i) + "\":[{\"n\":1}, {\"n\":2}],";
    text += "\"long\":[{\"n\":0}";
    for (int i = 0; i < 200000; ++i) text += ",{\"n\":3}";
    text += "],\"last\":[]}";
    std::size_t records = 0;
    const auto start = std::chrono::steady_clock::now();
    read_json_records(text, names, [&](std::string_view, std::size_t, const JsonRecord&) { ++records; });
    CHECK(records == 2 * lists + 200001);
    // 0.1 s, and minutes where every list is searched for a place to cut it.
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("Errors behind the first parts of a list are found after them", "[core][json_records]") {
    std::string list;
    for (int i = 0; i < 100000; ++i) list += (i == 0 ? "{\"n\":" : ",{\"n\":") + std::to_string(i) + "}";
    REQUIRE(list.size() > std::size_t{1} << 20);
    for (const char* end : {",]", "}", "],", ",{\"n\":NaN}]", "", "]]", ",{\"n\" 1}]"}) {
        std::vector<std::size_t> positions;
        INFO(end);
        CHECK_THROWS_AS(read_json_records("[" + list + end, names,
                                          [&](std::string_view, std::size_t position, const JsonRecord&) {
                                              positions.push_back(position);
                                          }),
                        Json::parse_error);
        REQUIRE(positions.size() >= 100000);
        CHECK(positions[99999] == 99999);
    }
    for (const char* whole :
         {"{\"a\":[1,]}", "{\"a\":[]", "{\"a\" []}", "{a:[]}", "{,}", "{\"a\":1,}", "{\"a\":}", "[] 1"}) {
        INFO(whole);
        CHECK_THROWS_AS(
            read_json_records(whole, names, [](std::string_view, std::size_t, const JsonRecord&) {}),
            Json::parse_error);
    }
}

TEST_CASE("Fields of a record are those of this record, the last one where a key stands twice",
          "[core][json_records]") {
    std::vector<double> numbers;
    std::string text;
    read_json_records(R"([{"n":1,"l":[1,2,3,4],"t":"x","f":true},{"n":2.5,"n":-3,"f":0}])", names,
                      [&](std::string_view, std::size_t position, const JsonRecord& record) {
                          numbers.push_back(record.number(number_field));
                          CHECK(record.flag(flag_field) == (position == 0));
                          if (position == 1) {
                              CHECK_FALSE(record.has(list_field));
                              CHECK_FALSE(record.has(text_field));
                              return;
                          }
                          CHECK(record.integer(number_field) == 1);
                          CHECK(record.box(list_field)[3] == 4);
                          text = record.text(text_field);
                      });
    CHECK(numbers == std::vector<double>{1, -3});
    CHECK(text == "x");
}

TEST_CASE("Objects without lists and objects are read member by member", "[core][json_records]") {
    using Members = std::vector<std::pair<std::string, std::string>>;
    std::vector<Members> seen;
    read_json_records(R"([{"t":{"a":"x","n":1.5,"b":true,"z":null,"i":-7,"a":"again"},"n":2},{"t":{}},
                          {"t":{"a":[1]}}, {"t":{"a":{"b":1}}}, {"t":"x"}, {"n":{"t":{"a":"x"}}}])",
                      names, [&](std::string_view, std::size_t position, const JsonRecord& record) {
                          if (record.field(text_field).kind == JsonField::Kind::members) {
                              const auto members = record.members(text_field);
                              seen.emplace_back(members.begin(), members.end());
                          }
                          if (position == 0) CHECK(record.integer(number_field) == 2);
                          if (position == 5) CHECK_FALSE(record.has(text_field));
                      });
    CHECK(seen ==
          std::vector<Members>{
              {{"a", "x"}, {"n", "1.5"}, {"b", "true"}, {"z", "null"}, {"i", "-7"}, {"a", "again"}}, {}});
    const auto members = [](const JsonRecord& record) { (void)record.members(text_field); };
    CHECK_THAT(failure(R"([{"t":{"a":[1]}}])", members), Contains("expected an object of texts"));
    CHECK_THAT(failure(R"([{"t":"x"}])", members), Contains("t is \"x\", expected an object of texts"));
}

TEST_CASE("Fields that are not as expected are named with their value", "[core][json_records]") {
    CHECK(double_failure(R"([{}])") == "n is missing, expected a number");
    CHECK(double_failure(R"([3])") == "n is missing, expected a number");
    CHECK(double_failure(R"([{"n":"1"}])") == "n is \"1\", expected a number");
    CHECK(double_failure(R"([{"n":null}])") == "n is null, expected a number");
    CHECK(double_failure(R"([{"n":true}])") == "n is true, expected a number");
    CHECK(double_failure(R"([{"n":[1]}])") == "n is [1], expected a number");
    CHECK(double_failure(R"([{"n":{"n":1}}])") == "n is an object or a mixed list, expected a number");
    CHECK(integer_failure(R"([{"n":-9223372036854775808}])") == "none");
    CHECK(integer_failure(R"([{"n":9223372036854775807}])") == "none");
    CHECK_THAT(integer_failure(R"([{"n":9223372036854775808}])"), Contains("expected an integer"));
    CHECK(integer_failure(R"([{"n":1.5}])") == "n is 1.5, expected an integer");
    for (const char* const spelled : {"1", "1.0", "1e0", "\"1\"", "\"+1.0\""})
        CHECK(integer_failure(R"([{"n":)" + std::string(spelled) + "}]") == "none");
    CHECK(box_failure(R"([{"l":[1,2,3,4.5]}])") == "none");
    CHECK(box_failure(R"([{"l":[1,2,3]}])") == "l is [1,2,3], expected [x, y, width, height]");
    CHECK_THAT(box_failure(R"([{"l":[1,2,3,[4]]}])"), Contains("mixed list"));
    CHECK_THAT(box_failure(R"([{"l":[1,2,3,null]}])"), Contains("mixed list"));
    CHECK_THAT(box_failure(R"([{"l":[1,2,-3,4]}])"), Contains("not negative"));
    CHECK(failure(R"([{"f":2}])", [](const JsonRecord& record) { (void)record.flag(flag_field); }) ==
          "f is 2, expected 0 or 1, true or false, yes or no");
    CHECK(failure(R"([{"t":2}])", [](const JsonRecord& record) { (void)record.text(text_field); }) ==
          "t is 2, expected a text");
}
