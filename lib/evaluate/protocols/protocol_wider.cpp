#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include <tbb/parallel_for.h>
#include <tbb/parallel_sort.h>

#include "lib/core/text.hpp"
#include "lib/evaluate/protocols/protocol.hpp"
#include "lib/evaluate/protocols/wider_image.hpp"
#include "lib/evaluate/statistics/rates.hpp"
#include "lib/evaluate/statistics/segment_counts.hpp"

namespace fovea {
namespace {

constexpr std::size_t max_levels = wider_levels.size();
constexpr int thresholds = 1000;  // of the programs

struct Counts {
    std::int64_t proposals = 0;  // detections that count
    std::int64_t matched = 0;    // faces found
};
using LevelCounts = std::array<Counts, max_levels>;

// Area under the monotone precision envelope, walked from the lowest threshold up: `add` with the counts at a
// threshold and those of the next higher one. The precision only falls with the threshold where no face is
// gained, so that such a threshold is never on the envelope.
class EnvelopeArea {
  public:
    void add(const Counts& at, const Counts& above) {
        if (at.matched == above.matched) return;
        envelope_ = std::max(envelope_, static_cast<double>(at.matched) / static_cast<double>(at.proposals));
        area_ += envelope_ * static_cast<double>(at.matched - above.matched);
    }
    double average_precision(double faces) const { return defined_rate(area_, faces); }

  private:
    double envelope_ = 0;
    double area_ = 0;
};

// WIDER FACE. Its main setting, for trace(), is the hard level, or all faces where there are no levels.
class WiderEvaluation : public ProtocolEvaluation {
  public:
    WiderEvaluation(const std::vector<ProtocolImage>& images, ProtocolMode mode)
        : images_(images), mode_(mode), image_(images.size()) {
        for (const ProtocolImage& image : images) {
            has_levels_ |=
                std::any_of(image.sample->faces.begin(), image.sample->faces.end(), has_wider_level);
        }
        levels_ = has_levels_ ? max_levels : 1;
        name_statistics();
        std::vector<std::vector<Step>> steps(images.size());
        tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
            steps[i] = steps_of_image(i);
            describe(i);
        });
        merge(steps);
    }

    std::size_t units() const override { return image_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }

    void evaluate(Weights weights, std::span<double> values) const override {
        std::array<double, max_levels> faces{};
        for (std::size_t i = 0; i < image_.size(); ++i) {
            for (std::size_t level = 0; level < levels_; ++level)
                faces[level] += weights[i] * image_[i].faces[level];
        }
        const std::array<EnvelopeArea, max_levels> areas = mode_ == ProtocolMode::corrected
                                                               ? areas_at_every_score(weights)
                                                               : areas_at_fixed_thresholds(weights);
        for (std::size_t level = 0; level < levels_; ++level) {
            values[level] = areas[level].average_precision(faces[level]);
        }
    }

    bool counts(const Face& face) const override { return counts_in_wider(face, has_levels_, levels_ - 1); }

    ImageTrace trace(std::size_t image) const override {
        return trace_wider_image(images_[image], image, match_wider_image(images_[image], mode_, has_levels_),
                                 levels_ - 1);
    }

    std::vector<std::string> warnings() const override {
        std::vector<std::string> list;
        if (!has_levels_) {
            list.push_back(
                "The dataset has no lists of easy, medium and hard faces: the average precision is over all "
                "faces, and published ones are not. Name the folder of wider_easy_val.mat, "
                "wider_medium_val.mat and wider_hard_val.mat: wider:LIST,mat=DIR.");
        }
        if (mode_ == ProtocolMode::corrected) return list;
        const auto images_with = [&](bool ImageFacts::*fact) {
            return static_cast<std::size_t>(
                std::count_if(image_.begin(), image_.end(), [fact](const ImageFacts& f) { return f.*fact; }));
        };
        if (const std::size_t n = images_with(&ImageFacts::is_unsorted);
            n > 0 && mode_ == ProtocolMode::port) {
            list.push_back(
                "The detections of " + counted(n, "image") +
                " are not sorted by falling score, on which WIDER FACE's Python port relies: its average "
                "precision depends on their order.");
        }
        if (const std::size_t n = images_with(&ImageFacts::drops_detections); n > 0) {
            list.push_back("WIDER FACE's programs skip images without faces: the detections in " +
                           counted(n, "such image") + " count nothing in the modes strict and port.");
        }
        return list;
    }

