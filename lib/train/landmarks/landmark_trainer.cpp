#include "lib/train/landmarks/landmark_trainer.hpp"

#include <algorithm>
#include <cmath>

#include <spdlog/fmt/fmt.h>
#include <spdlog/fmt/ranges.h>
#include <tbb/parallel_for.h>

#include "kernels/landmark/find_landmarks.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/landmarks/landmark_points.hpp"
#include "lib/json/field_json.hpp"
#include "lib/landmark/box_convention.hpp"
#include "lib/train/landmarks/landmark_samples.hpp"
#include "lib/train/landmarks/landmark_tree.hpp"
#include "lib/train/training_job.hpp"

namespace fovea {
namespace {

// A leaf of three standard deviations, before shrinkage, is the largest that int8 holds: few are larger, and
// later trees add what is missing.
constexpr double deviations_of_leaf = 3;

// An error, which is 0 where there is no face and then null in files.
JsonValue nme_value(double& nme) {
    return {[&nme] { return nme > 0 ? Json(nme) : Json(nullptr); },
            [&nme](const JsonPlace& place) { nme = place.json().is_null() ? 0 : place.number(); }};
}

class Trainer {
  public:
    Trainer(const LandmarkTrainConfig& config, const LandmarkTrainingData& data, LandmarkTrainingState from,
            const JobHooks& hooks, const SaveState<LandmarkTrainingState>& save)
        : config_(config),
          data_(data),
          hooks_(hooks),
          save_(save),
          state_(std::move(from)),
          model_(untrained_landmarks(config, data)),
          tables_(make_landmark_tables(model_)),
          training_(make_training_samples(config, data, model_)) {
        for (std::size_t source = 0; source < data.sources.size(); ++source) {
            validation_.push_back(make_validation_samples(data, model_, source));
        }
        if (state_.levels.empty()) state_.levels.push_back(measure(nullptr));
        for (std::size_t level = 0; level < state_.cascades.size(); ++level) {
            begin(level);
            advance(state_.cascades[level]);
        }
    }

    LandmarkTrainingState train() {
        const auto levels = static_cast<std::size_t>(config_.trees.cascades);
        for (std::size_t level = state_.cascades.size(); level < levels; ++level) {
            begin(level);
            state_.cascades.push_back(train_level(level));
            advance(state_.cascades.back());
            state_.levels.push_back(measure(&state_.cascades.back()));
            tell_level();
            if (save_) save_(state_);
        }
        return std::move(state_);
    }

  private:
    JobProgress progress(std::size_t trees) const {
        return {.done = trees,
                .total = static_cast<std::size_t>(config_.trees.trees) *
                         static_cast<std::size_t>(config_.trees.cascades),
                .unit = "trees"};
    }

    void tell_level() const {
        const LandmarkLevel& level = state_.levels.back();
        const std::string validation =
            level.validation_nme.front() > 0
                ? fmt::format(", {:.4f} in validation", fmt::join(level.validation_nme, " and "))
                : "";
        JobProgress now = progress(state_.cascades.size() * static_cast<std::size_t>(config_.trees.trees));
        now.round =
            round_of(fmt::format("{}: NME {:.4f} in training{}", counted(state_.cascades.size(), "cascade"),
                                 level.training_nme, validation),
                     landmark_level_to_json(level, source_names(data_)));
        now.round.is_detail = true;
        hooks_.tell(now);
    }

    /// Fits the boxes anew if the level asks for it.
    void begin(std::size_t level) {
        if (level == 0 || level != model_.refit_after) return;
        refit_boxes(model_, tables_, &config_.boxes.refit_error, config_.seed, training_);
        for (LandmarkSamples& samples : validation_) refit_boxes(model_, tables_, nullptr, 0, samples);
    }

    void advance(const LandmarkCascade& cascade) {
        advance_shapes(model_, tables_, cascade, data_.images, training_);
        for (LandmarkSamples& samples : validation_) {
            advance_shapes(model_, tables_, cascade, data_.images, samples);
        }
    }

    LandmarkLevel measure(const LandmarkCascade* cascade) const {
        LandmarkLevel level;
        level.training_nme = mean_error(model_, training_);
        for (const LandmarkSamples& samples : validation_) {
            level.validation_nme.push_back(mean_error(model_, samples));
        }
        if (cascade != nullptr) {
            const auto& leaves = cascade->quantised_leaves;
            const auto at_end = std::count_if(leaves.begin(), leaves.end(), [](std::int8_t value) {
                return value == 127 || value == -127;
            });
            const double values = static_cast<double>(cascade->trees * model_.leaves_of_tree()) *
                                  static_cast<double>(model_.initial_shape.size());
            level.clipped = static_cast<double>(at_end) / values;
        }
        return level;
    }

