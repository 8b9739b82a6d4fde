#include <algorithm>
#include <cstdint>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/text_encoding.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {

std::size_t ResultsCollector::number_of(const std::string& image) {
    const auto [found, is_new] = index_.emplace(image, results_.size());
    if (is_new) {
        results_.emplace_back().image = image;
        origins_.emplace_back();
    }
    return found->second;
}

void ResultsCollector::add(std::size_t number, Detection detection) {
    if (added_.empty() || !added_.back().categories.empty()) added_.emplace_back();
    added_.back().detections.push_back({std::move(detection), static_cast<std::uint32_t>(number)});
}

void ResultsCollector::add_all(std::vector<AddedDetection> detections, std::vector<std::int64_t> categories) {
    added_.push_back({std::move(detections), std::move(categories)});
}

DetectionResults ResultsCollector::take() {
    std::vector<std::size_t> counts(results_.size());
    for (const Block& block : added_) {
        for (const AddedDetection& added : block.detections) ++counts[added.number];
    }
    for (std::size_t i = 0; i < results_.size(); ++i) {
        std::vector<Detection>& detections = results_[i].detections;
        detections.reserve(detections.size() + counts[i]);
        // Files with a record per image have no order to tell.
        if (detections.empty()) results_[i].places.reserve(counts[i]);
    }
    std::uint32_t place = 0;
    for (Block& block : added_) {
        for (std::size_t i = 0; i < block.detections.size(); ++i, ++place) {
            AddedDetection& added = block.detections[i];
            ImageResult& result = results_[added.number];
            if (result.places.size() == result.detections.size()) result.places.push_back(place);
            if (!block.categories.empty()) result.categories.push_back(block.categories[i]);
            result.detections.push_back(std::move(added.detection));
        }
        block = {};
    }
    DetectionResults taken{std::move(results_), records_every_image_, std::move(warnings_)};
    taken.has_corner_columns = has_corner_columns_;
    return taken;
}

void ResultsCollector::add_record(ImageResult&& result, const std::string& where) {
    const auto [found, is_new] = index_.emplace(result.image, results_.size());
    if (!is_new) {
        const std::string& first = origins_[found->second];
        throw Error(where + ": the image '" + excerpt(result.image) + "' has a record already" +
                    (first.empty() ? "" : ", at " + first) + ", expected one record per image.");
    }
    results_.push_back(std::move(result));
    origins_.push_back(where);
}

ResultsSource::ResultsSource(std::string path, std::string images_list)
    : path_(std::move(path)), images_list_(std::move(images_list)), is_folder_(fovea::is_folder(path_)) {}

const std::string& ResultsSource::bytes() const {
    if (!bytes_) bytes_ = read_results_file(path_);
    return *bytes_;
}

std::string ResultsSource::take_bytes() {
    bytes();
    return *std::exchange(bytes_, std::nullopt);
}

std::string_view ResultsSource::begin() const {
    if (is_folder_) return {};
    const std::string_view all = bytes();
    return all.substr(std::min(all.find_first_not_of(" \t\r\n"), all.size()));
}

std::string read_results_file(const std::string& file) {
    return file_text_as_utf8(file == "-" ? read_standard_input() : read_file(file, "results file"), file);
}

void fail_at_line(const std::string& file, std::size_t line, std::string_view text, const std::string& what) {
    throw Error(file + ":" + std::to_string(line) + ": " + what + "; the line is '" + excerpt(text) + "'.");
}

std::string json_reason(const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error ...": keep the last
    // part.
    const std::string text = error.what();
    const std::size_t column = text.find("column ");
    std::size_t start = column == std::string::npos ? text.find("] ") : text.find(": ", column);
    return start == std::string::npos ? text : text.substr(start + 2);
}

}  // namespace fovea::results_detail
