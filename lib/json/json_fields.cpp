#include "lib/json/json_fields.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lib/core/error.hpp"
#include "lib/core/nearest_name.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& expected, const Json& value) {
    throw UsageError((path.empty() ? std::string("the configuration") : "'" + path + "'") + " must be " +
                     expected + ", but is " + describe_json(value));
}

}  // namespace

std::string describe_json(const Json& value) {
    if (value.is_object()) return "an object";
    if (value.is_array()) return "a list";
    if (value.is_null()) return "null";
    constexpr std::size_t longest = 60;
    std::string text = compact_text(value);
    if (text.size() > longest) text = text.substr(0, longest) + "...";
    return value.is_string() ? "the string " + text : text;
}

void require_field(bool condition, const std::string& path, const std::string& expected) {
    if (!condition) throw UsageError("'" + path + "' must be " + expected);
}

int json_to_int(const Json& value, const std::string& path) {
    if (!value.is_number_integer()) fail(path, "an integer", value);
    // An unsigned value above the signed range would wrap when read as int64.
    const bool fits =
        value.is_number_unsigned()
            ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<int>::max())
            : value.get<std::int64_t>() >= std::numeric_limits<int>::min() &&
                  value.get<std::int64_t>() <= std::numeric_limits<int>::max();
    if (!fits) fail(path, "an integer of at most 32 bits", value);
    return value.get<int>();
}

JsonFields::JsonFields(const Json& value, std::string path) : value_(value), path_(std::move(path)) {
    if (!value_.is_object()) fail(path_, "an object", value_);
}

std::string JsonFields::path_of(const std::string& key) const {
    return path_.empty() ? key : path_ + "." + key;
}

const Json* JsonFields::find(const std::string& key) {
    known_.push_back(key);
    const auto member = value_.find(key);
    return member == value_.end() ? nullptr : &*member;
}

void JsonFields::read(const std::string& key, bool& target) {
    const Json* member = find(key);
    if (member == nullptr) return;
    if (!member->is_boolean()) fail(path_of(key), "true or false", *member);
    target = member->get<bool>();
}

void JsonFields::read(const std::string& key, int& target) {
    if (const Json* member = find(key)) target = json_to_int(*member, path_of(key));
}

void JsonFields::read(const std::string& key, std::size_t& target) {
    const Json* member = find(key);
    if (member == nullptr) return;
    const bool negative =
        member->is_number_integer() && !member->is_number_unsigned() && member->get<std::int64_t>() < 0;
    if (!member->is_number_integer() || negative) fail(path_of(key), "an integer of at least 0", *member);
    target = member->get<std::size_t>();
}

void JsonFields::read(const std::string& key, double& target) {
    const Json* member = find(key);
    if (member == nullptr) return;
    if (!member->is_number() || !std::isfinite(member->get<double>()))
        fail(path_of(key), "a number", *member);
    target = member->get<double>();
}

template <class T>
void JsonFields::read_optional(const std::string& key, std::optional<T>& target) {
    const Json* member = find(key);
    if (member == nullptr) return;
    target.reset();
    if (!member->is_null()) read(key, target.emplace());
}

void JsonFields::read(const std::string& key, std::optional<int>& target) {
    read_optional(key, target);
}

void JsonFields::read(const std::string& key, std::optional<double>& target) {
    read_optional(key, target);
}

void JsonFields::read(const std::string& key, std::string& target) {
    const Json* member = find(key);
    if (member == nullptr) return;
    if (!member->is_string()) fail(path_of(key), "a string", *member);
    target = member->get<std::string>();
}

void JsonFields::read(const std::string& key, std::vector<std::string>& target) {
    const Json* member = find(key);
    if (member == nullptr) return;
    if (!member->is_array()) fail(path_of(key), "a list of strings", *member);
    target.clear();
    for (const Json& item : *member) {
        if (!item.is_string())
            fail(path_of(key) + "[" + std::to_string(target.size()) + "]", "a string", item);
        target.push_back(item.get<std::string>());
    }
}

void JsonFields::read(const std::string& key, std::vector<double>& target) {
    const Json* member = find(key);
    if (member == nullptr) return;
    if (!member->is_array()) fail(path_of(key), "a list of numbers", *member);
    target.clear();
    for (const Json& item : *member) {
        if (!item.is_number() || !std::isfinite(item.get<double>()))
            fail(path_of(key) + "[" + std::to_string(target.size()) + "]", "a number", item);
        target.push_back(item.get<double>());
    }
}

void JsonFields::read(const std::string& key, std::vector<int>& target) {
    const Json* member = find(key);
    if (member == nullptr) return;
    if (!member->is_array()) fail(path_of(key), "a list of integers", *member);
    target.clear();
    for (const Json& item : *member) {
        target.push_back(json_to_int(item, path_of(key) + "[" + std::to_string(target.size()) + "]"));
    }
}

void JsonFields::finish() const {
    for (const auto& [key, member] : value_.items()) {
        if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
        throw UsageError("unknown key '" + path_of(key) + "'" + did_you_mean(key, known_));
    }
}

}  // namespace fovea
