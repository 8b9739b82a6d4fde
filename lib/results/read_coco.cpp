#include <algorithm>
#include <array>
#include <cstdint>

#include "lib/core/error.hpp"
#include "lib/core/json_records.hpp"
#include "lib/results/readers.hpp"

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

[[noreturn]] void fail_json(const std::string& file, std::string_view bytes, const Json::exception& error,
                            const char* expected) {
    const auto* parse_error = dynamic_cast<const Json::parse_error*>(&error);
    const std::size_t byte = parse_error != nullptr ? parse_error->byte : 0;
    fail_at_line(file, static_cast<std::size_t>(line_at(bytes, byte)), line_at_byte(bytes, byte),
                 std::string("expected ") + expected + " (" + json_reason(error) + ")");
}

enum Field : std::size_t { image_id, bbox, score, category_id };
constexpr std::array<std::string_view, 4> field_names{"image_id", "bbox", "score", "category_id"};

enum ImageField : std::size_t { id, file_name };
constexpr std::array<std::string_view, 2> image_field_names{"id", "file_name"};

NameOfId read_images_list(const std::string& file) {
    constexpr const char* expected =
        "a COCO data set in JSON with an \"images\" list of {\"id\", \"file_name\"}";
    const std::string bytes = read_results_file(file);
    NameOfId names;
    try {
        const auto take = [&](std::string_view list, std::size_t position, const JsonRecord& record) {
            if (list != "images") return;
            const std::string place = file + ": images[" + std::to_string(position) + "]";
            try {
                const std::int64_t number = record.integer(id);
                if (!names.emplace(number, record.text(file_name)).second) {
                    throw Error(place + ": the id " + std::to_string(number) +
                                " stands twice in the \"images\" list.");
                }
            } catch (const JsonFieldError& error) {
                throw Error(place + ": " + error.what + R"(; expected {"id": integer, "file_name": text}.)");
            }
        };
        if (read_json_records(bytes, image_field_names, take) != JsonRoot::object) {
            throw Error(file + ": expected " + expected + ".");
        }
    } catch (const Json::exception& error) {
        fail_json(file, bytes, error, expected);
    }
    return names;
}

/// \param names of the images by their ids; nullptr where nothing tells them.
const std::string& image_name(const JsonRecord& record, const NameOfId* names) {
    const JsonField& field = record.field(image_id);
    if (field.kind == JsonField::Kind::text && !field.text.empty()) return field.text;
    if (field.kind != JsonField::Kind::integer) record.fail(image_id, "a file name or an integer");
    const std::string number = std::to_string(field.integer);
    if (names == nullptr) {
        throw JsonFieldError{"image_id is " + number +
                             ", and an integer needs the list that names its image: give the results as "
                             "coco:RESULTS,images=GROUND_TRUTH.json"};
    }
    const auto found = names->find(field.integer);
    if (found == names->end()) {
        throw JsonFieldError{"image_id is " + number + ", which is not in the given list of images"};
    }
    return found->second;
}

}  // namespace

void read_coco(const std::string& file, std::string_view bytes, const std::string& images_list,
               KnownImages& known, ResultsCollector& collector) {
    const NameOfId listed = images_list.empty() ? NameOfId{} : read_images_list(images_list);
    const NameOfId& by_id = images_list.empty() ? known.name_of_id() : listed;
    const NameOfId* const names = images_list.empty() && by_id.empty() ? nullptr : &by_id;
    constexpr const char* is_data_set =
        ": expected a list of results, but the file is an object, as a COCO data set is.";
    std::unordered_map<std::int64_t, std::size_t> number_of_id;
    const auto number_of = [&](const JsonRecord& record) {
        const JsonField& field = record.field(image_id);
        if (field.kind != JsonField::Kind::integer) return collector.number_of(image_name(record, names));
        const auto known_number = number_of_id.find(field.integer);
        if (known_number != number_of_id.end()) return known_number->second;
        return number_of_id[field.integer] = collector.number_of(image_name(record, names));
    };
    std::size_t records = 0;
    std::size_t of_other_categories = 0;
    const auto take = [&](std::string_view list, std::size_t position, const JsonRecord& record) {
        if (!list.empty()) throw Error(file + is_data_set);
        try {
            if (!record.is_object) throw JsonFieldError{"expected an object with image_id, bbox and score"};
            const auto box = record.box(bbox);
            ++records;
            if (record.has(category_id) && !known.is_wanted_category(record.integer(category_id))) {
                ++of_other_categories;
                return;
            }
            std::optional<std::int64_t> category;
            if (known.has_several_categories()) category = record.integer(category_id);
            collector.add(number_of(record), {box[0], box[1], box[2], box[3]}, record.number(score),
                          category);
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
    if (of_other_categories == 0) return;
    collector.warn(file + ": " + std::to_string(of_other_categories) + " of " + counted(records, "result") +
                   " have a category_id that is not that of the dataset's faces, and are left out.");
}

}  // namespace fovea::results_detail
