#include "lib/evaluate/recognition/group_pairing.hpp"

#include <optional>

#include <spdlog/fmt/fmt.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

std::vector<std::string> names_of(const NameNumbers& numbers) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        names.push_back(numbers.name(static_cast<std::uint32_t>(i)));
    return names;
}

std::string shown_group(const std::string& group) {
    return group.empty() ? "no group" : "the group '" + excerpt(group) + "'";
}

}  // namespace

KnownFaces known_faces(const Dataset& dataset) {
    KnownFaces faces;
    faces.dataset = dataset.name;
    NameNumbers numbers;
    std::size_t unknown = 0;
    for (const Sample& sample : dataset.samples) {
        unknown += sample.subject.empty() ? 1 : 0;
        faces.images.push_back(sample.image);
        faces.subjects.push_back(
            sample.subject.empty() ? no_number : static_cast<int>(numbers.number_of(sample.subject)));
    }
    if (numbers.size() == 0) {
        throw Error(
            dataset.name +
            ": it is not known who is shown in its images; use a dataset with subjects (lfw:, feret:, "
            "or folder: with a sub-folder for each subject).");
    }
    add_counted(faces.warnings, unknown, "image", " shows nobody who is known, and is left out.",
                " show nobody who is known, and are left out.");
    faces.subject_names = names_of(numbers);
    return faces;
}

FaceGroups groups_of(const KnownFaces& faces, const ImageNames& names, const GroupList& list) {
    FaceGroups result;
    result.groups.assign(faces.images.size(), no_number);
    NameNumbers numbers;
    std::vector<const GroupEntry*> entry_of(faces.images.size(), nullptr);
    std::size_t unknown = 0;
    for (const GroupEntry& entry : list.entries) {
        const std::optional<std::size_t> image = names.find(entry.image);
        if (!image) {
            ++unknown;
            continue;
        }
        const GroupEntry*& known = entry_of[*image];
        if (known != nullptr && known->group != entry.group) {
            throw Error(fmt::format("{}: the image '{}' is in {} as '{}' and in {} as '{}'; it needs one.",
                                    list.file, excerpt(faces.images[*image]), shown_group(known->group),
                                    excerpt(known->image), shown_group(entry.group), excerpt(entry.image)));
        }
        known = &entry;
        if (!entry.group.empty()) result.groups[*image] = static_cast<int>(numbers.number_of(entry.group));
    }
    if (unknown == list.entries.size()) {
        const std::string example = list.entries.empty()
                                        ? "it is empty"
                                        : "its first name is '" + excerpt(list.entries[0].image) + "'";
        throw Error(fmt::format("{} names none of the {} of {}: {}, the first image is '{}'.", list.file,
                                counted(faces.images.size(), "image"), faces.dataset, example,
                                excerpt(faces.images[0])));
    }
    add_counted(result.warnings, unknown, "name", " of the file is none of the dataset's, and is left out.",
                " of the file are none of the dataset's, and are left out.");
    result.group_names = names_of(numbers);
    return result;
}

}  // namespace fovea
