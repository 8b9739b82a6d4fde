#include "lib/train/mct/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "kernels/mct/mct_engine.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/field_json.hpp"
#include "lib/train/training_job.hpp"

namespace fovea {
namespace {

constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();

std::vector<MctLookup> all_places(CascadeKind kind) {
    std::vector<MctLookup> places = plane_places(MctPlane::pixel, 0);
    if (kind == CascadeKind::staged) return places;
    for (const MctPlane plane :
         {MctPlane::block2, MctPlane::coarse2, MctPlane::coarse4, MctPlane::contrast4}) {
        const auto more = plane_places(plane, 0);
        places.insert(places.end(), more.begin(), more.end());
    }
    return places;
}

class Trainer {
  public:
    Trainer(const TrainConfig& config, const TrainingData& data, TrainingState from, const JobHooks& hooks,
            const SaveState<TrainingState>& save, const MctDetector::EngineMaker& make_engine)
        : config_(config),
          data_(data),
          hooks_(hooks),
          save_(save),
          make_engine_(make_engine),
          state_(std::move(from)),
          places_(all_places(config.cascade.kind)),
          face_codes_(places_, data.faces),
          validation_codes_(places_, data.validation_faces),
          faces_(face_codes_, true, config.boosting.weight_unit),
          validation_(validation_codes_, true, config.boosting.weight_unit) {
        replay(faces_);
        replay(validation_);
    }

    TrainingState train() {
        if (config_.cascade.kind == CascadeKind::soft) {
            while (lookups() < config_.cascade.lookups && add_soft_lookup()) {
            }
        } else {
            while (stages() < static_cast<int>(config_.cascade.stage_positions.size()) && add_stage()) {
            }
        }
        return std::move(state_);
    }

  private:
    int lookups() const { return static_cast<int>(state_.cascade.lookups.size()); }
    int stages() const { return static_cast<int>(state_.steps.size()); }  // of a staged cascade
    int lookups_wanted() const {
        if (config_.cascade.kind == CascadeKind::soft) return config_.cascade.lookups;
        int sum = 0;
        for (const int positions : config_.cascade.stage_positions) sum += std::min(positions, 484);
        return sum;
    }

    std::size_t place_of(const MctLookup& lookup) const {
        const auto found = std::find_if(places_.begin(), places_.end(), [&](const MctLookup& place) {
            return place.plane == lookup.plane && place.x == lookup.x && place.y == lookup.y;
        });
        if (found == places_.end())
            throw Error("The checkpoint's look-ups are not those of this configuration.");
        return static_cast<std::size_t>(found - places_.begin());
    }

    // Brings a class to where the cascade so far takes it.
    void replay(BoostingSamples& patches) const {
        for (int i = 0; i < lookups(); ++i) {
            const MctLookup& lookup = state_.cascade.lookups[i];
            if (lookup.starts_stage) patches.begin_stage();
            patches.add(place_of(lookup), state_.cascade.table(i));
            if (lookup.reject_above != never) patches.reject_above(lookup.reject_above);
        }
    }

    // \return false if too few are left to go on.
    bool mine() {
        if (save_) save_(state_);
        const auto engine = make_engine_ ? make_engine_(state_.cascade) : make_cpu_engine(state_.cascade);
        MiningSettings settings;
        settings.count = config_.negatives.count;
        // Windows come from many images if much passes, else from what there is.
        settings.max_per_image =
            std::max<std::size_t>(settings.count / (state_.pass_rate > 0.005 ? 500 : 50), 10);
        // Few images have to give more each, or the number wanted could never be reached.
        settings.max_per_image = std::max(
            settings.max_per_image, 2 * settings.count / std::max<std::size_t>(data_.backgrounds.size(), 1));
        settings.scale_factor = config_.negatives.scale_factor;
        settings.max_face_iou = config_.negatives.max_face_iou;
        settings.seed = config_.seed * 100'000 + static_cast<std::uint64_t>(lookups());
        settings.expected_pass_rate = state_.pass_rate;
        MinedNegatives mined =
            mine_negatives(*engine, data_.backgrounds, settings,
                           [&](std::size_t, std::size_t) { hooks_.tell_or_stop(progress()); });
        state_.pass_rate = mined.pass_rate();
        searched_ = mined.windows_searched;
        if (mined.patches.size() < config_.negatives.count / 20) {
            const std::string found = "after " + counted(lookups(), "look-up") + " only " +
                                      counted(mined.patches.size(), "window") +
                                      " of the backgrounds pass, where " +
                                      std::to_string(config_.negatives.count / 20) + " are needed to go on";
            if (lookups() < lookups_wanted() / 10) {
                throw Error("There are no negatives left to train against: " + found +
                            "; add backgrounds, more and more varied ones.");
            }
            spdlog::warn("the training ends early: {}", found);
            return false;
        }
        negatives_ = std::move(mined.patches);
        negative_samples_.reset();
        other_codes_.emplace(places_, negatives_);
        negative_samples_.emplace(*other_codes_, false, config_.boosting.weight_unit);
        replay(*negative_samples_);
        return true;
    }

