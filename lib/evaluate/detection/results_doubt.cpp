#include "lib/evaluate/detection/results_doubt.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <span>

#include <spdlog/fmt/fmt.h>

#include "lib/core/overlap.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/detection/box_format.hpp"

namespace fovea {
namespace {

constexpr std::size_t max_images = 500, max_detections = 300;
constexpr std::size_t min_faces = 10;
constexpr double min_share = 0.3, min_times = 3;
constexpr double hit_iou = 0.5;
constexpr double worth_saying = 0.1;

/// The box of a detection whose numbers were score, left, top, width and height.
Box score_first_box(const Detection& detection) {
    return {detection.box.y, detection.box.w, detection.box.h, detection.score};
}

Box scaled_box(const Box& box, double factor) {
    return {box.x * factor, box.y * factor, box.w * factor, box.h * factor};
}

/// Faces that boxes of their image would hit if all boxes were scaled by one factor: votes for factors from
/// 1/32 to 32, in bins of an eighth of an octave. One vote a face and bin.
class ScaleVotes {
  public:
    void add(const Face& face, std::span<const Detection> detections) {
        std::bitset<bins> voted;
        for (const Detection& detection : detections) {
            if (detection.box.area() <= 0) continue;
            const double factor = std::sqrt(face.box.area() / detection.box.area());
            const double place = (std::log2(factor) + octaves) * bins_per_octave;
            if (!(place >= 0 && place < bins)) continue;
            const auto bin = static_cast<std::size_t>(place);
            if (voted[bin]) continue;
            if (intersection_over_union(face.box, scaled_box(detection.box, factor)) < hit_iou) continue;
            voted.set(bin);
            factors_[bin].push_back(factor);
        }
    }

    /// The median of the fullest bin and its neighbours; 1 without votes.
    double likeliest() const {
        const auto fullest = std::ranges::max_element(
            factors_, [](const auto& a, const auto& b) { return a.size() < b.size(); });
        std::vector<double> near = *fullest;
        if (fullest != factors_.begin())
            near.insert(near.end(), (fullest - 1)->begin(), (fullest - 1)->end());
        if (fullest + 1 != factors_.end())
            near.insert(near.end(), (fullest + 1)->begin(), (fullest + 1)->end());
        if (near.empty()) return 1;
        const auto middle = near.begin() + static_cast<std::ptrdiff_t>(near.size() / 2);
        std::nth_element(near.begin(), middle, near.end());
        return *middle;
    }

  private:
    static constexpr int octaves = 5, bins_per_octave = 8;
    static constexpr std::size_t bins = std::size_t{2} * octaves * bins_per_octave;

    std::array<std::vector<double>, bins> factors_;
};

/// An image with faces and detections that is looked at.
struct LookedAt {
    const Sample* sample = nullptr;
    std::span<const Detection> detections;
};

bool is_counted(const Face& face) {
    return !face.ignore && face.box.area() > 1;
}

/// Faces that boxes hit in the images that were looked at, by how the boxes are read.
struct ReadingHits {
    std::size_t faces = 0;
    std::size_t as_read = 0, corners = 0, score_first = 0;
    std::size_t detections = 0, below_a_pixel = 0;
    ScaleVotes scales;

    void add(const LookedAt& image) {
        for (const Detection& detection : image.detections) {
            const Box& box = detection.box;
            ++detections;
            if (box.w <= 1 && box.h <= 1 && box.x <= 1 && box.y <= 1) ++below_a_pixel;
        }
        for (const Face& face : image.sample->faces) {
            if (!is_counted(face)) continue;
            ++faces;
            bool is_hit = false, by_corners = false, by_score_first = false;
            for (const Detection& detection : image.detections) {
                is_hit |= intersection_over_union(face.box, detection.box) >= hit_iou;
                by_corners |= intersection_over_union(face.box, box_of_corners(detection.box)) >= hit_iou;
                by_score_first |= intersection_over_union(face.box, score_first_box(detection)) >= hit_iou;
            }
            as_read += is_hit ? 1 : 0;
            corners += by_corners ? 1 : 0;
            score_first += by_score_first ? 1 : 0;
            if (!is_hit) scales.add(face, image.detections);
        }
    }

