#include "lib/json/json_place.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/names.hpp"

using namespace fovea;
using Catch::Matchers::Equals;

namespace {

template <class Failure = Error, class Action>
std::string error_of(const Action& action) {
    try {
        action();
    } catch (const Failure& error) {
        return error.what();
    }
    return "no error";
}

enum class Colour { red, green };
constexpr NameTable<Colour, 2> colours{{"red", "green"}, "is no colour"};

struct Item {
    std::string name;
    double weight = 1;
};

void describe(FieldVisitor& visitor, Item& item) {
    visitor.value({.key = "name"}, &item.name);
    visitor.value({.key = "weight", .range = between(0, 1)}, &item.weight);
    visitor.rule("name", !item.name.empty(), "a name");
}

struct Set {
    int count = 3;
    Colour colour = Colour::red;
    std::optional<int> limit;
    std::vector<int> steps;
    std::string note;
    Json extra;
    double x = 0, y = 0;
    std::vector<Item> items;
    Item best{"a"};
};

void describe(FieldVisitor& visitor, Set& set) {
    describe_format(visitor, "a-set", 2);
    visitor.value({.key = "count"}, &set.count);
    visitor.value({.key = "colour"}, named(set.colour, colours));
    visitor.value({.key = "limit", .range = at_least(1)}, &set.limit);
    visitor.value({.key = "steps", .range = above(0)}, &set.steps);
    visitor.value({.key = "note", .presence = Presence::optional}, &set.note);
    visitor.value({.key = "extra", .presence = Presence::optional}, kept_object(set.extra));
    visitor.value({.key = "point"}, number_list({&set.x, &set.y}, "a point [x, y]"));
    visitor.objects("items", list_of(set.items));
    visitor.object("best", fields_of(set.best),
                   set.best.name == "a" ? Presence::left_out : Presence::optional);
    visitor.demand("count", [&set] {
        if (set.count == 13) throw std::invalid_argument("13 brings no luck");
    });
}

Json good() {
    return Json::parse(R"({"format": "a-set", "version": 2, "count": 4, "colour": "green", "limit": null,
        "steps": [1, 2], "point": [0.5, -1.0], "items": [{"name": "b", "weight": 0.25}]})");
}

// The fault in the set of "set.json" where the value at a pointer is another one; null is none at all.
std::string fault(const char* pointer, const Json& value) {
    Json json = good();
    const Json::json_pointer place(pointer);
    if (value.is_null())
        json[place.parent_pointer()].erase(place.back());
    else
        json[place] = value;
    return error_of([&] {
        Set set;
        read_struct(JsonPlace(json, "set.json"), set);
    });
}

}  // namespace

TEST_CASE("a described struct is written as it was read", "[json][field]") {
    const Json json = good();
    Set set;
    read_struct(JsonPlace(json, "set.json"), set);
    CHECK(set.colour == Colour::green);
    CHECK(set.y == -1);
    REQUIRE(set.items.size() == 1);
    CHECK(set.items[0].weight == 0.25);
    CHECK(json_of(set).dump() == json.dump());
    set.note = "n";
    set.extra = {{"k", 1}};
    set.best = {"c", 0.5};
    const Json more = json_of(set);
    CHECK(more["note"] == "n");
    CHECK(more["best"]["weight"] == 0.5);
    Set again;
    read_struct(JsonPlace(more), again);
    CHECK(json_of(again) == more);
}

