#include <algorithm>
#include <stdexcept>

#include "kernels/core/gpu_memory.cuh"
#include "kernels/engine/gpu_engine.hpp"
#include "kernels/mct/gpu_mct.hpp"
#include "kernels/mct/mct_engine.hpp"
#include "kernels/mct/pyramid.hpp"

namespace fovea {
namespace cuda_backend {
namespace {

// The parts that the programs of a model share.
struct MctModelState {
    int device;
    MctScanTables tables;
    DeviceMemory memory;
    MctScanArguments arguments;  // what of them no batch changes
    int max_blocks = 0;
};

class MctGpuBatch : public GpuCascadeBatch {
  public:
    explicit MctGpuBatch(const MctModelState& model)
        : model_(model), octaves_(model.device), taps_(model.device), codes_(model.device) {}

    ScanLayout plan(std::span<const ScanJob> jobs) override {
        plan_ = make_mct_plan(jobs, model_.tables.planes);
        offsets_ = plan_.offsets();
        ScanLayout layout;
        layout.table_bytes = offsets_.bytes;
        layout.image_bytes = plan_.image_bytes;
        layout.image_offsets = plan_.image_offsets;
        layout.windows = plan_.windows;
        layout.counter_words = 1;
        layout.shape = {plan_.images.size(),
                        plan_.levels.size(),
                        static_cast<std::size_t>(plan_.octave_blocks(0)),
                        static_cast<std::size_t>(plan_.octave_blocks(1)),
                        static_cast<std::size_t>(plan_.level_tiles()),
                        static_cast<std::size_t>(plan_.scan_tiles())};
        return layout;
    }

    void write_tables(std::byte* target) const override { plan_.write_tables(target); }

    bool memory_moves() const override {
        return octaves_.moves(plan_.octave_bytes) || taps_.moves(tap_bytes()) || codes_.moves(code_bytes());
    }
    void reserve() override {
        octaves_.reserve(plan_.octave_bytes);
        taps_.reserve(tap_bytes());
        codes_.reserve(code_bytes());
    }
    void release_memory() noexcept override {
        octaves_.release();
        taps_.release();
        codes_.release();
    }

    void enqueue(const Device& device, const ScanTarget& target, bool with_cascade) override {
        const MctBatch batch = batch_at(target.input);
        for (int launch = 0; launch < octave_launches; ++launch) {
            launch_mct_octaves(device, batch, launch, plan_.octave_blocks(launch), target.counters,
                               static_cast<int>(target.cleared_words));
        }
        if (plan_.codes > 0) launch_mct_levels(device, batch, plan_.level_tiles());
        if (!with_cascade) return;
        MctScanArguments arguments = model_.arguments;
        arguments.batch = batch;
        arguments.found = target.found;
        arguments.tile_count = plan_.scan_tiles();
        arguments.next_tile = target.counters;
        arguments.trace_stages = target.trace_stages;
        arguments.trace_sums = target.trace_sums;
        launch_mct_scan(device, std::min(model_.max_blocks, plan_.scan_tiles()), arguments);
    }

  private:
    std::size_t tap_bytes() const { return plan_.taps * sizeof(AreaTap); }
    std::size_t code_bytes() const { return plan_.codes * sizeof(std::uint16_t); }

    MctBatch batch_at(const std::byte* input) const {
        const auto table = [&](std::size_t offset, auto* type) {
            return reinterpret_cast<decltype(type)>(input + offset);
        };
        const int* const tasks = nullptr;
        MctBatch batch;
        batch.levels = table(offsets_.levels, batch.levels);
        batch.first_level_tiles = table(offsets_.level_tiles, tasks);
        batch.first_scan_tiles = table(offsets_.scan_tiles, tasks);
        batch.level_count = static_cast<int>(plan_.levels.size());
        batch.images = table(offsets_.images, batch.images);
        for (int i = 0; i < octave_launches; ++i) {
            batch.first_octave_blocks[i] = table(offsets_.octave_blocks[i], tasks);
        }
        batch.image_count = static_cast<int>(plan_.images.size());
        batch.pixels = table(offsets_.bytes, batch.pixels);
        batch.octaves = octaves_.at<std::uint8_t>();
        batch.taps = taps_.at<AreaTap>();
        batch.codes = codes_.at<std::uint16_t>();
        std::copy(std::begin(model_.tables.planes), std::end(model_.tables.planes), batch.planes);
        return batch;
    }

