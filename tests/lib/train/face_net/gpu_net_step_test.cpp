// The steps of a training on a GPU, run on the CPU by blocks whose threads take turns:
// tests/support/host_cuda.

#include "kernels/net_training/gpu_net_step.cuh"

#include <cstring>
#include <vector>

#include <catch2/catch.hpp>

#include "lib/train/face_net/cpu_net_trainer.hpp"
#include "tests/lib/train/face_net/net_trainers.hpp"
#include "tests/support/host_cuda/block_of_threads.hpp"

namespace fovea::cuda_backend {

/// The shared memory of a block.
alignas(16) uint4 shared_words[2048];

}  // namespace fovea::cuda_backend

using namespace fovea;
using namespace fovea::cuda_backend;
using namespace fovea::test;

namespace {

dim3 blocks_of(dim3 blocks) {
    return blocks;
}
dim3 blocks_of(unsigned blocks) {
    return {blocks, 1, 1};
}

/// The trainer of gpu_net_trainer.cu, without a GPU.
class StandInTrainer : public NetTrainer {
  public:
    StandInTrainer(const NetPlan& plan, std::size_t crops)
        : memory_(bytes_of(plan, crops)),
          arena_(reinterpret_cast<std::byte*>(memory_.data())),
          net_(plan, crops, arena_) {
        std::copy(plan.decays.begin(), plan.decays.end(), net_.decays);
        std::copy(net_.host_places.begin(), net_.host_places.end(), net_.places);
        *net_.losses = {};
    }

    void load(const NetState& state) override {
        std::copy(state.parameters.begin(), state.parameters.end(), net_.parameters);
        std::copy(state.statistics.begin(), state.statistics.end(), net_.statistics);
        std::copy(state.averaged.begin(), state.averaged.end(), net_.averaged);
        std::copy(state.momentum.begin(), state.momentum.end(), net_.momentum);
        std::copy(state.spread.begin(), state.spread.end(), net_.spread);
    }
    NetState state() override {
        const auto list = [&](const float* from) {
            return std::vector<float>(from, from + net_.plan.parameters());
        };
        return {list(net_.parameters),
                {net_.statistics, net_.statistics + net_.plan.statistics},
                list(net_.averaged),
                list(net_.momentum),
                list(net_.spread)};
    }
    std::size_t batches() const override { return 1; }
    NetBatch batch(std::size_t) override { return {net_.input.pixels, net_.input.targets}; }
    void train(std::size_t, std::size_t face_cells, const AdamStep& step) override {
        *net_.input.numbers = {step, static_cast<double>(face_cells)};
        queue([](auto& steps) {
            steps.forward();
            steps.find_loss();
            steps.backward();
            steps.update();
        });
    }
    void take_statistics(std::size_t) override {
        queue([](auto& steps) { steps.forward(); });
    }
    NetLosses take_losses() override { return std::exchange(*net_.losses, {}); }

  private:
    static std::size_t bytes_of(const NetPlan& plan, std::size_t crops) {
        Arena counts(nullptr);
        const DeviceNet net(plan, crops, counts);
        return counts.bytes() / sizeof(uint4);
    }
    template <class Queue>
    void queue(const Queue& queue_on) {
        const auto launch = [](const auto& blocks, unsigned threads, std::size_t shared_bytes, auto kernel,
                               const auto&... arguments) {
            REQUIRE(shared_bytes <= sizeof(shared_words));
            const dim3 grid = blocks_of(blocks);
            for (unsigned y = 0; y < grid.y; ++y) {
                blockIdx.y = y;
                BlockOfThreads::run(grid.x, threads, shared_words, [&] { kernel(arguments...); });
            }
            blockIdx.y = 0;
        };
        NetSteps steps(net_, launch);
        queue_on(steps);
    }

    std::vector<uint4> memory_;
    Arena arena_;
    DeviceNet net_;
};

}  // namespace

TEST_CASE("net training on a GPU: a step is that of the CPU", "[net-training]") {
    // Tiles of 16 and of 64 channels; maps of odd sides; parts of sums.
    struct Case {
        NetWidth width;
        std::size_t side, crops;
    };
    for (const auto& [width, side, crops] :
         {Case{{16, 16, 16}, 96, 3}, Case{{16, 64, 64}, 32, 5}, Case{{32, 48, 80}, 32, 3}}) {
        CAPTURE(width.quarter, side);
        const NetPlan plan = make_net_plan(width, side);
        StandInTrainer gpu(plan, crops);
        const auto cpu = make_cpu_net_trainer(plan, crops);
        const TrainedNet wanted = trained(*cpu, plan, crops, 1), made = trained(gpu, plan, crops, 1);
        check_first_step(plan, wanted, made);
        check_range(wanted.state.parameters, made.state.parameters, {0, plan.parameters()}, 2e-3);
        check_range(wanted.state.averaged, made.state.averaged, {0, plan.parameters()}, 2e-3);
        // Channels that nobody reads stay 0, and a small norm is reached exactly.
        CHECK(made.state.parameters[plan.layers[plan.heads[0]].pointwise.first + head_numbers] == 0);
        const TrainedNet clipped = trained(gpu, plan, crops, 1, 0.5);
        double square = 0;
        for (const float value : clipped.state.momentum)
            square += std::pow(static_cast<double>(value) / (1 - first_decay), 2);
        CHECK(std::sqrt(square) == Approx(0.5).epsilon(1e-5));
    }
}

TEST_CASE("net training on a GPU: statistics, and the same numbers each time", "[net-training]") {
    const NetPlan plan = make_net_plan({16, 16, 32}, 32);
    StandInTrainer gpu(plan, 2);
    const auto cpu = make_cpu_net_trainer(plan, 2);
    NetTrainer* const both[] = {cpu.get(), &gpu};
    for (NetTrainer* net : both) {
        net->load(first_state(plan));
        fill_batch(plan, 2, 5, net->batch(0));
        net->take_statistics(0);
    }
    CHECK(gpu.state().parameters == first_state(plan).parameters);
    check_range(cpu->state().statistics, gpu.state().statistics, {0, plan.statistics}, 1e-5);
    const TrainedNet once = trained(gpu, plan, 2, 2), twice = trained(gpu, plan, 2, 2);
    CHECK(once.state.parameters == twice.state.parameters);
    CHECK(once.losses.odds == twice.losses.odds);
    CHECK(once.losses.odds == Approx(trained(*cpu, plan, 2, 2).losses.odds).epsilon(0.01));
}
