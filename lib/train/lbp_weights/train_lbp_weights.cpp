#include "lib/train/lbp_weights/train_lbp_weights.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/json/names.hpp"
#include "lib/recognise/lbp_config.hpp"
#include "lib/train/data_sources.hpp"
#include "lib/train/lbp_weights/logistic_weights.hpp"
#include "lib/train/lbp_weights/ranked_weights.hpp"
#include "lib/train/lbp_weights/subject_rates.hpp"

namespace fovea {
namespace {

enum class Method { logistic, rank };
constexpr NameTable<Method, 2> methods{{"logistic", "rank"}, "is no method"};

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
    WeightTrainer(const WeightTrainJob& job, const RecogniserTrainingData& data, const JobHooks& hooks)
        : job_(job),
          settings_(job.config),
          data_(data),
          dataset_(data.dataset),
          config_(data.recogniser.config()),
          method_(method_of(job.config, data.dataset)),
          hooks_(hooks),
          layout_(histogram_layout(config_)),
          ones_(layout_.blocks.size(), 1.0) {
        check();
    }

    WeightTrainingResult run() {
        described_ = data_.describe(job_.threads, hooks_, outcome_);
        if (outcome_.interrupted) return std::move(outcome_);
        hooks_.begin_stage("learning weights");
        ThreadLimit limit(job_.threads);
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
    static Method method_of(const WeightTrainConfig& config, const Dataset& dataset) {
        if (!config.method.empty()) return methods.value_of(config.method);
        return dataset.pairs.empty() ? Method::rank : Method::logistic;
    }

    void check() const {
        if (settings_.ridge && method_ == Method::rank)
            throw UsageError("--ridge is for the method logistic");
        if (!is_sum_over_regions(config_.distance)) {
            throw UsageError(
                "weights are learned for distances that are sums over regions: chi-square, intersection or "
                "l1; the recogniser " +
                config_.name + " has " + to_string(config_.distance));
        }
        if (!dataset_.pairs.empty()) {
            for (const int fold : settings_.folds) {
                const bool there = std::any_of(dataset_.pairs.begin(), dataset_.pairs.end(),
                                               [&](const ImagePair& pair) { return pair.fold == fold - 1; });
                if (there) continue;
                throw UsageError(
                    fmt::format("there is no fold {} among the pairs of {}", fold, dataset_.name));
            }
            return;
        }
        if (method_ == Method::logistic) {
            throw UsageError(
                "the dataset " + dataset_.name +
                " has no list of pairs, which the method logistic learns from: use one with pairs, e.g. "
                "lfw:DIR, or the method rank");
        }
        if (!settings_.folds.empty()) {
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
        if (method_ == Method::logistic) return logistic_weights(pairs, ridge());
        return ranked_weights(region_accuracies(pairs), mirrored_regions(config_));
    }

    void learn_from_pairs() {
        std::vector<const ImagePair*> chosen;
        for (const ImagePair& pair : dataset_.pairs) {
            const std::vector<int>& folds = settings_.folds;
            const bool wanted = folds.empty() || std::count(folds.begin(), folds.end(), pair.fold + 1) > 0;
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
        if (settings_.folds.empty() && folds.size() > 1) learn_folds(chosen, pairs, best.threshold);
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

    double ridge() const { return settings_.ridge.value_or(default_ridge); }

    std::string description_of_method() const {
        if (method_ == Method::rank) return "rank";
        return fmt::format("logistic, ridge {},", shortest_number(ridge()));
    }

    // ", folds 2, 3"; nothing where there are none to choose from.
    std::string names_of(const std::set<int>& folds) const {
        if (settings_.folds.empty()) return {};
        std::string text = folds.size() == 1 ? ", fold" : ", folds";
        for (const int fold : folds) text += (fold == *folds.begin() ? " " : ", ") + std::to_string(fold + 1);
        return text;
    }

    const WeightTrainJob& job_;
    const WeightTrainConfig& settings_;
    const RecogniserTrainingData& data_;
    const Dataset& dataset_;
    const RecogniserConfig& config_;
    const Method method_;
    const JobHooks& hooks_;
    const HistogramLayout layout_;
    std::vector<double> ones_;
    DescribedDataset described_;
    WeightTrainingResult outcome_;
};

}  // namespace

void describe(FieldVisitor& visitor, WeightTrainConfig& config) {
    describe(visitor, config,
             {"Dataset with pairs or subjects, FORMAT:PATH or a path",
              "Recogniser to learn weights for: a name or a file"});
    visitor.value(
        {.key = "method",
         .flag = {.name = "--method",
                  .type = "logistic|rank",
                  .group = "Training",
                  .help = "logistic (default for datasets with pairs) or rank (default for others)"},
         .check =
             [](const std::string& name) {
                 if (!name.empty()) methods.value_of(name);
             }},
        &config.method);
    visitor.value({.key = "folds",
                   .range = {.min = 1, .expected = "the number of a fold, which counts from 1"},
                   .flag = advanced({.name = "--folds",
                                     .type = "N,N...",
                                     .help = "Learn from the pairs of these folds only, counted from 1"})},
                  &config.folds);
    visitor.value({.key = "ridge",
                   .range = {.min = 1e-9, .max = 1e9, .expected = "between 1e-9 and 1e9"},
                   .flag = advanced({.name = "--ridge",
                                     .type = "R",
                                     .help = fmt::format(
                                         "How strongly logistic weights are drawn towards 0, and so together "
                                         "(default {})",
                                         default_ridge)})},
                  &config.ridge);
}

void validate_weight_train_config(const WeightTrainConfig& config) {
    require_dataset(config.dataset, "pairs or subjects");
    check_config("", config);
}

WeightTrainingResult train_lbp_weights(const WeightTrainJob& job, const JobHooks& hooks) {
    const RecogniserTrainingData data(job.config, load_unweighted_recogniser(job.config.recogniser), job);
    const RecogniserConfig& config = data.recogniser.config();
    if (config.features.empty()) {
        throw UsageError("weights are learned for recognisers by local binary patterns; the recogniser " +
                         config.name + " is one by " + config.kind->name);
    }
    WeightTrainingResult outcome = WeightTrainer(job, data, hooks).run();
    if (!outcome.interrupted)
        publish_product(job, indented_text(json_of(outcome.weights)) + "\n", data.inputs);
    return outcome;
}

}  // namespace fovea
