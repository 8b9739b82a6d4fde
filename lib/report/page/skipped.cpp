#include "lib/report/page/skipped.hpp"

#include <map>
#include <utility>

#include "lib/evaluate/detection/image_pairing.hpp"

namespace fovea {

std::vector<SkippedImage> images_without_results(const Dataset& dataset, const DetectionResults& results,
                                                 const std::string& detector) {
    const ImagePairing pairing = pair_images(dataset, results);
    std::vector<SkippedImage> skipped;
    for (std::size_t i = 0; i < pairing.samples.size(); ++i) {
        const std::string& image = dataset.samples[pairing.samples[i]].image;
        const ImageResult* result = pairing.results[i];
        if (result == nullptr) {
            skipped.push_back({image, "not in the results", detector});
        } else if (!result->ok()) {
            skipped.push_back({image, result->status, detector});
        }
    }
    return skipped;
}

std::set<std::string> images_without_result(const std::vector<SkippedImage>& skipped,
                                            const std::string& detector) {
    std::set<std::string> images;
    for (const SkippedImage& entry : skipped) {
        if (entry.detector.empty() || entry.detector == detector) images.insert(entry.image);
    }
    return images;
}

namespace report {

std::vector<SkippedGroup> grouped_by_detector(const std::vector<SkippedImage>& skipped,
                                              std::size_t detectors) {
    std::vector<SkippedGroup> groups;
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    for (const SkippedImage& entry : skipped) {
        const auto [place, added] = places.try_emplace({entry.image, entry.reason}, groups.size());
        if (added) groups.push_back({entry.image, entry.reason, {}});
        // An entry without detector stands for all of them.
        groups[place->second].detectors.push_back(entry.detector);
    }
    for (SkippedGroup& group : groups) {
        bool all = group.detectors.size() >= detectors;
        for (const std::string& detector : group.detectors) all = all || detector.empty();
        if (all) group.detectors.clear();
    }
    return groups;
}

}  // namespace report
}  // namespace fovea
