#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include <tbb/parallel_for.h>

#include "lib/core/text.hpp"
#include "lib/evaluate/protocol.hpp"
#include "lib/evaluate/wider_image.hpp"

namespace fovea {
namespace {

constexpr std::size_t most_levels = wider_levels.size();
constexpr int thresholds = 1000;  // of the programs

struct Counts {
    std::int64_t proposals = 0;  // detections that count
    std::int64_t matched = 0;    // faces found

    void add(const Counts& other, std::int64_t weight) {
        proposals += weight * other.proposals;
        matched += weight * other.matched;
    }
};
using LevelCounts = std::array<Counts, most_levels>;

// Area under the monotone precision envelope, walked from the lowest threshold up: `add` with the counts at a threshold
// and those of the next higher one. Where no face is gained, the precision only falls with the threshold, so that
// such a threshold is never on the envelope.
class EnvelopeArea {
  public:
    void add(const Counts& at, const Counts& above) {
        if (at.matched == above.matched) return;
        envelope_ = std::max(envelope_, static_cast<double>(at.matched) / static_cast<double>(at.proposals));
        area_ += envelope_ * static_cast<double>(at.matched - above.matched);
    }
    double average_precision(double faces) const {
        return faces > 0 ? area_ / faces : std::numeric_limits<double>::quiet_NaN();
    }

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
        levels_ = has_levels_ ? most_levels : 1;
        name_statistics();
        std::vector<std::vector<WiderStep>> steps(images.size());
        tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
            steps[i] = match_wider_image(images[i], mode, has_levels_);
            describe(i);
        });
        merge(steps);
    }

    std::size_t units() const override { return image_.size(); }
    const std::vector<Statistic>& statistics() const override { return statistics_; }

    void evaluate(Weights weights, std::span<double> values) const override {
        std::array<double, most_levels> faces{};
        for (std::size_t i = 0; i < image_.size(); ++i) {
            for (std::size_t level = 0; level < levels_; ++level)
                faces[level] += weights[i] * image_[i].faces[level];
        }
        const std::array<EnvelopeArea, most_levels> areas = mode_ == ProtocolMode::corrected
                                                                ? areas_at_every_score(weights)
                                                                : areas_at_fixed_thresholds(weights);
        for (std::size_t level = 0; level < levels_; ++level) {
            values[level] = areas[level].average_precision(faces[level]);
        }
    }

    ImageTrace trace(std::size_t image) const override {
        return trace_wider_image(images_[image], image, match_wider_image(images_[image], mode_, has_levels_),
                                 has_levels_, levels_ - 1);
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
        std::array<int, most_levels> faces{};                     // that count
        LevelCounts counts{};                                     // of all detections
        double lowest = std::numeric_limits<double>::infinity();  // score
        double highest = -std::numeric_limits<double>::infinity();
        bool is_unsorted = false;
        bool drops_detections = false;
    };
    struct Step {
        double score = 0;
        std::uint32_t image = 0;
        bool ends_score = false;
        bool finds = false;                                // a step of this score finds a face at some level
        std::array<std::int8_t, most_levels> proposals{};  // 0 or 1, by level
        std::array<std::int8_t, most_levels> matched{};
    };

    void describe(std::size_t i) {
        ImageFacts& facts = image_[i];
        for (const Face& face : images_[i].sample->faces) {
            for (std::size_t level = 0; level < levels_; ++level) {
                facts.faces[level] += counts_in_wider(face, has_levels_, level) ? 1 : 0;
            }
        }
        const std::vector<Detection>& detections = *images_[i].detections;
        for (std::size_t k = 0; k < detections.size(); ++k) {
            facts.lowest = std::min(facts.lowest, detections[k].score);
            facts.highest = std::max(facts.highest, detections[k].score);
            facts.is_unsorted |= k > 0 && detections[k].score > detections[k - 1].score;
        }
        facts.drops_detections = images_[i].sample->faces.empty() && !detections.empty();
    }

    void merge(const std::vector<std::vector<WiderStep>>& images) {
        for (std::size_t i = 0; i < images.size(); ++i) {
            for (const WiderStep& from : images[i]) {
                Step& step = steps_.emplace_back();
                step.score = from.score;
                step.image = static_cast<std::uint32_t>(i);
                for (std::size_t level = 0; level < levels_; ++level) {
                    step.proposals[level] = from.outcomes[level] == WiderOutcome::ignored ? 0 : 1;
                    step.matched[level] = from.outcomes[level] == WiderOutcome::match ? 1 : 0;
                }
                count(step, 1, image_[i].counts);
            }
        }
        std::stable_sort(steps_.begin(), steps_.end(),
                         [](const Step& a, const Step& b) { return a.score > b.score; });
        bool finds = false;
        for (std::size_t i = 0, first = 0; i < steps_.size(); ++i) {
            finds |= steps_[i].matched != std::array<std::int8_t, most_levels>{};
            steps_[i].ends_score = i + 1 == steps_.size() || steps_[i + 1].score != steps_[i].score;
            if (!steps_[i].ends_score) continue;
            for (; first <= i; ++first) steps_[first].finds = finds;
            finds = false;
        }
    }

    static void count(const Step& step, std::int64_t weight, LevelCounts& counts) {
        for (std::size_t level = 0; level < most_levels; ++level) {
            counts[level].add({step.proposals[level], step.matched[level]}, weight);
        }
    }

    // At the thresholds 1 - k / 1000 (k = 1 ... 1000) of scores scaled by the extremes of the whole set.
    std::array<EnvelopeArea, most_levels> areas_at_fixed_thresholds(Weights weights) const {
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
        std::array<LevelCounts, thresholds + 1> at{};  // at[k]; at[0]: no detection
        LevelCounts now{};
        int k = 1;
        const auto threshold = [](int index) { return 1 - static_cast<double>(index) / thresholds; };
        for (const Step& step : steps_) {
            const std::int64_t weight = weights[step.image];
            if (weight == 0) continue;
            const double scaled =
                (step.score - lowest) / range;  // NaN, below every threshold, if all are alike
            while (k <= thresholds && !(scaled >= threshold(k))) at[static_cast<std::size_t>(k++)] = now;
            if (k > thresholds) break;
            count(step, weight, now);
        }
        while (k <= thresholds) at[static_cast<std::size_t>(k++)] = now;
        std::array<EnvelopeArea, most_levels> areas;
        for (std::size_t i = thresholds; i > 0; --i) {
            for (std::size_t level = 0; level < levels_; ++level)
                areas[level].add(at[i][level], at[i - 1][level]);
        }
        return areas;
    }

    std::array<EnvelopeArea, most_levels> areas_at_every_score(Weights weights) const {
        LevelCounts now{};
        for (std::size_t i = 0; i < image_.size(); ++i) {
            for (std::size_t level = 0; level < levels_; ++level)
                now[level].add(image_[i].counts[level], weights[i]);
        }
        std::array<EnvelopeArea, most_levels> areas;
        for (std::size_t i = steps_.size(); i > 0;) {
            if (!steps_[i - 1].finds) {  // as most are: no threshold of the envelope
                --i;
                const std::int64_t weight = weights[steps_[i].image];
                for (std::size_t level = 0; level < most_levels; ++level) {
                    now[level].proposals -= weight * steps_[i].proposals[level];
                }
                continue;
            }
            LevelCounts above = now;
            do {
                --i;
                count(steps_[i], -std::int64_t{weights[steps_[i].image]}, above);
            } while (i > 0 && !steps_[i - 1].ends_score);
            for (std::size_t level = 0; level < levels_; ++level) areas[level].add(now[level], above[level]);
            now = above;
        }
        return areas;
    }

    void name_statistics() {
        const std::string rest =
            " Detections of other faces are ignored; IoU of at least 0.5; area under the monotone precision "
            "envelope.";
        if (!has_levels_) {
            statistics_.push_back(
                {"ap", "AP", "Average precision over all faces not marked ignore." + rest, true, true});
            return;
        }
        for (const std::string_view level : wider_levels) {
            const std::string name(level);
            statistics_.push_back({name + "_ap", "AP, " + name,
                                   "Average precision over the faces of the " + name + " level." + rest, true,
                                   true});
        }
    }

    const std::vector<ProtocolImage>& images_;
    ProtocolMode mode_;
    bool has_levels_ = false;
    std::size_t levels_ = 1;
    std::vector<ImageFacts> image_;
    std::vector<Step> steps_;  // by falling score
    std::vector<Statistic> statistics_;
};

}  // namespace

std::unique_ptr<ProtocolEvaluation> evaluate_wider(const std::vector<ProtocolImage>& images,
                                                   ProtocolMode mode) {
    return std::make_unique<WiderEvaluation>(images, mode);
}

}  // namespace fovea
