#include "lib/evaluate/protocols/coco_curve.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <tbb/parallel_for.h>

#include "kernels/count/masked_sum.hpp"
#include "lib/evaluate/statistics/score_order.hpp"

namespace fovea {
namespace {

struct Entry {
    double score = 0;
    std::uint32_t place = 0;  // in the images' order, then in the image's: ties keep it
    std::uint32_t image = 0;
};

struct Masks {
    std::array<std::uint16_t, coco_areas> found{};
    std::array<std::uint16_t, coco_areas> counted{};
};

// The detections of all images: by falling score, and what becomes of them by place.
struct AllDetections {
    std::vector<Entry> entries;
    std::vector<Masks> masks;
    std::vector<std::uint32_t> first;  // place of each image's first one

    AllDetections(std::span<const CocoImage> images, std::span<const std::uint32_t> order)
        : first(images.size()) {
        std::uint32_t count = 0;
        for (const std::uint32_t image : order) {
            first[image] = count;
            count += static_cast<std::uint32_t>(images[image].detections.size());
        }
        entries.resize(count);
        masks.resize(count);
        tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t image) {
            std::uint32_t place = first[image];
            for (const CocoDetection& detection : images[image].detections) {
                entries[place] = {detection.score, place, static_cast<std::uint32_t>(image)};
                masks[place] = {detection.found, detection.counted};
                ++place;
            }
        });
        sort_by_falling_score(entries);
    }
};

using Needs = std::array<std::uint64_t, coco_recalls + 1>;

// The fewest true positives that reach each recall; after the last one a number that is never reached.
Needs true_positives_needed(std::uint64_t faces, ProtocolMode mode) {
    Needs needs{};
    const auto whole = static_cast<double>(faces);
    for (std::size_t k = 0; k < coco_recalls; ++k) {
        needs[k] = (k * faces + 99) / 100;
        if (mode == ProtocolMode::corrected) continue;
        // numpy's linspace and the rounded quotient decide, a step to either side of the exact number at
        // most.
        const double recall = k + 1 == coco_recalls ? 1.0 : static_cast<double>(k) * 0.01;
        const auto reaches = [&](std::uint64_t found) {
            return static_cast<double>(found) / whole >= recall;
        };
        while (needs[k] > 0 && reaches(needs[k] - 1)) --needs[k];
        while (!reaches(needs[k])) ++needs[k];
    }
    needs.back() = std::numeric_limits<std::uint64_t>::max();
    return needs;
}

}  // namespace

// One curve while detections are added.
class CocoCurve::Walk {
  public:
    void start(const Needs& needs) {
        needs_ = &needs;
        found_ = counted_ = judged_ = 0;
        limit_ = 0;
        recall_ = 0;
        best_.fill(0);
        pass_recalls();
    }

    // Whether a set that adds this many holds a place that matters: where a recall is reached, or where
    // precision may exceed the best since the last one. If all true positives came first, it would be (found
    // + more) / (counted + more).
    bool must_visit(std::uint64_t more_found) const {
        const std::uint64_t found = found_ + more_found;
        return found >= next_need_ ||
               static_cast<double>(found) > limit_ * static_cast<double>(counted_ + more_found);
    }

    void pass(std::uint64_t more_found, std::uint64_t more_counted) {
        found_ += more_found;
        counted_ += more_counted;
    }

    // Goes through a set one by one. \param points where the curve has points.
    void visit(std::uint64_t found, std::uint64_t counted, std::uint64_t points, const std::uint16_t* weights,
               double epsilon) {
        for (std::uint64_t left = counted | points; left != 0; left &= left - 1) {
            const int k = std::countr_zero(left);
            const std::uint64_t bit = left & (~left + 1);
            if ((counted & bit) != 0) counted_ += weights[k];
            if ((found & bit) != 0) found_ += weights[k];
            // Between two places where faces are found, precision only falls.
            if ((points & bit) == 0 || found_ == judged_) continue;
            judged_ = found_;
            if (found_ >= next_need_) pass_recalls();
            const double precision = static_cast<double>(found_) / (static_cast<double>(counted_) + epsilon);
            best_[recall_] = std::max(best_[recall_], precision);
        }
        if (found_ >= next_need_) pass_recalls();
        limit_ = best_[recall_] * (1 - 1e-12);  // a little less: must_visit() rounds
    }

    // From the highest recall down, where the envelope is a running maximum.
    void finish(std::span<double> precision) const {
        double envelope = 0;
        for (std::size_t k = coco_recalls; k-- > 0;) {
            envelope = std::max(envelope, best_[k]);
            precision[k] = envelope;
        }
    }

    std::uint64_t found() const { return found_; }

  private:
    void pass_recalls() {
        while (found_ >= (*needs_)[recall_ + 1]) ++recall_;
        next_need_ = (*needs_)[recall_ + 1];
    }

    std::uint64_t found_ = 0;
    std::uint64_t counted_ = 0;
    std::uint64_t judged_ = 0;  // true positives at the last point looked at
    std::uint64_t next_need_ = 0;
    double limit_ = 0;
    std::size_t recall_ = 0;  // the last recall reached
    const Needs* needs_ = nullptr;
    std::array<double, coco_recalls> best_{};  // largest precision between this recall and the next
};

