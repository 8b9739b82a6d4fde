#include "lib/bench/benchmark.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "kernels/core/buffer.hpp"
#include "kernels/core/device.hpp"
#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/detect/engine_detector.hpp"
#include "lib/detect/mct_model.hpp"
#include "lib/detect/opencv_reference.hpp"
#include "lib/detect/yunet_detector.hpp"
#include "lib/files/find_model.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {
namespace {

// The photographs at one size, and what the CPU finds in them.
struct Scene {
    std::vector<GreyImage> pixels;
    ImageViews views;
    std::vector<CascadeResult> findings;
    std::vector<std::vector<Detection>> faces;  // of a detector that is no cascade
};

class Runner {
  public:
    Runner(const BenchmarkSubject& subject, const std::vector<BenchmarkBackend>& backends,
           const DetectionBenchmarkRequest& request, const JobHooks& hooks)
        : subject_(subject),
          backends_(backends),
          request_(request),
          hooks_(hooks),
          cascade_(subject.detector.as_cascade()) {
        if (cascade_ != nullptr) scan_ = cascade_->scan_of(subject.options);
        const bool with_opencv = std::any_of(
            backends.begin(), backends.end(),
            [](const BenchmarkBackend& backend) { return backend.info.kind == BackendInfo::Kind::opencv; });
        if (!with_opencv) return;
        const std::filesystem::path& model = subject.rival ? subject.rival->model : subject.model;
        if (is_yunet_model(model)) {
            opencv_yunet_.emplace(model);
        } else {
            opencv_.emplace(model);
        }
    }

    void measure_size(const std::vector<Photograph>& photographs, std::optional<Size> size) {
        if (stopped()) return;
        prepare(photographs, size);
        std::vector<int> host_threads;
        for (const BenchmarkBackend& backend : backends_) {
            const int threads = backend.info.threads;
            if (!backend.info.on_host() || contains(host_threads, threads)) continue;
            host_threads.push_back(threads);
            if (!stopped()) measure_host(threads);
        }
        for (const BenchmarkBackend& backend : backends_) {
            if (!backend.info.on_host()) try_cuda(backend);
        }
        // The order is that of the given backends, not of their measurement.
        std::stable_sort(benchmark_.measurements.begin(), benchmark_.measurements.end(),
                         [&](const Measurement& a, const Measurement& b) {
                             return std::pair(a.size, place_of(a)) < std::pair(b.size, place_of(b));
                         });
    }

    DetectionBenchmark take() { return std::move(benchmark_); }

  private:
    template <class T>
    static bool contains(const std::vector<T>& list, const T& value) {
        return std::find(list.begin(), list.end(), value) != list.end();
    }

    std::size_t place_of(const Measurement& measurement) const {
        const auto at = std::find_if(backends_.begin(), backends_.end(), [&](const BenchmarkBackend& b) {
            return b.info == measurement.backend;
        });
        return static_cast<std::size_t>(at - backends_.begin());
    }

    bool cancelled() const { return hooks_.is_cancelled(); }
    // Cancelled, and something was measured that can be shown.
    bool stopped() {
        const bool stop = cancelled() && !benchmark_.measurements.empty();
        benchmark_.interrupted = benchmark_.interrupted || stop;
        return stop;
    }
    // After a measurement: it may have fewer repetitions than asked for.
    void note_interruption() { benchmark_.interrupted = benchmark_.interrupted || cancelled(); }

    void announce(const std::string& what) const {
        hooks_.begin_stage("measuring " + size_name(benchmark_.sizes.back().size) + what);
    }

    void prepare(const std::vector<Photograph>& photographs, std::optional<Size> size) {
        scene_ = {};
        for (const Photograph& photograph : photographs) {
            if (size) scene_.pixels.push_back(resized(photograph.image, *size));
            const GreyImage& image = size ? scene_.pixels.back() : photograph.image;
            scene_.views.push_back(image.view());
        }
        MeasuredSize& measured = benchmark_.sizes.emplace_back();
        measured.size = {scene_.views[0].width, scene_.views[0].height};
        measured.images = scene_.views.size();
        for (const auto& view : scene_.views) {
            const Size own{view.width, view.height};
            if (own != measured.size) measured.size = {0, 0};
            measured.pixels += double(own.width) * own.height;
            for (const PyramidLevel& level : levels_of(view)) {
                measured.windows += double(level.windows_per_row()) * level.window_rows();
            }
        }
        announce("");
        ThreadLimit limit(request_.threads);
        limit.run([&] {
            if (cascade_ == nullptr) {
                scene_.faces = subject_.detector.detect(scene_.views, subject_.options);
                for (const auto& found : scene_.faces) measured.boxes += found.size();
                return;
            }
            scene_.findings = cascade_->engine().detect(scene_.views, scan_);
        });
        for (const CascadeResult& found : scene_.findings) {
            measured.boxes += found.windows.size() + found.groups.size();
        }
    }

