#include "lib/evaluate/detection/image_pairing.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/results/image_names.hpp"

namespace fovea {
namespace {

constexpr std::size_t none = no_image;

/// A dataset's image.
struct NamedSample {
    std::size_t annotated = none;  ///< its place among the annotated ones
    bool has_result = false;
};

}  // namespace

ImagePairing pair_images(const Dataset& dataset, const DetectionResults& detection_results) {
    // The result of an image that is absent because nothing was detected in it.
    static const ImageResult nothing_detected;
    const std::vector<ImageResult>& results = detection_results.images;
    ImagePairing pairing;
    std::vector<std::string> sample_names;
    ImageNameIndex images;
    std::vector<NamedSample> samples(dataset.samples.size());
    for (std::size_t i = 0; i < dataset.samples.size(); ++i) {
        std::string name = normalised_image_name(dataset.samples[i].image);
        if (!images.add(dataset.samples[i].image)) {
            throw Error("The image '" + name + "' stands twice in the dataset '" + dataset.name +
                        "', so its results cannot be assigned; remove one of the two entries.");
        }
        if (!dataset.samples[i].annotated) continue;
        samples[i].annotated = pairing.samples.size();
        pairing.samples.push_back(i);
        sample_names.push_back(std::move(name));
    }
    if (pairing.samples.empty()) {
        throw Error(
            "The dataset '" + dataset.name +
            "' has no annotated image, so there is nothing to evaluate against; give a dataset with ground "
            "truth boxes.");
    }
    pairing.results.assign(pairing.samples.size(), nullptr);

    std::vector<std::string> result_names;
    result_names.reserve(results.size());
    std::unordered_set<std::string> others;  // that the dataset does not have
    std::vector<std::size_t> sample_of;
    bool any_equal = results.empty();
    for (const ImageResult& result : results) {
        const std::string& name = result_names.emplace_back(normalised_image_name(result.image));
        const std::size_t sample = images.find(result.image);
        const bool is_known = sample != none;
        if (is_known ? samples[sample].has_result : !others.insert(result.image).second) {
            throw Error("The image '" + name + "' stands twice in the results; an image has one record.");
        }
        if (is_known) samples[sample].has_result = true;
        sample_of.push_back(is_known ? samples[sample].annotated : none);
        any_equal = any_equal || is_known;
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
