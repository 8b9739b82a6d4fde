#include "lib/evaluate/statistics/folds.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "lib/core/natural_order.hpp"
#include "lib/files/sha256.hpp"

namespace fovea {
namespace {

constexpr unsigned hashed_folds = 10;

std::string hashed_fold(const std::string& image) {
    return std::to_string(std::stoul(sha256_of(image).substr(0, 8), nullptr, 16) % hashed_folds);
}

}  // namespace

Folds folds_of(const Dataset& dataset) {
    Folds folds;
    folds.stated = dataset.has_ground_truth() &&
                   std::all_of(dataset.samples.begin(), dataset.samples.end(), [](const Sample& sample) {
                       return !sample.annotated || find_attribute(sample.attributes, "fold") != nullptr;
                   });
    std::vector<std::string> of_sample;
    for (const Sample& sample : dataset.samples) {
        const std::string* stated = find_attribute(sample.attributes, "fold");
        of_sample.push_back(!folds.stated       ? hashed_fold(sample.image)
                            : stated == nullptr ? std::string()
                                                : *stated);
    }
    const std::set<std::string, NaturalLess> names(of_sample.begin(), of_sample.end());
    folds.names.assign(names.begin(), names.end());
    for (const std::string& name : of_sample) {
        folds.of_sample.push_back(static_cast<std::size_t>(std::distance(names.begin(), names.find(name))));
    }
    return folds;
}

}  // namespace fovea