    std::vector<PyramidLevel> levels_of(ImageView<const std::uint8_t> view) const {
        if (cascade_ == nullptr) return {};
        return cascade_->engine().levels({view.width, view.height}, scan_.parameters);
    }

    void report_difference(const std::string& backend, std::size_t images) {
        if (images == 0) return;
        benchmark_.differences.push_back(
            fmt::format("the boxes of {} differ from those of the CPU in {} ({})", backend,
                        counted(images, "image"), size_name(benchmark_.sizes.back().size)));
    }

    // Photographs over and over, as many as a batch holds.
    ImageViews batch_of(int count) const {
        ImageViews batch;
        for (int i = 0; i < count; ++i) {
            batch.push_back(scene_.views[static_cast<std::size_t>(i) % scene_.views.size()]);
        }
        return batch;
    }

    // Photographs of a later group begin again with the first once all were there.
    void check_engine(CascadeEngine& engine, const std::vector<ImageViews>& groups, const std::string& name) {
        std::size_t image = 0;
        std::size_t differing = 0;
        for (const ImageViews& group : groups) {
            const std::vector<CascadeResult> found = engine.detect(group, scan_);
            for (std::size_t i = 0; i < group.size(); ++i, ++image) {
                const CascadeResult& expected = scene_.findings[image % scene_.findings.size()];
                if (i >= found.size() || found[i] != expected) ++differing;
            }
        }
        report_difference(name, differing);
    }

    void check_opencv(const std::string& name) {
        if (subject_.rival) return;  // other boxes, by another cascade
        const auto expected = subject_.detector.detect(scene_.views, subject_.options);
        std::size_t differing = 0;
        for (std::size_t i = 0; i < scene_.views.size(); ++i) {
            const auto found = opencv_->grouped(scene_.views[i], subject_.options);
            if (!compare_detections(expected[i], found, ComparedValues::box_and_score).empty()) ++differing;
        }
        report_difference(name, differing);
    }

    std::vector<ImageViews> one_by_one() const {
        std::vector<ImageViews> groups;
        for (const auto& view : scene_.views) groups.push_back({view});
        return groups;
    }

    // The CPU and OpenCV with one number of threads.
    void measure_host(int threads) {
        const BenchmarkBackend* cpu = nullptr;
        const BenchmarkBackend* opencv = nullptr;
        for (const BenchmarkBackend& backend : backends_) {
            if (!backend.info.on_host() || backend.info.threads != threads) continue;
            (backend.info.kind == BackendInfo::Kind::cpu ? cpu : opencv) = &backend;
        }
        announce(", " + counted(static_cast<std::size_t>(threads), "thread"));
        Measurement of_cpu{benchmark_.sizes.size() - 1, cpu ? cpu->info : BackendInfo{}, 1, {}};
        Measurement of_opencv{benchmark_.sizes.size() - 1, opencv ? opencv->info : BackendInfo{}, 1, {}};
        ThreadLimit limit(threads);
        limit.run([&] {
            if (cpu && cascade_) check_engine(cascade_->engine(), one_by_one(), backend_name(cpu->info));
            if (opencv) check_opencv(backend_name(opencv->info));
            take_turns(cpu, opencv != nullptr, of_cpu.ms_per_image, of_opencv.ms_per_image);
            if (cpu && cascade_ && !cancelled()) {
                const Repetitions as_many{static_cast<int>(of_cpu.ms_per_image.total_ms.size()), 1, 0};
                const double expected_ms = of_cpu.ms_per_image.total_ms.back() * double(scene_.views.size());
                EngineTimes parts = measure_groups(
                    cascade_->engine(), one_by_one(), scan_, as_many, [&] { return cancelled(); },
                    expected_ms);
                parts.total_ms = std::move(of_cpu.ms_per_image.total_ms);
                parts.resident_ms.clear();  // nothing is copied: it would be the total again
                of_cpu.ms_per_image = std::move(parts);
            }
        });
        note_interruption();
        if (cpu) benchmark_.measurements.push_back(std::move(of_cpu));
        if (opencv) benchmark_.measurements.push_back(std::move(of_opencv));
        if (!cpu || request_.host_batch < 2 || stopped()) return;
        limit.run([&] {
            if (cascade_) {
                measure_batch(cascade_->engine(), cpu->info, request_.host_batch);
            } else {
                measure_whole_batch(cpu->info, request_.host_batch);
            }
        });
        benchmark_.measurements.back().ms_per_image.resident_ms.clear();
    }

