#include "lib/json/json_place.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/core/nearest_name.hpp"
#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

std::optional<std::int64_t> integer_in(const Json& json, std::int64_t least, std::int64_t most) {
    if (!json.is_number_integer()) return std::nullopt;
    // An unsigned value above the signed range would wrap when read as int64.
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > largest) return std::nullopt;
    const auto value = json.get<std::int64_t>();
    if (value < least || value > most) return std::nullopt;
    return value;
}

std::string integer_range(std::int64_t least, std::int64_t most) {
    return "an integer from " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace

void JsonPlace::fail(const std::string& expected) const {
    const std::string rest = " must be " + expected + ", but is " + describe_json(json_);
    if (!path_.empty()) fail_with("'" + excerpt(path_) + "'" + rest);
    if (origin_.empty()) fail_with("the JSON" + rest);
    throw Error(origin_ + rest);
}

void JsonPlace::fail_with(const std::string& sentence) const {
    if (origin_.empty()) throw UsageError(sentence);
    throw Error(origin_ + ": " + sentence);
}

void JsonPlace::fail_because(const std::string& reason) const {
    fail_with(path_.empty() ? reason : "'" + excerpt(path_) + "': " + reason);
}

void JsonPlace::require_keys(std::initializer_list<const char*> required,
                             std::initializer_list<const char*> optional) const {
    for (const char* key : required) (*this)[key];
    require_object();
    std::vector<std::string> known(required.begin(), required.end());
    known.insert(known.end(), optional.begin(), optional.end());
    require_known(known);
}

void JsonPlace::require_known(const std::vector<std::string>& keys) const {
    for (const auto& [key, member] : json_.items()) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end())
            fail_with("unknown key '" + excerpt(member_path(path_, key)) + "'" + did_you_mean(key, keys));
    }
}

JsonPlace JsonPlace::operator[](const std::string& key) const {
    if (!json_.is_object()) fail("an object with \"" + key + "\"");
    const auto found = json_.find(key);
    if (found != json_.end()) return JsonPlace(*found, origin_, member_path(path_, key));
    fail_with((path_.empty() ? "there is no" : "'" + excerpt(path_) + "' has no") + " \"" + key + "\"");
}

JsonPlace JsonPlace::operator[](std::size_t i) const {
    return JsonPlace(json_.at(i), origin_, item_path(path_, i));
}

std::optional<JsonPlace> JsonPlace::find(const std::string& key) const {
    if (!has(key)) return std::nullopt;
    return (*this)[key];
}

std::optional<JsonPlace> JsonPlace::given(const std::string& key) const {
    const std::optional<JsonPlace> member = find(key);
    return member && member->json_.is_null() ? std::nullopt : member;
}

std::size_t JsonPlace::array_size() const {
    if (!json_.is_array()) fail("a list");
    return json_.size();
}

void JsonPlace::require_object() const {
    if (!json_.is_object()) fail("an object");
}

std::string JsonPlace::text() const {
    if (!json_.is_string()) fail("a string");
    return json_.get<std::string>();
}

bool JsonPlace::truth() const {
    if (!json_.is_boolean()) fail("true or false");
    return json_.get<bool>();
}

double JsonPlace::number() const {
    if (!json_.is_number() || !std::isfinite(json_.get<double>())) fail("a number");
    return json_.get<double>();
}

std::int64_t JsonPlace::integer(std::int64_t least, std::int64_t most) const {
    const auto value = integer_in(json_, least, most);
    if (!value) fail(integer_range(least, most));
    return *value;
}

std::int64_t JsonPlace::spelled_integer(std::int64_t least, std::int64_t most) const {
    const auto whole = json_.is_number_float() ? whole_of(json_.get<double>()) : std::nullopt;
    return whole && *whole >= least && *whole <= most ? *whole : integer(least, most);
}

int JsonPlace::whole() const {
    const auto value = integer_in(json_, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    if (!value) fail(json_.is_number_integer() ? "an integer of at most 32 bits" : "an integer");
    return static_cast<int>(*value);
}

std::size_t JsonPlace::count() const {
    const bool is_negative =
        json_.is_number_integer() && !json_.is_number_unsigned() && json_.get<std::int64_t>() < 0;
    if (!json_.is_number_integer() || is_negative) fail("an integer of at least 0");
    return json_.get<std::size_t>();
}

std::vector<double> JsonPlace::numbers(std::size_t size, const std::string& expected) const {
    const bool are_numbers = json_.is_array() && json_.size() == size &&
                             std::all_of(json_.begin(), json_.end(), [](const Json& item) {
                                 return item.is_number() && std::isfinite(item.get<double>());
                             });
    if (!are_numbers) fail(expected);
    return json_.get<std::vector<double>>();
}

std::vector<std::int64_t> JsonPlace::integers(std::size_t size, std::int64_t least, std::int64_t most) const {
    if (array_size() != size) fail("a list of " + std::to_string(size) + " integers");
    std::vector<std::int64_t> values;
    values.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
        const auto value = integer_in(json_[i], least, most);
        if (!value) (*this)[i].fail(integer_range(least, most));
        values.push_back(*value);
    }
    return values;
}

std::string member_path(const std::string& object, const std::string& key) {
    return object.empty() ? key : object + "." + key;
}

std::string item_path(const std::string& list, std::size_t i) {
    return list + "[" + std::to_string(i) + "]";
}

std::string describe_json(const Json& value) {
    if (value.is_object()) return "an object";
    if (value.is_array())
        return value.empty() ? "an empty list" : "a list of " + std::to_string(value.size());
    if (value.is_null()) return "null";
    constexpr std::size_t longest = 60;
    const std::string text = excerpt(compact_text(value), longest);
    return value.is_string() ? "the string " + text : text;
}

}  // namespace fovea
