#include "lib/evaluate/image_pairing.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);
constexpr std::size_t ambiguous = static_cast<std::size_t>(-2);

using IndexOfName = std::unordered_map<std::string, std::size_t>;

std::string normalised(const std::string& image) {
    std::string name;
    for (char character : valid_utf8(image)) {
        if (character == '\\') character = '/';
        if (character == '/' && !name.empty() && name.back() == '/') continue;
        name += character;
    }
    while (name.compare(0, 2, "./") == 0) name.erase(0, 2);
    return name;
}

std::string without_extension(std::string name) {
    for (const std::string_view packed : {".gz", ".bz2"}) {
        if (name.size() > packed.size() &&
            name.compare(name.size() - packed.size(), packed.size(), packed) == 0) {
            name.resize(name.size() - packed.size());
        }
    }
    const std::size_t dot = name.rfind('.');
    const std::size_t slash = name.rfind('/');
    const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
    if (dot != std::string::npos && dot > start) name.resize(dot);
    return name;
}

std::string file_stem(const std::string& name) {
    const std::size_t slash = name.rfind('/');
    return without_extension(slash == std::string::npos ? name : name.substr(slash + 1));
}

void add(IndexOfName& names, const std::string& name, std::size_t index) {
    const auto [found, is_new] = names.emplace(name, index);
    if (!is_new && found->second != index) found->second = ambiguous;
}

std::size_t find(const IndexOfName& names, const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? none : found->second;
}

// Calls handle("a/b/c"), handle("b/c"), handle("c") until it returns true.
template <class Handle>
void for_each_tail(std::string_view name, Handle&& handle) {
    while (!handle(std::string(name))) {
        const std::size_t slash = name.find('/');
        if (slash == std::string_view::npos) return;
        name.remove_prefix(slash + 1);
    }
}

// For every result the index of its sample or none; nothing at all if one name fits several.
std::optional<std::vector<std::size_t>> unique_pairs(std::vector<std::size_t> sample_of,
                                                     std::size_t samples) {
    std::vector<char> is_taken(samples, 0);
    for (const std::size_t sample : sample_of) {
        if (sample == none) continue;
        if (sample == ambiguous || is_taken[sample] != 0) return std::nullopt;
        is_taken[sample] = 1;
    }
    if (std::count(is_taken.begin(), is_taken.end(), 1) == 0) return std::nullopt;
    return sample_of;
}

std::optional<std::vector<std::size_t>> pair_by_tail(const std::vector<std::string>& samples,
                                                     const std::vector<std::string>& results) {
    IndexOfName tails;  // every tail of every sample's name
    IndexOfName whole;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const std::string name = without_extension(samples[i]);
        add(whole, name, i);
        for_each_tail(name, [&](const std::string& tail) {
            add(tails, tail, i);
            return false;
        });
    }
    std::vector<std::size_t> sample_of;
    for (const std::string& result : results) {
        const std::string name = without_extension(result);
        std::size_t sample = find(tails, name);
        if (sample == none) {
            for_each_tail(name, [&](const std::string& tail) {
                sample = find(whole, tail);
                return sample != none;
            });
        }
        sample_of.push_back(sample);
    }
    return unique_pairs(std::move(sample_of), samples.size());
}

std::optional<std::vector<std::size_t>> pair_by_stem(const std::vector<std::string>& samples,
                                                     const std::vector<std::string>& results) {
    IndexOfName stems;
    for (std::size_t i = 0; i < samples.size(); ++i) add(stems, file_stem(samples[i]), i);
    std::vector<std::size_t> sample_of;
    for (const std::string& result : results) sample_of.push_back(find(stems, file_stem(result)));
    return unique_pairs(std::move(sample_of), samples.size());
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
        const std::string name = normalised(dataset.samples[i].image);
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
        result_names.push_back(normalised(result.image));
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
        std::optional<std::vector<std::size_t>> loose = pair_by_tail(sample_names, result_names);
        if (!loose) loose = pair_by_stem(sample_names, result_names);
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
