#include "lib/evaluate/protocols/coco_match.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include <tbb/parallel_for.h>

#include "lib/core/box_index.hpp"
#include "lib/core/keypoints.hpp"
#include "lib/dataset/image_id.hpp"
#include "lib/evaluate/detection/image_trace.hpp"
#include "lib/evaluate/detection/keypoint_similarity.hpp"

namespace fovea {
namespace {

constexpr std::uint16_t every_threshold = (1u << coco_thresholds) - 1;

struct AreaRange {
    double from = 0;
    double to = 0;
    bool to_is_in = true;  // strictly always: an area of just 32² is small and medium at once

    bool holds(double area) const { return area >= from && (to_is_in ? area <= to : area < to); }
};

struct Candidate {
    std::uint32_t face = 0;
    double iou = 0;
};

std::array<AreaRange, coco_areas> area_ranges(ProtocolMode mode) {
    const bool shared = mode == ProtocolMode::strict;
    return {{{0, 1e10, true}, {0, 32 * 32, shared}, {32 * 32, 96 * 96, shared}, {96 * 96, 1e10, true}}};
}

std::array<double, coco_thresholds> iou_thresholds(ProtocolMode mode) {
    std::array<double, coco_thresholds> thresholds{};
    for (std::size_t t = 0; t < coco_thresholds; ++t) {
        const auto place = static_cast<double>(t);
        // numpy's linspace(0.5, 0.95, 10), whose 0.9 is the double below; or the doubles nearest to the
        // numbers.
        thresholds[t] =
            mode == ProtocolMode::strict ? 0.5 + place * ((0.95 - 0.5) / 9) : (50 + 5 * place) / 100;
    }
    thresholds.back() = 0.95;
    return thresholds;
}

// A match is kept as the annotation's id, and 0 means "not matched".
bool looks_unmatched(const Face& face, ProtocolMode mode) {
    if (mode == ProtocolMode::corrected) return false;
    const std::string* id = find_attribute(face.attributes, id_attribute);
    return id != nullptr && *id == "0";
}

// The faces of one image while detections are added, in one range of areas after the other.
class FaceMatcher {
  public:
    FaceMatcher(const std::vector<Face>& faces, const CocoRule& rule)
        : faces_(faces), taken_(faces.size()), is_unmatched_(faces.size()), ignored_(faces.size()) {
        areas_.reserve(faces.size());
        for (std::size_t i = 0; i < faces.size(); ++i) {
            const double area = faces[i].area ? *faces[i].area : faces[i].box.w * faces[i].box.h;
            // Not a number is in no range.
            constexpr double no_area = std::numeric_limits<double>::quiet_NaN();
            areas_.push_back(is_ignored_in_coco(faces[i], rule) ? no_area : area);
            is_unmatched_[i] = looks_unmatched(faces[i], rule.mode) ? 1 : 0;
        }
    }

    void start(const AreaRange& range) {
        for (std::size_t i = 0; i < areas_.size(); ++i) ignored_[i] = range.holds(areas_[i]) ? 0 : 1;
        std::ranges::fill(taken_, std::uint16_t{0});
    }

    std::uint32_t counted_faces() const {
        return static_cast<std::uint32_t>(std::count(ignored_.begin(), ignored_.end(), char{0}));
    }
    bool ignores(std::uint32_t face) const { return ignored_[face] != 0; }
    bool leaves_unmatched(std::uint32_t face) const { return is_unmatched_[face] != 0; }

    // The candidate taken at the threshold of that number, or nullptr.
    const Candidate* take(std::span<const Candidate> candidates, double threshold, std::size_t number) {
        const auto bit = static_cast<std::uint16_t>(1u << number);
        std::array<const Candidate*, 2> best_of{};  // of the faces that count, and of the ignored ones
        std::array<double, 2> least{threshold, threshold};
        for (const Candidate& candidate : candidates) {
            if ((taken_[candidate.face] & bit) != 0 && !faces_[candidate.face].crowd) continue;
            const auto kind = static_cast<std::size_t>(ignored_[candidate.face]);
            if (candidate.iou < least[kind]) continue;
            least[kind] = candidate.iou;
            best_of[kind] = &candidate;
        }
        const Candidate* const best = best_of[0] != nullptr ? best_of[0] : best_of[1];
        if (best != nullptr) taken_[best->face] = static_cast<std::uint16_t>(taken_[best->face] | bit);
        return best;
    }

