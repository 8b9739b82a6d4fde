#include "lib/train/face_net/face_net_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <spdlog/fmt/fmt.h>
#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/json/field_json.hpp"
#include "lib/train/training_job.hpp"

namespace fovea {
namespace {

// AdamW's: D. Kingma, J. Ba, 2015.
constexpr double first_decay = 0.9, second_decay = 0.999, least_root = 1e-8;
/// The last learning rate, as a share of the first one.
constexpr double last_rate = 0.005;
/// Batches that the statistics of the averaged parameters are taken from.
constexpr std::size_t statistics_batches = 100;

class Trainer {
  public:
    Trainer(const FaceNetSettings& settings, const std::vector<PhotographSource>& sources, FaceNetState from,
            const JobHooks& hooks, const SaveState<FaceNetState>& save, std::size_t round_steps)
        : settings_(settings),
          hooks_(hooks),
          save_(save),
          round_steps_(round_steps),
          crops_(sources, settings.crops, settings.seed),
          net_(settings.width, settings.batch, settings.crops.side, settings.seed),
          state_(std::move(from)) {
        const std::size_t count = net_.parameters().size();
        if (state_.parameters.empty()) {
            state_.parameters = state_.averaged = net_.parameters();
            state_.statistics = net_.statistics();
            state_.momentum.assign(count, 0);
            state_.spread.assign(count, 0);
        }
        if (state_.parameters.size() != count || state_.averaged.size() != count ||
            state_.momentum.size() != count || state_.spread.size() != count ||
            state_.statistics.size() != net_.statistics().size()) {
            throw Error(
                "The checkpoint's network is not that of this configuration in this version of the program; "
                "remove the checkpoint to begin anew.");
        }
        net_.parameters() = state_.parameters;
        net_.statistics() = state_.statistics;
        for (std::size_t h = 0; h < by_outputs_.size(); ++h)
            by_outputs_[h] = FloatBatch(settings.batch, net_.output(h).shape);
    }

    FaceNetState train() {
        while (state_.step < settings_.steps) {
            step();
            ++state_.step;
            hooks_.tell_or_stop(progress());
            if (state_.step % round_steps_ == 0 || state_.step == settings_.steps) end_round();
        }
        // The averaged parameters have other means and variances than those of each step.
        net_.parameters() = state_.averaged;
        for (std::size_t i = 0; i < statistics_batches; ++i) {
            draw(settings_.steps + i);
            net_.forward(true);
        }
        state_.parameters = state_.averaged;
        state_.statistics = net_.statistics();
        return std::move(state_);
    }

  private:
    void draw(std::size_t step) {
        truths_.resize(settings_.batch);
        tbb::parallel_for(std::size_t{0}, settings_.batch,
                          [&](std::size_t i) { truths_[i] = crops_.draw(step, i, net_.input().of(i)); });
    }

    /// The loss of the batch; its gradient by the outputs goes to by_outputs_.
    LossSums find_loss() {
        const std::size_t side = settings_.crops.side;
        std::vector<LossSums> parts(settings_.batch);
        tbb::parallel_for(std::size_t{0}, settings_.batch, [&](std::size_t i) {
            for (std::size_t h = 0; h < by_outputs_.size(); ++h) {
                const LossSums part = head_loss(cell_targets(truths_[i], h, side), net_.output(h).of(i), h,
                                                side, by_outputs_[h].of(i));
                parts[i].odds += part.odds;
                parts[i].boxes += part.boxes;
                parts[i].faces += part.faces;
            }
        });
        LossSums sums;
        for (const LossSums& part : parts) {
            sums.odds += part.odds;
            sums.boxes += part.boxes;
            sums.faces += part.faces;
        }
        const float share = 1 / static_cast<float>(std::max<std::size_t>(sums.faces, 1));
        tbb::parallel_for(std::size_t{0}, settings_.batch, [&](std::size_t i) {
            for (FloatBatch& head : by_outputs_) {
                float* values = head.of(i);
                for (std::size_t v = 0; v < head.shape.size(); ++v) values[v] *= share;
            }
        });
        return sums;
    }