CocoCurve::CocoCurve(std::span<const CocoImage> images, std::span<const std::uint32_t> order,
                     ProtocolMode mode)
    : mode_(mode) {
    faces_.reserve(images.size());
    for (const CocoImage& image : images) faces_.push_back(image.faces);
    const AllDetections all(images, order);
    const std::vector<Entry>& entries = all.entries;
    const std::size_t blocks = (entries.size() + block_ - 1) / block_;
    image_of_.assign(blocks * block_, 0);
    bits_.assign(blocks * sets_, 0);
    if (mode_ == ProtocolMode::corrected) ends_.assign(blocks, 0);
    // A detection that counts at every threshold, as most do, is noted once for all of them.
    constexpr std::uint16_t every_threshold = (1u << coco_thresholds) - 1;
    const auto add = [&](std::size_t i, std::array<std::uint64_t, coco_areas>& every) {
        const Entry& entry = entries[i];
        const Masks& masks = all.masks[entry.place];
        const std::uint32_t rank = entry.place - all.first[entry.image];  // in its image
        const std::uint64_t bit = std::uint64_t{1} << (i % block_);
        std::uint64_t* const sets = &bits_[i / block_ * sets_];
        image_of_[i] = entry.image;
        const auto set = [&](std::size_t first, std::uint16_t thresholds) {
            for (unsigned left = thresholds; left != 0; left &= left - 1) {
                sets[first + static_cast<std::size_t>(std::countr_zero(left))] |= bit;
            }
        };
        for (std::size_t a = 0; a < coco_areas; ++a) {
            set(first_found + a * coco_thresholds, masks.found[a]);
            if (masks.counted[a] == every_threshold) {
                every[a] |= bit;
            } else {
                set(first_counted + a * coco_thresholds, masks.counted[a]);
            }
        }
        if (rank < 1) set(first_found_of_1, masks.found[0]);
        if (rank < 10) set(first_found_of_10, masks.found[0]);
        const bool ends_score = i + 1 == entries.size() || entries[i + 1].score != entry.score;
        if (mode_ == ProtocolMode::corrected && ends_score) ends_[i / block_] |= bit;
    };
    tbb::parallel_for(std::size_t{0}, blocks, [&](std::size_t block) {
        const std::size_t end = std::min(entries.size(), (block + 1) * block_);
        std::array<std::uint64_t, coco_areas> every{};
        for (std::size_t i = block * block_; i < end; ++i) add(i, every);
        for (std::size_t i = 0; i < coco_areas * coco_thresholds; ++i)
            bits_[block * sets_ + first_counted + i] |= every[i / coco_thresholds];
    });
}

void CocoCurve::evaluate(Weights weights, CocoCurves& curves) const {
    curves.faces.fill(0);
    for (std::size_t i = 0; i < faces_.size(); ++i) {
        for (std::size_t a = 0; a < coco_areas; ++a) {
            curves.faces[a] += std::uint64_t{weights[i]} * faces_[i][a];
        }
    }
    const std::uint16_t largest =
        weights.empty() ? std::uint16_t{0} : *std::max_element(weights.begin(), weights.end());
    const auto weight_width = static_cast<std::size_t>(std::bit_width(largest));
    // pycocotools adds numpy's spacing of 1 to the denominator, which shows where one detection counts.
    const double epsilon = mode_ == ProtocolMode::strict ? std::numeric_limits<double>::epsilon() : 0;

    std::array<Needs, coco_areas> needs;
    thread_local std::array<Walk, curves_> walks;
    for (std::size_t a = 0; a < coco_areas; ++a) {
        needs[a] = true_positives_needed(std::max<std::uint64_t>(1, curves.faces[a]), mode_);
        for (std::size_t t = 0; t < coco_thresholds; ++t) walks[a * coco_thresholds + t].start(needs[a]);
    }
    std::array<std::uint64_t, 2 * coco_thresholds> found_of_few{};
    std::array<std::uint64_t, sets_> sums;
    std::array<std::uint16_t, block_> block_weights;
    std::array<std::uint64_t, 16> weight_bits;
    for (std::size_t block = 0; block * block_ < image_of_.size(); ++block) {
        const std::uint32_t* const images = &image_of_[block * block_];
        for (std::size_t k = 0; k < block_; ++k) block_weights[k] = weights[images[k]];
        for (std::size_t p = 0; p < weight_width; ++p) {
            std::uint64_t bits = 0;
            for (std::size_t k = 0; k < block_; ++k) bits |= std::uint64_t{block_weights[k] >> p & 1u} << k;
            weight_bits[p] = bits;
        }
        const std::span<const std::uint64_t> sets(&bits_[block * sets_], sets_);
        weighted_sums(sets, std::span(weight_bits).first(weight_width), sums);
        for (std::size_t c = 0; c < curves_; ++c) {
            if (walks[c].must_visit(sums[first_found + c])) {
                const std::uint64_t found = sets[first_found + c];
                const std::uint64_t points = ends_.empty() ? found : ends_[block];
                walks[c].visit(found, sets[first_counted + c], points, block_weights.data(), epsilon);
            } else {
                walks[c].pass(sums[first_found + c], sums[first_counted + c]);
            }
        }
        for (std::size_t i = 0; i < found_of_few.size(); ++i) found_of_few[i] += sums[first_found_of_1 + i];
    }

    const auto recall = [&](std::uint64_t found, std::size_t area) {
        return static_cast<double>(found) / static_cast<double>(curves.faces[area]);
    };
    for (std::size_t t = 0; t < coco_thresholds; ++t) {
        for (std::size_t a = 0; a < coco_areas; ++a) {
            const Walk& walk = walks[a * coco_thresholds + t];
            walk.finish(std::span(curves.precision[a]).subspan(t * coco_recalls, coco_recalls));
            curves.recall[a][t] = recall(walk.found(), a);
        }
        curves.recall_of_1[t] = recall(found_of_few[t], 0);
        curves.recall_of_10[t] = recall(found_of_few[coco_thresholds + t], 0);
    }
}

}  // namespace fovea
