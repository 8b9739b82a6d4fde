#include <chrono>

#include "kernels/engine/gpu_batch.cuh"

namespace fovea::cuda_backend {

WindowTrace GpuBatch::trace(const ScanJob& job) {
    prepare({&job, 1}, {}, true);
    std::vector<std::int16_t> stages(size_.windows);
    std::vector<double> sums(size_.windows);
    if (size_.windows > 0) {
        enqueue_input();
        enqueue_scan(true);
        copy(stages.data(), traces_.at(layout_.trace.stages), stages.size() * sizeof(std::int16_t));
        copy(sums.data(), traces_.at(layout_.trace.sums), sums.size() * sizeof(double));
        device_.synchronize();
    }
    WindowTrace trace;
    std::size_t at = 0;
    for (const PyramidLevel& scanned : job.levels) {
        WindowTrace::Level& level = trace.levels.emplace_back();
        level.windows_per_row = scanned.windows_per_row();
        level.window_rows = scanned.window_rows();
        const auto count = static_cast<std::size_t>(window_count(scanned));
        level.stages_passed.assign(stages.begin() + at, stages.begin() + at + count);
        level.last_sums.assign(sums.begin() + at, sums.begin() + at + count);
        at += count;
    }
    return trace;
}

std::vector<PartTimes> GpuBatch::measure(std::span<const ScanJob> jobs, int min_neighbors, int repeat) {
    // Once in full, so that all memory has its size.
    start(jobs, {min_neighbors});
    collect();
    if (size_.windows == 0) return std::vector<PartTimes>(repeat);
    const auto scan_and_group = capture_graph(device_, [this] {
        enqueue_scan(true);
        enqueue_grouping();
    });
    const auto whole = capture_graph(device_, [this] { enqueue_all(); });
    Event begin(gpu_), uploaded(gpu_), preprocessed(gpu_), scanned(gpu_), grouped(gpu_), downloaded(gpu_);
    Event resident_begin(gpu_), resident_end(gpu_);
    std::vector<PartTimes> times;
    constexpr int warm_up = 3;
    for (int i = -warm_up; i < repeat; ++i) {
        begin.record(stream());
        enqueue_input();
        uploaded.record(stream());
        enqueue_scan(false);
        preprocessed.record(stream());
        enqueue_scan(true);
        scanned.record(stream());
        enqueue_grouping();
        grouped.record(stream());
        enqueue_download();
        downloaded.record(stream());
        device_.synchronize();
        resident_begin.record(stream());
        launch_graph(device_, *scan_and_group);
        resident_end.record(stream());
        device_.synchronize();
        const auto start_time = std::chrono::steady_clock::now();
        launch_graph(device_, *whole);
        device_.synchronize();
        const std::chrono::duration<double, std::milli> elapsed =
            std::chrono::steady_clock::now() - start_time;
        if (i < 0) continue;
        PartTimes part;
        part.upload = uploaded.since(begin);
        part.preprocessing = preprocessed.since(uploaded);
        part.scan = scanned.since(preprocessed) - part.preprocessing;
        part.grouping = grouped.since(scanned);
        part.download = downloaded.since(grouped);
        part.resident = resident_end.since(resident_begin);
        part.pinned = elapsed.count();
        times.push_back(part);
    }
    return times;
}

}  // namespace fovea::cuda_backend
