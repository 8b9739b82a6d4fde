// A network in training on a GPU: what a step needs from the host comes in one copy, and its launches are one
// CUDA graph.

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/core/buffer.hpp"
#include "kernels/core/gpu_graph.cuh"
#include "kernels/core/gpu_memory.cuh"
#include "kernels/net_training/gpu_net_step.cuh"
#include "kernels/net_training/gpu_net_trainer.hpp"

namespace fovea::cuda_backend {
namespace {

constexpr const char* doing = "training a network";

/// A batch in the host's memory, and the event behind its copy to the GPU.
struct HostBatch {
    HostBatch(const NetPlan& plan, std::size_t crops, std::size_t input_bytes, int gpu)
        : bytes(input_bytes), memory(gpu, true), copied(gpu) {
        memory.reserve(bytes);
        Arena arena(memory.at());
        input.emplace(plan, crops, arena);
    }

    std::size_t bytes;
    HostMemory memory;
    Event copied;
    std::optional<StepInput> input;
};

class GpuNetTrainer : public NetTrainer {
  public:
    GpuNetTrainer(const NetPlan& plan, std::size_t crops, int gpu)
        : plan_(plan), device_(Device::cuda(gpu)), memory_(gpu) {
        Arena counts(nullptr);
        const DeviceNet counted(plan_, crops, counts);
        memory_.reserve(counts.bytes());
        Arena arena(memory_.at());
        net_.emplace(plan_, crops, arena);
        copy(net_->decays, plan_.decays.data(), plan_.decays.size());
        copy(net_->places, net_->host_places.data(), net_->host_places.size());
        Arena of_input(nullptr);
        const StepInput input(plan_, crops, of_input);
        for (std::size_t b = 0; b < batches(); ++b)
            batches_.emplace_back(plan_, crops, of_input.bytes(), gpu);
        // Kernels are loaded before a graph is captured.
        forward();
        step();
        device_.synchronize();
        statistics_graph_ = capture_graph(device_, [this] { forward(); });
        step_graph_ = capture_graph(device_, [this] { step(); });
        copy(net_->losses, &no_losses, 1);
    }

    /// Steps may be under way where a training is interrupted; they use the memory and the graphs.
    ~GpuNetTrainer() override { cudaStreamSynchronize(static_cast<cudaStream_t>(device_.stream())); }

    void load(const NetState& state) override {
        each_list(state, [this](float* on_device, const std::vector<float>& list) {
            copy(on_device, list.data(), list.size());
        });
        device_.synchronize();
    }
    NetState state() override {
        NetState state;
        const std::size_t count = plan_.parameters();
        for (std::vector<float>* list : {&state.parameters, &state.averaged, &state.momentum, &state.spread})
            list->resize(count);
        state.statistics.resize(plan_.statistics);
        each_list(state, [this](const float* on_device, std::vector<float>& list) {
            copy(list.data(), on_device, list.size());
        });
        device_.synchronize();
        return state;
    }

    std::size_t batches() const override { return 8; }
    NetBatch batch(std::size_t number) override {
        HostBatch& batch = batches_[number % batches()];
        batch.copied.wait();
        return {batch.input->pixels, batch.input->targets};
    }

    void train(std::size_t number, std::size_t face_cells, const AdamStep& step) override {
        HostBatch& batch = batches_[number % batches()];
        *batch.input->numbers = {step, static_cast<double>(std::max<std::size_t>(face_cells, 1))};
        run(batch, *step_graph_);
    }
    void take_statistics(std::size_t number) override {
        run(batches_[number % batches()], *statistics_graph_);
    }

    NetLosses take_losses() override {
        NetLosses losses;
        copy(&losses, net_->losses, 1);
        copy(net_->losses, &no_losses, 1);
        device_.synchronize();
        return losses;
    }

  private:
    static constexpr NetLosses no_losses{};

    template <class T>
    void copy(T* to, const T* from, std::size_t count) {
        cuda_backend::copy(device_.index(), device_.stream(), to, from, count * sizeof(T));
    }
    /// Calls use(list on the device, list of the state).
    template <class State, class Use>
    void each_list(State& state, const Use& use) {
        use(net_->parameters, state.parameters);
        use(net_->statistics, state.statistics);
        use(net_->averaged, state.averaged);
        use(net_->momentum, state.momentum);
        use(net_->spread, state.spread);
    }

    void run(HostBatch& batch, const GraphExecutable& graph) {
        // The input is the first of the net's memory.
        copy(memory_.at(), batch.memory.at(), batch.bytes);
        batch.copied.record(static_cast<cudaStream_t>(device_.stream()));
        launch_graph(device_, graph);
    }

    template <class Queue>
    void queue(const Queue& queue_on) {
        const auto launch = [this](dim3 blocks, unsigned threads, std::size_t shared_bytes, auto kernel,
                                   const auto&... arguments) {
            launch_kernel(device_, doing, blocks, threads, shared_bytes, kernel, arguments...);
        };
        NetSteps steps(*net_, launch);
        queue_on(steps);
    }
    void forward() {
        queue([](auto& steps) { steps.forward(); });
    }
    void step() {
        queue([](auto& steps) {
            steps.forward();
            steps.find_loss();
            steps.backward();
            steps.update();
        });
    }

    const NetPlan plan_;
    const Device device_;
    DeviceMemory memory_;
    std::optional<DeviceNet> net_;
    std::deque<HostBatch> batches_;
    std::unique_ptr<GraphExecutable> statistics_graph_, step_graph_;
};

}  // namespace

std::unique_ptr<NetTrainer> make_gpu_net_trainer(const NetPlan& plan, std::size_t crops, int gpu) {
    return std::make_unique<GpuNetTrainer>(plan, crops, gpu);
}

}  // namespace fovea::cuda_backend
