#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"

namespace fovea {

/// A value in a JSON file with its place, for reading files strictly. Errors name the file and the place, say
/// what was expected and show what is there: "set.json: 'images[3].faces[0].box' must be a box [x, y, w, h],
/// but is null".
class JsonPlace {
  public:
    /// \param json must outlive this place and all places made from it.
    /// \param origin the file's name; errors are of type Error. Empty: errors are UsageErrors, to which the
    /// catcher adds the file's name.
    /// \param path the value's place in the file, e.g. "detectors[1]"; empty for the outermost value.
    explicit JsonPlace(const Json& json, std::string origin = {}, std::string path = {})
        : json_(json), origin_(std::move(origin)), path_(std::move(path)) {}

    /// \throws Error or UsageError "ORIGIN: 'PATH' must be EXPECTED, but is VALUE".
    [[noreturn]] void fail(const std::string& expected) const;
    /// \throws Error or UsageError "ORIGIN: SENTENCE".
    [[noreturn]] void fail_with(const std::string& sentence) const;
    /// \throws Error or UsageError "ORIGIN: 'PATH': REASON".
    [[noreturn]] void fail_because(const std::string& reason) const;

    /// \throws Error or UsageError unless this is an object with all of the `required` keys and no others but
    /// `optional` ones.
    void require_keys(std::initializer_list<const char*> required,
                      std::initializer_list<const char*> optional) const;
    /// \throws Error or UsageError "ORIGIN: unknown key 'PATH'", with the nearest known key, if this object
    /// has a key that is not among `keys`.
    void require_known(const std::vector<std::string>& keys) const;

    bool has(const std::string& key) const { return json_.contains(key); }
    /// A member. \throws Error or UsageError if this is no object, or lacks the key.
    JsonPlace operator[](const std::string& key) const;
    /// Element i of an array; i must be below array_size().
    JsonPlace operator[](std::size_t i) const;
    /// A member; nothing if this is no object, or lacks the key.
    std::optional<JsonPlace> find(const std::string& key) const;
    /// A member that is not null; else nothing.
    std::optional<JsonPlace> given(const std::string& key) const;

    const Json& json() const { return json_; }
    const std::string& path() const { return path_; }

    // Each of these throws Error or UsageError if the value is of another type, or out of range.
    std::size_t array_size() const;
    void require_object() const;
    std::string text() const;
    bool truth() const;
    /// A finite number.
    double number() const;
    /// An integer from `least` to `most`.
    std::int64_t integer(std::int64_t least, std::int64_t most) const;
    /// An integer from `least` to `most`, which may be written as 1.0.
    std::int64_t spelled_integer(std::int64_t least, std::int64_t most) const;
    /// An integer that fits an int.
    int whole() const;
    /// An integer that fits a std::size_t.
    std::size_t count() const;
    /// An integer from 0 to 2^53: JSON's numbers are exact up to there, and sums of them stay in range.
    std::size_t exact_count() const { return static_cast<std::size_t>(integer(0, std::int64_t{1} << 53)); }
    /// An array of `size` finite numbers. \param expected describes the array in errors.
    std::vector<double> numbers(std::size_t size, const std::string& expected) const;
    /// An array of `size` integers, each from `least` to `most`.
    std::vector<std::int64_t> integers(std::size_t size, std::int64_t least, std::int64_t most) const;

    /// The value that make() returns; its std::invalid_argument or UsageError becomes fail_because().
    template <class Make>
    auto checked(const Make& make) const {
        try {
            return make();
        } catch (const std::invalid_argument& error) {
            fail_because(error.what());
        } catch (const UsageError& error) {
            fail_because(error.what());
        }
    }

    /// The results of read(place) for each element of an array.
    template <class Read>
    auto list_of(const Read& read) const {
        std::vector<decltype(read(*this))> values;
        const std::size_t size = array_size();
        values.reserve(size);
        for (std::size_t i = 0; i < size; ++i) values.push_back(read((*this)[i]));
        return values;
    }

  private:
    const Json& json_;
    std::string origin_;
    std::string path_;
};

/// "jitter.copies": the path of a member; the key alone in the outermost object, whose path is empty.
std::string member_path(const std::string& object, const std::string& key);
/// "detectors[1]": the path of an element.
std::string item_path(const std::string& list, std::size_t i);

/// A value in words, for errors: "the string \"1.1\"", "null", "a list of 3".
std::string describe_json(const Json& value);

}  // namespace fovea
