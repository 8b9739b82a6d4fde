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
using results_detail::result_from_json;

void describe_header(FieldVisitor& visitor, EvaluationRecord& record) {
    describe_format(visitor, "fovea-evaluated", 1);
    visitor.value({.key = "kind"}, constant_text("detection"));
    visitor.object("dataset", [&dataset = record.dataset](FieldVisitor& members) {
        members.value({.key = "name"}, &dataset.name);
        members.value({.key = "format"}, &dataset.format);
        members.value({.key = "root"},
                      JsonValue{[&dataset] { return dataset.root.string(); },
                                [&dataset](const JsonPlace& place) { dataset.root = place.text(); }});
    });
    using Detector = EvaluationRecord::Detector;
    visitor.objects("detectors",
                    list_of<Detector>(record.detectors, [](FieldVisitor& members, Detector& detector) {
                        members.value({.key = "name"}, &detector.name);
                        members.object("options", [&detector](FieldVisitor& options) {
                            describe_options(options, detector.options);
                        });
                        members.value({.key = "images_extra", .range = at_least(0)}, &detector.images_extra);
                        members.value({.key = "warnings"}, &detector.warnings);
                    }));
    visitor.rule("detectors", !record.detectors.empty(), "a list of at least one detector");
}

std::string header_text(const Dataset& dataset, const std::vector<DetectionEvaluation>& evaluations) {
    EvaluationRecord record;
    record.dataset.name = dataset.name;
    record.dataset.format = dataset.format;
    record.dataset.root = dataset.root;
    for (const DetectionEvaluation& evaluation : evaluations) {
        record.detectors.push_back(
            {evaluation.name, evaluation.options, {}, evaluation.images_extra, evaluation.warnings});
    }
    return compact_text(write_fields([&](FieldVisitor& visitor) { describe_header(visitor, record); }));
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

void read_header(const JsonPlace& place, EvaluationRecord& record) {
    const auto describe = [&](FieldVisitor& visitor) { describe_header(visitor, record); };
    read_fields(place, describe, Absent::is_error);
    check_fields(place, describe);
}

// An image's line, read: its sample, and a result for every detector that has one.
struct ImageLine {
    Sample sample;
    std::vector<std::optional<ImageResult>> results;
    std::string wrong;  // what is not as expected; empty if all is
};

void read_places(const JsonPlace& place, std::vector<std::optional<ImageResult>>& results) {
    if (place.array_size() != results.size()) place.fail("a list of one list for each detector");
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::size_t places = place[i].array_size();
        if (places == 0) continue;
        if (!results[i] || places != results[i]->detections.size())
            place[i].fail("a list, empty or of one whole number for each detection");
        for (const std::int64_t of_detection :
             place[i].integers(places, 0, std::numeric_limits<std::uint32_t>::max()))
            results[i]->places.push_back(static_cast<std::uint32_t>(of_detection));
    }
}

void read_image(const JsonPlace& place, const EvaluationRecord& record, ImageLine& line) {
    line.sample = ground_truth_of(place);
    line.sample.image = place["image"].text();
    line.sample.annotated = true;
    const auto path = place.find("path");
    line.sample.path = path ? std::filesystem::path(path->text()) : record.dataset.root / line.sample.image;
    const JsonPlace results = place["results"];
    if (results.array_size() != record.detectors.size())
        results.fail("a list of one result for each of " + counted(record.detectors.size(), "detector"));
    line.results = results.list_of([](const JsonPlace& result) {
        return result.json().is_null() ? std::nullopt : std::optional(result_from_json(result));
    });
    if (const auto places = place.find("places")) read_places(*places, line.results);
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
        } catch (const Json::exception& error) {
            return "expected a JSON object (" + results_detail::json_reason(error) + ")";
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    };
    const std::string wrong_header = guarded([&] {
        const Json header = parse_json(texts[0]);
        read_header(JsonPlace(header), record);
    });
    if (!wrong_header.empty()) fail_at_line(file, 1, texts[0], wrong_header);

    std::vector<ImageLine> lines(texts.size() - 1);
    tbb::parallel_for(std::size_t{0}, lines.size(), [&](std::size_t i) {
        const std::string_view text = texts[i + 1];
        lines[i].wrong = guarded([&] {
            const Json line = parse_json(text);
            read_image(JsonPlace(line), record, lines[i]);
        });
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
