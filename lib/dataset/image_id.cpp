#include "lib/dataset/image_id.hpp"

#include <charconv>

namespace fovea {

std::optional<std::int64_t> image_id(const Sample& sample) {
    const std::string* const text = find_attribute(sample.attributes, id_attribute);
    if (text == nullptr) return std::nullopt;
    std::int64_t id = 0;
    const char* const end = text->data() + text->size();
    const auto [stop, error] = std::from_chars(text->data(), end, id);
    if (error != std::errc() || stop != end) return std::nullopt;
    return id;
}

}  // namespace fovea
