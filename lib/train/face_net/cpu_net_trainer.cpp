#include "lib/train/face_net/cpu_net_trainer.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <tbb/parallel_for.h>

#include "lib/train/face_net/face_loss.hpp"
#include "lib/train/face_net/float_net.hpp"

namespace fovea {
namespace {

class CpuNetTrainer : public NetTrainer {
  public:
    CpuNetTrainer(const NetPlan& plan, std::size_t crops)
        : net_(plan, crops, 0), targets_(crops * plan.cells_of_crop()) {
        for (std::size_t h = 0; h < by_outputs_.size(); ++h)
            by_outputs_[h] = FloatBatch(crops, net_.output(h).shape);
    }

    void load(const NetState& state) override {
        net_.parameters() = state.parameters;
        net_.statistics() = state.statistics;
        state_ = state;
    }
    NetState state() override {
        state_.parameters = net_.parameters();
        state_.statistics = net_.statistics();
        return state_;
    }

    std::size_t batches() const override { return 1; }
    NetBatch batch(std::size_t) override { return {net_.input().values.data(), targets_.data()}; }

    void train(std::size_t, std::size_t face_cells, const AdamStep& step) override {
        net_.forward(true);
        find_loss(std::max<std::size_t>(face_cells, 1));
        const std::vector<float>& gradient = net_.backward(by_outputs_);
        double square = 0;
        for (const float value : gradient) square += static_cast<double>(value) * static_cast<double>(value);
        const double clip = step.clip(square);
        for (std::size_t p = 0; p < gradient.size(); ++p) {
            take_adam_step(
                step, clip * static_cast<double>(gradient[p]), net_.plan().decays[p] != 0,
                {&net_.parameters()[p], &state_.momentum[p], &state_.spread[p], &state_.averaged[p]});
        }
    }
    void take_statistics(std::size_t) override { net_.forward(true); }
    NetLosses take_losses() override { return std::exchange(losses_, {}); }

  private:
    /// Adds the loss of the batch; its gradient by the outputs goes to by_outputs_.
    void find_loss(std::size_t face_cells) {
        const std::size_t crops = net_.input().images, cells = net_.plan().cells_of_crop();
        const float share = 1 / static_cast<float>(face_cells);
        std::vector<NetLosses> parts(crops);
        tbb::parallel_for(std::size_t{0}, crops, [&](std::size_t i) {
            const CellTarget* targets = targets_.data() + i * cells;
            for (std::size_t h = 0; h < by_outputs_.size(); ++h) {
                FloatBatch& by_output = by_outputs_[h];
                const std::size_t count = by_output.shape.pixels();
                const NetLosses part =
                    head_loss({targets, count}, net_.output(h).of(i), h, net_.plan().side, by_output.of(i));
                targets += count;
                parts[i].odds += part.odds;
                parts[i].boxes += part.boxes;
                float* values = by_output.of(i);
                for (std::size_t v = 0; v < by_output.shape.size(); ++v) values[v] *= share;
            }
        });
        NetLosses sums;
        for (const NetLosses& part : parts) {
            sums.odds += part.odds;
            sums.boxes += part.boxes;
        }
        losses_.odds += sums.odds / static_cast<double>(face_cells);
        losses_.boxes += sums.boxes / static_cast<double>(face_cells);
    }

    FloatNet net_;
    NetState state_;
    std::vector<CellTarget> targets_;
    std::array<FloatBatch, 3> by_outputs_;
    NetLosses losses_;
};

}  // namespace

std::unique_ptr<NetTrainer> make_cpu_net_trainer(const NetPlan& plan, std::size_t crops) {
    return std::make_unique<CpuNetTrainer>(plan, crops);
}

}  // namespace fovea
