#include "lib/report/browse/browse_archive.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/results/result_line.hpp"

namespace fovea::report {

/// The places of people in BrowseArchive::people.
struct BrowseGatherer::People {
    std::unordered_map<int, std::uint32_t> by_number;
    std::unordered_map<std::string, std::uint32_t> by_name;  ///< of people without a number
    std::unordered_map<int, std::string> names;              ///< of people.json

    std::uint32_t place_of(const DetectionDetails& details, std::vector<BrowsePerson>& people) {
        if (!details.person && details.identity.empty()) return BrowseArchive::nobody;
        const auto next = static_cast<std::uint32_t>(people.size());
        const std::uint32_t place = details.person ? by_number.emplace(*details.person, next).first->second
                                                   : by_name.emplace(details.identity, next).first->second;
        if (place == next) {
            const auto known = names.find(details.person.value_or(0));
            const bool has_name = known != names.end() && !known->second.empty();
            people.push_back({details.person.value_or(0), has_name ? known->second : details.identity});
        }
        return place;
    }
};

BrowseGatherer::BrowseGatherer(const KnownPeople& known)
    : known_(known), people_(std::make_unique<People>()) {
    archive_.id = known.id;
    for (const KnownPerson& person : known.people) people_->names[person.number] = person.name;
}

BrowseGatherer::~BrowseGatherer() = default;

std::uint8_t BrowseGatherer::reason_of(const std::string& apart) {
    std::vector<std::string>& reasons = archive_.reasons;
    const auto found = std::find(reasons.begin(), reasons.end(), apart);
    const auto place = found - reasons.begin();
    if (place > 255) throw Error("the results give more than 255 reasons for faces to be apart");
    if (found == reasons.end()) reasons.push_back(apart);
    return static_cast<std::uint8_t>(place);
}

void BrowseGatherer::add(const ImageResult& result) {
    const auto image = static_cast<std::uint32_t>(archive_.images.size());
    BrowseImage& added = archive_.images.emplace_back();
    added.name = result.image;
    added.width = result.width;
    added.height = result.height;
    if (result.frame) added.seconds = result.frame->seconds;
    if (!result.ok())
        archive_.unreadable.push_back({result.image, std::string(unreadable_reason(result.status))});
    std::uint32_t place = 0;
    for (const Detection& detection : result.detections) {
        BrowseFace& face = archive_.faces.emplace_back();
        face.image = image;
        face.place = place++;
        face.box = detection.box;
        face.score = static_cast<float>(detection.score);
        face.person = people_->place_of(*detection.details, archive_.people);
        if (face.person != BrowseArchive::nobody) ++archive_.people[face.person].faces;
        face.apart = reason_of(detection.details->apart);
        if (const std::optional<int>& track = detection.details->track) {
            const auto time = known_.tracks.find({result.image, *track});
            if (time != known_.tracks.end()) {
                face.from = static_cast<float>(time->second.from);
                face.to = static_cast<float>(time->second.to);
                archive_.has_times = true;
            }
        }
        archive_.has_landmarks = archive_.has_landmarks || !detection.details->landmarks.empty();
    }
}

BrowseArchive BrowseGatherer::take() {
    return std::move(archive_);
}

namespace {

void order_people(BrowseArchive& archive) {
    std::vector<BrowsePerson>& people = archive.people;
    std::vector<std::uint32_t> order(people.size()), rank(people.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto key = [&](std::uint32_t p) {
        return std::make_tuple(~people[p].faces, people[p].number, std::string_view(people[p].name));
    };
    std::sort(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); });
    std::vector<BrowsePerson> ordered;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        rank[order[i]] = i;
        ordered.push_back(std::move(people[order[i]]));
    }
    people = std::move(ordered);
    for (BrowseFace& face : archive.faces) {
        if (face.person != BrowseArchive::nobody) face.person = rank[face.person];
    }
}

/// The most certain large face of faces [begin, end).
std::size_t surest(const std::vector<BrowseFace>& faces, std::size_t begin, std::size_t end) {
    const auto worth = [](const BrowseFace& face) {
        return static_cast<double>(face.score) * std::min(face.box.w, face.box.h);
    };
    const auto first = faces.begin();
    const auto best =
        std::max_element(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end),
                         [&](const BrowseFace& a, const BrowseFace& b) { return worth(a) < worth(b); });
    return static_cast<std::size_t>(best - first);
}

bool is_cover(const BrowseArchive& archive, const BrowseFace& face, const KnownPerson& known) {
    constexpr double near = 0.5;  // pixels: boxes are written as they were found
    return archive.images[face.image].name == known.image && std::abs(face.box.x - known.box.x) < near &&
           std::abs(face.box.y - known.box.y) < near && std::abs(face.box.w - known.box.w) < near;
}

}  // namespace

void order_faces(BrowseArchive& archive, const KnownPeople& known) {
    order_people(archive);
    const auto key = [&](const BrowseFace& face) {
        return std::make_tuple(face.person, face.apart, archive.images[face.image].date, face.image,
                               face.place);
    };
    std::sort(archive.faces.begin(), archive.faces.end(),
              [&](const BrowseFace& a, const BrowseFace& b) { return key(a) < key(b); });
    std::unordered_map<int, const KnownPerson*> by_number;
    for (const KnownPerson& person : known.people) by_number[person.number] = &person;
    std::size_t begin = 0;
    for (BrowsePerson& person : archive.people) {
        const std::size_t end = begin + person.faces;
        const auto of_file = by_number.find(person.number);
        person.cover = end;
        if (of_file != by_number.end()) {
            for (std::size_t face = begin; face < end && person.cover == end; ++face) {
                if (is_cover(archive, archive.faces[face], *of_file->second)) person.cover = face;
            }
        }
        if (person.cover == end) person.cover = surest(archive.faces, begin, end);
        begin = end;
    }
}

}  // namespace fovea::report