  private:
    struct ImageFacts {
        std::array<int, max_levels> faces{};                      // that count
        double lowest = std::numeric_limits<double>::infinity();  // score
        double highest = -std::numeric_limits<double>::infinity();
        bool is_unsorted = false;
        bool drops_detections = false;
    };
    /// A detection: its image, and what it does at the levels where it is not just a false positive.
    struct Step {
        double score = 0;
        std::uint32_t image = 0;
        std::uint8_t ignored = 0;  // bit l: at level l
        std::uint8_t matched = 0;
    };
    /// The steps' images and, in the low bits, what they do.
    static constexpr unsigned level_bits = (1u << max_levels) - 1;
    static std::uint32_t code_of(const Step& step) {
        return step.image << (2 * max_levels) | static_cast<std::uint32_t>(step.ignored) << max_levels |
               step.matched;
    }

    std::vector<Step> steps_of_image(std::size_t i) {
        std::vector<Step> steps;
        const std::vector<WiderStep> matched = match_wider_image(images_[i], mode_, has_levels_);
        steps.reserve(matched.size());
        for (const WiderStep& from : matched) {
            Step step{from.score, static_cast<std::uint32_t>(i)};
            for (std::size_t level = 0; level < levels_; ++level) {
                const auto bit = static_cast<std::uint8_t>(1u << level);
                if (from.outcomes[level] == WiderMatch::ignored) step.ignored |= bit;
                if (from.outcomes[level] == WiderMatch::match) step.matched |= bit;
            }
            steps.push_back(step);
        }
        return steps;
    }

    void describe(std::size_t i) {
        ImageFacts& facts = image_[i];
        for (const Face& face : images_[i].sample->faces) {
            for (std::size_t level = 0; level < levels_; ++level) {
                facts.faces[level] += counts_in_wider(face, has_levels_, level) ? 1 : 0;
            }
        }
        const std::span<const Detection> detections = images_[i].detections;
        for (std::size_t k = 0; k < detections.size(); ++k) {
            facts.lowest = std::min(facts.lowest, detections[k].score);
            facts.highest = std::max(facts.highest, detections[k].score);
            facts.is_unsorted |= k > 0 && detections[k].score > detections[k - 1].score;
        }
        facts.drops_detections = images_[i].sample->faces.empty() && !detections.empty();
    }

    void merge(std::vector<std::vector<Step>>& images) {
        std::size_t count = 0;
        for (const std::vector<Step>& steps : images) count += steps.size();
        std::vector<Step> all;
        all.reserve(count);
        for (std::vector<Step>& steps : images) {
            all.insert(all.end(), steps.begin(), steps.end());
            steps = {};
        }
        // Scores count as a whole: the order of equal ones does not matter.
        tbb::parallel_sort(all.begin(), all.end(),
                           [](const Step& a, const Step& b) { return a.score > b.score; });
        scores_.reserve(count);
        codes_.reserve(count);
        for (const Step& step : all) {
            scores_.push_back(step.score);
            if (is_special(code_of(step))) specials_.push_back(static_cast<std::uint32_t>(codes_.size()));
            codes_.push_back(code_of(step));
        }
        for (std::size_t first = 0, end = 0; first < count; first = end) {
            bool finds = false;
            for (; end < count && scores_[end] == scores_[first]; ++end) finds |= all[end].matched != 0;
            if (finds) finds_.push_back({first, end});
        }
    }

