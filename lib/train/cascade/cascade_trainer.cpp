#include "lib/train/cascade/cascade_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "kernels/core/stopwatch.hpp"
#include "lib/json/field_json.hpp"
#include "lib/train/counter_random.hpp"

namespace fovea {
namespace {

/// OpenCV lowers the thresholds by this much when it reads a cascade.
constexpr float threshold_slack = 1e-5F;

std::size_t bytes_of(Size window) {
    return static_cast<std::size_t>(window.width) * static_cast<std::size_t>(window.height);
}

WindowFeatures features_of(const Cascade& cascade) {
    return {cascade.feature, cascade.window, cascade.haar_features, cascade.lbp_features};
}

BoostedTree tree_of(const Cascade& cascade, const CascadeTree& tree) {
    BoostedTree result;
    for (int n = 0; n < tree.node_count; ++n)
        result.nodes.push_back(cascade.nodes[static_cast<std::size_t>(tree.first_node + n)]);
    for (int l = 0; l <= tree.node_count; ++l)
        result.leaves.push_back(cascade.leaves[static_cast<std::size_t>(tree.first_leaf + l)]);
    return result;
}

/// Adds trees of the pool to a cascade, which holds the features that it uses alone.
class CascadeBuilder {
  public:
    CascadeBuilder(const WindowFeatures& pool, Cascade cascade) : pool_(pool), cascade_(std::move(cascade)) {
        cascade_.feature = pool.kind;
        cascade_.window = pool.window;
        find_numbers();
    }

    void add_stage(const std::vector<BoostedTree>& trees, float threshold) {
        cascade_.stages.push_back(
            {static_cast<int>(cascade_.trees.size()), static_cast<int>(trees.size()), threshold});
        for (const BoostedTree& tree : trees) {
            cascade_.trees.push_back({static_cast<int>(cascade_.nodes.size()),
                                      static_cast<int>(tree.nodes.size()),
                                      static_cast<int>(cascade_.leaves.size())});
            cascade_.stumps_only = cascade_.stumps_only && tree.nodes.size() == 1;
            for (CascadeNode node : tree.nodes) {
                node.feature = number_of(node.feature);
                cascade_.nodes.push_back(node);
            }
            cascade_.leaves.insert(cascade_.leaves.end(), tree.leaves.begin(), tree.leaves.end());
        }
    }

    const Cascade& cascade() const { return cascade_; }

  private:
    using Key = std::vector<int>;

    static void add_rect(Key& key, const Rect& rect) {
        key.insert(key.end(), {rect.x, rect.y, rect.width, rect.height});
    }
    static Key key_of(const HaarFeature& feature) {
        Key key{feature.tilted ? 1 : 0};
        for (std::size_t r = 0; r < feature.rects.size(); ++r) {
            if (feature.weights[r] != 0) add_rect(key, feature.rects[r]);
        }
        return key;
    }
    static Key key_of(const LbpFeature& feature) {
        Key key;
        add_rect(key, feature.cell);
        return key;
    }

    /// Those of the features that a cascade to go on from has already.
    void find_numbers() {
        std::map<Key, int> own;
        for (const HaarFeature& feature : cascade_.haar_features)
            own.emplace(key_of(feature), static_cast<int>(own.size()));
        for (const LbpFeature& feature : cascade_.lbp_features)
            own.emplace(key_of(feature), static_cast<int>(own.size()));
        if (own.empty()) return;
        for (std::size_t i = 0; i < pool_.size(); ++i) {
            const auto found =
                own.find(pool_.kind == Cascade::Feature::haar ? key_of(pool_.haar[i]) : key_of(pool_.lbp[i]));
            if (found != own.end()) numbers_.emplace(static_cast<int>(i), found->second);
        }
    }

    int number_of(int feature) {
        const auto [entry, is_new] = numbers_.emplace(feature, 0);
        if (!is_new) return entry->second;
        const auto place = static_cast<std::size_t>(feature);
        if (pool_.kind == Cascade::Feature::haar) {
            entry->second = static_cast<int>(cascade_.haar_features.size());
            cascade_.haar_features.push_back(pool_.haar[place]);
            cascade_.has_tilted = cascade_.has_tilted || pool_.haar[place].tilted;
        } else {
            entry->second = static_cast<int>(cascade_.lbp_features.size());
            cascade_.lbp_features.push_back(pool_.lbp[place]);
        }
        return entry->second;
    }

