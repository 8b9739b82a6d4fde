#include "lib/dataset/image_id.hpp"

#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

/// The number that is written as std::to_string() would.
std::optional<std::int64_t> plain_number(const std::string& text) {
    const std::optional<std::int64_t> number = spelled_whole(text);
    return number && std::to_string(*number) == text ? number : std::nullopt;
}

}  // namespace

std::optional<std::int64_t> image_id(const Sample& sample) {
    const std::string* const text = find_attribute(sample.attributes, id_attribute);
    return text == nullptr ? std::nullopt : plain_number(*text);
}

RecordId id_of_text(const std::string& text) {
    const std::optional<std::int64_t> number = plain_number(text);
    return number ? RecordId{*number, {}} : RecordId{0, text};
}

RecordId record_id(const JsonRecord& record, std::size_t i) {
    const JsonField& field = record.field(i);
    switch (field.kind) {
        case JsonField::Kind::integer:
            return {field.integer, {}};
        case JsonField::Kind::number: {
            const std::optional<std::int64_t> whole = whole_of(field.number);
            if (whole) return {*whole, {}};
            return {0, field.text.empty() ? shortest_number(field.number) : field.text};
        }
        case JsonField::Kind::text:
            if (field.text.empty()) break;
            return id_of_text(field.text);
        default:
            break;
    }
    record.fail(i, "a number or a text");
}

std::uint32_t RecordIds::place_of(const RecordId& id) {
    // Records of one image stand together, and nearly all are of one category.
    if (last_ >= ids_.size() || ids_[last_] != id) last_ = add(id);
    return last_;
}

std::uint32_t RecordIds::add(const RecordId& id) {
    const auto next = static_cast<std::uint32_t>(ids_.size());
    const std::uint32_t place = id.text.empty() ? numbers_.try_emplace(id.number, next).first->second
                                                : texts_.try_emplace(id.text, next).first->second;
    if (place != next) return place;
    ids_.push_back(id);
    if (id.text.empty()) return place;
    if (const std::optional<std::int64_t> number = spelled_whole(id.text)) {
        const auto [other, is_new] = numbers_of_texts_.try_emplace(*number, place);
        if (!is_new) other->second = none;
    }
    return place;
}

std::uint32_t RecordIds::find(const RecordId& id) const {
    const auto place_in = [](const auto& places, const auto& key) {
        const auto found = places.find(key);
        return found == places.end() ? none : found->second;
    };
    return id.text.empty() ? place_in(numbers_, id.number) : place_in(texts_, id.text);
}

std::uint32_t RecordIds::find_number(const RecordId& id) const {
    const std::optional<std::int64_t> number = id.text.empty() ? id.number : spelled_whole(id.text);
    if (!number) return none;
    if (const std::uint32_t place = find({*number, {}}); place != none) return place;
    const auto found = numbers_of_texts_.find(*number);
    return found == numbers_of_texts_.end() ? none : found->second;
}

}  // namespace fovea