    // Adds the steps [first, end). Most are false positives at every level.
    void add_steps(std::size_t first, std::size_t end, Weights weights, LevelCounts& counts) const {
        std::int64_t all = 0;
        for (std::size_t i = first; i < end; ++i) {
            const std::uint32_t code = codes_[i];
            const std::int64_t weight = weights[code >> (2 * max_levels)];
            all += weight;
            if (is_special(code)) add_special(code, weights, counts);
        }
        for (Counts& level : counts) level.proposals += all;
    }

    // A step that is not just a false positive at every level.
    static bool is_special(std::uint32_t code) { return (code & ((1U << (2 * max_levels)) - 1)) != 0; }

    // Adds what such a step does, beside that it counts.
    static void add_special(std::uint32_t code, Weights weights, LevelCounts& counts) {
        const std::int64_t weight = weights[code >> (2 * max_levels)];
        const unsigned ignored = code >> max_levels & level_bits;
        const unsigned matched = code & level_bits;
        for (std::size_t level = 0; level < max_levels; ++level) {
            counts[level].proposals -= weight * (ignored >> level & 1);
            counts[level].matched += weight * (matched >> level & 1);
        }
    }

    /// Scores that are scaled by one pair of extremes, as many samples of the images share it.
    struct ScaledScores {
        double lowest = 0, highest = 0;
        std::size_t meetings = 0;
        /// Made at the second meeting; never changed once it is there.
        std::shared_ptr<const std::optional<SegmentCounts>> counts;
    };
    /// Pairs whose counts are kept: 6 MB each for 3,000 images. Most samples have one of them.
    static constexpr std::size_t max_kept = 12;

    // The ends of the steps that reach each threshold.
    std::array<std::size_t, thresholds> ends_at(double lowest, double range) const {
        std::array<std::size_t, thresholds> ends{};
        auto reached = scores_.begin();
        for (int k = 1; k <= thresholds; ++k) {
            const double threshold = 1 - static_cast<double>(k) / thresholds;
            // NaN, below every threshold, if all are alike.
            reached = std::partition_point(
                reached, scores_.end(), [&](double score) { return (score - lowest) / range >= threshold; });
            ends[static_cast<std::size_t>(k - 1)] = static_cast<std::size_t>(reached - scores_.begin());
        }
        return ends;
    }

    // The counts for a pair of extremes; none if it is not worth it.
    std::shared_ptr<const std::optional<SegmentCounts>> counts_for(
        double lowest, double highest, const std::array<std::size_t, thresholds>& ends) const {
        ScaledScores* scaled = nullptr;
        {
            const std::lock_guard lock(scaled_mutex_);
            const auto known = std::find_if(scaled_.begin(), scaled_.end(), [&](const ScaledScores& other) {
                return other.lowest == lowest && other.highest == highest;
            });
            scaled = known != scaled_.end()
                         ? &*known
                         : &scaled_.emplace_back(ScaledScores{lowest, highest, 0, nullptr});
            if (scaled->counts != nullptr || ++scaled->meetings != 2 || kept_ == max_kept)
                return scaled->counts;
            ++kept_;
        }
        const auto image_of = [&](std::size_t step) { return codes_[step] >> (2 * max_levels); };
        auto counts = std::make_shared<const std::optional<SegmentCounts>>(
            SegmentCounts::make(image_of, ends, image_.size()));
        const std::lock_guard lock(scaled_mutex_);
        scaled->counts = counts;
        return counts;
    }