    void take_turns(const BenchmarkBackend* cpu, bool with_opencv, EngineTimes& of_cpu,
                    EngineTimes& of_opencv) {
        const auto images = static_cast<double>(scene_.views.size());
        const auto run_cpu = [&] {
            const double ms = time_ms([&] {
                for (const auto& view : scene_.views) {
                    if (cascade_) {
                        cascade_->engine().detect(view, scan_);
                    } else {
                        subject_.detector.detect(view, subject_.options);
                    }
                }
            });
            of_cpu.total_ms.push_back(ms / images);
        };
        const DetectorOptions& opencv_options = subject_.rival ? subject_.rival->options : subject_.options;
        const auto run_opencv = [&] {
            const double ms = time_ms([&] {
                for (const auto& view : scene_.views) {
                    if (opencv_yunet_) {
                        opencv_yunet_->detect(view, *opencv_options.min_score);
                    } else {
                        opencv_->detect(view, opencv_options);
                    }
                }
            });
            of_opencv.total_ms.push_back(ms / images);
        };
        double elapsed_ms = 0;
        for (int i = 0; !request_.repetitions.enough(i, elapsed_ms) && !(i > 0 && cancelled()); ++i) {
            elapsed_ms += time_ms([&] {
                if (with_opencv && i % 2 == 1) run_opencv();
                if (cpu) run_cpu();
                if (with_opencv && i % 2 == 0) run_opencv();
            });
        }
    }

    // Times of work on so many images, repeated, milliseconds an image.
    template <class Work>
    std::vector<double> repeated(std::size_t images, const Work& work) {
        std::vector<double> times;
        double elapsed_ms = 0;
        for (int i = 0; !request_.repetitions.enough(i, elapsed_ms) && !(i > 0 && cancelled()); ++i) {
            const double ms = time_ms(work);
            times.push_back(ms / static_cast<double>(images));
            elapsed_ms += ms;
        }
        return times;
    }

    // The same as measure_batch, for a detector that has no parts to be measured.
    void measure_whole_batch(const BackendInfo& info, int count) {
        const ImageViews batch = batch_of(count);
        Measurement measurement{benchmark_.sizes.size() - 1, info, count, {}};
        measurement.ms_per_image.total_ms =
            repeated(batch.size(), [&] { subject_.detector.detect(batch, subject_.options); });
        note_interruption();
        benchmark_.measurements.push_back(std::move(measurement));
    }

    // A GPU that is lost or too small takes none of the other measurements with it.
    void try_cuda(const BenchmarkBackend& backend) {
        const auto failed = [&](const std::string& why) {
            benchmark_.failures.push_back(fmt::format("cannot measure {} ({}): {}",
                                                      backend_name(backend.info),
                                                      size_name(benchmark_.sizes.back().size), why));
        };
        try {
            measure_cuda(backend);
        } catch (const DeviceError& error) {
            failed(error.what());
        } catch (const std::bad_alloc&) {
            failed("one image alone does not fit into the memory");
        }
    }

    void measure_cuda(const BenchmarkBackend& backend) {
        if (stopped()) return;
        announce(", " + backend_name(backend.info));
        if (cascade_ == nullptr) {
            measure_detector(backend, one_by_one(), 1);
            if (request_.cuda_batch > 1 && !stopped())
                measure_detector(backend, {batch_of(request_.cuda_batch)}, request_.cuda_batch);
            return;
        }
        CascadeEngine& engine = backend.detector->as_cascade()->engine();
        check_engine(engine, one_by_one(), backend_name(backend.info));
        measure_groups_of(engine, backend.info, one_by_one(), 1);
        if (request_.cuda_batch > 1 && !stopped()) measure_batch(engine, backend.info, request_.cuda_batch);
    }

