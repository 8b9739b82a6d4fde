#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/json/json_records.hpp"

namespace fovea {

/// The id that a COCO file gives an image: its attribute id_attribute; absent if that is no whole number.
std::optional<std::int64_t> image_id(const Sample& sample);

/// An id of an image, category or annotation in JSON: a number, or a text. The numbers 1 and 1.0 and the text
/// "1" are one id; the text "001" is another one.
struct RecordId {
    std::int64_t number = 0;  ///< meaningless if there is a text
    std::string text;         ///< empty for a number

    std::string shown() const { return text.empty() ? std::to_string(number) : text; }

    friend bool operator==(const RecordId& a, const RecordId& b) {
        return a.text == b.text && (!a.text.empty() || a.number == b.number);
    }
};

/// The id of a text: a number if it is written like one.
RecordId id_of_text(const std::string& text);

/// The id in a field of a record. \throws JsonFieldError if it is neither a number nor a text.
RecordId record_id(const JsonRecord& record, std::size_t field);

/// Ids in the order in which they were added.
class RecordIds {
  public:
    static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

    /// The place of an id; adds the id if it is new.
    std::uint32_t place_of(const RecordId& id);
    /// The place of an id, or `none`.
    std::uint32_t find(const RecordId& id) const;
    /// For an id that is not there: the place of the only id with the same whole number ("012" for 12, and 12
    /// for "012"); `none` if there is none, or several.
    std::uint32_t find_number(const RecordId& id) const;

    const RecordId& operator[](std::uint32_t place) const { return ids_[place]; }
    std::size_t size() const { return ids_.size(); }

  private:
    std::uint32_t add(const RecordId& id);

    std::vector<RecordId> ids_;
    std::uint32_t last_ = 0;  ///< the place that was given last
    std::unordered_map<std::int64_t, std::uint32_t> numbers_;
    std::unordered_map<std::string, std::uint32_t> texts_;
    std::unordered_map<std::int64_t, std::uint32_t> numbers_of_texts_;  ///< `none` if several have it
};

}  // namespace fovea
