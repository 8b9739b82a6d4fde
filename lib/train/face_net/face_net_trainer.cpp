#include "lib/train/face_net/face_net_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>

#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>

#include "kernels/net_training/gpu_net_trainer.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/json/field_json.hpp"
#include "lib/train/face_net/cpu_net_trainer.hpp"
#include "lib/train/face_net/face_loss.hpp"
#include "lib/train/face_net/float_net.hpp"
#include "lib/train/face_net/quantise_face_net.hpp"
#include "lib/train/training_job.hpp"

namespace fovea {
namespace {

/// The last learning rate, as a share of the first one.
constexpr double last_rate = 0.005;
/// Batches that the statistics of the averaged parameters are taken from.
constexpr std::size_t statistics_batches = 100;

class Trainer {
  public:
    Trainer(const FaceNetSettings& settings, const std::vector<PhotographSource>& sources, FaceNetState from,
            const DetectionDevice& device, const JobHooks& hooks, const SaveState<FaceNetState>& save,
            std::size_t round_steps)
        : settings_(settings),
          hooks_(hooks),
          save_(save),
          round_steps_(round_steps),
          sources_(sources),
          crops_(sources, settings.crops, settings.seed),
          plan_(make_net_plan(settings.width, settings.crops.side)),
          state_(std::move(from)) {
        const std::size_t count = plan_.parameters();
        if (state_.parameters.empty()) {
            state_.parameters = state_.averaged = first_parameters(plan_, settings.seed);
            state_.statistics = first_statistics(plan_);
            state_.momentum.assign(count, 0);
            state_.spread.assign(count, 0);
        }
        if (state_.parameters.size() != count || state_.averaged.size() != count ||
            state_.momentum.size() != count || state_.spread.size() != count ||
            state_.statistics.size() != plan_.statistics || state_.step > settings.steps) {
            throw Error(
                "The checkpoint's network is not that of this configuration in this version of the program; "
                "remove the checkpoint to begin anew.");
        }
        net_ = device.is_cuda() ? cuda_backend::make_gpu_net_trainer(plan_, settings.batch, device.gpus[0])
                                : make_cpu_net_trainer(plan_, settings.batch);
        net_->load(state_);
        if (!settings.teacher.model.empty()) teacher_.emplace(settings.teacher, device);
        crops_.show_often(state_.hard_negatives, settings.mining.share);
    }

    FaceNetState train() {
        // While the device takes steps, crops of the next ones are drawn.
        bool ends_round = false;
        while (true) {
            if (is_time_to_mine()) {
                if (std::exchange(ends_round, false)) end_round();
                mine();
            }
            const std::size_t steps = std::min(
                {steps_at_once(), settings_.steps - state_.step, round_steps_ - state_.step % round_steps_,
                 settings_.mining.interval - state_.step % settings_.mining.interval});
            draw(state_.step, steps);
            if (ends_round) end_round();
            if (steps == 0) break;
            for (std::size_t s = 0; s < steps; ++s) {
                step(s);
                hooks_.tell_or_stop(progress());
            }
            ends_round = state_.step % round_steps_ == 0 || state_.step == settings_.steps;
        }
        // The averaged parameters have other means and variances than those of each step.
        NetState& last = state_;
        last = net_->state();
        last.parameters = last.averaged;
        net_->load(last);
        for (std::size_t i = 0; i < statistics_batches;) {
            const std::size_t count = std::min(steps_at_once(), statistics_batches - i);
            draw(settings_.steps + i, count);
            for (std::size_t s = 0; s < count; ++s) net_->take_statistics(first_ + s);
            i += count;
        }
        last = net_->state();
        return std::move(state_);
    }

  private:
    /// Half of the batches are drawn while the others are worked on.
    std::size_t steps_at_once() const { return std::max<std::size_t>(net_->batches() / 2, 1); }

    /// Draws the crops of some steps, with what their cells learn.
    void draw(std::size_t step, std::size_t steps) {
        first_ += face_cells_.size();
        std::vector<NetBatch> batches;
        for (std::size_t s = 0; s < steps; ++s) batches.push_back(net_->batch(first_ + s));
        std::vector<std::size_t> faces(steps * settings_.batch);
        const std::size_t side = settings_.crops.side, cells = plan_.cells_of_crop();
        tbb::parallel_for(std::size_t{0}, faces.size(), [&](std::size_t i) {
            const std::size_t s = i / settings_.batch, crop = i % settings_.batch;
            const CropTruth truth = crops_.draw(step + s, crop, batches[s].pixels + crop * side * side);
            CellTarget* targets = batches[s].targets + crop * cells;
            for (std::size_t h = 0; h < head_strides.size(); ++h) {
                for (const CellTarget& target : cell_targets(truth, h, side)) {
                    faces[i] += target.kind == CellTarget::Kind::face ? 1 : 0;
                    *targets++ = target;
                }
            }
        });
        if (teacher_) {
            std::vector<TaughtCrop> taught;
            for (const NetBatch& batch : batches) {
                for (std::size_t crop = 0; crop < settings_.batch; ++crop)
                    taught.push_back(
                        {batch.pixels + crop * side * side, {batch.targets + crop * cells, cells}});
            }
            teacher_->teach(taught, side);
        }
        face_cells_.assign(steps, 0);
        for (std::size_t i = 0; i < faces.size(); ++i) face_cells_[i / settings_.batch] += faces[i];
    }