    const WindowFeatures& pool_;
    Cascade cascade_;
    std::map<int, int> numbers_;  // from the pool's features to the cascade's
};

void append(std::vector<std::uint8_t>& to, std::span<const std::uint8_t> from) {
    to.insert(to.end(), from.begin(), from.end());
}

std::vector<std::uint8_t> selected(std::span<const std::uint8_t> windows, std::size_t bytes,
                                   const std::vector<bool>& is_wanted) {
    std::vector<std::uint8_t> result;
    for (std::size_t i = 0; i < is_wanted.size(); ++i) {
        if (is_wanted[i]) append(result, windows.subspan(i * bytes, bytes));
    }
    return result;
}

double share_passing(std::span<const double> sums, float threshold) {
    if (sums.empty()) return 0;
    const auto limit = static_cast<double>(threshold - threshold_slack);
    const auto passing = std::count_if(sums.begin(), sums.end(), [&](double sum) { return sum >= limit; });
    return static_cast<double>(passing) / static_cast<double>(sums.size());
}

/// The samples of one stage: positives first.
struct StageSamples {
    StageSamples(Size window, std::span<const std::uint8_t> positive_windows,
                 std::span<const std::uint8_t> negative_windows, const WindowFeatures& pool)
        : positives(positive_windows.size() / bytes_of(window)),
          integrals(window, joined(positive_windows, negative_windows), pool.has_tilted()) {}

    static std::vector<std::uint8_t> joined(std::span<const std::uint8_t> first,
                                            std::span<const std::uint8_t> second) {
        std::vector<std::uint8_t> all(first.begin(), first.end());
        append(all, second);
        return all;
    }

    std::span<const double> positive(std::span<const double> sums) const { return sums.first(positives); }
    std::span<const double> negative(std::span<const double> sums) const { return sums.subspan(positives); }

    std::size_t positives;
    SampleIntegrals integrals;
};

class Trainer {
  public:
    Trainer(const WindowFeatures& pool, const CascadeSamples& samples, const CascadeTrainerSettings& settings,
            const CascadeTrainerDevices& devices, const JobHooks& hooks,
            const SaveState<CascadeTrainerResult>& save, CascadeTrainerResult begin)
        : pool_(pool),
          samples_(samples),
          settings_(settings),
          devices_(devices),
          hooks_(hooks),
          save_(save),
          bytes_(bytes_of(settings.window)),
          builder_(pool, begin.cascade),
          result_(std::move(begin)) {
        if (samples.positives.empty())
            throw std::invalid_argument("a cascade cannot be trained without positives");
        if (samples.backgrounds.empty())
            throw std::invalid_argument("a cascade cannot be trained without backgrounds");
        positives_ = with_contrast(samples.positives);
        result_.flat_positives = samples.positives.size() / bytes_ - positives_.size() / bytes_;
        held_out_ = with_contrast(samples.held_out);
        if (!builder_.cascade().stages.empty()) drop_lost();
    }

    CascadeTrainerResult train() {
        result_.end = TrainingEnd::all_stages;
        while (result_.stages.size() < static_cast<std::size_t>(settings_.stages.stages)) {
            const std::optional<TrainingEnd> end = train_stage();
            if (end) {
                result_.end = *end;
                break;
            }
            if (save_) save_(result_);
        }
        return std::move(result_);
    }

  private:
    bool decides_held_out() const { return !held_out_.empty(); }

    std::vector<std::uint8_t> with_contrast(std::span<const std::uint8_t> windows) const {
        if (pool_.kind == Cascade::Feature::lbp) return {windows.begin(), windows.end()};
        const SampleIntegrals integrals(settings_.window, windows, false);
        std::vector<bool> wanted(integrals.count());
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = integrals.has_contrast(i);
        return selected(windows, bytes_, wanted);
    }

    MinedWindows mine() {
        WindowMiningSettings mining;
        const std::size_t wanted = settings_.stages.negatives;
        mining.count = decides_held_out() ? wanted + wanted / 2 : wanted;
        mining.scale_factor = settings_.scale_factor;
        mining.max_object_iou = settings_.max_object_iou;
        mining.seed = mixed(settings_.seed ^ mixed(result_.stages.size() + 1));
        hooks_.begin_stage(fmt::format("stage {}: searching negatives", result_.stages.size() + 1));
        std::unique_ptr<CascadeEngine> engine;
        if (!builder_.cascade().stages.empty()) {
            read_ = as_read(builder_.cascade());
            engine = devices_.make_engine(read_);
        }
        return mine_windows(engine.get(), settings_.window, pool_.kind == Cascade::Feature::haar,
                            samples_.backgrounds, mining, hooks_.counter("windows"));
    }

