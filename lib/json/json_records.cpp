#include "lib/json/json_records.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <optional>

#include <simdjson.h>

#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_record_handler.hpp"

namespace fovea {

namespace json_detail {

std::string shown(const JsonField& field) {
    using Kind = JsonField::Kind;
    switch (field.kind) {
        case Kind::absent:
            return "missing";
        case Kind::null:
            return "null";
        case Kind::boolean:
            return field.integer != 0 ? "true" : "false";
        case Kind::integer:
            return std::to_string(field.integer);
        case Kind::number:
            return field.text.empty() ? shortest_number(field.number) : field.text;
        case Kind::text:
            return "\"" + excerpt(field.text) + "\"";
        case Kind::numbers: {
            std::string list;
            for (const double number : field.numbers)
                list += (list.empty() ? "" : ",") + shortest_number(number);
            return excerpt("[" + list + "]");
        }
        case Kind::members:
        case Kind::other:
            break;
    }
    return "an object or a mixed list";
}

}  // namespace json_detail

namespace {

using json_detail::RecordHandler;
using json_detail::shown;

/// Sets a field as the handler would, without an event for each number; false for the values that few have.
bool set_field(JsonField& field, const simdjson::dom::element& element) {
    using Type = simdjson::dom::element_type;
    switch (element.type()) {
        case Type::INT64:
            field.kind = JsonField::Kind::integer;
            field.integer = std::int64_t(element);
            field.number = static_cast<double>(field.integer);
            field.text.clear();
            return true;
        case Type::DOUBLE:
            field.kind = JsonField::Kind::number;
            field.integer = 0;
            field.number = double(element);
            field.text.clear();
            return true;
        case Type::ARRAY:
            field.kind = JsonField::Kind::numbers;
            field.numbers.clear();
            field.members.clear();
            for (const simdjson::dom::element value : simdjson::dom::array(element)) {
                const Type type = value.type();
                if (type != Type::DOUBLE && type != Type::INT64) return false;
                field.numbers.push_back(type == Type::DOUBLE ? double(value)
                                                             : static_cast<double>(std::int64_t(value)));
            }
            return true;
        default:
            return false;
    }
}

/// Tells the handler what nlohmann's parser would, of a text that was parsed already.
void tell(const simdjson::dom::element& element, RecordHandler& handler) {
    JsonField* const field = handler.open_field();
    if (field != nullptr && set_field(*field, element)) return;
    using Type = simdjson::dom::element_type;
    switch (element.type()) {
        case Type::ARRAY: {
            const simdjson::dom::array list(element);
            handler.start_array(list.size());
            for (const simdjson::dom::element value : list) tell(value, handler);
            handler.end_array();
            break;
        }
        case Type::OBJECT: {
            const simdjson::dom::object object(element);
            handler.start_object(object.size());
            for (const simdjson::dom::key_value_pair member : object) {
                handler.key(member.key);
                if (handler.wants_value()) tell(member.value, handler);
            }
            handler.end_object();
            break;
        }
        case Type::INT64:
            handler.number_integer(std::int64_t(element));
            break;
        case Type::UINT64:
            handler.number_unsigned(std::uint64_t(element));
            break;
        case Type::DOUBLE:
            handler.number_float(double(element), {});
            break;
        case Type::STRING:
            handler.string(std::string_view(element));
            break;
        case Type::BOOL:
            handler.boolean(bool(element));
            break;
        case Type::NULL_VALUE:
            handler.null();
            break;
    }
}

/// Not tried to be cut: a file may have many of them.
constexpr std::size_t bytes_of_short_list = std::size_t{1} << 16;
constexpr std::string_view json_blanks = " \t\n\r";

std::size_t skip_blanks(std::string_view bytes, std::size_t at) {
    return std::min(bytes.find_first_not_of(json_blanks, at), bytes.size());
}

/// The next comma that looks as if it stood between two objects of a list; npos if there is none.
std::size_t find_cut(std::string_view bytes, std::size_t from) {
    for (std::size_t at = bytes.find('}', from); at != std::string_view::npos; at = bytes.find('}', at + 1)) {
        const std::size_t comma = skip_blanks(bytes, at + 1);
        if (comma == bytes.size() || bytes[comma] != ',') continue;
        const std::size_t next = skip_blanks(bytes, comma + 1);
        if (next < bytes.size() && bytes[next] == '{') return comma;
    }
    return std::string_view::npos;
}

/// The end of what begins at `from`: the first bracket that closes what was opened before, or, with
/// `is_value`, the first comma beside it; npos if there is none.
std::size_t find_end(std::string_view bytes, std::size_t from, bool is_value) {
    std::size_t depth = 0;
    for (std::size_t at = from; at < bytes.size(); ++at) {
        switch (bytes[at]) {
            case '"':
                for (++at; at < bytes.size() && bytes[at] != '"'; ++at) {
                    if (bytes[at] == '\\') ++at;
                }
                break;
            case '[':
            case '{':
                ++depth;
                break;
            case ']':
            case '}':
                if (depth == 0) return at;
                --depth;
                break;
            case ',':
                if (is_value && depth == 0) return at;
                break;
            default:
                break;
        }
    }
    return std::string_view::npos;
}

/// Parses parts of lists, and keeps its memory for the next one.
class PartParser {
  public:
    // For most parts at once: a little more for each of them would be allocated anew for each of them.
    PartParser() {
        if (parser_.allocate(2 * json_part_bytes) != simdjson::SUCCESS) throw std::bad_alloc();
    }

