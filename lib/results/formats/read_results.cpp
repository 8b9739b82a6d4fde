#include "lib/results/formats/read_results.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fstream>
#include <future>
#include <system_error>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/text_encoding.hpp"
#include "lib/results/coco_records.hpp"
#include "lib/results/formats/results_formats.hpp"
#include "lib/results/readers.hpp"

namespace fovea {
namespace results_detail {
namespace {

const ResultsFormat* find_read_format(const std::string& name) {
    const ResultsFormat* const found = results_formats().find(name);
    return found != nullptr && found->read != nullptr ? found : nullptr;
}

struct Specification {
    const ResultsFormat* format = nullptr;  // null: to be recognised
    std::vector<std::string> files;
    std::string images_list;
};

Specification parse_specification(const std::string& specification) {
    Specification parsed;
    std::string rest = specification;
    const std::size_t colon = rest.find(':');
    if (colon != std::string::npos && !is_there(rest)) {
        const std::string name = rest.substr(0, colon);
        parsed.format = find_read_format(name);
        if (parsed.format != nullptr) {
            rest.erase(0, colon + 1);
        } else if (name.find_first_of("/,.") == std::string::npos) {
            const std::vector<std::string> known = results_formats().names_read();
            throw UsageError("'" + name + "' in '" + specification + "' is no format of results" +
                             did_you_mean(name, known) + "; formats: " + in_one_list(known) + ".");
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
    if (!parsed.images_list.empty() && parsed.format != nullptr && !parsed.format->holds.takes_images) {
        throw UsageError("The results '" + specification +
                         "' give a list of images, which only COCO results need: coco:RESULTS,images=FILE.");
    }
    return parsed;
}

const ResultsFormat& format_of(const Specification& parsed, const ResultsSource& source) {
    return parsed.format != nullptr ? *parsed.format : *results_formats().recognise(source).first;
}

constexpr std::string_view coco_name = "coco";  // the one format that is read ahead

bool may_be(const Specification& parsed, std::string_view format) {
    return parsed.format == nullptr || parsed.format->name == format;
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
    for (const std::string& file : parsed.files) {
        ResultsSource source(file, parsed.images_list);
        format_of(parsed, source).read(source, known, collector);
    }
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
        const ResultsSource source(specification.files.front());
        if (format_of(specification, source).name == coco_name)
            parts = read_coco_parts(source.bytes(), cancel);
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
    // Pipes can be read once only.
    if (files.size() != 1 || !may_be(ahead->specification, coco_name) || !is_file(files.front())) return;
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

void add_inputs_of_results(const std::string& specification, InputFiles& inputs) {
    std::string files = specification;
    // Landmarks have formats of their own, which are read as folders.
    if (files.starts_with("pts:") && !is_there(files)) files.erase(0, std::strlen("pts:"));
    const results_detail::Specification parsed = results_detail::parse_specification(files);
    inputs.add(parsed.images_list);
    for (const std::string& file : parsed.files) {
        inputs.add(file);
        if (!is_folder(file)) continue;
        for (const std::filesystem::path& entry : files_below(file)) {
            if (entry.extension() == ".txt" || entry.extension() == ".pts") inputs.add(entry);
        }
    }
}

std::vector<std::filesystem::path> files_of_json_lines(const std::string& specification) {
    using namespace results_detail;
    const Specification parsed = parse_specification(specification);
    if (!may_be(parsed, "jsonl")) return {};
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
