#include <algorithm>
#include <cstdint>
#include <optional>

#include "lib/core/error.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {
namespace {

using NameOfId = std::unordered_map<std::int64_t, std::string>;

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

[[noreturn]] void fail_json(const std::string& file, std::string_view bytes, const Json::exception& error,
                            const char* expected) {
    const auto* parse_error = dynamic_cast<const Json::parse_error*>(&error);
    const std::size_t byte = parse_error != nullptr ? parse_error->byte : 0;
    fail_at_line(file, static_cast<std::size_t>(line_at(bytes, byte)), line_at_byte(bytes, byte),
                 std::string("expected ") + expected + " (" + json_reason(error) + ")");
}

std::optional<std::int64_t> integer_id(const Json& value) {
    if (!value.is_number_integer()) return std::nullopt;
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
    return value.get<std::int64_t>();
}

NameOfId read_images_list(const std::string& file) {
    const std::string bytes = read_results_file(file);
    Json json;
    try {
        json = Json::parse(bytes);
    } catch (const Json::exception& error) {
        fail_json(file, bytes, error, "a COCO data set in JSON with an \"images\" list");
    }
    const Json* images = json.is_object() ? member(json, "images") : nullptr;
    if (images == nullptr || !images->is_array()) {
        throw Error(file +
                    ": expected a COCO data set in JSON with an \"images\" list of {\"id\", \"file_name\"}.");
    }
    NameOfId names;
    for (std::size_t i = 0; i < images->size(); ++i) {
        const Json& image = (*images)[i];
        const Json* id = image.is_object() ? member(image, "id") : nullptr;
        const Json* name = image.is_object() ? member(image, "file_name") : nullptr;
        if (id == nullptr || !integer_id(*id) || name == nullptr || !name->is_string()) {
            throw Error(file + ": images[" + std::to_string(i) + "] is " + excerpt(image.dump()) +
                        R"(, expected {"id": integer, "file_name": string}.)");
        }
        if (!names.emplace(*integer_id(*id), name->get<std::string>()).second) {
            throw Error(file + ": the id " + id->dump() + " stands twice in the \"images\" list.");
        }
    }
    return names;
}

std::string image_name(const Json* id, const NameOfId* names) {
    if (id != nullptr && id->is_string() && !id->get_ref<const std::string&>().empty()) {
        return id->get<std::string>();
    }
    const std::optional<std::int64_t> number = id != nullptr ? integer_id(*id) : std::nullopt;
    if (!number) {
        throw FieldError{"image_id is " + (id == nullptr ? "missing" : excerpt(id->dump())) +
                         ", expected a file name or an integer"};
    }
    if (names == nullptr) {
        throw FieldError{"image_id is " + id->dump() +
                         ", and an integer needs the list that names its image: give the results as "
                         "coco:RESULTS,images=GROUND_TRUTH.json"};
    }
    const auto found = names->find(*number);
    if (found == names->end()) {
        throw FieldError{"image_id is " + id->dump() + ", which is not in the given list of images"};
    }
    return found->second;
}

}  // namespace

void read_coco(const std::string& file, std::string_view bytes, const std::string& images_list,
               ResultsCollector& collector) {
    const NameOfId names = images_list.empty() ? NameOfId{} : read_images_list(images_list);
    const NameOfId* known = images_list.empty() ? nullptr : &names;
    std::size_t record = 0;

    // Records are taken as they are parsed and dropped at once: results of a large set would need gigabytes
    // as a document.
    const auto take_record = [&](int depth, Json::parse_event_t event, Json& value) {
        if (depth == 0 && event == Json::parse_event_t::object_start) {
            throw FieldError{"expected a list of results, but the file is an object, as a COCO data set is"};
        }
        const bool container_end =
            event == Json::parse_event_t::object_end || event == Json::parse_event_t::array_end;
        if (depth != 1 || !(container_end || event == Json::parse_event_t::value)) return true;
        ++record;
        if (!value.is_object()) throw FieldError{"expected an object with image_id, bbox and score"};
        Detection detection;
        detection.box = box_field(member(value, "bbox"), "bbox");
        detection.score = finite_number(member(value, "score"), "score");
        collector.of_image(image_name(member(value, "image_id"), known)).detections.push_back(detection);
        return false;
    };
    try {
        const Json document = Json::parse(bytes.begin(), bytes.end(), take_record);
        if (!document.is_array()) throw FieldError{"expected a list of results"};
    } catch (const FieldError& error) {
        if (record == 0) throw Error(file + ": " + error.what + ".");
        throw Error(file + ": in record " + std::to_string(record) + " of the list, " + error.what + ".");
    } catch (const Json::exception& error) {
        fail_json(file, bytes, error, "COCO results: a JSON list of {image_id, bbox, score}");
    }
}

}  // namespace fovea::results_detail