    double kept(const BoostingSamples& patches) const {
        return static_cast<double>(patches.alive_count()) / static_cast<double>(patches.sums().size());
    }

    void report(double loss) {
        TrainingStep step;
        step.lookups = lookups();
        step.loss = loss;
        step.faces_kept = kept(faces_);
        step.validation_kept = kept(validation_);
        step.negatives_kept = kept(*negative_samples_);
        step.pass_rate = state_.pass_rate;
        step.windows_searched = std::exchange(searched_, 0);
        state_.steps.push_back(step);
        JobProgress now = progress();
        if (step.windows_searched > 0) {
            now.round = round_of(
                fmt::format("{} look-ups: {:.2f} % of the validation faces, {:.2g} of all windows",
                            step.lookups, 100 * step.validation_kept, step.pass_rate * step.negatives_kept),
                json_of(step));
            now.round.is_detail = true;
        }
        hooks_.tell_or_stop(now);
    }

    JobProgress progress() const {
        return {.done = state_.cascade.lookups.size(),
                .total = static_cast<std::size_t>(lookups_wanted()),
                .unit = "look-ups"};
    }

    // The least threshold by which no more than a share of all validation patches is lost, those lost before
    // counting as lost; if more are lost already, the least by which no other is.
    std::int32_t threshold(double loss) const {
        std::vector<std::int32_t> sums;
        sums.reserve(validation_.sums().size());
        for (std::size_t i = 0; i < validation_.sums().size(); ++i) {
            sums.push_back(validation_.alive(i) ? validation_.sums()[i] : never);
        }
        // Never fewer than were lost before, by rounding or where the shares fall: the threshold would be
        // none, and the margin below it, of the last look-up, of no meaning. Never all.
        const std::size_t before = sums.size() - validation_.alive_count();
        const auto lost = std::clamp(static_cast<std::size_t>(loss * static_cast<double>(sums.size())),
                                     before, sums.size() - 1);
        const auto at = sums.begin() + static_cast<std::ptrdiff_t>(sums.size() - 1 - lost);
        std::nth_element(sums.begin(), at, sums.end());
        return *at;
    }

    void set_threshold(MctLookup& lookup, std::int32_t threshold) {
        lookup.reject_above = threshold;
        if (threshold == never) return;
        faces_.reject_above(threshold);
        validation_.reject_above(threshold);
        negative_samples_->reject_above(threshold);
    }

    void append(const MctLookup& lookup, const std::array<std::int8_t, MctCascade::codes>& weights) {
        state_.cascade.lookups.push_back(lookup);
        state_.cascade.weights.insert(state_.cascade.weights.end(), weights.begin(), weights.end());
    }

    // --- soft ----------------------------------------------------------------------------------------

    double allowed_loss(int count) const {
        const CascadeSettings& settings = config_.cascade;
        if (count <= settings.coarse_lookups) {
            return settings.coarse_loss * std::sqrt(static_cast<double>(count) / settings.coarse_lookups);
        }
        const double coarse = settings.coarse_lookups > 0 ? settings.coarse_loss : 0;
        LossPoint before;
        for (const LossPoint& point : settings.losses) {
            if (count <= point.lookups) {
                const double part =
                    static_cast<double>(count - before.lookups) / (point.lookups - before.lookups);
                return coarse + before.loss + part * (point.loss - before.loss);
            }
            before = point;
        }
        return coarse + before.loss;
    }

    bool add_soft_lookup() {
        const bool coarse = lookups() < config_.cascade.coarse_lookups;
        const bool first_fine = lookups() == config_.cascade.coarse_lookups;
        if (!negative_samples_ || first_fine || negative_samples_->alive_count() < negatives_.size() / 3) {
            if (!mine()) return false;
        }
        std::vector<std::uint8_t> allowed(places_.size());
        for (std::size_t p = 0; p < places_.size(); ++p)
            allowed[p] = mct_is_coarse(places_[p].plane) == coarse;
        const FittedTable table = fit_table(faces_, *negative_samples_, allowed, config_.boosting);
        faces_.add(table.place, table.weights.data());
        validation_.add(table.place, table.weights.data());
        negative_samples_->add(table.place, table.weights.data());
        append(places_[table.place], table.weights);
        set_threshold(state_.cascade.lookups.back(), threshold(allowed_loss(lookups())));
        report(table.loss);
        return true;
    }

