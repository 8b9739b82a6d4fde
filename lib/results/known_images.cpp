#include <charconv>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {

KnownImages::KnownImages(const Dataset& dataset) {
    for (const Sample& sample : dataset.samples) {
        const auto [known, is_new] = name_of_stem.emplace(image_stem(sample.image), sample.image);
        if (!is_new) known->second.clear();
        const std::string* const id = find_attribute(sample.attributes, "id");
        if (id == nullptr) continue;
        std::int64_t number = 0;
        const char* const end = id->data() + id->size();
        const auto [stop, error] = std::from_chars(id->data(), end, number);
        if (error == std::errc() && stop == end) name_of_id.emplace(number, sample.image);
    }
}

std::string KnownImages::named(std::string_view name) const {
    std::string image(name);
    if (is_image_name(name)) return image;
    const auto found = name_of_stem.find(image);
    return found == name_of_stem.end() || found->second.empty() ? image + ".jpg" : found->second;
}

}  // namespace fovea::results_detail