    double rate() const {
        const auto step = static_cast<double>(state_.step);
        const double done = step / static_cast<double>(settings_.steps);
        const double rise =
            std::min(1.0, (step + 1) / static_cast<double>(std::max<std::size_t>(settings_.warm_up, 1)));
        return settings_.learning_rate * rise * (0.5 * (1 + std::cos(std::numbers::pi * done)) + last_rate);
    }

    /// \param drawn number of the step among those whose crops were drawn last
    void step(std::size_t drawn) {
        const auto number = static_cast<double>(state_.step + 1);
        AdamStep step;
        step.rate = rate();
        step.decay = step.rate * settings_.weight_decay;
        step.max_gradient = settings_.max_gradient;
        step.first_correction = 1 - std::pow(first_decay, number);
        step.second_correction = 1 - std::pow(second_decay, number);
        // An average of few steps forgets faster, so that the first weights do not stay in it.
        step.average = std::min(settings_.average, number / (number + 9));
        net_->train(first_ + drawn, face_cells_[drawn], step);
        faces_ += static_cast<double>(face_cells_[drawn]) / static_cast<double>(settings_.batch);
        ++reported_;
        ++state_.step;
    }

    bool is_time_to_mine() const {
        return settings_.mining.share > 0 && state_.step > 0 && state_.step < settings_.steps &&
               state_.step % settings_.mining.interval == 0;
    }

    /// The crops of the next steps show what the network takes for faces now. A checkpoint of this step is
    /// written before it, so that a training that is continued mines the same.
    void mine() {
        static_cast<NetState&>(state_) = net_->state();
        const FaceNet net = quantised(plan_, state_, sources_, settings_.crops, settings_.seed);
        state_.hard_negatives = find_hard_negatives(net, sources_, settings_.mining, hooks_);
        crops_.show_often(state_.hard_negatives, settings_.mining.share);
        double sum = 0;
        for (const HardNegative& place : state_.hard_negatives) sum += place.score;
        const std::size_t count = state_.hard_negatives.size();
        const double mean = count > 0 ? sum / static_cast<double>(count) : 0;
        JobProgress now = progress();
        now.round =
            round_of(fmt::format("step {}: the network takes {} for faces, with a mean score of {:.3f}",
                                 state_.step, counted(count, "other place"), mean),
                     {{"step", state_.step}, {"hard_negatives", count}, {"mean_score", mean}});
        hooks_.tell(now);
    }

    JobProgress progress() const { return {.done = state_.step, .total = settings_.steps, .unit = "steps"}; }

    void end_round() {
        const auto steps = static_cast<double>(std::exchange(reported_, 0));
        const NetLosses losses = net_->take_losses();
        FaceNetProgress mean;
        mean.step = state_.step;
        mean.odds_loss = losses.odds / steps;
        mean.box_loss = losses.boxes / steps;
        mean.faces = std::exchange(faces_, 0) / steps;
        state_.losses.push_back(mean);
        JobProgress now = progress();
        now.round = round_of(fmt::format("step {}: loss of odds {:.3f}, of boxes {:.3f}", mean.step,
                                         mean.odds_loss, mean.box_loss),
                             json_of(mean));
        hooks_.tell(now);
        static_cast<NetState&>(state_) = net_->state();
        if (save_) save_(state_);
    }

    const FaceNetSettings& settings_;
    const JobHooks& hooks_;
    const SaveState<FaceNetState>& save_;
    const std::size_t round_steps_;
    const std::vector<PhotographSource>& sources_;
    CropDrawer crops_;
    std::optional<NetTeacher> teacher_;
    const NetPlan plan_;
    FaceNetState state_;
    std::unique_ptr<NetTrainer> net_;
    std::size_t first_ = 0;                // of the batches that were drawn last
    std::vector<std::size_t> face_cells_;  // of these batches
    double faces_ = 0;                     // cells of faces in a crop, of the steps since the last round
    std::size_t reported_ = 0;             // these steps
};

}  // namespace

void describe(FieldVisitor& visitor, FaceNetProgress& progress) {
    visitor.value({.key = "step"}, &progress.step);
    visitor.value({.key = "odds_loss"}, &progress.odds_loss);
    visitor.value({.key = "box_loss"}, &progress.box_loss);
    visitor.value({.key = "faces"}, &progress.faces);
}

void describe(FieldVisitor& visitor, FaceNetState& state) {
    visitor.value({.key = "step"}, &state.step);
    visitor.objects("losses", list_of(state.losses));
    visitor.objects("hard_negatives", list_of(state.hard_negatives));
    visitor.value({.key = "parameters"}, reals_value(state.parameters));
    visitor.value({.key = "statistics"}, reals_value(state.statistics));
    for (const auto& [key, values] :
         {std::pair{"averaged", &state.averaged}, std::pair{"momentum", &state.momentum},
          std::pair{"spread", &state.spread}}) {
        visitor.value({.key = key}, reals_value(*values));
        visitor.demand(key, [&state, list = values] {
            if (list->size() != state.parameters.size())
                throw UsageError("it must have as many numbers as 'parameters'; the file is damaged");
        });
    }
}

FaceNetState train_face_net(const FaceNetSettings& settings, const std::vector<PhotographSource>& sources,
                            FaceNetState from, const DetectionDevice& device, const JobHooks& hooks,
                            const SaveState<FaceNetState>& save, std::size_t round_steps) {
    return Trainer(settings, sources, std::move(from), device, hooks, save, round_steps).train();
}

}  // namespace fovea
