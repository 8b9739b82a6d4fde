#include "lib/core/json_records.hpp"

#include <array>

#include <catch2/catch.hpp>

#include "lib/core/json.hpp"

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
    CHECK(integer_failure(R"([{"n":1.0}])") == "n is 1, expected an integer");
    CHECK(box_failure(R"([{"l":[1,2,3,4.5]}])") == "none");
    CHECK(box_failure(R"([{"l":[1,2,3]}])") == "l is [1,2,3], expected [x, y, width, height]");
    CHECK_THAT(box_failure(R"([{"l":[1,2,3,[4]]}])"), Contains("mixed list"));
    CHECK_THAT(box_failure(R"([{"l":[1,2,3,null]}])"), Contains("mixed list"));
    CHECK_THAT(box_failure(R"([{"l":[1,2,-3,4]}])"), Contains("not negative"));
    CHECK(failure(R"([{"f":2}])", [](const JsonRecord& record) { (void)record.flag(flag_field); }) ==
          "f is 2, expected 0 or 1");
    CHECK(failure(R"([{"t":2}])", [](const JsonRecord& record) { (void)record.text(text_field); }) ==
          "t is 2, expected a text");
}
