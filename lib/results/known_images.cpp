#include <algorithm>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/image_id.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {

std::string KnownImages::named(std::string_view name) {
    std::string image(name);
    if (is_image_name(name)) return image;
    if (!name_of_stem_) {
        name_of_stem_.emplace();
        for (std::size_t i = 0; dataset_ != nullptr && i < dataset_->samples.size(); ++i) {
            const std::string& sample = dataset_->samples[i].image;
            const auto [known, is_new] = name_of_stem_->emplace(image_stem(sample), sample);
            if (!is_new) known->second.clear();
        }
    }
    const auto found = name_of_stem_->find(image);
    return found == name_of_stem_->end() || found->second.empty() ? image + ".jpg" : found->second;
}

const NameOfId& KnownImages::name_of_id() {
    if (name_of_id_) return *name_of_id_;
    name_of_id_.emplace();
    for (std::size_t i = 0; dataset_ != nullptr && i < dataset_->samples.size(); ++i) {
        const Sample& sample = dataset_->samples[i];
        if (const std::optional<std::int64_t> id = image_id(sample)) name_of_id_->emplace(*id, sample.image);
    }
    return *name_of_id_;
}

const std::vector<VideoSequence>& KnownImages::sequences() {
    if (!sequences_)
        sequences_ = dataset_ != nullptr ? video_sequences(*dataset_) : std::vector<VideoSequence>{};
    return *sequences_;
}

bool KnownImages::is_wanted_category(std::int64_t category) const {
    if (dataset_ == nullptr || dataset_->categories.empty()) return true;
    return std::any_of(dataset_->categories.begin(), dataset_->categories.end(),
                       [&](const Category& known) { return known.id == category; });
}

bool KnownImages::has_several_categories() const {
    return dataset_ != nullptr && dataset_->has_several_categories;
}

}  // namespace fovea::results_detail
