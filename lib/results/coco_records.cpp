#include "lib/results/coco_records.hpp"

#include <algorithm>
#include <array>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/dataset/image_id.hpp"
#include "lib/dataset/points_file.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_records.hpp"

namespace fovea::results_detail {
namespace {

std::string_view line_at_byte(std::string_view bytes, std::size_t position) {
    position = std::min(position, bytes.size());
    const std::size_t before = position == 0 ? std::string_view::npos : bytes.rfind('\n', position - 1);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    std::string_view line = bytes.substr(start, bytes.find('\n', start) - start);
    // Such files are often one line of many megabytes: show what precedes the place.
    constexpr std::size_t before_place = 60;
    if (position - start > before_place) line.remove_prefix(position - start - before_place);
    return line;
}

enum Field : std::size_t { image, bbox, score, category_id, keypoints, file_name };
constexpr std::array<std::string_view, 6> field_names{"image_id",    "bbox",      "score",
                                                      "category_id", "keypoints", "file_name"};

std::vector<Point> points_of(const JsonRecord& record) {
    const std::size_t whole = record.field(keypoints).numbers.size() / 3 * 3;
    const auto numbers = record.numbers(keypoints, whole, "a list of x, y, visibility for each point");
    if (numbers.empty()) record.fail(keypoints, "a list of x, y, visibility for each point");
    std::vector<Point> points;
    for (std::size_t i = 0; i < numbers.size(); i += 3) points.push_back({numbers[i], numbers[i + 1]});
    return points;
}

/// The place of a text; that of the last one where it is the same, as results of one image stand together.
std::uint32_t place_of(const std::string& text, std::vector<std::string>& texts) {
    if (texts.empty() || texts.back() != text) texts.push_back(text);
    return static_cast<std::uint32_t>(texts.size() - 1);
}

/// A text stays one: which it is, an id or a name, only the dataset tells.
CocoReference reference(const JsonRecord& record, Field field, std::vector<std::string>& texts) {
    if (!record.has(field)) return {};
    const RecordId id = record_id(record, field);
    if (record.field(field).kind == JsonField::Kind::text)
        return {0, place_of(record.field(field).text, texts)};
    if (!id.text.empty()) return {0, place_of(id.text, texts)};
    return {id.number, CocoReference::is_number};
}

/// \throws JsonFieldError
void take_record(const JsonRecord& record, CocoRecords& records) {
    if (!record.is_object) throw JsonFieldError{"expected an object with image_id, bbox and score"};
    Detection detection;
    if (record.has(keypoints)) detection.details.edit().landmarks = points_of(record);
    if (record.has(bbox) || !record.has(keypoints)) {
        // pycocotools evaluates those with a width or height below 0, which trackers' filters make.
        const auto box = record.numbers(bbox, 4, "[x, y, width, height]");
        detection.box = {box[0], box[1], box[2], box[3]};
        records.negative_sizes += box[2] < 0 || box[3] < 0 ? 1 : 0;
    } else {
        // pycocotools does the same.
        detection.box = box_around(detection.details->landmarks);
    }
    detection.score = record.number(score);
    const JsonField& name = record.field(file_name);
    const bool is_named = name.kind == JsonField::Kind::text && !name.text.empty();
    if (!record.has(image) && !is_named) record.fail(image, "a file name or an integer");
    const CocoReference of_image = reference(record, image, records.texts);
    const CocoReference of_category = reference(record, category_id, records.texts);
    records.images.push_back(of_image);
    records.categories.push_back(of_category);
    records.names.push_back(is_named ? place_of(name.text, records.texts) : CocoReference::is_absent);
    records.found.push_back({std::move(detection)});
}

}  // namespace

void fail_json(const std::string& file, std::string_view bytes, const Json::exception& error,
               const char* expected) {
    const auto* parse_error = dynamic_cast<const Json::parse_error*>(&error);
    const std::size_t byte = parse_error != nullptr ? parse_error->byte : 0;
    fail_at_line(file, static_cast<std::size_t>(line_at(bytes, byte)), line_at_byte(bytes, byte),
                 std::string("expected ") + expected + " (" + json_reason(error) + ")");
}

std::vector<CocoRecords> read_coco_parts(std::string_view bytes, const std::atomic<bool>& cancel) {
    const std::vector<std::string_view> texts = split_json_list(bytes);
    std::vector<CocoRecords> parts(texts.size());
    std::atomic<bool> is_whole{!texts.empty()};
    tbb::parallel_for(std::size_t{0}, texts.size(), [&](std::size_t i) {
        if (!is_whole || cancel) return;
        // There are as many records as brackets, or fewer if brackets stand in texts.
        const auto records = static_cast<std::size_t>(std::ranges::count(texts[i], '{'));
        parts[i].found.reserve(records);
        parts[i].images.reserve(records);
        parts[i].categories.reserve(records);
        parts[i].names.reserve(records);
        try {
            const bool is_read = read_json_part(
                texts[i], field_names, [&](const JsonRecord& record) { take_record(record, parts[i]); });
            if (!is_read) is_whole = false;
        } catch (const JsonFieldError&) {
            is_whole = false;
        }
    });
    if (!is_whole || cancel) parts.clear();
    return parts;
}

CocoRecords read_coco_list(const std::string& file, std::string_view bytes) {
    constexpr const char* is_data_set =
        ": expected a list of results, but the file is an object, as a COCO data set is.";
    CocoRecords records;
    const auto take = [&](std::string_view list, std::size_t position, const JsonRecord& record) {
        if (!list.empty()) throw Error(file + is_data_set);
        try {
            take_record(record, records);
        } catch (const JsonFieldError& error) {
            throw Error(file + ": in record " + std::to_string(position + 1) + " of the list, " + error.what +
                        ".");
        }
    };
    try {
        const JsonRoot root = read_json_records(bytes, field_names, take);
        if (root == JsonRoot::object) throw Error(file + is_data_set);
        if (root != JsonRoot::list) throw Error(file + ": expected a list of results.");
    } catch (const Json::exception& error) {
        fail_json(file, bytes, error, "COCO results: a JSON list of {image_id, bbox, score}");
    }
    return records;
}

}  // namespace fovea::results_detail