    // A detector on GPUs that is no cascade: from host memory, and on one GPU with the images there.
    void measure_detector(const BenchmarkBackend& backend, const std::vector<ImageViews>& groups, int batch) {
        const Detector& detector = *backend.detector;
        std::size_t image = 0, differing = 0;
        for (const ImageViews& group : groups) {
            for (const auto& found : detector.detect(group, subject_.options)) {
                const auto& expected = scene_.faces[image++ % scene_.faces.size()];
                if (!compare_detections(expected, found, ComparedValues::box_and_score).empty()) ++differing;
            }
        }
        report_difference(backend_name(backend.info), differing);
        Measurement measurement{benchmark_.sizes.size() - 1, backend.info, batch, {}};
        measurement.ms_per_image.total_ms = repeated(image, [&] {
            for (const ImageViews& group : groups) detector.detect(group, subject_.options);
        });
        if (detector.gpus().size() == 1) {
            const Device device = Device::cuda(detector.gpus()[0]);
            std::vector<Buffer<std::uint8_t>> pixels;
            std::vector<ImageViews> resident;
            for (const ImageViews& group : groups) {
                ImageViews& views = resident.emplace_back();
                for (const auto& view : group) {
                    // Photographs are whole images: all rows have their full stride.
                    const auto bytes = static_cast<std::size_t>(view.stride * view.height);
                    pixels.emplace_back(device, bytes);
                    pixels.back().upload(view.data, bytes);
                    device.synchronize();
                    views.push_back({pixels.back().data(), view.width, view.height, view.stride});
                }
            }
            measurement.ms_per_image.resident_ms = repeated(image, [&] {
                for (const ImageViews& group : resident)
                    detector.detect(ImageBatch(group, device.index()), subject_.options);
            });
        }
        note_interruption();
        benchmark_.measurements.push_back(std::move(measurement));
    }

    void measure_batch(CascadeEngine& engine, const BackendInfo& info, int count) {
        const std::vector<ImageViews> batch{batch_of(count)};
        check_engine(engine, batch, fmt::format("{}, batch of {},", backend_name(info), count));
        measure_groups_of(engine, info, batch, count);
    }

    void measure_groups_of(CascadeEngine& engine, const BackendInfo& info,
                           const std::vector<ImageViews>& groups, int batch) {
        Measurement measurement{benchmark_.sizes.size() - 1, info, batch, {}};
        measurement.ms_per_image =
            measure_groups(engine, groups, scan_, request_.repetitions, [&] { return cancelled(); });
        note_interruption();
        benchmark_.measurements.push_back(std::move(measurement));
    }

    const BenchmarkSubject& subject_;
    const std::vector<BenchmarkBackend>& backends_;
    const DetectionBenchmarkRequest& request_;
    const JobHooks& hooks_;
    const EngineDetector* cascade_;  // null: the subject is none
    CascadeScan scan_;               // of the cascade
    std::optional<OpenCvReference> opencv_;
    std::optional<YunetNetwork> opencv_yunet_;  // instead, where YuNet is the rival
    Scene scene_;
    DetectionBenchmark benchmark_;
};

}  // namespace

std::optional<BenchmarkRival> choose_rival(const Detector& subject, const DetectorOptions& options,
                                           const std::string& name) {
    if (name.empty() && subject.traits().in_opencv) return std::nullopt;
    BenchmarkRival rival;
    rival.model = find_model(name.empty() ? default_rival : name);
    if (is_mct_model(rival.model)) {
        throw UsageError("OpenCV cannot run " + rival.model.string() +
                         ": name a Haar or LBP cascade or YuNet for it, e.g. " + default_rival);
    }
    rival.options.min_size = options.min_size;
    rival.options.max_size = options.max_size;
    if (is_yunet_model(rival.model)) {
        // YuNet's users have this limit: dropping the overlaps of weak faces takes time.
        rival.options.min_score = default_min_confidence;
        rival.options = resolve_options(rival.options, YunetDetector::traits_of_kind());
    } else {
        rival.options.scale_factor = options.scale_factor;
    }
    return rival;
}

DetectionBenchmark run_detection_benchmark(const BenchmarkSubject& subject,
                                           const std::vector<Photograph>& photographs,
                                           const std::vector<BenchmarkBackend>& backends,
                                           const DetectionBenchmarkRequest& request, const JobHooks& hooks) {
    for (const Size size : request.sizes) check_benchmark_size(size);
    Runner runner(subject, backends, request, hooks);
    if (request.sizes.empty()) runner.measure_size(photographs, std::nullopt);
    for (const Size size : request.sizes) runner.measure_size(photographs, size);
    return runner.take();
}

}  // namespace fovea
