#include "lib/run/people/archive_faces.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <system_error>
#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/block_reader.hpp"
#include "lib/job/journal/feature_file.hpp"
#include "lib/landmark/face_quality.hpp"
#include "lib/results/results_lines.hpp"

namespace fovea {

std::vector<std::uint32_t> all_places(const ImageResult& result) {
    std::vector<std::uint32_t> places(result.detections.size());
    std::iota(places.begin(), places.end(), 0U);
    return places;
}

const char* why_apart(const Detection& detection, const FaceLimits& limits) {
    if (std::min(detection.box.w, detection.box.h) < limits.min_side) return "small";
    if (detection.details->sharpness.value_or(limits.min_sharpness) < limits.min_sharpness) return "blurred";
    const double yaw = yaw_of_landmarks(detection.details->landmarks).value_or(0);
    return std::abs(yaw) > limits.max_yaw_deg ? "turned" : "";
}

ArchiveFaces::ArchiveFaces(const ImageList& images, std::vector<DescribedPart> parts,
                           const std::function<bool(std::size_t part, std::size_t image)>& is_wanted,
                           std::size_t length, const FaceLimits& limits, ChooseFaces choose,
                           std::uintmax_t max_kept)
    : parts_(std::move(parts)), choose_(std::move(choose)), places_(images.size()) {
    std::uintmax_t bytes = 0;
    for (const DescribedPart& part : parts_) {
        std::error_code error;  // the reader tells
        const std::uintmax_t size = std::filesystem::file_size(part.results, error);
        bytes += error ? 0 : size;
    }
    if (bytes <= max_kept) kept_.resize(images.size());
    if (!choose_) choose_ = [](std::size_t, ImageResult& result) { return all_places(result); };
    std::unordered_map<std::string_view, std::uint32_t> numbers;
    for (std::size_t i = 0; i < images.size(); ++i) numbers[images.name(i)] = static_cast<std::uint32_t>(i);
    std::vector<std::vector<ArchiveFace>> found(parts_.size());
    for (std::uint32_t part = 0; part < parts_.size(); ++part) {
        ResultsLines lines(parts_[part].results);
        std::size_t row = 0;
        while (auto result = lines.next()) {
            const std::size_t first = row;
            row += result->detections.size();
            const auto number = numbers.find(result->image);
            if (number != numbers.end() && is_wanted(part, number->second)) {
                places_[number->second] = {part, lines.place()};
                const std::vector<std::uint32_t> places = choose_(part, *result);
                for (std::uint32_t i = 0; i < places.size(); ++i) {
                    const Detection& detection = result->detections[i];
                    found[part].push_back({number->second, i, detection.box, detection.score,
                                           why_apart(detection, limits), first + places[i]});
                }
                if (!kept_.empty()) kept_[number->second] = *std::move(result);
            }
        }
        const FeatureFileShape shape = read_feature_file_shape(parts_[part].features);
        if (shape.rows == row && shape.bins == length) continue;
        throw Error("'" + parts_[part].features.string() + "' has " + counted(shape.rows, "row") + " of " +
                    counted(shape.bins, "number") + ", but the results have " + counted(row, "face") +
                    " and the recogniser " + counted(length, "number") + "; make both in one job.");
    }
    take_faces(found, length);
}

void ArchiveFaces::take_faces(const std::vector<std::vector<ArchiveFace>>& parts, std::size_t length) {
    struct Source {
        std::uint32_t part = 0;
        std::size_t index = 0;
    };
    std::vector<Source> sources;
    for (std::uint32_t part = 0; part < parts.size(); ++part) {
        for (std::size_t i = 0; i < parts[part].size(); ++i) {
            if (places_[parts[part][i].image].part == part) sources.push_back({part, i});
        }
    }
    // The faces of an image are of one part, in which they follow each other.
    std::stable_sort(sources.begin(), sources.end(), [&](const Source& a, const Source& b) {
        return parts[a.part][a.index].image < parts[b.part][b.index].image;
    });
    features_.length = length;
    features_.words.resize(sources.size() * length);
    faces_.resize(sources.size());
    std::vector<std::vector<std::size_t>> targets(parts.size());
    for (std::size_t part = 0; part < parts.size(); ++part)
        targets[part].assign(parts[part].size(), sources.size());
    for (std::size_t face = 0; face < sources.size(); ++face) {
        const auto [part, index] = sources[face];
        faces_[face] = parts[part][index];
        targets[part][index] = face;
    }
    for (std::size_t part = 0; part < parts.size(); ++part) {
        BlockReader reader(parts_[part].features, FeatureFile::header_bytes, std::size_t{1} << 20);
        std::size_t row = 0;
        for (std::size_t i = 0; i < parts[part].size(); ++i) {
            const std::size_t bytes = length * sizeof(std::uint16_t);
            for (; row < parts[part][i].row; ++row) reader.next_bytes(bytes);
            const std::string_view words = reader.next_bytes(bytes);
            ++row;
            if (const std::size_t face = targets[part][i]; face < sources.size())
                std::memcpy(features_.words.data() + face * length, words.data(), bytes);
        }
    }
}

std::optional<ImageResult> ArchiveFaces::result_at(const Place& place, ResultsLines& lines) const {
    lines.go_to(place.offset);
    std::optional<ImageResult> result = lines.next();
    if (result) choose_(place.part, *result);
    return result;
}

void ArchiveFaces::for_each_result(
    const std::function<void(ImageResult&& result, std::size_t first_face)>& take) const {
    std::vector<std::unique_ptr<ResultsLines>> lines;
    for (const DescribedPart& part : parts_) lines.push_back(std::make_unique<ResultsLines>(part.results));
    std::size_t first = 0;
    for (std::size_t image = 0; image < places_.size(); ++image) {
        const Place& place = places_[image];
        if (place.part == none) continue;
        std::optional<ImageResult> result =
            kept_.empty() ? result_at(place, *lines[place.part]) : std::optional(kept_[image]);
        if (!result || first + result->detections.size() > faces_.size())
            throw Error("'" + parts_[place.part].results.string() + "' has changed while it was read.");
        result->crops.clear();  // their names are relative to a folder of another job
        const std::size_t count = result->detections.size();
        take(std::move(*result), first);
        first += count;
    }
}

}  // namespace fovea
