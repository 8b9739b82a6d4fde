#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <mutex>
#include <optional>

#include <tbb/collaborative_call_once.h>
#include <tbb/parallel_for.h>

#include "lib/core/text.hpp"
#include "lib/evaluate/detection/falling_scores.hpp"
#include "lib/evaluate/protocols/protocol.hpp"
#include "lib/evaluate/protocols/wider_image.hpp"
#include "lib/evaluate/statistics/rates.hpp"
#include "lib/evaluate/statistics/score_order.hpp"
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

// The smallest score from `low` to `high` that reaches a threshold, as `reaches` says, which is true from
// some score on; infinity if no score does.
template <class Reaches>
double least_reaching(double low, double high, const Reaches& reaches) {
    // High scores give no number where the extremes are so far apart that their difference overflows.
    if (reaches(low)) return low;
    if (!reaches(high)) return std::numeric_limits<double>::infinity();
    std::uint64_t first = place_of_double(low);
    std::uint64_t last = place_of_double(high);
    while (first < last) {
        const std::uint64_t middle = first + (last - first) / 2;
        if (reaches(double_at_place(middle))) {
            last = middle;
        } else {
            first = middle + 1;
        }
    }
    return double_at_place(last);
}

// Calls visit(cut, n) for the n scores that reach a cut and not the one before. Scores and cuts fall.
template <class Visit>
void visit_segments(const FallingScores& scores, std::span<const double> cuts, const Visit& visit) {
    std::size_t cut = 0;
    for (std::size_t first = 0, end = 0; first < scores.size(); first = end) {
        while (cut < cuts.size() && !(scores[first] >= cuts[cut])) ++cut;
        if (cut == cuts.size()) return;
        while (end < scores.size() && scores[end] >= cuts[cut]) ++end;
        visit(cut, end - first);
    }
}

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
        tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
            check_finite(*images_[i].sample, images_[i].detections);
            describe(i);
        });
    }

    std::size_t units() const override { return image_.size(); }
    const std::vector<Quantity>& quantities() const override { return quantities_; }

    void evaluate(Weights weights, std::span<double> values) const override {
        std::array<double, max_levels> faces{};
        for (std::size_t i = 0; i < image_.size(); ++i) {
            for (std::size_t level = 0; level < levels_; ++level)
                faces[level] += weights[i] * image_[i].faces[level];
        }
        match_once();
        thread_local std::vector<LevelCounts> gains;  // of each threshold, against the next higher one
        if (mode_ == ProtocolMode::corrected) {
            count_at_finds(weights, gains);
        } else {
            count_at_fixed_thresholds(weights, gains);
        }
        for (std::size_t i = 1; i < gains.size(); ++i) {
            for (std::size_t level = 0; level < levels_; ++level) {
                gains[i][level].proposals += gains[i - 1][level].proposals;
                gains[i][level].matched += gains[i - 1][level].matched;
            }
        }
        for (std::size_t level = 0; level < levels_; ++level) {
            EnvelopeArea area;
            for (std::size_t i = gains.size(); i-- > 0;)
                area.add(gains[i][level], i > 0 ? gains[i - 1][level] : Counts{});
            values[level] = area.average_precision(faces[level]);
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
    /// A detection that is not just a false positive at every level.
    struct Special {
        double score = 0;
        std::uint8_t ignored = 0;  // bit l: at level l
        std::uint8_t matched = 0;
    };
    /// Detections of an image that reach a threshold and not the one before.
    struct Run {
        std::uint32_t threshold = 0;
        std::uint32_t detections = 0;
    };

    /// The outcomes of each image's detections, by falling score.
    struct Matched {
        std::vector<FallingScores> scores;   // where thresholds are fixed
        std::vector<std::vector<Run>> runs;  // where they are the scores that find a face
        std::vector<std::vector<Special>> specials;
        std::size_t finds = 0;                  // such scores
        std::vector<std::uint32_t> special_at;  // thresholds_of_specials() at these
    };

    // Made when numbers are asked for: traces need nothing of it, and are large themselves.
    void match_once() const {
        tbb::collaborative_call_once(is_matched_, [this] {
            matched_.scores.resize(image_.size());
            matched_.specials.resize(image_.size());
            tbb::parallel_for(std::size_t{0}, image_.size(), [this](std::size_t i) { match(i); });
            if (mode_ == ProtocolMode::corrected) place_at_finds();
        });
    }

    void match(std::size_t i) const {
        const std::vector<WiderStep> steps = match_wider_image(images_[i], mode_, has_levels_);
        FallingScores& scores = matched_.scores[i];
        scores.reserve(steps.size());
        for (const WiderStep& step : steps) {
            scores.push_back(step.score);
            Special special{step.score};
            for (std::size_t level = 0; level < levels_; ++level) {
                const auto bit = static_cast<std::uint8_t>(1u << level);
                if (step.outcomes[level] == WiderMatch::ignored) special.ignored |= bit;
                if (step.outcomes[level] == WiderMatch::match) special.matched |= bit;
            }
            if (special.ignored != 0 || special.matched != 0) matched_.specials[i].push_back(special);
        }
        scores.share(images_[i].detections);
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

    // Only where a score finds a face at some level can a threshold be on the envelope.
    void place_at_finds() const {
        std::vector<double> finds;
        for (const std::vector<Special>& specials : matched_.specials) {
            for (const Special& special : specials) {
                if (special.matched != 0) finds.push_back(special.score);
            }
        }
        std::sort(finds.begin(), finds.end(), std::greater<>());
        finds.erase(std::unique(finds.begin(), finds.end()), finds.end());
        matched_.finds = finds.size();
        matched_.runs.resize(image_.size());
        tbb::parallel_for(std::size_t{0}, image_.size(), [&](std::size_t i) {
            visit_segments(matched_.scores[i], finds, [&](std::size_t threshold, std::size_t n) {
                matched_.runs[i].push_back(
                    {static_cast<std::uint32_t>(threshold), static_cast<std::uint32_t>(n)});
            });
            matched_.scores[i] = {};
            matched_.runs[i].shrink_to_fit();
        });
        matched_.special_at = thresholds_of_specials(finds);
    }

    // The thresholds that the specials reach, image after image; `cuts.size()` for those that reach none.
    std::vector<std::uint32_t> thresholds_of_specials(std::span<const double> cuts) const {
        std::vector<std::uint32_t> list;
        for (const std::vector<Special>& specials : matched_.specials) {
            std::size_t cut = 0;
            for (const Special& special : specials) {
                while (cut < cuts.size() && !(special.score >= cuts[cut])) ++cut;
                list.push_back(static_cast<std::uint32_t>(cut));
            }
        }
        return list;
    }

    /// The detections between the thresholds of scores that are scaled by a pair of extremes.
    struct Scaled {
        std::vector<double> cuts;               // the least score that reaches each threshold
        std::vector<std::uint32_t> special_at;  // thresholds_of_specials() of these
        std::optional<SegmentCounts> counts;
    };
    /// Many samples of the images share a pair of extremes.
    struct Extremes {
        double lowest = 0, highest = 0;
        std::size_t meetings = 0;
        std::shared_ptr<const Scaled> scaled;  // made at the second meeting; never changed once it is there
    };
    /// Pairs that are kept: 6 MB each for 3,000 images. Most samples have one of them.
    static constexpr std::size_t max_kept = 12;

    Scaled scaled_by(double lowest, double highest) const {
        Scaled scaled;
        const double range = highest - lowest;
        for (int k = 1; k <= thresholds; ++k) {
            const double threshold = 1 - static_cast<double>(k) / thresholds;
            // NaN, below every threshold, if all are alike.
            scaled.cuts.push_back(least_reaching(
                lowest, highest, [&](double score) { return (score - lowest) / range >= threshold; }));
        }
        scaled.special_at = thresholds_of_specials(scaled.cuts);
        return scaled;
    }

    std::optional<SegmentCounts> counts_between(std::span<const double> cuts) const {
        SegmentCounts counts(cuts.size(), image_.size());
        bool is_made = true;
        for (std::size_t i = 0; i < image_.size(); ++i) {
            visit_segments(matched_.scores[i], cuts,
                           [&](std::size_t cut, std::size_t n) { is_made &= counts.add(cut, i, n); });
        }
        return is_made ? std::optional(std::move(counts)) : std::nullopt;
    }

    // The counts that are kept for a pair of extremes; null if keeping them is not worth it.
    std::shared_ptr<const Scaled> kept_for(double lowest, double highest) const {
        Extremes* extremes = nullptr;
        {
            const std::lock_guard lock(extremes_mutex_);
            const auto known = std::find_if(extremes_.begin(), extremes_.end(), [&](const Extremes& other) {
                return other.lowest == lowest && other.highest == highest;
            });
            extremes = known != extremes_.end()
                           ? &*known
                           : &extremes_.emplace_back(Extremes{lowest, highest, 0, nullptr});
            if (extremes->scaled != nullptr || ++extremes->meetings != 2 || kept_ == max_kept)
                return extremes->scaled;
            ++kept_;
        }
        auto scaled = std::make_shared<Scaled>(scaled_by(lowest, highest));
        scaled->counts = counts_between(scaled->cuts);
        const std::lock_guard lock(extremes_mutex_);
        extremes->scaled = scaled;
        return scaled;
    }

    // At the thresholds 1 - k / 1000 (k = 1 ... 1000) of scores scaled by the extremes of the whole set.
    void count_at_fixed_thresholds(Weights weights, std::vector<LevelCounts>& gains) const {
        // So the programs' searches for the extremes begin.
        const bool is_port = mode_ == ProtocolMode::port;
        double lowest = is_port ? 1 : std::numeric_limits<double>::max();
        double highest = is_port ? 0 : std::numeric_limits<double>::min();
        for (std::size_t i = 0; i < image_.size(); ++i) {
            if (weights[i] == 0) continue;
            lowest = std::min(lowest, image_[i].lowest);
            highest = std::max(highest, image_[i].highest);
        }
        std::shared_ptr<const Scaled> scaled = kept_for(lowest, highest);
        if (scaled == nullptr) scaled = std::make_shared<Scaled>(scaled_by(lowest, highest));
        std::array<std::int64_t, thresholds> proposals{};
        if (!scaled->counts || !scaled->counts->add_up(weights, proposals)) {
            for (std::size_t i = 0; i < image_.size(); ++i) {
                if (weights[i] == 0) continue;
                visit_segments(matched_.scores[i], scaled->cuts, [&](std::size_t cut, std::size_t n) {
                    proposals[cut] += weights[i] * static_cast<std::int64_t>(n);
                });
            }
        }
        fill_gains(weights, proposals, scaled->special_at, gains);
    }

    void count_at_finds(Weights weights, std::vector<LevelCounts>& gains) const {
        thread_local std::vector<std::int64_t> proposals;
        proposals.assign(matched_.finds, 0);
        for (std::size_t i = 0; i < image_.size(); ++i) {
            if (weights[i] == 0) continue;
            for (const Run& run : matched_.runs[i])
                proposals[run.threshold] += std::int64_t{weights[i]} * run.detections;
        }
        fill_gains(weights, proposals, matched_.special_at, gains);
    }

    // \param proposals of each threshold, less those of the next higher one. \param special_at
    // thresholds_of_specials()
    void fill_gains(Weights weights, std::span<const std::int64_t> proposals,
                    std::span<const std::uint32_t> special_at, std::vector<LevelCounts>& gains) const {
        gains.assign(proposals.size(), {});
        for (std::size_t k = 0; k < proposals.size(); ++k) {
            for (Counts& level : gains[k]) level.proposals = proposals[k];
        }
        std::size_t first = 0;
        for (std::size_t i = 0; i < image_.size(); ++i) {
            const std::span<const std::uint32_t> at = special_at.subspan(first, matched_.specials[i].size());
            first += matched_.specials[i].size();
            for (std::size_t k = 0; k < at.size() && weights[i] > 0; ++k) {
                if (at[k] < gains.size()) add_special(matched_.specials[i][k], weights[i], gains[at[k]]);
            }
        }
    }

    // Adds the effect of such a detection, beside that it counts.
    static void add_special(const Special& special, std::int64_t weight, LevelCounts& counts) {
        for (std::size_t level = 0; level < max_levels; ++level) {
            counts[level].proposals -= weight * (special.ignored >> level & 1);
            counts[level].matched += weight * (special.matched >> level & 1);
        }
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
    mutable tbb::collaborative_once_flag is_matched_;
    mutable Matched matched_;  // by match_once()
    mutable std::mutex extremes_mutex_;
    mutable std::list<Extremes> extremes_;
    mutable std::size_t kept_ = 0;
    std::vector<Quantity> quantities_;
};

}  // namespace

std::unique_ptr<ProtocolEvaluation> evaluate_wider(const std::vector<ProtocolImage>& images,
                                                   ProtocolMode mode) {
    return std::make_unique<WiderEvaluation>(images, mode);
}

}  // namespace fovea
