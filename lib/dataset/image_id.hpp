#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lib/dataset/dataset.hpp"
#include "lib/json/json_records.hpp"

namespace fovea {

/// The id that a COCO file gave the image: its attribute id_attribute where that is a whole number, else
/// absent.
std::optional<std::int64_t> image_id(const Sample& sample);

/// An id as JSON gives images, categories and annotations: a number, or a text. A number has one id however
/// it is written (1, 1.0), and so has the text "1"; the text "001" is another id.
struct RecordId {
    std::int64_t number = 0;  ///< means nothing where there is a text
    std::string text;         ///< empty for a number

    std::string shown() const { return text.empty() ? std::to_string(number) : text; }
};

/// The id that a text is: a number where it is written as one is.
RecordId id_of_text(const std::string& text);

/// \throws JsonFieldError if the field is neither a number nor a text.
RecordId record_id(const JsonRecord& record, std::size_t field);

/// Ids in the order in which they were added.
class RecordIds {
  public:
    static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

    /// The place of an id, which is added where it is new.
    std::uint32_t place_of(const RecordId& id);
    /// The same place, or `none`.
    std::uint32_t find(const RecordId& id) const;
    /// For an id that is not there: the place of the one that has the same whole number ("012" for 12, and 12
    /// for "012"); `none` where none has, or several have.
    std::uint32_t find_number(const RecordId& id) const;

    const RecordId& operator[](std::uint32_t place) const { return ids_[place]; }
    std::size_t size() const { return ids_.size(); }

  private:
    std::vector<RecordId> ids_;
    std::unordered_map<std::int64_t, std::uint32_t> numbers_;
    std::unordered_map<std::string, std::uint32_t> texts_;
    std::unordered_map<std::int64_t, std::uint32_t> numbers_of_texts_;  ///< `none` where several have it
};

}  // namespace fovea
