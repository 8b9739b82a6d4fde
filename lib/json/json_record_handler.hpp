#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/json/json.hpp"
#include "lib/json/json_records.hpp"

namespace fovea::json_detail {

/// A field as messages show it: "2.5", "missing".
std::string shown(const JsonField& field);

/// Makes records of the parser's events, by their depth: lists are at the root or one level below, records
/// are a list's elements, and fields are a record's members.
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

    /// The field whose value comes next, for a parser that sets it itself; null where it has to tell.
    JsonField* open_field() {
        return in_list() && depth_ == list_depth_ + 1 && record_.is_object ? field_ : nullptr;
    }

    // Parsers call these functions; true lets the parser go on.
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
        return number(static_cast<double>(value), value, {});
    }
    bool number_unsigned(Json::number_unsigned_t value) {
        constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        if (value <= largest) return number_integer(static_cast<std::int64_t>(value));
        return number(static_cast<double>(value), std::nullopt, std::to_string(value));
    }
    bool number_float(Json::number_float_t value, const Json::string_t& token) {
        const bool is_whole = token.find_first_not_of("-0123456789") == std::string::npos;
        return number(value, std::nullopt, is_whole ? token : std::string_view{});
    }
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
            begin_field(JsonField::Kind::members);
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
            begin_field(JsonField::Kind::numbers);
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
            const std::size_t found = find_name(value);
            field_ = found == names_.size() ? nullptr : &record_.field(found);
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

    /// The index of a key among names_; names_.size() if it is not there. It tries the last record's order of
    /// keys first, as records of a list mostly have the same keys in the same order.
    std::size_t find_name(std::string_view key) {
        const std::size_t place = key_place_++;
        if (place < keys_.size() && keys_[place].first == key) return keys_[place].second;
        const auto name = std::find(names_.begin(), names_.end(), key);
        const auto found = static_cast<std::size_t>(name - names_.begin());
        constexpr std::size_t max_keys = 64;
        if (place < max_keys) {
            if (place >= keys_.size()) keys_.resize(place + 1);
            keys_[place] = {std::string(key), found};
        }
        return found;
    }

    void begin_record(bool is_object) {
        record_.clear();
        key_place_ = 0;
        record_.is_object = is_object;
        field_ = nullptr;
    }
    void end_record() { handle_(list_, position_++, record_); }

    /// Begins a list or an object, which is the current field or a value in it.
    void begin_field(JsonField::Kind kind) {
        if (depth_ != list_depth_ + 1) return spoil_field();
        if (field_ == nullptr) return;
        field_->kind = kind;
        field_->numbers.clear();
        field_->members.clear();
    }

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

    /// \param digits a whole number's text if it is too long for `integer`.
    bool number(double value, std::optional<std::int64_t> integer, std::string_view digits) {
        if (in_list() && depth_ == list_depth_ + 2 && field_ != nullptr &&
            field_->kind == JsonField::Kind::numbers) {
            field_->numbers.push_back(value);
            return true;
        }
        return scalar([&](JsonField& field) {
            field.kind = integer ? JsonField::Kind::integer : JsonField::Kind::number;
            field.integer = integer.value_or(0);
            field.number = value;
            field.text.assign(digits);
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
    // The keys of the last record, with their indices among names_.
    std::vector<std::pair<std::string, std::size_t>> keys_;
    std::size_t key_place_ = 0;   // the position of the next key in the current record
    JsonField* field_ = nullptr;  // the current field of record_; null if names_ lacks its key
};

}  // namespace fovea::json_detail
