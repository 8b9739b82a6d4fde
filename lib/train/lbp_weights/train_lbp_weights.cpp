#include "lib/train/lbp_weights/train_lbp_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <stdexcept>

#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/recognise/lbp_config.hpp"
#include "lib/train/lbp_weights/logistic_weights.hpp"
#include "lib/train/lbp_weights/ranked_weights.hpp"
#include "lib/train/lbp_weights/subject_rates.hpp"

namespace fovea {
namespace {

constexpr std::array methods{
    std::pair{WeightMethod::logistic, "logistic"},
    std::pair{WeightMethod::rank, "rank"},
};

constexpr double weight_unit = 256;
constexpr double max_weight = 255;

void scale(std::vector<double>& weights, double factor) {
    for (double& weight : weights) weight *= factor;
}

// Makes weights such as recognisers hold: multiples of 1/256 up to 255. Sets that stand for one unit of
// distance stay so.
void make_storable(RegionWeights& weights) {
    double largest = *std::max_element(weights.weights.begin(), weights.weights.end());
    for (const std::vector<double>& fold : weights.folds.weights) {
        largest = std::max(largest, *std::max_element(fold.begin(), fold.end()));
    }
    const double factor = std::min(1.0, max_weight / largest);
    const auto finish = [&](std::vector<double>& set) {
        for (double& weight : set) weight = std::round(factor * weight * weight_unit) / weight_unit;
    };
    finish(weights.weights);
    for (std::vector<double>& fold : weights.folds.weights) finish(fold);
    weights.folds.threshold *= factor;
}

double share_of(std::size_t part, std::size_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
}

class WeightTrainer {
  public:
    WeightTrainer(const WeightTraining& training, const JobHooks& hooks)
        : training_(training),
          dataset_(*training.dataset),
          config_(training.recogniser->config()),
          hooks_(hooks),
          layout_(histogram_layout(config_)),
          ones_(layout_.blocks.size(), 1.0) {
        check();
    }

    WeightTrainingResult run() {
        if (!describe()) return std::move(outcome_);
        hooks_.begin_stage("learning weights");
        ThreadLimit limit(training_.threads);
        limit.run([&] {
            if (dataset_.pairs.empty()) {
                learn_from_subjects();
            } else {
                learn_from_pairs();
            }
        });
        outcome_.weights.fingerprint = feature_fingerprint(config_);
        return std::move(outcome_);
    }

  private:
    void check() const {
        if (!is_sum_over_regions(config_.distance)) {
            throw UsageError(
                "weights are learned for distances that are sums over regions: chi-square, intersection or "
                "l1; the recogniser " +
                config_.name + " has " + to_string(config_.distance));
        }
        if (!dataset_.pairs.empty()) {
            for (const int fold : training_.folds) {
                const bool there = std::any_of(dataset_.pairs.begin(), dataset_.pairs.end(),
                                               [&](const ImagePair& pair) { return pair.fold == fold; });
                if (there) continue;
                throw UsageError(
                    fmt::format("there is no fold {} among the pairs of {}", fold + 1, dataset_.name));
            }
            return;
        }
        if (training_.method == WeightMethod::logistic) {
            throw UsageError(
                "the dataset " + dataset_.name +
                " has no list of pairs, which the method logistic learns from: use one with pairs, e.g. "
                "lfw:DIR, or the method rank");
        }
        if (!training_.folds.empty()) {
            throw UsageError("the dataset " + dataset_.name +
                             " has no list of pairs, and so no folds to choose");
        }
        const bool subjects = std::any_of(dataset_.samples.begin(), dataset_.samples.end(),
                                          [](const Sample& sample) { return !sample.subject.empty(); });
        if (!subjects) {
            throw UsageError(
                "the dataset " + dataset_.name +
                " names neither pairs nor subjects; weights are learned from one of them, e.g. folder:DIR");
        }
    }

    // False if it was interrupted.
    bool describe() {
        hooks_.begin_stage("describing faces");
        described_ = describe_dataset(dataset_, training_.finder, *training_.recogniser,
                                      {.threads = training_.threads, .hooks = hooks_});
        static_cast<DescribedImages&>(outcome_) = images_of(described_);
        return !outcome_.interrupted;
    }

    const std::uint16_t* face_of(std::size_t sample) const {
        const auto& face = described_.face_of_sample[sample];
        return face ? described_.features.of(*face) : nullptr;
    }

    // --- from pairs ---

