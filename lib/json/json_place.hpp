#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "lib/json/json.hpp"

namespace fovea {

/// A value inside a JSON file together with its place, e.g. "set.json: /images/3/faces/0/box", for reading
/// data files strictly: whatever is not as expected is an Error that names the place, shows the value and
/// says what was expected. \param json must outlive the place and all that are made from it.
class JsonPlace {
  public:
    JsonPlace(const Json& json, std::string origin) : JsonPlace(json, std::move(origin), "") {}

    /// \throws Error "ORIGIN: PLACE: cannot read 'VALUE': expected WHAT".
    [[noreturn]] void fail(const std::string& expected) const;

    /// \throws Error unless this is an object of these keys: all of `required`, and of others only
    /// `optional`.
    void require_keys(std::initializer_list<const char*> required,
                      std::initializer_list<const char*> optional) const;

    bool has(const char* key) const { return json_.contains(key); }
    JsonPlace operator[](const std::string& key) const {
        return {json_.at(key), origin_, pointer_ + "/" + key};
    }
    JsonPlace operator[](std::size_t i) const {
        return {json_.at(i), origin_, pointer_ + "/" + std::to_string(i)};
    }
    const Json& json() const { return json_; }

    // Each throws Error if the value is of another type, or out of range.
    std::size_t array_size() const;
    std::string text() const;
    bool truth() const;
    double number() const;
    std::int64_t integer(std::int64_t least, std::int64_t most) const;
    /// An array of `count` numbers; \param expected describes it.
    std::vector<double> numbers(std::size_t count, const std::string& expected) const;
    /// An array of `count` integers, each in least...most.
    std::vector<std::int64_t> integers(std::size_t count, std::int64_t least, std::int64_t most) const;

  private:
    JsonPlace(const Json& json, std::string origin, std::string pointer)
        : json_(json), origin_(std::move(origin)), pointer_(std::move(pointer)) {}

    const Json& json_;
    std::string origin_;
    std::string pointer_;
};

}  // namespace fovea