    // Uniform in the tight box of the mean face and its surroundings, each at its nearest landmark.
    std::vector<LandmarkPixel> draw_pixels(std::size_t level) const {
        const Box tight = tight_box_of_initial_shape(model_);
        const double padding = config_.pixels.padding;
        CounterRandom random(config_.seed, 'p', level);
        std::vector<LandmarkPixel> pixels;
        for (int i = 0; i < config_.pixels.count; ++i) {
            const double x = tight.x + tight.w * ((1 + 2 * padding) * random.unit() - padding);
            const double y = tight.y + tight.h * ((1 + 2 * padding) * random.unit() - padding);
            const auto squared_distance = [&](int point) {
                const double dx = x - model_.initial_shape[2 * static_cast<std::size_t>(point)];
                const double dy = y - model_.initial_shape[2 * static_cast<std::size_t>(point) + 1];
                return dx * dx + dy * dy;
            };
            int nearest = 0;
            for (int p = 1; p < model_.points; ++p) {
                if (squared_distance(p) < squared_distance(nearest)) nearest = p;
            }
            const auto at = 2 * static_cast<std::size_t>(nearest);
            pixels.push_back({static_cast<float>(x - model_.initial_shape[at]),
                              static_cast<float>(y - model_.initial_shape[at + 1]),
                              static_cast<std::uint32_t>(nearest)});
        }
        return pixels;
    }

    std::vector<float> residuals() const {
        std::vector<float> values(training_.targets.size());
        tbb::parallel_for(std::size_t{0}, training_.count(), [&](std::size_t s) {
            for (std::size_t i = s * training_.stride; i < (s + 1) * training_.stride; ++i) {
                values[i] = training_.targets[i] - training_.shapes[i];
            }
        });
        return values;
    }

    // From the coordinate that lacks most.
    float leaf_unit(const std::vector<float>& residuals) const {
        std::vector<double> squares(training_.stride, 0);
        for (std::size_t i = 0; i < residuals.size(); ++i) {
            squares[i % training_.stride] += double{residuals[i]} * residuals[i];
        }
        const double most = *std::max_element(squares.begin(), squares.end());
        const double deviation = std::sqrt(most / static_cast<double>(training_.count()));
        const auto unit = static_cast<float>(config_.trees.shrinkage * deviations_of_leaf * deviation / 127);
        return unit > 0 ? unit : 1;
    }

    LandmarkCascade train_level(std::size_t level) {
        LandmarkCascade cascade;
        cascade.pixels = draw_pixels(level);
        const Box tight = tight_box_of_initial_shape(model_);
        const PixelPairs pairs(model_.initial_shape, cascade.pixels,
                               config_.pixels.prior * std::max(tight.w, tight.h));
        const std::vector<std::uint8_t> pixels =
            sample_pixels(model_, tables_, cascade.pixels, data_.images, training_);
        std::vector<float> lacking = residuals();
        cascade.leaf_unit = leaf_unit(lacking);
        const TreeGrowing growing{config_.trees.depth, config_.trees.tests, config_.trees.shrinkage,
                                  config_.trees.sample_share, cascade.leaf_unit};
        const TreeSamples samples{pixels, lacking, training_.count(), training_.stride};
        cascade.trees = static_cast<std::size_t>(config_.trees.trees);
        for (std::size_t t = 0; t < cascade.trees; ++t) {
            const GrownTree tree = grow_tree(growing, pairs, samples, config_.seed, level, t);
            cascade.splits.insert(cascade.splits.end(), tree.splits.begin(), tree.splits.end());
            cascade.quantised_leaves.insert(cascade.quantised_leaves.end(), tree.leaves.begin(),
                                            tree.leaves.end());
            hooks_.tell_or_stop(progress(level * cascade.trees + t + 1));
        }
        return cascade;
    }

    const LandmarkTrainConfig& config_;
    const LandmarkTrainingData& data_;
    const JobHooks& hooks_;
    const SaveState<LandmarkTrainingState>& save_;
    LandmarkTrainingState state_;
    LandmarkModel model_;  // its cascades are the state's
    LandmarkTables tables_;
    LandmarkSamples training_;
    std::vector<LandmarkSamples> validation_;  // by source
};

}  // namespace

void describe(FieldVisitor& visitor, LandmarkLevel& level, const std::vector<std::string>& sources) {
    level.validation_nme.resize(sources.size());
    visitor.value({.key = "training_nme"}, &level.training_nme);
    visitor.object("validation_nme", [&](FieldVisitor& members) {
        for (std::size_t i = 0; i < sources.size(); ++i)
            members.value({.key = sources[i].c_str()}, nme_value(level.validation_nme[i]));
    });
    visitor.value({.key = "clipped"}, &level.clipped);
}

Json landmark_level_to_json(LandmarkLevel level, const std::vector<std::string>& sources) {
    return write_fields([&](FieldVisitor& visitor) { describe(visitor, level, sources); });
}

std::vector<std::string> source_names(const LandmarkTrainingData& data) {
    std::vector<std::string> names;
    for (const BoxErrorSource& source : data.sources) names.push_back(source.name);
    return names;
}

LandmarkModel untrained_landmarks(const LandmarkTrainConfig& config, const LandmarkTrainingData& data) {
    LandmarkModel model;
    model.points = static_cast<int>(data.initial_shape.size() / 2);
    model.depth = config.trees.depth;
    model.subpixels = config.subpixels;
    model.initial_shape = data.initial_shape;
    model.refit_after = static_cast<std::size_t>(config.trees.refit_after);
    return model;
}

LandmarkTrainingState train_landmark_cascades(const LandmarkTrainConfig& config,
                                              const LandmarkTrainingData& data, LandmarkTrainingState from,
                                              const JobHooks& hooks,
                                              const SaveState<LandmarkTrainingState>& save) {
    return Trainer(config, data, std::move(from), hooks, save).train();
}

}  // namespace fovea