    // Distances of the given pairs of the dataset.
    RegionPairs measured(const std::vector<const ImagePair*>& chosen) const {
        RegionPairs pairs;
        pairs.regions = ones_.size();
        pairs.distances.resize(chosen.size() * pairs.regions);
        pairs.same.resize(chosen.size());
        tbb::parallel_for(std::size_t{0}, chosen.size(), [&](std::size_t i) {
            const ImagePair& pair = *chosen[i];
            region_distances(layout_, config_.distance, face_of(pair.first), face_of(pair.second),
                             pairs.distances.data() + i * pairs.regions);
            pairs.same[i] = pair.same ? 1 : 0;
        });
        return pairs;
    }

    static RegionPairs selected(const RegionPairs& all, const std::vector<std::size_t>& which) {
        RegionPairs pairs;
        pairs.regions = all.regions;
        for (const std::size_t i : which) {
            pairs.distances.insert(pairs.distances.end(), all.of(i), all.of(i) + all.regions);
            pairs.same.push_back(all.same[i]);
        }
        return pairs;
    }

    std::vector<double> learned(const RegionPairs& pairs) const {
        if (training_.method == WeightMethod::logistic) return logistic_weights(pairs, training_.ridge);
        return ranked_weights(region_accuracies(pairs), mirrored_regions(config_));
    }

    void learn_from_pairs() {
        std::vector<const ImagePair*> chosen;
        for (const ImagePair& pair : dataset_.pairs) {
            const bool wanted = training_.folds.empty() ||
                                std::count(training_.folds.begin(), training_.folds.end(), pair.fold) > 0;
            if (!wanted) continue;
            if (face_of(pair.first) == nullptr || face_of(pair.second) == nullptr) {
                ++outcome_.pairs_failed;
            } else {
                chosen.push_back(&pair);
            }
        }
        outcome_.pairs = chosen.size();
        if (chosen.empty()) throw Error("no pair has two faces that were found; see the warnings");
        const RegionPairs pairs = measured(chosen);
        outcome_.weights.weights = learned(pairs);
        const BestThreshold best = best_of(pairs, outcome_.weights.weights);
        outcome_.training = {share_of(best_of(pairs, ones_).right, pairs.size()),
                             share_of(best.right, pairs.size())};
        std::set<int> folds;
        for (const ImagePair* pair : chosen) folds.insert(pair->fold);
        outcome_.weights.origin =
            fmt::format("{} on {} of {}{}", description_of_method(), counted(pairs.size(), "pair"),
                        name_without_place(dataset_), names_of(folds));
        if (training_.folds.empty() && folds.size() > 1) learn_folds(chosen, pairs, best.threshold);
        make_storable(outcome_.weights);
        if (!outcome_.weights.folds.empty()) judge_folds(chosen, pairs);
    }

    static BestThreshold best_of(const RegionPairs& pairs, const std::vector<double>& weights) {
        return best_threshold(weighted_distances(pairs, weights), pairs.same);
    }

    void learn_folds(const std::vector<const ImagePair*>& chosen, const RegionPairs& pairs,
                     double threshold) {
        FoldWeights& folds = outcome_.weights.folds;
        folds.threshold = threshold;
        int last = 0;
        for (const ImagePair& pair : dataset_.pairs) last = std::max(last, pair.fold);
        for (int fold = 0; fold <= last; ++fold) {
            const SplitPairs parts = split(chosen, fold);
            outcome_.shared_subjects += parts.shared;
            std::vector<std::string>& keys = folds.subjects.emplace_back();
            for (const std::string& subject : subjects_of(fold)) keys.push_back(subject_key(subject));
            std::sort(keys.begin(), keys.end());
            if (parts.outside.empty()) {
                throw Error(
                    fmt::format("there are no pairs to learn the weights of fold {} from: all others share "
                                "subjects with it",
                                fold + 1));
            }
            const RegionPairs others = selected(pairs, parts.outside);
            folds.weights.push_back(learned(others));
            // Thresholds of all folds become one, so that distances of different folds can be compared.
            const double own = best_of(others, folds.weights.back()).threshold;
            if (own > 0) scale(folds.weights.back(), threshold / own);
        }
    }

    void judge_folds(const std::vector<const ImagePair*>& chosen, const RegionPairs& pairs) {
        const FoldWeights& folds = outcome_.weights.folds;
        WeightFigures sum;
        double judged = 0;
        for (std::size_t fold = 0; fold < folds.weights.size(); ++fold) {
            const SplitPairs parts = split(chosen, static_cast<int>(fold));
            if (parts.inside.empty()) continue;
            const RegionPairs inside = selected(pairs, parts.inside);
            sum.weighted += right_share(inside, folds.weights[fold], folds.threshold);
            sum.all_equal +=
                right_share(inside, ones_, best_of(selected(pairs, parts.outside), ones_).threshold);
            ++judged;
        }
        outcome_.other_folds = WeightFigures{sum.all_equal / judged, sum.weighted / judged};
    }

