#include "lib/json/json_place.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "lib/core/error.hpp"
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
    const std::string text = compact_text(json_);
    throw Error(origin_ + ": " + (pointer_.empty() ? "/" : pointer_) + ": cannot read '" + excerpt(text) +
                "': expected " + expected);
}

void JsonPlace::require_keys(std::initializer_list<const char*> required,
                             std::initializer_list<const char*> optional) const {
    if (!json_.is_object()) fail("an object");
    std::set<std::string> known;
    for (const char* key : required) {
        known.insert(key);
        if (!json_.contains(key)) fail(std::string("a key \"") + key + "\"");
    }
    for (const char* key : optional) known.insert(key);
    for (const auto& item : json_.items()) {
        if (!known.contains(item.key())) {
            (*this)[item.key()].fail("no key of the name \"" + item.key() + "\"");
        }
    }
}

std::size_t JsonPlace::array_size() const {
    if (!json_.is_array()) fail("an array");
    return json_.size();
}

std::string JsonPlace::text() const {
    if (!json_.is_string()) fail("a text");
    return json_.get<std::string>();
}

bool JsonPlace::truth() const {
    if (!json_.is_boolean()) fail("true or false");
    return json_.get<bool>();
}

double JsonPlace::number() const {
    if (!json_.is_number()) fail("a number");
    return json_.get<double>();
}

std::int64_t JsonPlace::integer(std::int64_t least, std::int64_t most) const {
    const auto value = integer_in(json_, least, most);
    if (!value) fail(integer_range(least, most));
    return *value;
}

std::vector<double> JsonPlace::numbers(std::size_t count, const std::string& expected) const {
    const bool all_numbers =
        json_.is_array() && json_.size() == count &&
        std::all_of(json_.begin(), json_.end(), [](const Json& item) { return item.is_number(); });
    if (!all_numbers) fail(expected);
    return json_.get<std::vector<double>>();
}

std::vector<std::int64_t> JsonPlace::integers(std::size_t count, std::int64_t least,
                                              std::int64_t most) const {
    if (array_size() != count) {
        fail("an array of " + std::to_string(count) + " integers, but it has " +
             std::to_string(json_.size()));
    }
    std::vector<std::int64_t> values;
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = integer_in(json_[i], least, most);
        if (!value) (*this)[i].fail(integer_range(least, most));
        values.push_back(*value);
    }
    return values;
}

}  // namespace fovea
