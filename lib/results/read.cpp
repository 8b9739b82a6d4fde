#include <array>
#include <cstring>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/file.hpp"
#include "lib/core/folder.hpp"
#include "lib/dataset/name_blocks.hpp"
#include "lib/results/readers.hpp"

namespace fovea {
namespace results_detail {

std::size_t ResultsCollector::number_of(const std::string& image) {
    const auto [found, is_new] = index_.emplace(image, results_.size());
    if (is_new) {
        results_.emplace_back().image = image;
        origins_.emplace_back();
    }
    return found->second;
}

void ResultsCollector::add(std::size_t number, const Box& box, double score,
                           std::optional<std::int64_t> category) {
    added_.push_back({number, box, score, category});
}

DetectionResults ResultsCollector::take() {
    std::vector<std::size_t> counts(results_.size());
    for (const Added& added : added_) ++counts[added.number];
    for (std::size_t i = 0; i < results_.size(); ++i) {
        std::vector<Detection>& detections = results_[i].detections;
        detections.reserve(detections.size() + counts[i]);
        // Files with a record per image have no order to tell.
        if (detections.empty()) results_[i].places.reserve(counts[i]);
    }
    std::uint32_t place = 0;
    for (const Added& added : added_) {
        ImageResult& result = results_[added.number];
        if (result.places.size() == result.detections.size()) result.places.push_back(place);
        ++place;
        if (added.category) result.categories.push_back(*added.category);
        Detection& detection = result.detections.emplace_back();
        detection.box = added.box;
        detection.score = added.score;
    }
    return {std::move(results_), records_every_image_, std::move(warnings_)};
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

std::string read_results_file(const std::string& file) {
    std::string bytes = file == "-" ? read_standard_input() : read_file(file, "results file");
    if (bytes.starts_with("\xEF\xBB\xBF")) bytes.erase(0, 3);
    return bytes;
}

namespace {

enum class Format { recognise, jsonl, coco, text, fddb, wider, voc };

constexpr std::array<std::pair<std::string_view, Format>, 6> formats{{{"jsonl", Format::jsonl},
                                                                      {"coco", Format::coco},
                                                                      {"text", Format::text},
                                                                      {"fddb", Format::fddb},
                                                                      {"wider", Format::wider},
                                                                      {"voc", Format::voc}}};

std::string format_names() {
    std::string names;
    for (const auto& [name, format] : formats) names += (names.empty() ? "" : ", ") + std::string(name);
    return names;
}

struct Specification {
    Format format = Format::recognise;
    std::vector<std::string> files;
    std::string images_list;
};

Specification parse_specification(const std::string& specification) {
    Specification parsed;
    std::string rest = specification;
    const std::size_t colon = rest.find(':');
    if (colon != std::string::npos && !is_there(rest)) {
        const std::string name = rest.substr(0, colon);
        for (const auto& [known, format] : formats) {
            if (name == known) parsed.format = format;
        }
        if (parsed.format != Format::recognise) {
            rest.erase(0, colon + 1);
        } else if (name.find('/') == std::string::npos && name.find(',') == std::string::npos &&
                   name.find('.') == std::string::npos) {
            throw UsageError("'" + name + "' in '" + specification +
                             "' is no format of results; formats: " + format_names() + ".");
        }
    }
    // A comma may be part of one file's name.
    while (!rest.empty()) {
        const std::size_t comma = is_there(rest) ? std::string::npos : rest.find(',');
        const std::string item = rest.substr(0, comma);
        rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
        if (item.rfind("images=", 0) == 0) {
            parsed.images_list = item.substr(std::strlen("images="));
        } else if (!item.empty()) {
            parsed.files.push_back(item);
        }
    }
    if (parsed.files.empty()) throw UsageError("The results '" + specification + "' name no file.");
    if (!parsed.images_list.empty() && parsed.format != Format::coco && parsed.format != Format::recognise) {
        throw UsageError("The results '" + specification +
                         "' give a list of images, which only COCO results need: coco:RESULTS,images=FILE.");
    }
    return parsed;
}

Format recognise(std::string_view bytes) {
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    // Nothing at all is what a run leaves that was interrupted before its first image.
    if (first == std::string_view::npos) return Format::jsonl;
    if (bytes[first] == '[') return Format::coco;
    if (bytes[first] != '{') {
        return begins_with_block(bytes, 5) || begins_with_block(bytes, 6) ? Format::fddb : Format::text;
    }
    // A COCO data set given for results also begins so; its reader says what it is.
    const std::string_view line = bytes.substr(first, bytes.find('\n', first) - first);
    const bool is_data_set = bytes.find("\"annotations\"") != std::string_view::npos &&
                             line.find("\"image\"") == std::string_view::npos;
    return is_data_set ? Format::coco : Format::jsonl;
}

void read_source(const std::string& file, const Specification& parsed, KnownImages& known,
                 ResultsCollector& collector) {
    if (parsed.format == Format::wider || (parsed.format == Format::recognise && is_folder(file))) {
        read_wider(file, known, collector);
        return;
    }
    std::string bytes = read_results_file(file);
    const Format format = parsed.format == Format::recognise ? recognise(bytes) : parsed.format;
    if (format == Format::jsonl) return read_jsonl(file, bytes, collector);
    if (format == Format::fddb) return read_fddb(file, std::move(bytes), known, collector);
    collector.expect_detections_only();
    if (format == Format::coco) return read_coco(file, bytes, parsed.images_list, known, collector);
    if (format == Format::voc) return read_voc(file, bytes, known, collector);
    read_text(file, bytes, collector);
}

DetectionResults read_sources(const std::string& specification, const Dataset* dataset) {
    KnownImages known(dataset);
    const Specification parsed = parse_specification(specification);
    ResultsCollector collector;
    for (const std::string& file : parsed.files) read_source(file, parsed, known, collector);
    return collector.take();
}

}  // namespace
}  // namespace results_detail

DetectionResults read_results(const std::string& specification) {
    return results_detail::read_sources(specification, nullptr);
}

DetectionResults read_results(const std::string& specification, const Dataset& dataset) {
    return results_detail::read_sources(specification, &dataset);
}

}  // namespace fovea
