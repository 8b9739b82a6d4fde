#include "lib/bench/landmark_benchmark.hpp"

#include "lib/bench/benchmark_timing.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"

namespace fovea {
namespace {

std::vector<LandmarkTask> batch_of(const std::vector<LandmarkTask>& faces, std::size_t count) {
    std::vector<LandmarkTask> batch;
    batch.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        LandmarkTask task = faces[i % faces.size()];
        const int turn = static_cast<int>(i / faces.size());
        // Other pixels, other leaves: a batch of one face over and over would be read from the nearest cache.
        task.box.x += turn * 3 % 17 - turn % 2 * 8;
        task.box.y += turn * 5 % 13 - turn % 3 * 4;
        batch.push_back(task);
    }
    return batch;
}

LandmarkMeasurement measure(const Landmarker& landmarker, ThreadLimit& threads,
                            const std::vector<ImageView<const std::uint8_t>>& images,
                            const std::vector<LandmarkTask>& batch, int repeat,
                            std::vector<std::vector<Point>>& expected) {
    LandmarkMeasurement measurement;
    measurement.device = landmarker.device_name();
    measurement.faces = batch.size();
    const bool on_gpu = !landmarker.gpu_models().empty();
    measurement.threads = on_gpu ? 0 : threads.threads();
    std::vector<std::vector<Point>> found;
    for (int i = -1; i < repeat; ++i) {
        const double ms = time_ms([&] { threads.run([&] { found = landmarker.find(images, batch); }); });
        if (i >= 0) measurement.total_ms.push_back(ms);
    }
    if (expected.empty()) expected = found;
    measurement.equal = found == expected;
    if (landmarker.gpu_models().size() == 1) {
        measurement.resident_ms = landmarker.gpu_models()[0]->measure(images, batch, repeat);
    }
    return measurement;
}

}  // namespace

std::vector<LandmarkMeasurement> benchmark_landmarks(const LandmarkModel& model,
                                                     const std::vector<ImageView<const std::uint8_t>>& images,
                                                     const std::vector<LandmarkTask>& faces,
                                                     const LandmarkBenchmarkRequest& request,
                                                     const JobHooks& hooks) {
    std::vector<std::vector<std::vector<Point>>> expected(request.batches.size());
    std::vector<LandmarkMeasurement> measurements;
    for (const BenchDevice& backend : request.backends) {
        const Landmarker landmarker(model, backend.device, "");
        ThreadLimit threads(backend.threads);
        for (std::size_t b = 0; b < request.batches.size(); ++b) {
            if (hooks.is_cancelled()) return measurements;
            hooks.begin_stage("measuring " + counted(request.batches[b], "face") + " on " +
                              landmarker.device_name());
            measurements.push_back(measure(landmarker, threads, images, batch_of(faces, request.batches[b]),
                                           request.repeat, expected[b]));
            measurements.back().backend = backend.name();
        }
    }
    return measurements;
}

}  // namespace fovea
