#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// Who gave a person the name.
enum class NamedBy { nobody, gallery, user };

/// A person of an archive: faces that were grouped.
struct Person {
    int number = 0;    ///< from 1; a later run keeps it
    std::string name;  ///< empty = unknown
    NamedBy named_by = NamedBy::nobody;
    std::size_t faces = 0;
    std::size_t images = 0;  ///< in which they are
    std::string image;       ///< of the face that stands for the person: the most certain large one
    Box box;                 ///< of that face
};

/// The content of people.json: the people, and everything that they were made from.
struct PeopleFile {
    /// Stands for the archive and the recogniser; a file of names says which one it belongs to.
    std::string id;
    /// Everything that decides faces and vectors, as result_fingerprint() without the images.
    Json work;
    /// Everything else that decides the groups: the list of images, and how faces are grouped and named.
    Json grouping;
    std::size_t parts = 0;  ///< runs that have described images
    int last_person = 0;    ///< the largest number that was ever given
    /// Two lone faces are joined up to this distance of the recogniser.
    double distance = 0;
    std::size_t faces = 0;                       ///< of all images
    std::map<std::string, std::size_t> apart{};  ///< faces of no group, by the reason
    std::vector<Person> people;                  ///< those with the most faces first
};

class FieldVisitor;

/// The fields of people.json, which json_of() writes.
void describe(FieldVisitor& visitor, PeopleFile& people);

/// Reads people.json. \return nothing if it is not there. \throws Error naming the place of what is wrong.
std::optional<PeopleFile> read_people(const std::filesystem::path& file);

/// Reads the names that a user gave, as the page of `fovea browse` saves them: {"format": "fovea-names",
/// "version": 1, "people": the id of people.json, "names": [{"person": 3, "name": "Ann"}, ...]}. An empty
/// name takes a name away.
/// \param id of the people that they are for. \return names by the numbers of people. \throws UsageError if
/// the file is not there, is of other people, or names somebody twice; Error if it is broken.
std::map<int, std::string> read_names(const std::filesystem::path& file, const std::string& id);

}  // namespace fovea