    const MctModelState& model_;
    MctBatchPlan plan_;
    MctTableOffsets offsets_;
    DeviceMemory octaves_;
    DeviceMemory taps_;
    DeviceMemory codes_;
};

class MctGpuCascade : public GpuCascade {
  public:
    MctGpuCascade(const MctCascade& cascade, int device)
        : state_{
              device, make_mct_tables(cascade, mct_scan_shared_bytes(device)), DeviceMemory(device), {}, 0} {
        upload(cascade);
        const int bytes = state_.tables.memory.bytes;
        const int blocks = std::min(mct_blocks_per_multiprocessor(device, bytes, false),
                                    mct_blocks_per_multiprocessor(device, bytes, true));
        if (blocks == 0) throw std::invalid_argument("no block of the scan fits on this GPU");
        int multiprocessors = 0;
        check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device), device,
              "reading the device's properties");
        state_.max_blocks = multiprocessors * blocks;
    }

    std::unique_ptr<GpuCascadeBatch> make_batch() const override {
        return std::make_unique<MctGpuBatch>(state_);
    }
    GroupScore group_score() const override { return GroupScore::sum; }

  private:
    void upload(const MctCascade& cascade) {
        const MctScanTables& tables = state_.tables;
        const std::size_t weights = align_up(cascade.weights.size());
        const std::size_t lookups = tables.lookups.size() * sizeof(MctGpuLookup);
        state_.memory.reserve(weights + lookups + 1);
        const auto put = [&](std::size_t at, const void* data, std::size_t bytes) {
            check(cudaMemcpy(state_.memory.at(at), data, bytes, cudaMemcpyHostToDevice), state_.device,
                  "copying the cascade");
        };
        put(0, cascade.weights.data(), cascade.weights.size());
        put(weights, tables.lookups.data(), lookups);
        check(cudaStreamSynchronize(nullptr), state_.device, "copying the cascade");

        MctScanArguments& arguments = state_.arguments;
        arguments.memory = tables.memory;
        arguments.coarse = tables.coarse;
        arguments.fine = static_cast<int>(tables.lookups.size()) - tables.coarse;
        arguments.last_threshold = tables.last_threshold;
        std::copy(std::begin(mct_coarse_rounds), std::end(mct_coarse_rounds), arguments.coarse_rounds);
        std::copy(std::begin(mct_fine_rounds), std::end(mct_fine_rounds), arguments.fine_rounds);
        std::copy_n(tables.lookups.begin(), tables.coarse, arguments.coarse_lookups);
        std::copy_n(tables.lookups.begin() + tables.coarse, std::min(arguments.fine, mct_thread_lookups),
                    arguments.fine_lookups);
        arguments.all_fine_lookups = state_.memory.at<MctGpuLookup>(weights) + tables.coarse;
        arguments.weights = state_.memory.at<std::int8_t>();
    }

    MctModelState state_;
};

}  // namespace
}  // namespace cuda_backend

std::unique_ptr<CascadeEngine> make_cuda_engine(const MctCascade& cascade, std::span<const int> gpus,
                                                const EngineOptions& variant) {
    // An MCT cascade's windows take about an eighth of the time of a Haar cascade's.
    constexpr std::int64_t min_windows_shared = 64'000'000;
    cuda_backend::GpuCascadeKind kind;
    kind.levels = mct_levels;
    kind.make_cascade = [&cascade](int gpu) -> std::unique_ptr<cuda_backend::GpuCascade> {
        return std::make_unique<cuda_backend::MctGpuCascade>(cascade, gpu);
    };
    kind.min_windows_shared = min_windows_shared;
    return cuda_backend::make_gpu_engine(kind, gpus, variant);
}

}  // namespace fovea
