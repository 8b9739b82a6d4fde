#include "kernels/net_training/gpu_net_trainer.hpp"

#include <vector>

#include <catch2/catch.hpp>

#include "kernels/core/device.hpp"
#include "kernels/core/stopwatch.hpp"
#include "lib/train/face_net/cpu_net_trainer.hpp"
#include "tests/lib/train/face_net/net_trainers.hpp"
#include "tests/support/gpu.hpp"

using namespace fovea;
using namespace fovea::test;

TEST_CASE("net training: a step on a GPU is that of the CPU, and the same each time",
          "[net-training][cuda]") {
    const auto device = gpu();
    if (!device) return;
    for (const NetWidth width : {NetWidth{16, 64, 64}, NetWidth{32, 48, 80}}) {
        const NetPlan plan = make_net_plan(width, 192);
        constexpr std::size_t crops = 6;
        const auto on_gpu = cuda_backend::make_gpu_net_trainer(plan, crops, device->index());
        const auto on_cpu = make_cpu_net_trainer(plan, crops);
        const TrainedNet made = trained(*on_gpu, plan, crops, 1);
        check_first_step(plan, trained(*on_cpu, plan, crops, 1), made);
        // More steps than batches can wait.
        const std::size_t steps = 3 * on_gpu->batches();
        const TrainedNet once = trained(*on_gpu, plan, crops, steps);
        const auto another = cuda_backend::make_gpu_net_trainer(plan, crops, device->index());
        const TrainedNet twice = trained(*another, plan, crops, steps);
        CHECK(once.state.parameters == twice.state.parameters);
        CHECK(once.state.averaged == twice.state.averaged);
        CHECK(once.state.statistics == twice.state.statistics);
        CHECK(once.losses.odds == twice.losses.odds);
        CHECK(once.losses.odds == Approx(trained(*on_cpu, plan, crops, steps).losses.odds).epsilon(0.05));
    }
}

TEST_CASE("net training: statistics on a GPU are those of the CPU", "[net-training][cuda]") {
    const auto device = gpu();
    if (!device) return;
    const NetPlan plan = make_net_plan({16, 32, 64}, 96);
    const auto on_gpu = cuda_backend::make_gpu_net_trainer(plan, 4, device->index());
    const auto on_cpu = make_cpu_net_trainer(plan, 4);
    for (NetTrainer* net : {on_gpu.get(), on_cpu.get()}) {
        net->load(first_state(plan));
        fill_batch(plan, 4, 5, net->batch(0));
        net->take_statistics(0);
    }
    const NetState state = on_gpu->state();
    CHECK(state.parameters == first_state(plan).parameters);
    check_range(on_cpu->state().statistics, state.statistics, {0, plan.statistics}, 1e-5);
}

TEST_CASE("net training: a GPU that is not there is refused", "[net-training]") {
    CHECK_THROWS_AS(cuda_backend::make_gpu_net_trainer(make_net_plan({16, 16, 16}, 32), 1, 4096),
                    DeviceError);
}

TEST_CASE("net training: time of a step on a GPU", "[.timing][cuda]") {
    const auto device = gpu();
    if (!device) return;
    const NetPlan plan = make_net_plan({16, 64, 64}, 192);
    constexpr std::size_t crops = 32, steps = 1000;
    const auto net = cuda_backend::make_gpu_net_trainer(plan, crops, device->index());
    net->load(first_state(plan));
    std::size_t faces = 0;
    for (std::size_t b = 0; b < net->batches(); ++b) faces = fill_batch(plan, crops, b, net->batch(b));
    const auto milliseconds = [&](const auto& step) {
        net->take_losses();
        const Stopwatch watch;
        for (std::size_t s = 0; s < steps; ++s) {
            net->batch(s);
            step(s);
        }
        net->take_losses();
        return 1000 * watch.seconds() / steps;
    };
    AdamStep step = first_step();
    step.rate = 1e-4;
    WARN("32 crops of 192x192: " << milliseconds([&](std::size_t s) { net->train(s, faces, step); })
                                 << " ms a step, forward alone "
                                 << milliseconds([&](std::size_t s) { net->take_statistics(s); }) << " ms");
}