    bool is_likelier(std::size_t hits) const {
        return static_cast<double>(hits) >= min_share * static_cast<double>(faces) &&
               static_cast<double>(hits) >= min_times * static_cast<double>(as_read);
    }
    std::string percent(std::size_t hits) const {
        return fmt::format("{:.1f} %", 100.0 * static_cast<double>(hits) / static_cast<double>(faces));
    }
};

std::size_t hits_at_scale(const std::vector<LookedAt>& images, double factor) {
    std::size_t hits = 0;
    for (const LookedAt& image : images) {
        for (const Face& face : image.sample->faces) {
            if (!is_counted(face)) continue;
            hits += std::ranges::any_of(image.detections, [&](const Detection& detection) {
                const Box box = scaled_box(detection.box, factor);
                return intersection_over_union(face.box, box) >= hit_iou;
            });
        }
    }
    return hits;
}

std::vector<LookedAt> images_to_look_at(const Dataset& dataset, const ImagePairing& pairing) {
    std::vector<LookedAt> images;
    const std::size_t count = pairing.samples.size();
    for (std::size_t i = 0; i < count; i += count / max_images + 1) {
        if (pairing.results[i] == nullptr || pairing.results[i]->detections.empty()) continue;
        const std::vector<Detection>& detections = pairing.results[i]->detections;
        images.push_back({&dataset.samples[pairing.samples[i]],
                          std::span(detections).first(std::min(detections.size(), max_detections))});
    }
    return images;
}

std::optional<std::string> doubt_about_sizes(const Dataset& dataset, const ImagePairing& pairing) {
    std::size_t known = 0, differing = 0, on_their_side = 0;
    std::string example;
    for (std::size_t i = 0; i < pairing.samples.size(); ++i) {
        const Sample& sample = dataset.samples[pairing.samples[i]];
        const ImageResult* const result = pairing.results[i];
        if (result == nullptr || result->width <= 0 || !sample.size) continue;
        ++known;
        if (ImageSize{result->width, result->height} == *sample.size) continue;
        on_their_side += ImageSize{result->height, result->width} == *sample.size ? 1 : 0;
        if (++differing > 1) continue;
        example = fmt::format("'{}' {}x{} instead of {}x{}", excerpt(sample.image), result->width,
                              result->height, sample.size->width, sample.size->height);
    }
    if (differing == 0 || static_cast<double>(differing) < worth_saying * static_cast<double>(known))
        return std::nullopt;
    const bool are_turned = on_their_side == differing;
    return fmt::format(
        "{} of {} have another size in the results than in the dataset, for example {}: {} "
        "Boxes count as pixels of the dataset's images.",
        differing, counted(known, "image"), example,
        are_turned
            ? "are they photographs that EXIF turns for display, and was one of the two made on stored "
              "pixels? An annotation is turned with its images where these are there."
            : "were they resized?");
}

}  // namespace

std::optional<std::string> doubt_about_images(const Dataset& dataset, const ImagePairing& pairing) {
    std::size_t with_faces = 0, named = 0;
    for (std::size_t i = 0; i < pairing.samples.size(); ++i) {
        if (std::ranges::none_of(dataset.samples[pairing.samples[i]].faces, is_counted)) continue;
        ++with_faces;
        // Images that are absent share a result without a name.
        named += pairing.results[i] == nullptr || !pairing.results[i]->image.empty() ? 1 : 0;
    }
    const std::size_t others = with_faces - named;
    if (others == 0 || static_cast<double>(others) < worth_saying * static_cast<double>(with_faces))
        return std::nullopt;
    return fmt::format(
        "The results name {} of the {} images with faces; all faces of the other {} count as missed. If the "
        "detector did not see {}, evaluate its images alone (--pattern, --limit).",
        named, with_faces, others == 1 ? "one" : std::to_string(others), others == 1 ? "it" : "these");
}

std::optional<std::string> doubt_about_boxes(const Dataset& dataset, const ImagePairing& pairing) {
    const std::vector<LookedAt> images = images_to_look_at(dataset, pairing);
    ReadingHits hits;
    for (const LookedAt& image : images) hits.add(image);
    if (hits.faces < min_faces) return std::nullopt;
    if (hits.below_a_pixel == hits.detections) {
        return "All boxes are smaller than a pixel: are they shares of the image's width and height? "
               "Multiply them by these.";
    }
    if (hits.is_likelier(hits.corners)) {
        return "As x1 y1 x2 y2 the boxes hit " + hits.percent(hits.corners) +
               " of the faces, as x y width height " + hits.percent(hits.as_read) +
               ": are they corners? Then give --box-format xyxy.";
    }
    if (hits.is_likelier(hits.score_first)) {
        return "If the score stood before the box, the boxes would hit " + hits.percent(hits.score_first) +
               " of the faces, as they were read " + hits.percent(hits.as_read) +
               ": write the score last, as NAME X Y WIDTH HEIGHT SCORE.";
    }
    const double factor = hits.scales.likeliest();
    const std::size_t scaled = hits_at_scale(images, factor);
    if (hits.is_likelier(scaled)) {
        return fmt::format(
            "Multiplied by {:.3g} the boxes would hit {} of the faces, as they were read {}: were they found "
            "in images of another size? Scale them to the size of the dataset's images.",
            factor, hits.percent(scaled), hits.percent(hits.as_read));
    }
    return std::nullopt;
}

std::vector<std::string> doubts_about_results(const Dataset& dataset, const DetectionResults& results,
                                              const ImagePairing& pairing) {
    const bool is_empty = std::ranges::all_of(
        results.images, [](const ImageResult& image) { return image.detections.empty(); });
    if (is_empty) return {"The results hold no detection at all, so every face counts as missed."};
    std::vector<std::string> doubts;
    if (auto doubt = doubt_about_images(dataset, pairing)) doubts.push_back(std::move(*doubt));
    if (auto doubt = doubt_about_sizes(dataset, pairing)) doubts.push_back(std::move(*doubt));
    if (results.is_calibrated) return doubts;
    if (auto doubt = doubt_about_boxes(dataset, pairing)) doubts.push_back(std::move(*doubt));
    return doubts;
}

}  // namespace fovea
