#include "lib/core/json_records.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <simdjson.h>

#include "lib/core/json.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

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
            return shortest_number(field.number);
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

/// The parser's events, taken apart by depth: lists at the root or one below, records in them, fields in those.
class RecordHandler {
  public:
    using Handle = std::function<void(std::string_view, std::size_t, const JsonRecord&)>;

    RecordHandler(std::span<const std::string_view> names, const Handle& handle)
        : names_(names), handle_(handle), record_(names) {}

    JsonRoot root() const { return root_; }

    /// False for the value of a field that nobody asked for.
    bool wants_value() const {
        return !in_list() || depth_ != list_depth_ + 1 || !record_.is_object || field_ != nullptr;
    }

    // Parsers call these; true: go on.
    bool null() {
        return scalar([](JsonField& field) { field.kind = JsonField::Kind::null; });
    }
    bool boolean(bool value) {
        return scalar([&](JsonField& field) {
            field.kind = JsonField::Kind::boolean;
            field.integer = value ? 1 : 0;
        });
    }
    bool number_integer(Json::number_integer_t value) {
        return number(static_cast<double>(value), value, true);
    }
    bool number_unsigned(Json::number_unsigned_t value) {
        constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        return number(static_cast<double>(value), static_cast<std::int64_t>(value), value <= largest);
    }
    bool number_float(Json::number_float_t value, const Json::string_t&) { return number(value, 0, false); }
    bool string(std::string_view value) {
        return scalar([&](JsonField& field) {
            field.kind = JsonField::Kind::text;
            field.text.assign(value);
        });
    }
    bool binary(Json::binary_t&) { return true; }  // not in JSON text

    bool start_object(std::size_t) {
        if (depth_ == 0) root_ = JsonRoot::object;
        if (in_list() && depth_ == list_depth_) {
            begin_record(true);
        } else if (in_record()) {
            if (depth_ == list_depth_ + 1 && field_ != nullptr) {
                field_->kind = JsonField::Kind::members;
                field_->members.clear();
            } else {
                spoil_field();
            }
        }
        ++depth_;
        return true;
    }
    bool end_object() {
        --depth_;
        if (in_list() && depth_ == list_depth_) end_record();
        return true;
    }
    bool start_array(std::size_t) {
        const bool is_list = depth_ == 0 || (depth_ == 1 && root_ == JsonRoot::object);
        if (is_list) {
            if (depth_ == 0) root_ = JsonRoot::list;
            list_depth_ = depth_ + 1;
            position_ = 0;
        } else if (in_list() && depth_ == list_depth_) {
            begin_record(false);
        } else if (in_record()) {
            if (depth_ == list_depth_ + 1 && field_ != nullptr) {
                field_->kind = JsonField::Kind::numbers;
                field_->numbers.clear();
            } else {
                spoil_field();
            }
        }
        ++depth_;
        return true;
    }
    bool end_array() {
        --depth_;
        if (in_list() && depth_ == list_depth_) end_record();
        if (in_list() && depth_ == list_depth_ - 1) list_depth_ = 0;
        return true;
    }
    bool key(std::string_view value) {
        if (in_list() && record_.is_object && depth_ == list_depth_ + 1) {
            const auto found = std::find(names_.begin(), names_.end(), value);
            field_ = found == names_.end() ? nullptr
                                           : &record_.field(static_cast<std::size_t>(found - names_.begin()));
        } else if (in_members()) {
            field_->members.emplace_back(value, "");
        } else if (depth_ == 1 && root_ == JsonRoot::object) {
            list_ = value;
        }
        return true;
    }
    template <class Exception>
    bool parse_error(std::size_t, const std::string&, const Exception& error) {
        if (const auto* const parse_error = dynamic_cast<const Json::parse_error*>(&error))
            throw *parse_error;
        throw error;
    }

  private:
    bool in_list() const { return list_depth_ > 0; }
    bool in_record() const { return in_list() && depth_ > list_depth_; }

    // In an object that is a field of a record.
    bool in_members() const {
        return in_list() && depth_ == list_depth_ + 2 && field_ != nullptr &&
               field_->kind == JsonField::Kind::members;
    }

    void begin_record(bool is_object) {
        record_.clear();
        record_.is_object = is_object;
        field_ = nullptr;
    }
    void end_record() { handle_(list_, position_++, record_); }

    void spoil_field() {
        if (field_ != nullptr) field_->kind = JsonField::Kind::other;
    }

    template <class Set>
    bool scalar(const Set& set) {
        if (!in_list()) return true;
        if (depth_ == list_depth_) {
            begin_record(false);
            end_record();
        } else if (depth_ == list_depth_ + 1 && record_.is_object) {
            if (field_ != nullptr) set(*field_);
        } else if (in_members()) {
            JsonField value;
            set(value);
            field_->members.back().second =
                value.kind == JsonField::Kind::text ? std::move(value.text) : shown(value);
        } else {
            spoil_field();
        }
        return true;
    }

    bool number(double value, std::int64_t integer, bool is_integer) {
        if (in_list() && depth_ == list_depth_ + 2 && field_ != nullptr &&
            field_->kind == JsonField::Kind::numbers) {
            field_->numbers.push_back(value);
            return true;
        }
        return scalar([&](JsonField& field) {
            field.kind = is_integer ? JsonField::Kind::integer : JsonField::Kind::number;
            field.integer = integer;
            field.number = value;
        });
    }

    std::span<const std::string_view> names_;
    const Handle& handle_;
    JsonRecord record_;
    JsonRoot root_ = JsonRoot::other;
    std::size_t depth_ = 0;       // containers that are open
    std::size_t list_depth_ = 0;  // depth of the list's elements; 0 outside a list
    std::string list_;
    std::size_t position_ = 0;
    JsonField* field_ = nullptr;  // of record_, if the current key is one of names_
};

/// Tells the handler what nlohmann's parser would, of a text that was parsed already.
void tell(const simdjson::dom::element& element, RecordHandler& handler) {
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

// Beyond it, what a parsed text takes besides its bytes is more than speed is worth.
constexpr std::size_t most_bytes_at_once = std::size_t{512} << 20;

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

std::int64_t JsonRecord::integer(std::size_t i) const {
    if (fields_[i].kind != JsonField::Kind::integer) fail(i, "an integer");
    return fields_[i].integer;
}

bool JsonRecord::flag(std::size_t i) const {
    const JsonField& field = fields_[i];
    const bool is_flag = field.kind == JsonField::Kind::boolean || field.kind == JsonField::Kind::integer;
    if (!is_flag || (field.integer != 0 && field.integer != 1)) fail(i, "0 or 1");
    return field.integer == 1;
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
    RecordHandler handler(names, handle);
    simdjson::dom::parser parser;
    simdjson::dom::element root;
    // The slower parser takes or explains the rest: no JSON, deep nesting, integers of any length.
    const bool is_parsed = bytes.size() <= most_bytes_at_once &&
                           parser.parse(bytes.data(), bytes.size()).get(root) == simdjson::SUCCESS;
    if (is_parsed) {
        tell(root, handler);
    } else {
        Json::sax_parse(bytes.begin(), bytes.end(), &handler);
    }
    return handler.root();
}

}  // namespace fovea
