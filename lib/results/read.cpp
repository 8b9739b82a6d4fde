#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <future>
#include <system_error>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/dataset/readers/name_blocks.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/text_encoding.hpp"
#include "lib/results/coco_records.hpp"
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

std::string read_results_file(const std::string& file) {
    return file_text_as_utf8(file == "-" ? read_standard_input() : read_file(file, "results file"), file);
}

namespace {

enum class Format { recognise, jsonl, coco, text, csv, fddb, wider, voc, yolo, face_eval, mot };

constexpr std::array<std::pair<std::string_view, Format>, 10> formats{{{"jsonl", Format::jsonl},
                                                                       {"coco", Format::coco},
                                                                       {"text", Format::text},
                                                                       {"csv", Format::csv},
                                                                       {"fddb", Format::fddb},
                                                                       {"wider", Format::wider},
                                                                       {"voc", Format::voc},
                                                                       {"yolo", Format::yolo},
                                                                       {"face-eval", Format::face_eval},
                                                                       {"mot", Format::mot}}};

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
            std::vector<std::string> known;
            for (const auto& [format_name, format] : formats) known.emplace_back(format_name);
            throw UsageError("'" + name + "' in '" + specification + "' is no format of results" +
                             did_you_mean(name, known) + "; formats: " + format_names() + ".");
        }
    }
    for (const std::string& item : split_paths(rest)) {
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
        if (begins_with_mot_line(bytes.substr(first))) return Format::mot;
        if (begins_with_csv_line(bytes.substr(first))) return Format::csv;
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
    const bool is_bare_yolo = parsed.format == Format::recognise && is_folder(file) && is_yolo_folder(file);
    if (parsed.format == Format::yolo || is_bare_yolo) {
        collector.expect_detections_only();
        return read_yolo(file, known, collector);
    }
    if (parsed.format == Format::wider || (parsed.format == Format::recognise && is_folder(file))) {
        read_wider(file, known, collector);
        return;
    }
    if (parsed.format == Format::mot) {
        collector.expect_detections_only();
        return read_mot(file, known, collector);
    }
    std::string bytes = read_results_file(file);
    const Format format = parsed.format == Format::recognise ? recognise(bytes) : parsed.format;
    if (format == Format::jsonl) return read_jsonl(file, bytes, collector);
    if (format == Format::csv) return read_csv(file, bytes, collector);
    if (format == Format::fddb) return read_fddb(file, std::move(bytes), known, collector);
    collector.expect_detections_only();
    if (format == Format::mot) return read_mot_bytes(file, std::move(bytes), known, collector);
    if (format == Format::coco) return read_coco(file, bytes, parsed.images_list, known, collector);
    if (format == Format::voc) return read_voc(file, bytes, known, collector);
    if (format == Format::face_eval) return read_face_eval(file, bytes, known, collector);
    read_text(file, bytes, collector);
}

// Enough for the first key of a line.
constexpr std::size_t recognised_bytes = 4096;

// Reads the beginning alone: the file may be larger than the memory.
bool begins_with_json_line(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string begin(recognised_bytes, '\0');
    stream.read(begin.data(), static_cast<std::streamsize>(begin.size()));
    begin.resize(static_cast<std::size_t>(stream.gcount()));
    // Lines of other encodings are read whole.
    if (begin.find('\0') != std::string::npos) return false;
    begin = head_as_utf8(std::move(begin));
    const std::size_t first = begin.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || begin[first] != '{') return false;
    const std::string_view line = std::string_view(begin).substr(first);
    return line.substr(0, line.find('\n')).find("\"image\"") != std::string_view::npos;
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

struct ResultsReader::Ahead {
    results_detail::Specification specification;
    std::vector<results_detail::CocoRecords> parts;  // empty if they have to be read in the usual way
    std::atomic<bool> cancel{false};
    std::future<void> done;

    void read() {
        using namespace results_detail;
        const std::string bytes = read_results_file(specification.files.front());
        const bool is_coco = specification.format == Format::coco || recognise(bytes) == Format::coco;
        if (is_coco) parts = read_coco_parts(bytes, cancel);
    }
};

ResultsReader::ResultsReader(std::string specification) : specification_(std::move(specification)) {
    using namespace results_detail;
    auto ahead = std::make_unique<Ahead>();
    try {
        ahead->specification = parse_specification(specification_);
    } catch (const Error&) {
        return;  // read() says it
    }
    const std::vector<std::string>& files = ahead->specification.files;
    const Format format = ahead->specification.format;
    // Pipes can be read once only.
    const bool may_be_coco = format == Format::coco || format == Format::recognise;
    if (files.size() != 1 || !may_be_coco || !is_file(files.front())) return;
    try {
        ahead->done = std::async(std::launch::async, [to = ahead.get()] { to->read(); });
    } catch (const std::system_error&) {
        return;  // no thread to be had
    }
    ahead_ = std::move(ahead);
}

ResultsReader::~ResultsReader() {
    if (ahead_ != nullptr) ahead_->cancel = true;
}

ResultsReader::ResultsReader(ResultsReader&&) noexcept = default;

DetectionResults ResultsReader::read(const Dataset& dataset) {
    using namespace results_detail;
    if (ahead_ == nullptr) return read_results(specification_, dataset);
    try {
        ahead_->done.get();
    } catch (const std::exception&) {
        ahead_->parts.clear();  // the usual way meets and names it again
    }
    if (ahead_->parts.empty()) return read_results(specification_, dataset);
    KnownImages known(&dataset);
    ResultsCollector collector;
    collector.expect_detections_only();
    const Specification& specification = ahead_->specification;
    assign_coco(specification.files.front(), std::move(ahead_->parts), specification.images_list, known,
                collector);
    return collector.take();
}

std::vector<std::filesystem::path> files_of_json_lines(const std::string& specification) {
    using namespace results_detail;
    const Specification parsed = parse_specification(specification);
    const bool may_be = parsed.format == Format::jsonl || parsed.format == Format::recognise;
    if (!may_be) return {};
    std::vector<std::filesystem::path> files;
    for (const std::string& file : parsed.files) {
        if (!is_file(file)) return {};
        if (!begins_with_json_line(file)) return {};
        files.emplace_back(file);
    }
    return files;
}

DetectionResults read_results(const std::string& specification) {
    return results_detail::read_sources(specification, nullptr);
}

DetectionResults read_results(const std::string& specification, const Dataset& dataset) {
    return results_detail::read_sources(specification, &dataset);
}

}  // namespace fovea