    struct SplitPairs {
        std::vector<std::size_t> inside;   // a fold's own, by their place among the chosen
        std::vector<std::size_t> outside;  // of other folds, without the fold's subjects
        std::size_t shared = 0;            // of other folds, with some of them
    };

    std::set<std::string> subjects_of(int fold) const {
        std::set<std::string> subjects;
        for (const ImagePair& pair : dataset_.pairs) {
            if (pair.fold != fold) continue;
            subjects.insert(dataset_.samples[pair.first].subject);
            subjects.insert(dataset_.samples[pair.second].subject);
        }
        subjects.erase("");
        return subjects;
    }

    SplitPairs split(const std::vector<const ImagePair*>& chosen, int fold) const {
        const std::set<std::string> subjects = subjects_of(fold);
        SplitPairs parts;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const ImagePair& pair = *chosen[i];
            if (pair.fold == fold) {
                parts.inside.push_back(i);
            } else if (subjects.contains(dataset_.samples[pair.first].subject) ||
                       subjects.contains(dataset_.samples[pair.second].subject)) {
                ++parts.shared;
            } else {
                parts.outside.push_back(i);
            }
        }
        return parts;
    }

    static double right_share(const RegionPairs& pairs, const std::vector<double>& weights,
                              double threshold) {
        const std::vector<double> distances = weighted_distances(pairs, weights);
        std::size_t right = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i)
            right += (distances[i] <= threshold) == (pairs.same[i] != 0);
        return share_of(right, pairs.size());
    }

    // --- from subjects ---

    void learn_from_subjects() {
        SubjectFaces faces;
        for (std::size_t i = 0; i < dataset_.samples.size(); ++i) {
            const std::uint16_t* counts = face_of(i);
            if (counts == nullptr || dataset_.samples[i].subject.empty()) continue;
            faces.counts.push_back(counts);
            faces.subjects.push_back(dataset_.samples[i].subject);
        }
        const SubjectRates alone = subject_rates(layout_, config_.distance, faces, {});
        outcome_.weights.weights = ranked_weights(alone.regions, mirrored_regions(config_));
        const std::vector<double>& weights = outcome_.weights.weights;
        const SubjectRates together = subject_rates(layout_, config_.distance, faces, {ones_, weights});
        outcome_.training = {together.weighted[0], together.weighted[1]};
        outcome_.weights.origin = fmt::format("{} on {} of {}", description_of_method(),
                                              counted(alone.probes, "image"), name_without_place(dataset_));
    }

    std::string description_of_method() const {
        if (training_.method == WeightMethod::rank) return "rank";
        return fmt::format("logistic, ridge {},", shortest_number(training_.ridge));
    }

    // ", folds 2, 3"; nothing where there are none to choose from.
    std::string names_of(const std::set<int>& folds) const {
        if (training_.folds.empty()) return {};
        std::string text = folds.size() == 1 ? ", fold" : ", folds";
        for (const int fold : folds) text += (fold == *folds.begin() ? " " : ", ") + std::to_string(fold + 1);
        return text;
    }

    const WeightTraining& training_;
    const Dataset& dataset_;
    const RecogniserConfig& config_;
    const JobHooks& hooks_;
    const HistogramLayout layout_;
    std::vector<double> ones_;
    DescribedDataset described_;
    WeightTrainingResult outcome_;
};

}  // namespace

std::string to_string(WeightMethod method) {
    for (const auto& [value, name] : methods) {
        if (value == method) return name;
    }
    throw std::logic_error("a method has no name");
}

WeightMethod weight_method_from_string(const std::string& name) {
    for (const auto& [value, known] : methods) {
        if (name == known) return value;
    }
    throw UsageError("there is no method '" + name + "': use logistic or rank");
}

WeightTrainingResult train_lbp_weights(const WeightTraining& training, const JobHooks& hooks) {
    const RecogniserConfig& config = training.recogniser->config();
    if (config.features.empty()) {
        throw UsageError("weights are learned for recognisers by local binary patterns; the recogniser " +
                         config.name + " is one by " + config.kind->name);
    }
    return WeightTrainer(training, hooks).run();
}

}  // namespace fovea