TEST_CASE("whatever is wrong with a file is told with its place, what was expected and what is there",
          "[json][field]") {
    CHECK_THAT(fault("/count", 13), Equals("set.json: 'count': 13 brings no luck"));
    CHECK_THAT(fault("/count", "4"), Equals("set.json: 'count' must be an integer, but is the string \"4\""));
    CHECK_THAT(fault("/count", 4294967296), Equals("set.json: 'count' must be an integer of at most 32 bits, "
                                                   "but is 4294967296"));
    CHECK_THAT(fault("/colour", "blue"),
               Equals("set.json: 'colour' must be red or green, but is the string \"blue\""));
    CHECK_THAT(fault("/limit", 0), Equals("set.json: 'limit' must be at least 1, but is 0"));
    CHECK_THAT(fault("/steps/1", 0), Equals("set.json: 'steps[1]' must be above 0, but is 0"));
    CHECK_THAT(fault("/steps/1", 0.5), Equals("set.json: 'steps[1]' must be an integer, but is 0.5"));
    CHECK_THAT(fault("/steps", Json::object()),
               Equals("set.json: 'steps' must be a list of integers, but is an object"));
    CHECK_THAT(fault("/point", {1, 2, 3}),
               Equals("set.json: 'point' must be a point [x, y], but is a list of 3"));
    CHECK_THAT(fault("/extra", 1), Equals("set.json: 'extra' must be an object, but is 1"));
    CHECK_THAT(fault("/items/0", Json::array()),
               Equals("set.json: 'items[0]' must be an object, but is an empty list"));
    CHECK_THAT(fault("/items/0/weight", 2),
               Equals("set.json: 'items[0].weight' must be between 0 and 1, but is 2"));
    CHECK_THAT(fault("/items/0/name", ""),
               Equals("set.json: 'items[0].name' must be a name, but is the string \"\""));
    CHECK_THAT(fault("/items/0/wieght", 1),
               Equals("set.json: unknown key 'items[0].wieght' (did you mean 'weight'?)"));
    CHECK_THAT(fault("/best", Json{{"name", "x"}}), Equals("set.json: 'best' has no \"weight\""));
    CHECK_THAT(fault("/count", nullptr), Equals("set.json: there is no \"count\""));
    CHECK_THAT(fault("/format", "a-sett"),
               Equals("set.json: 'format' must be \"a-set\", but is the string \"a-sett\""));
    CHECK_THAT(fault("/version", 3),
               Equals("set.json: 'version' must be 2, but is 3: the file was written by a "
                      "newer release of the program, which is needed to read it"));
    CHECK_THAT(fault("/version", 0), Equals("set.json: 'version' must be 2, but is 0"));
    CHECK(fault("/version", 1) == "no error");
    CHECK_THAT(error_of([] {
                   Set set;
                   const Json list = Json::array({1});
                   read_struct(JsonPlace(list, "set.json"), set);
               }),
               Equals("set.json must be an object, but is a list of 1"));
}

TEST_CASE("a configuration keeps the defaults of what it lacks, but not of its format", "[json][field]") {
    Set set;
    const Json json = Json::parse(R"({"format": "a-set", "version": 2, "items": [{"name": "b"}]})");
    read_struct(JsonPlace(json), set, Absent::keeps_default);
    CHECK(set.count == 3);
    CHECK(set.items[0].weight == 1);
    // Errors are the user's where there is no file.
    const auto problem = [](const Json& changed) {
        return error_of<UsageError>([&] {
            Set target;
            read_struct(JsonPlace(changed), target, Absent::keeps_default);
        });
    };
    CHECK_THAT(problem(Json::object()), Equals("there is no \"format\""));
    CHECK_THAT(problem(1), Equals("the JSON must be an object, but is 1"));
    Json nameless = json;
    nameless["items"][0] = Json::object();
    CHECK_THAT(problem(nameless), Equals("'items[0].name' must be a name"));
}

TEST_CASE("a place refuses what is not there", "[json]") {
    const Json json = Json::parse(R"({"a": [1, -1, 18446744073709551615, 1.0, "x"]})");
    const JsonPlace place(json, "f.json");
    const JsonPlace list = place["a"];
    CHECK(list.array_size() == 5);
    CHECK(list[1].integer(-1, 1) == -1);
    CHECK(list[2].count() == 18446744073709551615ULL);
    CHECK_THAT(error_of([&] { list[2].integer(0, 5); }),
               Equals("f.json: 'a[2]' must be an integer from 0 to 5, but is 18446744073709551615"));
    CHECK_THAT(error_of([&] { list[1].count(); }),
               Equals("f.json: 'a[1]' must be an integer of at least 0, but is -1"));
    CHECK_THAT(error_of([&] { list[3].whole(); }), Equals("f.json: 'a[3]' must be an integer, but is 1.0"));
    CHECK_THAT(error_of([&] { list[4]["b"]; }),
               Equals("f.json: 'a[4]' must be an object with \"b\", but is the string \"x\""));
    CHECK_THAT(error_of([&] { place["b"]; }), Equals("f.json: there is no \"b\""));
    CHECK_THAT(error_of([&] { place.require_keys({}, {"other"}); }), Equals("f.json: unknown key 'a'"));
    CHECK_FALSE(place.find("b"));
    CHECK_FALSE(list.find("b"));
    const Json control = Json{{"a\n", 1}};
    CHECK_THAT(error_of([&] { JsonPlace(control, "f.json")["a\n"].text(); }),
               Equals("f.json: 'a\\x0A' must be a string, but is 1"));
}