    // --- staged --------------------------------------------------------------------------------------

    bool add_stage() {
        const int stage = stages();
        if (!mine()) return false;
        faces_.begin_stage();
        validation_.begin_stage();
        negative_samples_->begin_stage();
        const auto positions =
            static_cast<std::size_t>(std::min(config_.cascade.stage_positions[stage], 484));
        std::vector<std::size_t> chosen;
        std::vector<std::array<std::int8_t, MctCascade::codes>> tables;
        std::vector<std::uint8_t> allowed(places_.size(), 1);
        double loss = 1;
        // A position may be chosen again: its tables are added up.
        for (std::size_t round = 0; round < 2 * positions; ++round) {
            FittedTable table = fit_table(faces_, *negative_samples_, allowed, config_.boosting);
            loss = table.loss;
            auto at = static_cast<std::size_t>(std::find(chosen.begin(), chosen.end(), table.place) -
                                               chosen.begin());
            if (at == chosen.size()) {
                chosen.push_back(table.place);
                tables.emplace_back();
                if (chosen.size() == positions) {
                    std::fill(allowed.begin(), allowed.end(), 0);
                    for (const std::size_t place : chosen) allowed[place] = 1;
                }
            }
            for (int c = 0; c < MctCascade::codes; ++c) {
                const int sum = std::clamp(tables[at][c] + table.weights[c], -127, 127);
                table.weights[c] = static_cast<std::int8_t>(sum - tables[at][c]);
                tables[at][c] = static_cast<std::int8_t>(sum);
            }
            faces_.add(table.place, table.weights.data());
            validation_.add(table.place, table.weights.data());
            negative_samples_->add(table.place, table.weights.data());
        }
        finish_stage(chosen, tables, threshold(1 - (1 - config_.cascade.stage_loss) * kept(validation_)));
        report(loss);
        return true;
    }

    // Inside a stage a window is rejected once the rest of its tables cannot bring the sum down to the
    // threshold.
    void finish_stage(const std::vector<std::size_t>& chosen,
                      const std::vector<std::array<std::int8_t, MctCascade::codes>>& tables,
                      std::int32_t last) {
        std::vector<std::int32_t> min_rest(chosen.size(), 0);
        for (std::size_t i = chosen.size() - 1; i > 0; --i) {
            min_rest[i - 1] = min_rest[i] + *std::min_element(tables[i].begin(), tables[i].end());
        }
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            MctLookup lookup = places_[chosen[i]];
            lookup.starts_stage = i == 0;
            lookup.reject_above = last - min_rest[i];
            append(lookup, tables[i]);
        }
        set_threshold(state_.cascade.lookups.back(), last);
    }

    const TrainConfig& config_;
    const TrainingData& data_;
    const JobHooks& hooks_;
    const SaveState<TrainingState>& save_;
    const MctDetector::EngineMaker& make_engine_;
    TrainingState state_;
    std::vector<MctLookup> places_;
    CodeMatrix face_codes_;
    CodeMatrix validation_codes_;
    BoostingSamples faces_;
    BoostingSamples validation_;
    std::vector<MctPatch> negatives_;
    std::optional<CodeMatrix> other_codes_;
    std::optional<BoostingSamples> negative_samples_;
    std::uint64_t searched_ = 0;
};

}  // namespace

void describe(FieldVisitor& visitor, TrainingStep& step) {
    visitor.value({.key = "lookups"}, &step.lookups);
    visitor.value({.key = "loss"}, &step.loss);
    visitor.value({.key = "faces_kept"}, &step.faces_kept);
    visitor.value({.key = "validation_kept"}, &step.validation_kept);
    visitor.value({.key = "negatives_kept"}, &step.negatives_kept);
    visitor.value({.key = "pass_rate"}, &step.pass_rate);
    visitor.value({.key = "windows_searched"}, &step.windows_searched);
}

void describe(FieldVisitor& visitor, TrainingState& state) {
    visitor.objects("steps", list_of(state.steps));
    visitor.value({.key = "pass_rate"}, &state.pass_rate);
}

TrainingState train_cascade(const TrainConfig& config, const TrainingData& data, TrainingState from,
                            const JobHooks& hooks, const SaveState<TrainingState>& save,
                            const MctDetector::EngineMaker& make_engine) {
    return Trainer(config, data, std::move(from), hooks, save, make_engine).train();
}

}  // namespace fovea
