#include "lib/evaluate/image_pairing.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/results/image_names.hpp"

namespace fovea {
namespace {

constexpr std::size_t none = no_image;

using IndexOfName = std::unordered_map<std::string, std::size_t>;

std::size_t find(const IndexOfName& names, const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? none : found->second;
}

}  // namespace

ImagePairing pair_images(const Dataset& dataset, const DetectionResults& detection_results) {
    // What an image gets that is absent because nothing was detected in it.
    static const ImageResult nothing_detected;
    const std::vector<ImageResult>& results = detection_results.images;
    ImagePairing pairing;
    std::vector<std::string> sample_names;
    IndexOfName by_name;      // annotated samples
    IndexOfName all_samples;  // with those that are not annotated, to tell one kind of extra from the other
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        const std::string name = normalised_image_name(dataset.samples[i].image);
        if (!all_samples.emplace(name, i).second) {
            throw Error("The image '" + name + "' stands twice in the dataset '" + dataset.name +
                        "', so its results cannot be assigned; remove one of the two entries.");
        }
        if (!dataset.samples[i].annotated) continue;
        by_name.emplace(name, pairing.samples.size());
        pairing.samples.push_back(i);
        sample_names.push_back(name);
    }
    if (pairing.samples.empty()) {
        throw Error(
            "The dataset '" + dataset.name +
            "' has no annotated image, so there is nothing to evaluate against; give a dataset with ground "
            "truth boxes.");
    }
    pairing.results.assign(pairing.samples.size(), nullptr);

    std::vector<std::string> result_names;
    IndexOfName seen;
    for (const ImageResult& result : results) {
        result_names.push_back(normalised_image_name(result.image));
        if (!seen.emplace(result_names.back(), 0).second) {
            throw Error("The image '" + result_names.back() +
                        "' stands twice in the results; an image has one record.");
        }
    }

    std::vector<std::size_t> sample_of;
    bool any_equal = results.empty();
    for (const std::string& name : result_names) {
        sample_of.push_back(find(by_name, name));
        any_equal = any_equal || all_samples.count(name) != 0;
    }
    if (!any_equal) {
        std::optional<std::vector<std::size_t>> loose = pair_names_loosely(sample_names, result_names);
        if (!loose) {
            throw Error("The results and the dataset '" + dataset.name +
                        "' have no image in common: the results name, for example, '" + result_names.front() +
                        "', the dataset '" + sample_names.front() +
                        "'. Image names in results are paths relative to the dataset's folder.");
        }
        sample_of = std::move(*loose);
        const auto first = static_cast<std::size_t>(
            std::find_if(sample_of.begin(), sample_of.end(), [](std::size_t i) { return i != none; }) -
            sample_of.begin());
        pairing.warnings.push_back(
            "No image name in the results equals one in the dataset; they were paired "
            "without folders and extensions, for example '" +
            result_names[first] + "' with '" + sample_names[sample_of[first]] + "'.");
    }

    if (!results.empty() && std::count(sample_of.begin(), sample_of.end(), none) ==
                                static_cast<std::ptrdiff_t>(sample_of.size())) {
        throw Error("None of the images in the results is annotated in the dataset '" + dataset.name +
                    "': the results name, for example, '" + result_names.front() + "', annotated is '" +
                    sample_names.front() + "'.");
    }

    std::size_t first_extra = none;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (sample_of[i] != none) {
            pairing.results[sample_of[i]] = &results[i];
            continue;
        }
        ++pairing.extra;
        if (first_extra == none) first_extra = i;
    }
    if (pairing.extra > 0) {
        pairing.warnings.push_back(
            counted(static_cast<std::size_t>(pairing.extra), "image") +
            " in the results left out, for lack of annotation in the dataset, for example '" +
            result_names[first_extra] + "'.");
    }
    if (!detection_results.records_every_image) {
        std::replace(pairing.results.begin(), pairing.results.end(), static_cast<const ImageResult*>(nullptr),
                     &nothing_detected);
    }
    const auto missing =
        static_cast<std::size_t>(std::count(pairing.results.begin(), pairing.results.end(), nullptr));
    if (missing > 0) {
        const auto first = static_cast<std::size_t>(
            std::find(pairing.results.begin(), pairing.results.end(), nullptr) - pairing.results.begin());
        pairing.warnings.push_back("The results lack " + counted(missing, "annotated image") +
                                   ", whose faces count as missed, for example '" + sample_names[first] +
                                   "'.");
    }
    return pairing;
}

}  // namespace fovea
