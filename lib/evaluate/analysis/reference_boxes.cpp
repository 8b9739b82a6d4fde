#include "lib/evaluate/analysis/reference_boxes.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include <tbb/parallel_for.h>

#include "lib/evaluate/detection/overlap_pairs.hpp"

namespace fovea {

Dataset dataset_from_results(const DetectionResults& results, const Dataset* images,
                             const std::string& name) {
    Dataset dataset;
    dataset.format = "results";
    dataset.name = name;
    std::unordered_map<std::string, const Sample*> known;
    if (images != nullptr) {
        dataset.root = images->root;
        for (const Sample& sample : images->samples) known.emplace(sample.image, &sample);
    }
    for (const ImageResult& result : results.images) {
        Sample& sample = dataset.samples.emplace_back();
        if (const auto found = known.find(result.image); found != known.end()) sample = *found->second;
        sample.image = result.image;
        if (sample.path.empty()) sample.path = result.image;
        if (!sample.size && result.width > 0) sample.size = ImageSize{result.width, result.height};
        sample.faces.clear();
        sample.eyes.reset();
        for (const Detection& detection : result.detections) {
            Face& face = sample.faces.emplace_back();
            face.box = detection.box;
            face.landmarks = detection.details->landmarks;
            face.ellipse = detection.details->ellipse;
        }
        sample.annotated = result.ok() && !sample.faces.empty();
    }
    return dataset;
}

std::vector<IouShare> iou_shares(const Dataset& dataset, const DetectionEvaluation& evaluation) {
    constexpr int steps = 100;
    if (evaluation.faces == 0) return {};
    std::vector<std::vector<double>> of_image(evaluation.image_outcomes.size());
    tbb::parallel_for(std::size_t{0}, of_image.size(), [&](std::size_t i) {
        const ImageEvaluation& outcome = evaluation.image_outcomes[i];
        for (const OverlapPair& pair :
             overlap_pairs(dataset.samples.at(outcome.sample).faces, outcome.detections, 0)) {
            of_image[i].push_back(pair.iou);
        }
    });
    std::vector<double> ious;
    for (const std::vector<double>& of_one : of_image) ious.insert(ious.end(), of_one.begin(), of_one.end());
    std::sort(ious.begin(), ious.end());
    std::vector<IouShare> shares{{0, 1}};
    for (int step = 1; step <= steps; ++step) {
        const double iou = static_cast<double>(step) / steps;
        const auto reached = std::distance(std::lower_bound(ious.begin(), ious.end(), iou), ious.end());
        shares.push_back({iou, static_cast<double>(reached) / evaluation.faces});
    }
    return shares;
}

}  // namespace fovea
