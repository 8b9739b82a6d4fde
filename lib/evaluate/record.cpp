#include "lib/evaluate/record.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/record_fields.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/readers.hpp"

namespace fovea {
namespace {

using namespace record_detail;
using results_detail::fail_at_line;
using results_detail::FieldError;
using results_detail::member;

constexpr const char* format_name = "fovea-evaluated";
constexpr int format_version = 1;

std::string header_text(const Dataset& dataset, const std::vector<DetectionEvaluation>& evaluations) {
    Json header;
    header["format"] = format_name;
    header["version"] = format_version;
    header["kind"] = "detection";
    header["dataset"] = {{"name", dataset.name}, {"format", dataset.format}, {"root", dataset.root.string()}};
    header["detectors"] = Json::array();
    for (const DetectionEvaluation& evaluation : evaluations) {
        header["detectors"].push_back({{"name", evaluation.name},
                                       {"options", options_to_json(evaluation.options)},
                                       {"images_extra", evaluation.images_extra},
                                       {"warnings", evaluation.warnings}});
    }
    return compact_text(header);
}

std::string result_text(const Sample& sample, const ImageEvaluation& outcome) {
    if (outcome.status.empty()) return "null";
    ImageResult result;
    result.image = sample.image;
    result.status = outcome.status;
    if (outcome.result_size) {
        result.width = outcome.result_size->width;
        result.height = outcome.result_size->height;
    }
    result.detections.assign(outcome.detections.begin(), outcome.detections.end());
    return to_json_line(result);
}

std::string image_text(const Dataset& dataset, const std::vector<DetectionEvaluation>& evaluations,
                       std::size_t image) {
    const Sample& sample = dataset.samples.at(evaluations.front().image_outcomes[image].sample);
    std::string line = "{\"image\":" + quoted(sample.image);
    if (sample.path != dataset.root / sample.image) line += ",\"path\":" + quoted(sample.path.string());
    line += "," + ground_truth_text(sample) + ",\"results\":[";
    for (std::size_t i = 0; i < evaluations.size(); ++i) {
        if (i > 0) line += ',';
        line += result_text(sample, evaluations[i].image_outcomes.at(image));
    }
    line += ']';
    if (std::any_of(evaluations.begin(), evaluations.end(), [&](const DetectionEvaluation& evaluation) {
            return !evaluation.image_outcomes.at(image).places.empty();
        })) {
        Json places = Json::array();
        for (const DetectionEvaluation& evaluation : evaluations) {
            places.push_back(evaluation.image_outcomes.at(image).places);
        }
        line += ",\"places\":" + places.dump();
    }
    return line + "}\n";
}

void read_header(const Json& json, EvaluationRecord& record) {
    if (!json.is_object() || json.value("format", Json()) != format_name) {
        throw FieldError{"this is no record of an evaluation: expected \"format\": \"" +
                         std::string(format_name) + "\""};
    }
    if (json.value("version", Json()) != format_version || json.value("kind", Json()) != "detection") {
        throw FieldError{
            "expected \"version\": 1 and \"kind\": \"detection\"; another was written by another release"};
    }
    const Json* dataset = member(json, "dataset");
    const Json* detectors = member(json, "detectors");
    if (dataset == nullptr || !dataset->is_object() || detectors == nullptr || !detectors->is_array() ||
        detectors->empty()) {
        throw FieldError{"\"dataset\" or \"detectors\" is missing"};
    }
    record.dataset.name = text_of(*dataset, "name");
    record.dataset.format = text_of(*dataset, "format");
    record.dataset.root = text_of(*dataset, "root");
    for (const Json& entry : *detectors) {
        EvaluationRecord::Detector& detector = record.detectors.emplace_back();
        detector.name = text_of(entry, "name");
        const Json* options = member(entry, "options");
        if (options == nullptr) throw FieldError{"\"options\" is missing"};
        detector.options = options_from_json(*options);
        detector.images_extra = static_cast<int>(whole_of(entry, "images_extra"));
        if (const Json* warnings = member(entry, "warnings")) {
            for (const Json& warning : *warnings) detector.warnings.push_back(warning.get<std::string>());
        }
    }
}

// An image's line, read: its sample, and a result for every detector that has one.
struct ImageLine {
    Sample sample;
    std::vector<std::optional<ImageResult>> results;
    std::string wrong;  // what is not as expected; empty if all is
};

void read_places(const Json& json, std::vector<std::optional<ImageResult>>& results) {
    constexpr const char* expected =
        "\"places\" is not a list of one list for each detector, empty or of one whole number for each "
        "detection";
    if (!json.is_array() || json.size() != results.size()) throw FieldError{expected};
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (!json[i].is_array()) throw FieldError{expected};
        if (json[i].empty()) continue;
        if (!results[i] || json[i].size() != results[i]->detections.size()) throw FieldError{expected};
        for (const Json& place : json[i]) {
            if (!place.is_number_unsigned() ||
                place.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max())
                throw FieldError{expected};
            results[i]->places.push_back(place.get<std::uint32_t>());
        }
    }
}

void read_image(const Json& json, const EvaluationRecord& record, ImageLine& line) {
    if (!json.is_object())
        throw FieldError{"expected a JSON object with \"image\", \"faces\" and \"results\""};
    line.sample = ground_truth_of(json);
    line.sample.image = text_of(json, "image");
    line.sample.annotated = true;
    const Json* path = member(json, "path");
    line.sample.path = path != nullptr ? std::filesystem::path(text_of(json, "path"))
                                       : record.dataset.root / line.sample.image;
    const Json* results = member(json, "results");
    if (results == nullptr || !results->is_array() || results->size() != record.detectors.size()) {
        throw FieldError{"\"results\" is not a list of one result for each of " +
                         counted(record.detectors.size(), "detector")};
    }
    for (const Json& result : *results) {
        line.results.push_back(result.is_null() ? std::nullopt
                                                : std::optional(results_detail::result_from_json(result)));
    }
    if (const Json* places = member(json, "places")) read_places(*places, line.results);
}

}  // namespace