  private:
    const std::vector<Face>& faces_;
    std::vector<std::uint16_t> taken_;  // bit t: at threshold t
    std::vector<char> is_unmatched_;    // looks_unmatched()
    std::vector<char> ignored_;
    std::vector<double> areas_;
};

// IoU of a face's and a detection's box as pycocotools' C code computes it, in its order of operations; of a
// crowd the intersection over the detection's area. All numbers are finite.
double coco_iou(const Face& face, const Box& detection) {
    const Box& box = face.box;
    const double width = std::min(detection.w + detection.x, box.w + box.x) - std::max(detection.x, box.x);
    if (width <= 0) return 0;
    const double height = std::min(detection.h + detection.y, box.h + box.y) - std::max(detection.y, box.y);
    if (height <= 0) return 0;
    const double shared = width * height;
    const double detection_area = detection.w * detection.h;
    return shared / (face.crowd ? detection_area : detection_area + box.w * box.h - shared);
}

}  // namespace

bool is_ignored_in_coco(const Face& face, const CocoRule& rule) {
    return face.crowd || (rule.mode == ProtocolMode::corrected && face.ignore) ||
           (rule.is_oks() && labelled_keypoints(face) == 0);
}

CocoImage match_coco(const Sample& sample, std::span<const Detection> detections, const CocoRule& rule) {
    const ProtocolMode mode = rule.mode;
    const std::array<AreaRange, coco_areas> ranges = area_ranges(mode);
    const std::array<double, coco_thresholds> thresholds = iou_thresholds(mode);
    std::vector<std::size_t> order = order_by_falling_score(detections, mode);
    if (order.size() > rule.max_detections()) order.resize(rule.max_detections());

    CocoImage image;
    thread_local std::vector<Candidate> all_candidates;  // one detection's after the other's
    thread_local std::vector<std::size_t> first;
    thread_local std::vector<double> largest;  // of the candidates
    all_candidates.clear();
    first.assign(order.size() + 1, 0);
    largest.assign(order.size(), 0);
    image.detections.resize(order.size());
    const BoxIndex index(sample.faces);
    for (std::size_t k = 0; k < order.size(); ++k) {
        image.detections[k].index = order[k];
        image.detections[k].score = detections[order[k]].score;
        const Detection& detection = detections[order[k]];
        const auto add = [&](std::size_t face, double similarity) {
            if (similarity < thresholds.front()) return;
            all_candidates.push_back({static_cast<std::uint32_t>(face), similarity});
            // Not a number passes every threshold, as in the program's comparisons.
            largest[k] = std::isnan(similarity) ? std::numeric_limits<double>::infinity()
                                                : std::max(largest[k], similarity);
        };
        if (!rule.is_oks()) {
            index.visit_touching(detection.box, [&](std::size_t face) {
                add(face, coco_iou(sample.faces[face], detection.box));
            });
        } else if (!detection.details->landmarks.empty()) {
            for (std::size_t face = 0; face < sample.faces.size(); ++face) {
                add(face, keypoint_similarity(sample.faces[face], detection.details->landmarks, rule.sigmas));
            }
        }
        first[k + 1] = all_candidates.size();
    }
    FaceMatcher matcher(sample.faces, rule);
    for (std::size_t a = 0; a < coco_areas; ++a) {
        matcher.start(ranges[a]);
        image.faces[a] = matcher.counted_faces();
        for (std::size_t k = 0; k < order.size(); ++k) {
            CocoDetection& detection = image.detections[k];
            const Box& box = detections[order[k]].box;
            const bool in_range = ranges[a].holds(box.w * box.h);
            const auto candidates = std::span(all_candidates).subspan(first[k], first[k + 1] - first[k]);
            if (candidates.empty()) {
                detection.counted[a] = in_range ? every_threshold : 0;
                continue;
            }
            unsigned found = 0;
            unsigned counted = 0;
            for (std::size_t t = 0; t < coco_thresholds; ++t) {
                if (largest[k] < thresholds[t]) {  // no match from here on
                    if (in_range) counted |= every_threshold & ~((1u << t) - 1);
                    break;
                }
                const Candidate* match = matcher.take(candidates, thresholds[t], t);
                if (match != nullptr && matcher.ignores(match->face)) continue;
                if (match != nullptr && !matcher.leaves_unmatched(match->face)) {
                    found |= 1u << t;
                    counted |= 1u << t;
                    if (a == 0 && t == 0) {
                        detection.face = static_cast<int>(match->face);
                        detection.face_iou = match->iou;
                    }
                } else if (in_range) {
                    counted |= 1u << t;
                }
            }
            detection.found[a] = static_cast<std::uint16_t>(found);
            detection.counted[a] = static_cast<std::uint16_t>(counted);
        }
    }
    return image;
}

std::vector<std::uint32_t> coco_image_order(const std::vector<ProtocolImage>& images) {
    std::vector<std::uint32_t> order(images.size());
    std::iota(order.begin(), order.end(), 0u);
    std::vector<std::int64_t> numbers;
    std::vector<std::string> texts;
    for (const ProtocolImage& image : images) {
        const std::string* const given = find_attribute(image.sample->attributes, id_attribute);
        if (given == nullptr) return order;
        if (const std::optional<std::int64_t> number = image_id(*image.sample)) numbers.push_back(*number);
        texts.push_back(*given);
    }
    // If one is a text, numpy compares all as texts.
    const bool are_numbers = numbers.size() == texts.size();
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return are_numbers ? numbers[a] < numbers[b] : texts[a] < texts[b];
    });
    return order;
}

std::vector<CocoImage> match_coco_images(const std::vector<ProtocolImage>& images, const CocoRule& rule) {
    std::vector<CocoImage> matched(images.size());
    tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
        check_finite(*images[i].sample, images[i].detections);
        matched[i] = match_coco(*images[i].sample, images[i].detections, rule);
    });
    return matched;
}

}  // namespace fovea