    // At the thresholds 1 - k / 1000 (k = 1 ... 1000) of scores scaled by the extremes of the whole set.
    std::array<EnvelopeArea, max_levels> areas_at_fixed_thresholds(Weights weights) const {
        // So the programs' searches for the extremes begin.
        const bool is_port = mode_ == ProtocolMode::port;
        double lowest = is_port ? 1 : std::numeric_limits<double>::max();
        double highest = is_port ? 0 : std::numeric_limits<double>::min();
        for (std::size_t i = 0; i < image_.size(); ++i) {
            if (weights[i] == 0) continue;
            lowest = std::min(lowest, image_[i].lowest);
            highest = std::max(highest, image_[i].highest);
        }
        const double range = highest - lowest;
        const std::array<std::size_t, thresholds> ends = ends_at(lowest, range);
        const auto counts = counts_for(lowest, highest, ends);
        std::array<std::int64_t, thresholds> proposals{};
        const bool are_counted =
            counts != nullptr && counts->has_value() && (*counts)->add_up(weights, proposals);
        std::array<LevelCounts, thresholds + 1> at{};  // at[k]; at[0]: no detection
        LevelCounts now{};
        auto special = specials_.begin();
        for (std::size_t k = 1; k <= thresholds; ++k) {
            const std::size_t end = ends[k - 1];
            if (are_counted) {
                for (; special != specials_.end() && *special < end; ++special)
                    add_special(codes_[*special], weights, now);
                for (Counts& level : now) level.proposals += proposals[k - 1];
            } else {
                add_steps(k > 1 ? ends[k - 2] : 0, end, weights, now);
            }
            at[k] = now;
        }
        std::array<EnvelopeArea, max_levels> areas;
        for (std::size_t i = thresholds; i > 0; --i) {
            for (std::size_t level = 0; level < levels_; ++level)
                areas[level].add(at[i][level], at[i - 1][level]);
        }
        return areas;
    }

    // Only where a score finds a face at some level can a threshold be on the envelope.
    std::array<EnvelopeArea, max_levels> areas_at_every_score(Weights weights) const {
        thread_local std::vector<std::array<LevelCounts, 2>>
            at;  // before and with each score that finds a face
        at.clear();
        LevelCounts now{};
        std::size_t reached = 0;
        for (const Range& score : finds_) {
            add_steps(reached, score.first, weights, now);
            const LevelCounts above = now;
            add_steps(score.first, score.end, weights, now);
            at.push_back({above, now});
            reached = score.end;
        }
        std::array<EnvelopeArea, max_levels> areas;
        for (std::size_t i = at.size(); i-- > 0;) {
            for (std::size_t level = 0; level < levels_; ++level)
                areas[level].add(at[i][1][level], at[i][0][level]);
        }
        return areas;
    }

    void name_statistics() {
        const std::string rest =
            " Detections of other faces are ignored; IoU of at least 0.5; area under the monotone precision "
            "envelope.";
        if (!has_levels_) {
            quantities_.push_back({"ap", "AP", "Average precision over all faces not marked ignore." + rest,
                                   Better::higher, Unit::share});
            return;
        }
        for (const std::string_view level : wider_levels) {
            const std::string name(level);
            quantities_.push_back({name + "_ap", "AP, " + name,
                                   "Average precision over the faces of the " + name + " level." + rest,
                                   Better::higher, Unit::share});
        }
    }

    const std::vector<ProtocolImage>& images_;
    ProtocolMode mode_;
    bool has_levels_ = false;
    std::size_t levels_ = 1;
    std::vector<ImageFacts> image_;
    struct Range {
        std::size_t first = 0;
        std::size_t end = 0;
    };
    // All steps by falling score, and which of them have a score at which one finds a face.
    std::vector<double> scores_;
    std::vector<std::uint32_t> codes_;
    std::vector<std::uint32_t> specials_;  // those of is_special(), by falling score
    std::vector<Range> finds_;
    mutable std::mutex scaled_mutex_;
    mutable std::list<ScaledScores> scaled_;
    mutable std::size_t kept_ = 0;
    std::vector<Quantity> quantities_;
};

}  // namespace

std::unique_ptr<ProtocolEvaluation> evaluate_wider(const std::vector<ProtocolImage>& images,
                                                   ProtocolMode mode) {
    return std::make_unique<WiderEvaluation>(images, mode);
}

}  // namespace fovea
