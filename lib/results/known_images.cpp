#include <algorithm>
#include <utility>

#include "lib/core/spelling.hpp"
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
    auto found = name_of_stem_->find(image);
    if (found == name_of_stem_->end()) {
        std::string turned = image;
        std::replace(turned.begin(), turned.end(), '\\', '/');
        found = name_of_stem_->find(turned);
    }
    return found == name_of_stem_->end() || found->second.empty() ? image + ".jpg" : found->second;
}

bool NamesOfIds::add(const RecordId& id, std::string name) {
    if (ids_.place_of(id) < names_.size()) return false;
    names_.push_back(std::move(name));
    return true;
}

const std::string* NamesOfIds::find(const RecordId& id) const {
    const std::string* const exact = find_exactly(id);
    const std::uint32_t place = exact == nullptr ? ids_.find_number(id) : RecordIds::none;
    return place == RecordIds::none ? exact : &names_[place];
}

const std::string* NamesOfIds::find_exactly(const RecordId& id) const {
    const std::uint32_t place = ids_.find(id);
    return place == RecordIds::none ? nullptr : &names_[place];
}

const NamesOfIds& KnownImages::names_of_ids() {
    if (names_of_ids_) return *names_of_ids_;
    names_of_ids_.emplace();
    for (std::size_t i = 0; dataset_ != nullptr && i < dataset_->samples.size(); ++i) {
        const Sample& sample = dataset_->samples[i];
        if (const std::string* const id = find_attribute(sample.attributes, id_attribute))
            names_of_ids_->add(id_of_text(*id), sample.image);
    }
    return *names_of_ids_;
}

const std::vector<VideoSequence>& KnownImages::sequences() {
    if (!sequences_)
        sequences_ = dataset_ != nullptr ? video_sequences(*dataset_) : std::vector<VideoSequence>{};
    return *sequences_;
}

std::optional<std::int64_t> KnownImages::category_of(const RecordId& given) const {
    const std::optional<std::int64_t> number =
        given.text.empty() ? std::optional(given.number) : spelled_whole(given.text);
    bool has_texts = false;
    for (std::size_t i = 0; dataset_ != nullptr && i < dataset_->categories.size(); ++i) {
        const Category& category = dataset_->categories[i];
        if (!given.text.empty() && category.text_id == given.text) return category.id;
        if (!category.text_id.empty() && number && spelled_whole(category.text_id) == number)
            return category.id;
        has_texts = has_texts || (!category.text_id.empty() && category.id == number);
    }
    // The number of a category with a text is made up, and no result can mean it.
    return has_texts ? std::nullopt : number;
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
