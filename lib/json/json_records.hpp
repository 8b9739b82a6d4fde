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

/// A field of a record is not as expected: "score is missing, expected a number". Without the place.
struct JsonFieldError {
    std::string what;
};

/// One value of a record. Lists are kept where they hold numbers only, objects where they hold no list or
/// object.
struct JsonField {
    enum class Kind { absent, null, boolean, integer, number, text, numbers, members, other };
    Kind kind = Kind::absent;
    std::int64_t integer = 0;     ///< integers; 0 or 1 for booleans
    double number = 0;            ///< integers and other numbers
    std::string text;             ///< texts, and the digits of whole numbers that no `integer` holds
    std::vector<double> numbers;  ///< lists of numbers
    /// Objects: names and values in the text's order, texts as they are, others as JSON writes them.
    std::vector<std::pair<std::string, std::string>> members;
};

/// An element of a list in a large JSON file: its fields of some names. All getters throw JsonFieldError.
class JsonRecord {
  public:
    explicit JsonRecord(std::span<const std::string_view> names) : names_(names), fields_(names.size()) {}

    bool is_object = false;  ///< no field is there otherwise

    /// The field names[i].
    const JsonField& field(std::size_t i) const { return fields_[i]; }
    JsonField& field(std::size_t i) { return fields_[i]; }
    /// null is as good as no field.
    bool has(std::size_t i) const {
        return fields_[i].kind != JsonField::Kind::absent && fields_[i].kind != JsonField::Kind::null;
    }

    double number(std::size_t i) const;  ///< finite
    /// A whole number, as a number (1, 1.0) or a text that spells it; nothing for all else.
    std::optional<std::int64_t> whole(std::size_t i) const;
    /// The same. \throws JsonFieldError for all else.
    std::int64_t integer(std::size_t i) const;
    /// 0, 1, false, true, or a text that spelled_mark() takes.
    bool flag(std::size_t i) const;
    const std::string& text(std::size_t i) const;
    /// A list of `count` finite numbers. \param expected describes it: "[x, y, width, height]".
    std::span<const double> numbers(std::size_t i, std::size_t count, std::string_view expected) const;
    /// The members of an object whose values are no lists or objects.
    std::span<const std::pair<std::string, std::string>> members(std::size_t i) const;
    /// [x, y, width, height] with a width and height that are not negative.
    std::span<const double> box(std::size_t i) const;

    /// Throws JsonFieldError "NAME is VALUE, expected WHAT".
    [[noreturn]] void fail(std::size_t i, std::string_view expected) const;

    void clear();

  private:
    std::span<const std::string_view> names_;
    std::vector<JsonField> fields_;
};

enum class JsonRoot { list, object, other };

/// Reads the elements of a JSON list, or of the lists in a JSON object, one by one and without keeping any.
/// Lists are parsed in parts of about a MiB.
///
/// \param names the fields to keep; the others are skipped.
/// \param handle called for each element: the key of its list ("" where the whole text is a list), its
/// position from 0, and the record, which is gone afterwards.
/// \return what the text is as a whole; only lists and objects have elements.
/// \throws Json::parse_error if the text is not JSON, Json::out_of_range if a number is too large for a
/// double; what `handle` throws.
JsonRoot read_json_records(
    std::string_view bytes, std::span<const std::string_view> names,
    const std::function<void(std::string_view list, std::size_t position, const JsonRecord& record)>& handle);

inline constexpr std::size_t json_part_bytes = std::size_t{1} << 20;

/// The text of a JSON list in parts of about `part_bytes`, which several threads can read at the same time.
/// The cuts are guesses: the text is the list of the parts' elements if, and only if, read_json_part()
/// returns true for all of them.
/// \return no part where the text is none of a list's.
std::vector<std::string_view> split_json_list(std::string_view bytes,
                                              std::size_t part_bytes = json_part_bytes);

/// Reads the elements of a part.
/// \param handle called for each, in order.
/// \return false, before the first call, if the part is not one or more elements with commas between them.
/// \throws what `handle` throws.
bool read_json_part(std::string_view part, std::span<const std::string_view> names,
                    const std::function<void(const JsonRecord& record)>& handle);

}  // namespace fovea