    std::optional<TrainingEnd> train_stage() {
        if (positives_.empty()) return TrainingEnd::no_positives;
        CascadeStageResult stage;
        Stopwatch watch;
        const MinedWindows mined = mine();
        stage.mining_seconds = watch.seconds();
        stage.windows_searched = mined.windows_searched;
        stage.pass_rate = mined.pass_rate();
        stage.ran_dry = mined.ran_dry;
        if (mined.count < least_negatives(settings_.stages)) {
            result_.negatives_left = mined.count;
            return TrainingEnd::no_negatives;
        }

        // Every third one decides where held-out samples do.
        std::vector<std::uint8_t> negatives, deciding;
        for (std::size_t i = 0; i < mined.count; ++i) {
            const bool decides = decides_held_out() && i % 3 == 2;
            append(decides ? deciding : negatives, std::span(mined.pixels).subspan(i * bytes_, bytes_));
        }
        const StageSamples training(settings_.window, positives_, negatives, pool_);
        std::optional<StageSamples> held_out;
        if (decides_held_out()) held_out.emplace(settings_.window, held_out_, deciding, pool_);
        stage.positives = training.positives;
        stage.negatives = training.integrals.count() - training.positives;

        hooks_.begin_stage(fmt::format("stage {}: {} features in {} samples", result_.stages.size() + 1,
                                       pool_.size(), training.integrals.count()));
        watch = {};
        const FeatureBins bins(training.integrals, pool_, settings_.max_bin_bytes, devices_.trees);
        stage.bin_seconds = watch.seconds();
        watch = {};
        const std::vector<BoostedTree> trees = boost(bins, training, held_out, stage);
        stage.boosting_seconds = watch.seconds();
        // A stage that rejects nothing costs time only.
        if (trees.empty() || (stage.false_alarm >= 1 && stage.training_false_alarm >= 1))
            return TrainingEnd::no_split;

        builder_.add_stage(trees, stage.threshold);
        const std::size_t before = positives_.size();
        drop_lost();
        stage.lost_positives = (before - positives_.size()) / bytes_;
        result_.cascade = builder_.cascade();
        result_.stages.push_back(stage);
        return std::nullopt;
    }

    std::vector<BoostedTree> boost(const FeatureBins& bins, const StageSamples& training,
                                   const std::optional<StageSamples>& held_out, CascadeStageResult& stage) {
        hooks_.begin_stage(fmt::format("stage {}: boosting", result_.stages.size() + 1));
        Booster booster(bins, training.positives, settings_.trees);
        std::optional<ScoredSamples> scored;
        if (held_out) scored.emplace(held_out->integrals, pool_);
        std::vector<BoostedTree> trees;
        const CountProgress told = hooks_.counter("trees");
        while (trees.size() < static_cast<std::size_t>(settings_.stages.max_weak_count)) {
            std::vector<BoostedTree> grown = booster.grow();
            if (grown.empty()) break;
            if (scored) scored->add(grown[0]);
            stage.nodes += grown[0].nodes.size();
            trees.push_back(std::move(grown[0]));
            const StageSamples& deciding = held_out ? *held_out : training;
            const std::vector<double>& sums = scored ? scored->sums() : booster.sums();
            const std::span<const double> positive = deciding.positive(sums);
            stage.threshold =
                stage_threshold({positive.begin(), positive.end()}, settings_.stages.min_hit_rate);
            stage.hit_rate = share_passing(positive, stage.threshold);
            stage.false_alarm = share_passing(deciding.negative(sums), stage.threshold);
            stage.training_hit_rate = share_passing(training.positive(booster.sums()), stage.threshold);
            stage.training_false_alarm = share_passing(training.negative(booster.sums()), stage.threshold);
            told(trees.size(), static_cast<std::size_t>(settings_.stages.max_weak_count));
            if (stage.false_alarm <= settings_.stages.max_false_alarm) break;
        }
        stage.trees = trees.size();
        return trees;
    }

    /// Positives that a stage rejects cannot be won back.
    void drop_lost() {
        positives_ = selected(positives_, bytes_, windows_that_pass(builder_.cascade(), positives_));
        if (!held_out_.empty())
            held_out_ = selected(held_out_, bytes_, windows_that_pass(builder_.cascade(), held_out_));
    }

