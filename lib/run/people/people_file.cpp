#include "lib/run/people/people_file.hpp"

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/json/names.hpp"

namespace fovea {
namespace {

constexpr NameTable<NamedBy, 3> namers{{"nobody", "gallery", "user"}, "names nobody"};

/// A name that a user typed for somebody.
struct GivenName {
    int person = 0;
    std::string name;
};

struct NamesFile {
    std::string people;
    std::vector<GivenName> names;
};

void describe(FieldVisitor& visitor, GivenName& given) {
    visitor.value({.key = "person", .range = at_least(1)}, &given.person);
    visitor.value({.key = "name", .presence = Presence::always}, &given.name);
}

void describe(FieldVisitor& visitor, NamesFile& file) {
    describe_format(visitor, "fovea-names", 1);
    visitor.value({.key = "people"}, &file.people);
    visitor.objects("names", list_of<GivenName>(file.names, [](FieldVisitor& members, GivenName& given) {
                        describe(members, given);
                    }));
}

void describe_person(FieldVisitor& visitor, Person& person) {
    visitor.value({.key = "person", .range = at_least(1)}, &person.number);
    visitor.value({.key = "name", .presence = Presence::always}, &person.name);
    visitor.value({.key = "named_by"}, named(person.named_by, namers));
    visitor.value({.key = "faces", .range = at_least(1)}, &person.faces);
    visitor.value({.key = "images", .range = at_least(1)}, &person.images);
    visitor.value({.key = "image"}, &person.image);
    visitor.value({.key = "box"}, number_list({&person.box.x, &person.box.y, &person.box.w, &person.box.h},
                                              "a list of 4 numbers"));
}

JsonValue counts_value(std::map<std::string, std::size_t>& counts) {
    return {[&] { return Json(counts); },
            [&](const JsonPlace& place) {
                place.require_object();
                for (const auto& [reason, unused] : place.json().items())
                    counts[reason] = place[reason].exact_count();
            }};
}

}  // namespace

void describe(FieldVisitor& visitor, PeopleFile& people) {
    describe_format(visitor, "fovea-people", 1);
    visitor.value({.key = "id"}, &people.id);
    visitor.value({.key = "work"}, kept_object(people.work));
    visitor.value({.key = "grouping"}, kept_object(people.grouping));
    visitor.value({.key = "distance", .range = above(0)}, &people.distance);
    visitor.value({.key = "parts"}, &people.parts);
    visitor.value({.key = "last_person", .range = at_least(0)}, &people.last_person);
    visitor.value({.key = "faces"}, &people.faces);
    visitor.value({.key = "apart"}, counts_value(people.apart));
    visitor.objects("people", list_of<Person>(people.people, describe_person));
}

std::optional<PeopleFile> read_people(const std::filesystem::path& file) {
    if (!is_file(file)) return std::nullopt;
    const char* const advice = "put the file back from a copy, or begin anew with --overwrite";
    const Json json = parse_json_file(file.string(), read_file(file), advice);
    PeopleFile people;
    try {
        read_struct(JsonPlace(json, file.string()), people);
    } catch (const Error& error) {
        throw Error(error.what() + std::string("; ") + advice);
    }
    return people;
}

std::map<int, std::string> read_names(const std::filesystem::path& file, const std::string& id) {
    const Json json =
        parse_json_file(file.string(), read_file(file), "name a file that the page of people saved");
    NamesFile read;
    read_struct(JsonPlace(json, file.string()), read);
    if (read.people != id) {
        throw UsageError(
            "the names in '" + file.string() +
            "' are those of another archive or recogniser; save them from the page of these people");
    }
    std::map<int, std::string> names;
    for (const GivenName& given : read.names) {
        if (!names.emplace(given.person, given.name).second)
            throw UsageError("'" + file.string() + "' names person " + std::to_string(given.person) +
                             " twice");
    }
    return names;
}

}  // namespace fovea
