#include "lib/train/face_net/face_net_trainer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"

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
            const FaceNetHooks& hooks)
        : settings_(settings),
          hooks_(hooks),
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
            if (hooks_.step) hooks_.step(state_.step);
            if (state_.step % hooks_.report_steps == 0 || state_.step == settings_.steps) report();
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
        progress_.odds_loss += sums.odds / faces;
        progress_.box_loss += sums.boxes / faces;
        progress_.faces += static_cast<double>(sums.faces) / static_cast<double>(settings_.batch);
        ++reported_;
    }

    void report() {
        const auto steps = static_cast<double>(std::exchange(reported_, 0));
        FaceNetProgress mean = std::exchange(progress_, {});
        mean.step = state_.step;
        mean.odds_loss /= steps;
        mean.box_loss /= steps;
        mean.faces /= steps;
        if (hooks_.progress) hooks_.progress(mean);
        state_.parameters = net_.parameters();
        state_.statistics = net_.statistics();
        if (hooks_.checkpoint) hooks_.checkpoint(state_);
    }

    const FaceNetSettings& settings_;
    const FaceNetHooks& hooks_;
    const CropDrawer crops_;
    FloatNet net_;
    FaceNetState state_;
    std::vector<CropTruth> truths_;
    std::array<FloatBatch, 3> by_outputs_;
    FaceNetProgress progress_;
    std::size_t reported_ = 0;
};

}  // namespace

FaceNetState train_face_net(const FaceNetSettings& settings, const std::vector<PhotographSource>& sources,
                            FaceNetState from, const FaceNetHooks& hooks) {
    return Trainer(settings, sources, std::move(from), hooks).train();
}

}  // namespace fovea