    const WindowFeatures& pool_;
    const CascadeSamples& samples_;
    const CascadeTrainerSettings& settings_;
    const CascadeTrainerDevices& devices_;
    const JobHooks& hooks_;
    const SaveState<CascadeTrainerResult>& save_;
    const std::size_t bytes_;
    CascadeBuilder builder_;
    CascadeTrainerResult result_;
    std::vector<std::uint8_t> positives_, held_out_;  // that pass all stages so far
    Cascade read_;                                    // of the engine
};

}  // namespace

void describe(FieldVisitor& visitor, CascadeStageResult& stage) {
    visitor.value({.key = "positives"}, &stage.positives);
    visitor.value({.key = "negatives"}, &stage.negatives);
    visitor.value({.key = "trees"}, &stage.trees);
    visitor.value({.key = "nodes"}, &stage.nodes);
    visitor.value({.key = "threshold"}, real_value(stage.threshold));
    visitor.value({.key = "hit_rate"}, &stage.hit_rate);
    visitor.value({.key = "false_alarm"}, &stage.false_alarm);
    visitor.value({.key = "training_hit_rate"}, &stage.training_hit_rate);
    visitor.value({.key = "training_false_alarm"}, &stage.training_false_alarm);
    visitor.value({.key = "lost_positives"}, &stage.lost_positives);
    visitor.value({.key = "windows_searched"}, &stage.windows_searched);
    visitor.value({.key = "pass_rate"}, &stage.pass_rate);
    visitor.value({.key = "ran_dry"}, &stage.ran_dry);
    visitor.value({.key = "mining_seconds"}, &stage.mining_seconds);
    visitor.value({.key = "bin_seconds"}, &stage.bin_seconds);
    visitor.value({.key = "boosting_seconds"}, &stage.boosting_seconds);
}

float stage_threshold(std::vector<double> sums, double min_hit_rate) {
    std::sort(sums.begin(), sums.end());
    const auto lost = static_cast<std::size_t>((1 - min_hit_rate) * static_cast<double>(sums.size()));
    const double least = sums[std::min(lost, sums.size() - 1)];
    const auto threshold = static_cast<float>(least);
    // For sums beyond 256 the slack is less than what rounding up may lose.
    return static_cast<double>(threshold) <= least
               ? threshold
               : std::nextafter(threshold, -std::numeric_limits<float>::infinity());
}

std::size_t least_negatives(const StageSettings& settings) {
    // One of three decides where held-out samples do.
    return std::max<std::size_t>(3, std::min(settings.min_negatives, settings.negatives));
}

Cascade as_read(const Cascade& cascade) {
    Cascade read = cascade;
    for (CascadeStage& stage : read.stages) stage.threshold -= threshold_slack;
    return read;
}

std::vector<WindowFate> fates_of_windows(const Cascade& cascade, std::span<const std::uint8_t> windows) {
    const WindowFeatures features = features_of(cascade);
    const SampleIntegrals integrals(cascade.window, windows, cascade.has_tilted);
    std::vector<WindowFate> fates(integrals.count());
    if (cascade.feature == Cascade::Feature::haar) {
        for (std::size_t i = 0; i < fates.size(); ++i) {
            if (!integrals.has_contrast(i)) fates[i].stages_passed = WindowFate::flat;
        }
    }
    for (std::size_t s = 0; s < cascade.stages.size(); ++s) {
        const CascadeStage& stage = cascade.stages[s];
        ScoredSamples scored(integrals, features);
        for (int t = 0; t < stage.tree_count; ++t)
            scored.add(tree_of(cascade, cascade.trees[static_cast<std::size_t>(stage.first_tree + t)]));
        const auto limit = static_cast<double>(stage.threshold - threshold_slack);
        for (std::size_t i = 0; i < fates.size(); ++i) {
            if (fates[i].stages_passed != static_cast<int>(s)) continue;
            fates[i].last_sum = scored.sums()[i];
            if (fates[i].last_sum >= limit) ++fates[i].stages_passed;
        }
    }
    return fates;
}

std::vector<bool> windows_that_pass(const Cascade& cascade, std::span<const std::uint8_t> windows) {
    const std::vector<WindowFate> fates = fates_of_windows(cascade, windows);
    std::vector<bool> passes(fates.size());
    for (std::size_t i = 0; i < fates.size(); ++i)
        passes[i] = fates[i].stages_passed == static_cast<int>(cascade.stages.size());
    return passes;
}

CascadeTrainerResult train_cascade(const WindowFeatures& pool, const CascadeSamples& samples,
                                   const CascadeTrainerSettings& settings,
                                   const CascadeTrainerDevices& devices, const JobHooks& hooks,
                                   const SaveState<CascadeTrainerResult>& save, CascadeTrainerResult begin) {
    return Trainer(pool, samples, settings, devices, hooks, save, std::move(begin)).train();
}

}  // namespace fovea