    /// The elements, valid until the next call; absent if `[elements]` is no JSON.
    std::optional<simdjson::dom::array> parse(std::string_view elements) {
        text_.clear();
        text_.reserve(elements.size() + 2 + simdjson::SIMDJSON_PADDING);
        text_ += '[';
        text_ += elements;
        text_ += ']';
        simdjson::dom::array list;
        if (parser_.parse(text_.data(), text_.size(), false).get_array().get(list) != simdjson::SUCCESS)
            return std::nullopt;
        return list;
    }

  private:
    std::string text_;
    simdjson::dom::parser parser_;
};

/// Reads a text part by part and tells a handler of its elements.
class PartReader {
  public:
    PartReader(std::string_view bytes, RecordHandler& handler) : bytes_(bytes), handler_(handler) {}

    /// \return false if the text is neither a list nor an object, or no JSON from some place on.
    bool read() {
        at_ = skip_blanks(bytes_, 0);
        if (at_ == bytes_.size()) return false;
        const bool is_read = bytes_[at_] == '[' ? read_list() : bytes_[at_] == '{' && read_object();
        return is_read && skip_blanks(bytes_, at_) == bytes_.size();
    }

  private:
    bool read_object() {
        handler_.start_object(0);
        at_ = skip_blanks(bytes_, at_ + 1);
        if (at_ < bytes_.size() && bytes_[at_] == '}') {
            ++at_;
            return handler_.end_object();
        }
        while (true) {
            if (!read_key() || !read_member()) return false;
            at_ = skip_blanks(bytes_, at_);
            if (at_ == bytes_.size()) return false;
            const char next = bytes_[at_++];
            if (next == '}') return handler_.end_object();
            if (next != ',') return false;
        }
    }

    bool read_key() {
        at_ = skip_blanks(bytes_, at_);
        std::size_t end = at_ + 1;
        while (end < bytes_.size() && bytes_[end] != '"') end += bytes_[end] == '\\' ? 2 : 1;
        if (end >= bytes_.size() || bytes_[at_] != '"') return false;
        const auto key = parser_.parse(bytes_.substr(at_, end + 1 - at_));
        if (!key || key->size() != 1 || !key->at(0).is_string()) return false;
        handler_.key(std::string_view(key->at(0)));
        at_ = skip_blanks(bytes_, end + 1);
        if (at_ == bytes_.size() || bytes_[at_] != ':') return false;
        at_ = skip_blanks(bytes_, at_ + 1);
        return at_ < bytes_.size();
    }

