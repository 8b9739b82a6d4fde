#include "lib/run/people/people_file.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/json/field_json.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::test;
using Catch::Matchers::Contains;
namespace fs = std::filesystem;

namespace {

PeopleFile two_people() {
    PeopleFile people;
    people.id = "0123456789abcdef";
    people.work = {{"recogniser", "abc"}};
    people.grouping = {{"neighbours", 50}};
    people.distance = 0.125;
    people.parts = 2;
    people.last_person = 7;
    people.faces = 6;
    people.apart = {{"alone", 1}, {"small", 2}};
    people.people = {{3, "Ann \"A\" <Lee>", NamedBy::user, 2, 1, "a/1.jpg", {1, 2, 30, 40.5}},
                     {7, "", NamedBy::nobody, 1, 1, "ü.jpg", {0, 0, 1, 1}}};
    return people;
}

template <class Act>
std::string error_of(const Act& act) {
    try {
        act();
    } catch (const UsageError& error) {
        return std::string("usage: ") + error.what();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace

TEST_CASE("people.json is read as it was written", "[people]") {
    const TempDir folder;
    const fs::path file = folder.path() / "people.json";
    CHECK_FALSE(read_people(file).has_value());
    const Json written = json_of(two_people());
    CHECK(written["people"][0]["named_by"] == "user");
    CHECK(written["people"][0]["box"] == Json{1, 2, 30, 40.5});
    CHECK(written["people"][1]["name"] == "");
    write_file(file, written.dump());
    const std::optional<PeopleFile> read = read_people(file);
    REQUIRE(read.has_value());
    CHECK(json_of(*read) == written);
}

TEST_CASE("a people.json that is broken says where, and what to do", "[people]") {
    const TempDir folder;
    const fs::path file = folder.path() / "people.json";
    const auto error_with = [&](const char* patch) {
        Json json = json_of(two_people());
        json.merge_patch(Json::parse(patch));
        write_file(file, json.dump());
        return error_of([&] { read_people(file); });
    };
    CHECK_THAT(error_with(R"({"format": "other"})"), Contains("'format'") && Contains("--overwrite"));
    CHECK_THAT(error_with(R"({"version": 2})"), Contains("'version'"));
    CHECK_THAT(error_with(R"({"last_person": -1})"), Contains("'last_person' must be"));
    CHECK_THAT(error_with(R"({"apart": {"small": "two"}})"), Contains("'apart.small'"));
    CHECK_THAT(error_with(R"({"people": [{"person": 0}]})"), Contains("'people[0]"));
    write_file(file, "{\"format\": ");
    CHECK_THAT(error_of([&] { read_people(file); }), Contains("people.json:1") && Contains("--overwrite"));
}

TEST_CASE("names are read for the people that they belong to", "[people]") {
    const TempDir folder;
    const fs::path file = folder.path() / "names.json";
    const auto names_in = [&](const char* text) {
        write_file(file, text);
        return read_names(file, "id");
    };
    CHECK(names_in(R"({"format": "fovea-names", "version": 1, "people": "id",
                       "names": [{"person": 3, "name": "Ann\n<b>"}, {"person": 1, "name": ""}]})") ==
          std::map<int, std::string>{{1, ""}, {3, "Ann\n<b>"}});
    CHECK_THAT(error_of([&] {
                   names_in(R"({"format": "fovea-names", "version": 1, "people": "other", "names": []})");
               }),
               Contains("usage: the names in") && Contains("another archive"));
    CHECK_THAT(error_of([&] {
                   names_in(R"({"format": "fovea-names", "version": 1, "people": "id",
                               "names": [{"person": 3, "name": "A"}, {"person": 3, "name": "B"}]})");
               }),
               Contains("names person 3 twice"));
    CHECK_THAT(
        error_of([&] {
            names_in(
                R"({"format": "fovea-names", "version": 1, "people": "id", "names": [{"person": 1.5}]})");
        }),
        Contains("'names[0].person'"));
    CHECK_THAT(error_of([&] { names_in("[]"); }), Contains("names.json"));
    fs::remove(file);
    CHECK_THAT(error_of([&] { read_names(file, "id"); }), Contains("names.json"));
}