std::string evaluation_record_text(const Dataset& dataset,
                                   const std::vector<DetectionEvaluation>& evaluations) {
    if (evaluations.empty()) throw Error("There is no evaluation to record.");
    std::vector<std::string> lines(evaluations.front().image_outcomes.size());
    tbb::parallel_for(std::size_t{0}, lines.size(),
                      [&](std::size_t i) { lines[i] = image_text(dataset, evaluations, i); });
    std::string text = header_text(dataset, evaluations) + "\n";
    std::size_t size = text.size();
    for (const std::string& line : lines) size += line.size();
    text.reserve(size);
    for (const std::string& line : lines) text += line;
    return text;
}

EvaluationRecord read_evaluation_record(const std::filesystem::path& file) {
    return parse_evaluation_record(read_file(file, "record of an evaluation"), file.string());
}

EvaluationRecord parse_evaluation_record(const std::string& bytes, const std::string& file) {
    std::vector<std::string_view> texts;
    results_detail::for_each_line(bytes, [&](std::size_t, std::string_view line) { texts.push_back(line); });
    if (texts.empty()) throw Error(file + " is empty; write the report again.");

    EvaluationRecord record;
    const auto guarded = [](auto&& read) -> std::string {
        try {
            read();
        } catch (const FieldError& error) {
            return error.what;
        } catch (const Json::exception& error) {
            return "expected a JSON object (" + results_detail::json_reason(error) + ")";
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    };
    const std::string wrong_header = guarded([&] { read_header(parse_json(texts[0]), record); });
    if (!wrong_header.empty()) fail_at_line(file, 1, texts[0], wrong_header);

    std::vector<ImageLine> lines(texts.size() - 1);
    tbb::parallel_for(std::size_t{0}, lines.size(), [&](std::size_t i) {
        const std::string_view text = texts[i + 1];
        lines[i].wrong = guarded([&] { read_image(parse_json(text), record, lines[i]); });
    });
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (!lines[i].wrong.empty()) fail_at_line(file, i + 2, texts[i + 1], lines[i].wrong);
        record.dataset.samples.push_back(std::move(lines[i].sample));
        for (std::size_t k = 0; k < record.detectors.size(); ++k) {
            if (!lines[i].results[k]) continue;
            record.detectors[k].results.images.push_back(std::move(*lines[i].results[k]));
        }
    }
    return record;
}

}  // namespace fovea