    double rate() const {
        const auto step = static_cast<double>(state_.step);
        const double done = step / static_cast<double>(settings_.steps);
        const double rise =
            std::min(1.0, (step + 1) / static_cast<double>(std::max<std::size_t>(settings_.warm_up, 1)));
        return settings_.learning_rate * rise * (0.5 * (1 + std::cos(std::numbers::pi * done)) + last_rate);
    }

    void step() {
        draw(state_.step);
        net_.forward(true);
        const LossSums sums = find_loss();
        const std::vector<float>& gradient = net_.backward(by_outputs_);
        double square = 0;
        for (const float value : gradient) square += static_cast<double>(value) * static_cast<double>(value);
        const double norm = std::sqrt(square);
        const double clip = norm > settings_.max_gradient ? settings_.max_gradient / norm : 1;
        const auto number = static_cast<double>(state_.step + 1);
        const double first = 1 - std::pow(first_decay, number), second = 1 - std::pow(second_decay, number);
        const double now = rate();
        // An average of few steps forgets faster, so that the first weights do not stay in it.
        const double average = std::min(settings_.average, number / (number + 9));
        std::vector<float>& parameters = net_.parameters();
        for (std::size_t p = 0; p < parameters.size(); ++p) {
            const double by = clip * static_cast<double>(gradient[p]);
            const double momentum =
                first_decay * static_cast<double>(state_.momentum[p]) + (1 - first_decay) * by;
            const double spread =
                second_decay * static_cast<double>(state_.spread[p]) + (1 - second_decay) * by * by;
            state_.momentum[p] = static_cast<float>(momentum);
            state_.spread[p] = static_cast<float>(spread);
            double value = static_cast<double>(parameters[p]);
            if (net_.decays()[p] != 0) value -= now * settings_.weight_decay * value;
            value -= now * (momentum / first) / (std::sqrt(spread / second) + least_root);
            parameters[p] = static_cast<float>(value);
            state_.averaged[p] =
                static_cast<float>(average * static_cast<double>(state_.averaged[p]) + (1 - average) * value);
        }
        const auto faces = static_cast<double>(std::max<std::size_t>(sums.faces, 1));
        sums_.odds_loss += sums.odds / faces;
        sums_.box_loss += sums.boxes / faces;
        sums_.faces += static_cast<double>(sums.faces) / static_cast<double>(settings_.batch);
        ++reported_;
    }

    JobProgress progress() const { return {.done = state_.step, .total = settings_.steps, .unit = "steps"}; }

    void end_round() {
        const auto steps = static_cast<double>(std::exchange(reported_, 0));
        FaceNetProgress mean = std::exchange(sums_, {});
        mean.step = state_.step;
        mean.odds_loss /= steps;
        mean.box_loss /= steps;
        mean.faces /= steps;
        state_.losses.push_back(mean);
        JobProgress now = progress();
        now.round = round_of(fmt::format("step {}: loss of odds {:.3f}, of boxes {:.3f}", mean.step,
                                         mean.odds_loss, mean.box_loss),
                             json_of(mean));
        hooks_.tell(now);
        state_.parameters = net_.parameters();
        state_.statistics = net_.statistics();
        if (save_) save_(state_);
    }

    const FaceNetSettings& settings_;
    const JobHooks& hooks_;
    const SaveState<FaceNetState>& save_;
    const std::size_t round_steps_;
    const CropDrawer crops_;
    FloatNet net_;
    FaceNetState state_;
    std::vector<CropTruth> truths_;
    std::array<FloatBatch, 3> by_outputs_;
    FaceNetProgress sums_;
    std::size_t reported_ = 0;
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
                            FaceNetState from, const JobHooks& hooks, const SaveState<FaceNetState>& save,
                            std::size_t round_steps) {
    return Trainer(settings, sources, std::move(from), hooks, save, round_steps).train();
}

}  // namespace fovea
