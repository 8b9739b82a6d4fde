#include <limits>

#include "lib/core/error.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/coco_records.hpp"
#include "lib/results/detail_numbers.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {
namespace {

int integer_from(const JsonPlace& place, int least) {
    return static_cast<int>(place.spelled_integer(least, std::numeric_limits<int>::max()));
}

Point point_from(const JsonPlace& place) {
    const std::vector<double> n = place.numbers(2, "two numbers [x, y]");
    return {n[0], n[1]};
}

Ellipse ellipse_from(const JsonPlace& place) {
    const std::vector<double> n = place.numbers(5, "five numbers [x, y, major radius, minor radius, angle]");
    return {{n[0], n[1]}, n[2], n[3], n[4]};
}

IdentityCandidate candidate_from(const JsonPlace& place) {
    IdentityCandidate candidate;
    if (const auto identity = place.given("identity")) candidate.identity = identity->text();
    candidate.image = place["image"].text();
    candidate.distance = place["distance"].number();
    return candidate;
}

Detection detection_from(const JsonPlace& place) {
    Detection detection;
    // A width or height may be below 0, as in results of trackers' filters.
    const std::vector<double> box = place["box"].numbers(4, "four numbers [x, y, width, height]");
    detection.box = {box[0], box[1], box[2], box[3]};
    detection.score = place["score"].number();
    const auto edit = [&]() -> DetectionDetails& { return detection.details.edit(); };
    for (const DetailNumber& detail : detail_numbers) {
        const auto value = place.given(detail.name);
        if (!value) continue;
        if (detail.whole != nullptr) {
            edit().*detail.whole = integer_from(*value, detail.least);
        } else {
            edit().*detail.real = value->number();
        }
    }
    if (const auto points = place.given("landmarks")) edit().landmarks = points->list_of(point_from);
    if (const auto ellipse = place.given("ellipse")) edit().ellipse = ellipse_from(*ellipse);
    if (const auto person = place.given("person")) edit().person = integer_from(*person, 1);
    if (const auto reason = place.given("apart")) edit().apart = reason->text();
    if (const auto identity = place.given("identity")) edit().identity = identity->text();
    if (const auto distance = place.given("distance")) edit().distance = distance->number();
    if (const auto candidates = place.given("candidates"))
        edit().candidates = candidates->list_of(candidate_from);
    return detection;
}

// Python's json.dump writes these tokens, which are not JSON, by default.
bool has_non_finite_token(std::string_view line) {
    return line.find("NaN") != std::string_view::npos || line.find("Infinity") != std::string_view::npos;
}

}  // namespace

ImageResult result_from_json(const JsonPlace& place) {
    ImageResult result;
    const JsonPlace image = place["image"];
    result.image = image.text();
    if (result.image.empty()) image.fail("the path of an image");
    if (const auto frame = place.given("frame"))
        result.frame = FrameTime{integer_from(*frame, 0), place["time"].number()};
    if (const auto width = place.given("width")) result.width = integer_from(*width, 0);
    if (const auto height = place.given("height")) result.height = integer_from(*height, 0);
    if (const auto damaged = place.given("damaged")) result.is_damaged = damaged->json() == true;
    if (const auto pages = place.given("pages")) result.pages = integer_from(*pages, 1);
    if (const auto status = place.given("status")) {
        result.status = status->text();
        if (!result.ok() && !result.status.starts_with("unreadable"))
            status->fail("\"ok\" or \"unreadable: why\"");
    }
    if (!result.ok() && !place.has("detections")) return result;
    const JsonPlace detections = place["detections"];
    result.detections = detections.list_of(detection_from);
    if (!result.ok() && !result.detections.empty()) place.fail_with(unreadable_with_detections);
    for (std::size_t i = 0; i < result.detections.size(); ++i) {
        const auto crop = detections[i].given("crop");
        if (!crop) continue;
        result.crops.resize(result.detections.size());
        result.crops[i] = crop->text();
    }
    return result;
}

Certainty recognise_jsonl(const ResultsSource& source) {
    if (source.is_folder()) return Certainty::none;
    const std::string_view begin = source.begin();
    // Nothing at all is what a run leaves that was interrupted before its first image.
    return certain_if(begin.empty() || (begin.front() == '{' && !is_coco_data_set(begin)));
}

void read_jsonl(ResultsSource& source, KnownImages&, ResultsCollector& collector) {
    const std::string& file = source.path();
    const std::string& bytes = source.bytes();
    for_each_line(bytes, [&](std::size_t number, std::string_view line) {
        if (line.find_first_not_of(" \t") == std::string_view::npos) return;
        try {
            const Json json = parse_json(line);
            collector.add_record(result_from_json(JsonPlace(json)), file + ":" + std::to_string(number));
        } catch (const UsageError& error) {
            fail_at_line(file, number, line, error.what());
        } catch (const Json::exception& error) {
            const bool lacks_newline = line.data() + line.size() == bytes.data() + bytes.size();
            if (lacks_newline) {
                fail_at_line(
                    file, number, line,
                    "the last line is cut off, as an interrupted run leaves it, expected a complete JSON "
                    "object; remove the line or run the image again");
            }
            if (has_non_finite_token(line)) {
                fail_at_line(
                    file, number, line,
                    "NaN and Infinity are not JSON, expected finite numbers (" + json_reason(error) + ")");
            }
            fail_at_line(file, number, line,
                         "expected one JSON object per line (" + json_reason(error) + ")");
        }
    });
}

}  // namespace fovea::results_detail