    bool read_member() {
        if (bytes_[at_] == '[') return read_list();
        const std::size_t end = find_end(bytes_, at_, true);
        if (end == std::string_view::npos) return false;
        const auto value = parser_.parse(bytes_.substr(at_, end - at_));
        if (!value || value->size() != 1) return false;
        tell(value->at(0), handler_);
        at_ = end;
        return true;
    }

    bool read_list() {
        handler_.start_array(0);
        ++at_;
        const std::size_t near = find_end(bytes_.substr(0, at_ + bytes_of_short_list), at_, false);
        if (near != std::string_view::npos) return end_list(near, true);
        for (bool is_first = true;; is_first = false) {
            // A right cut has whole elements before it.
            const std::size_t cut = next_cut(std::min(at_ + json_part_bytes, bytes_.size()));
            if (cut != std::string_view::npos && read_elements(cut, false)) {
                at_ = cut + 1;
                continue;
            }
            const std::size_t end = find_end(bytes_, at_, false);
            return end != std::string_view::npos && end_list(end, is_first);
        }
    }

    /// find_cut, whose places never lead back: what was searched once is not searched again.
    std::size_t next_cut(std::size_t from) {
        const bool is_known = from >= searched_from_ && (cut_ == std::string_view::npos || from <= cut_);
        if (!is_known) cut_ = find_cut(bytes_, from);
        searched_from_ = from;
        return cut_;
    }

    bool end_list(std::size_t end, bool may_be_empty) {
        if (bytes_[end] != ']' || !read_elements(end, may_be_empty)) return false;
        at_ = end + 1;
        return handler_.end_array();
    }

    /// Those from here to `end`.
    bool read_elements(std::size_t end, bool may_be_none) {
        const auto list = parser_.parse(bytes_.substr(at_, end - at_));
        if (!list || (!may_be_none && list->begin() == list->end())) return false;
        for (const simdjson::dom::element element : *list) tell(element, handler_);
        return true;
    }

