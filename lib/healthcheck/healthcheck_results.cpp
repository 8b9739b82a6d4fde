#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/detection/results_doubt.hpp"
#include "lib/healthcheck/healthcheck.hpp"
#include "lib/healthcheck/healthcheck_boxes.hpp"
#include "lib/results/image_names.hpp"

namespace fovea {
namespace {

constexpr BoxKinds detection_kinds{FindingKind::degenerate_detection, FindingKind::duplicate_detection,
                                   FindingKind::detection_partly_outside, FindingKind::detection_outside};

using Report = BoxChecker::Report;

void check_scores(const ImageResult& image, const Report& report) {
    std::vector<double> scores;
    for (const Detection& detection : image.detections) scores.push_back(detection.score);
    if (!std::all_of(scores.begin(), scores.end(), [](double score) { return std::isfinite(score); })) {
        report(FindingKind::not_finite, "a score");
        return;
    }
    const auto rise =
        std::adjacent_find(scores.begin(), scores.end(), [](double a, double b) { return a < b; });
    if (rise != scores.end()) {
        report(FindingKind::unsorted_scores,
               shortest_number(*rise) + " stands before " + shortest_number(*std::next(rise)));
    }
    std::sort(scores.begin(), scores.end());
    std::size_t tied = 0;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const bool is_like_neighbour =
            (i > 0 && scores[i] == scores[i - 1]) || (i + 1 < scores.size() && scores[i] == scores[i + 1]);
        tied += is_like_neighbour ? 1 : 0;
    }
    if (tied == 0) return;
    report(FindingKind::tied_scores, std::to_string(tied) + " of " + counted(scores.size(), "detection") +
                                         " share a score with another");
}

void check_image(const ImageResult& image, const Sample* sample, const ImageFacts* facts,
                 const Report& report) {
    if (!image.ok()) report(FindingKind::unreadable_result, image.status);
    std::optional<ImageSize> size;
    if (image.width > 0 && image.height > 0) size = ImageSize{image.width, image.height};
    const std::optional<ImageSize> real = facts != nullptr ? facts->size : std::nullopt;
    if (size && real && *size != *real) {
        report(FindingKind::image_size, "stated as " + std::to_string(size->width) + "x" +
                                            std::to_string(size->height) + ", is " +
                                            std::to_string(real->width) + "x" + std::to_string(real->height));
    }
    if (real) size = real;
    if (!size && sample != nullptr) size = sample->size;
    BoxChecker boxes(detection_kinds, size, report);
    for (const Detection& detection : image.detections) boxes.check(detection.box);
    check_scores(image, report);
}

/// The findings of results as a whole.
std::vector<Finding> doubts_about(const Dataset& dataset, const DetectionResults& results,
                                  const std::string& source) {
    if (!dataset.has_ground_truth()) return {};
    std::vector<Finding> findings;
    const auto add = [&](FindingKind kind, std::optional<std::string> doubt) {
        if (doubt) findings.push_back({kind, source, "", std::move(*doubt)});
    };
    try {
        const ImagePairing pairing = pair_images(dataset, results);
        add(FindingKind::partial_results, doubt_about_images(dataset, pairing));
        add(FindingKind::doubtful_boxes, doubt_about_boxes(dataset, pairing));
    } catch (const Error&) {
        return {};  // names in common are lacking, or repeated: findings of their own
    }
    return findings;
}

}  // namespace

std::vector<Finding> check_results(const DetectionResults& results, const std::string& source,
                                   const Dataset& dataset, const std::vector<ImageFacts>& facts) {
    std::vector<std::string> samples;
    std::vector<std::string> names;
    for (const Sample& sample : dataset.samples) samples.push_back(sample.image);
    for (const ImageResult& image : results.images) names.push_back(image.image);
    const NamePairing pairing = pair_names(samples, names);

    std::vector<Finding> findings;
    std::vector<bool> has_result(samples.size());
    for (std::size_t i = 0; i < results.images.size(); ++i) {
        const ImageResult& image = results.images[i];
        const std::size_t sample = pairing.sample_of[i];
        const Report report = [&](FindingKind kind, const std::string& detail) {
            if (kind == FindingKind::detection_partly_outside && boxes_may_leave_images(dataset)) return;
            findings.push_back({kind, source, image.image, detail});
        };
        if (sample == no_image) {
            report(FindingKind::unknown_image, "not in " + dataset.name);
        } else {
            has_result[sample] = true;
            if (pairing.is_loose)
                report(FindingKind::names_differ, "is '" + samples[sample] + "' in the dataset");
        }
        const bool is_known = sample != no_image;
        check_image(image, is_known ? &dataset.samples[sample] : nullptr, is_known ? &facts[sample] : nullptr,
                    report);
    }
    for (std::size_t i = 0; i < samples.size() && results.records_every_image; ++i) {
        if (!has_result[i]) {
            findings.push_back(
                {FindingKind::image_without_result, source, samples[i], "no record in the results"});
        }
    }
    std::ranges::move(doubts_about(dataset, results, source), std::back_inserter(findings));
    return findings;
}

}  // namespace fovea
