#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fovea {

/// A field of a record is not as expected: "score is missing, expected a number". The message has no place.
struct JsonFieldError {
    std::string what;
};

/// One value of a record. Lists are kept if they hold only numbers, objects if they hold no list or object;
/// others are of Kind::other.
struct JsonField {
    enum class Kind { absent, null, boolean, integer, number, text, numbers, members, other };
    Kind kind = Kind::absent;
    std::int64_t integer = 0;     ///< integers; 0 or 1 for booleans
    double number = 0;            ///< integers and other numbers
    std::string text;             ///< texts; digits of whole numbers that are too large for `integer`
    std::vector<double> numbers;  ///< lists of numbers
    /// Objects: names and values in the file's order; texts as they are, other values as JSON writes them.
    std::vector<std::pair<std::string, std::string>> members;
};

/// An element of a list in a large JSON file, with those of its fields that were asked for by name. All
/// getters take the name's index and throw JsonFieldError if the field is not as expected.
class JsonRecord {
  public:
    explicit JsonRecord(std::span<const std::string_view> names) : names_(names), fields_(names.size()) {}

    bool is_object = false;  ///< if it is false, the record has no fields

    /// The field names[i].
    const JsonField& field(std::size_t i) const { return fields_[i]; }
    JsonField& field(std::size_t i) { return fields_[i]; }
    /// True if the field is there and not null.
    bool has(std::size_t i) const {
        return fields_[i].kind != JsonField::Kind::absent && fields_[i].kind != JsonField::Kind::null;
    }

    /// A finite number.
    double number(std::size_t i) const;
    /// A whole number, as a number (1, 1.0) or a text that spells it; nothing for other values.
    std::optional<std::int64_t> whole(std::size_t i) const;
    /// The number of whole(). \throws JsonFieldError for other values.
    std::int64_t integer(std::size_t i) const;
    /// A mark: 0, 1, false, true, or a text that spelled_mark() takes.
    bool flag(std::size_t i) const;
    const std::string& text(std::size_t i) const;
    /// A list of `count` finite numbers. \param expected describes it: "[x, y, width, height]".
    std::span<const double> numbers(std::size_t i, std::size_t count, std::string_view expected) const;
    /// The members of an object whose values are no lists or objects.
    std::span<const std::pair<std::string, std::string>> members(std::size_t i) const;
    /// A box [x, y, width, height] whose width and height are not negative.
    std::span<const double> box(std::size_t i) const;

    /// Throws JsonFieldError "NAME is VALUE, expected WHAT".
    [[noreturn]] void fail(std::size_t i, std::string_view expected) const;

    void clear();

  private:
    std::span<const std::string_view> names_;
    std::vector<JsonField> fields_;
};

enum class JsonRoot { list, object, other };

/// Reads the elements of a JSON list, or of the lists in a JSON object, one by one, without keeping them.
/// Lists are parsed in parts of about a MiB.
///
/// \param names the fields to keep; others are skipped.
/// \param handle is called for each element with the key of its list ("" if the whole text is a list), its
/// position from 0, and the record, which is valid during the call.
/// \return what the whole text is; only lists and objects have elements.
/// \throws Json::parse_error if the text is not JSON, Json::out_of_range if a number is too large for a
/// double; what `handle` throws.
JsonRoot read_json_records(
    std::string_view bytes, std::span<const std::string_view> names,
    const std::function<void(std::string_view list, std::size_t position, const JsonRecord& record)>& handle);

inline constexpr std::size_t json_part_bytes = std::size_t{1} << 20;

/// Cuts the text of a JSON list into parts of about `part_bytes`, which several threads can read at the same
/// time. The cuts are guesses: they are right if, and only if, read_json_part() returns true for all parts.
/// \return no parts if the text is no list.
std::vector<std::string_view> split_json_list(std::string_view bytes,
                                              std::size_t part_bytes = json_part_bytes);

/// Reads the elements of a part of split_json_list().
/// \param handle is called for each element, in order.
/// \return false, without a call, if the part is not one or more elements with commas between them.
/// \throws what `handle` throws.
bool read_json_part(std::string_view part, std::span<const std::string_view> names,
                    const std::function<void(const JsonRecord& record)>& handle);

}  // namespace fovea