    std::string_view bytes_;
    RecordHandler& handler_;
    PartParser parser_;
    std::size_t at_ = 0;
    std::size_t searched_from_ = std::string_view::npos;
    std::size_t cut_ = 0;  // the first one from there
};

}  // namespace

void JsonRecord::fail(std::size_t i, std::string_view expected) const {
    throw JsonFieldError{std::string(names_[i]) + " is " + shown(fields_[i]) + ", expected " +
                         std::string(expected)};
}

double JsonRecord::number(std::size_t i) const {
    const JsonField& field = fields_[i];
    const bool is_number = field.kind == JsonField::Kind::integer || field.kind == JsonField::Kind::number;
    if (!is_number) fail(i, "a number");
    if (!std::isfinite(field.number)) fail(i, "a finite number");
    return field.number;
}

std::optional<std::int64_t> JsonRecord::whole(std::size_t i) const {
    const JsonField& field = fields_[i];
    switch (field.kind) {
        case JsonField::Kind::integer:
            return field.integer;
        case JsonField::Kind::number:
            return whole_of(field.number);
        case JsonField::Kind::text:
            return spelled_whole(trim(field.text));
        default:
            return std::nullopt;
    }
}

std::int64_t JsonRecord::integer(std::size_t i) const {
    const std::optional<std::int64_t> value = whole(i);
    if (!value) fail(i, "an integer");
    return *value;
}

bool JsonRecord::flag(std::size_t i) const {
    const JsonField& field = fields_[i];
    std::optional<bool> mark;
    if (field.kind == JsonField::Kind::text) {
        mark = spelled_mark(trim(field.text));
    } else {
        const std::optional<std::int64_t> number =
            field.kind == JsonField::Kind::boolean ? field.integer : whole(i);
        if (number == 0 || number == 1) mark = number == 1;
    }
    if (!mark) fail(i, mark_spellings);
    return *mark;
}

const std::string& JsonRecord::text(std::size_t i) const {
    if (fields_[i].kind != JsonField::Kind::text) fail(i, "a text");
    return fields_[i].text;
}

std::span<const double> JsonRecord::numbers(std::size_t i, std::size_t count,
                                            std::string_view expected) const {
    const JsonField& field = fields_[i];
    const bool fits = field.kind == JsonField::Kind::numbers && field.numbers.size() == count &&
                      std::all_of(field.numbers.begin(), field.numbers.end(),
                                  [](double number) { return std::isfinite(number); });
    if (!fits) fail(i, expected);
    return field.numbers;
}

std::span<const std::pair<std::string, std::string>> JsonRecord::members(std::size_t i) const {
    if (fields_[i].kind != JsonField::Kind::members) fail(i, "an object of texts, numbers and truth values");
    return fields_[i].members;
}

std::span<const double> JsonRecord::box(std::size_t i) const {
    const std::span<const double> box = numbers(i, 4, "[x, y, width, height]");
    if (box[2] < 0 || box[3] < 0)
        fail(i, "[x, y, width, height] with a width and height that are not negative");
    return box;
}

void JsonRecord::clear() {
    is_object = false;
    for (JsonField& field : fields_) field.kind = JsonField::Kind::absent;
}

JsonRoot read_json_records(
    std::string_view bytes, std::span<const std::string_view> names,
    const std::function<void(std::string_view, std::size_t, const JsonRecord&)>& handle) {
    std::size_t told = 0;
    const RecordHandler::Handle count_and_handle = [&](std::string_view list, std::size_t position,
                                                       const JsonRecord& record) {
        ++told;
        handle(list, position, record);
    };
    RecordHandler handler(names, count_and_handle);
    if (PartReader(bytes, handler).read()) return handler.root();
    // The slower parser takes or explains the rest: no JSON, deep nesting, integers of any length.
    const RecordHandler::Handle handle_others = [&](std::string_view list, std::size_t position,
                                                    const JsonRecord& record) {
        if (told > 0) {
            --told;
        } else {
            handle(list, position, record);
        }
    };
    RecordHandler slow_handler(names, handle_others);
    Json::sax_parse(bytes.begin(), bytes.end(), &slow_handler);
    return slow_handler.root();
}

std::vector<std::string_view> split_json_list(std::string_view bytes, std::size_t part_bytes) {
    std::size_t at = skip_blanks(bytes, 0);
    const std::size_t last = bytes.find_last_not_of(json_blanks);
    if (at >= last || last == std::string_view::npos || bytes[at] != '[' || bytes[last] != ']') return {};
    const std::string_view elements = bytes.substr(0, last);
    std::vector<std::string_view> parts;
    for (++at;;) {
        const std::size_t cut = find_cut(elements, std::min(at + part_bytes, elements.size()));
        parts.push_back(elements.substr(at, cut == std::string_view::npos ? cut : cut - at));
        if (cut == std::string_view::npos) return parts;
        at = cut + 1;
    }
}

bool read_json_part(std::string_view part, std::span<const std::string_view> names,
                    const std::function<void(const JsonRecord&)>& handle) {
    thread_local PartParser parser;
    const auto list = parser.parse(part);
    if (!list || list->begin() == list->end()) return false;
    const RecordHandler::Handle handle_record = [&](std::string_view, std::size_t, const JsonRecord& record) {
        handle(record);
    };
    RecordHandler handler(names, handle_record);
    handler.start_array(0);
    for (const simdjson::dom::element element : *list) tell(element, handler);
    handler.end_array();
    return true;
}

}  // namespace fovea
