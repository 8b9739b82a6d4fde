#include "lib/bench/recognition_benchmark.hpp"

#include <algorithm>

#include "kernels/core/buffer.hpp"
#include "kernels/face_crop/face_crop_body.hpp"
#include "kernels/histogram_search/histogram_search.hpp"
#include "kernels/lbp/lbp_histograms.hpp"
#include "lib/bench/benchmark_timing.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"

namespace fovea {
namespace {

constexpr CropGeometry geometry{};

constexpr std::size_t face_pixels() {
    return static_cast<std::size_t>(geometry.size.width) * static_cast<std::size_t>(geometry.size.height);
}

std::vector<RegionalLbp> features_of(const RecognitionCase& of) {
    return {{of.lbp, regions_by_cell(geometry.size, of.cell)}};
}

Device device_of(const BenchDevice& backend) {
    return backend.device.is_cuda() ? Device::cuda(backend.device.gpus.front()) : Device::cpu();
}

class Benchmark {
  public:
    Benchmark(const std::vector<std::uint8_t>& faces, const RecognitionBenchmarkRequest& request,
              const JobHooks& hooks)
        : faces_(faces), request_(request), hooks_(hooks) {}

    RecognitionBenchmark run() {
        for (const RecognitionCase& of : tek_cases()) {
            for (const BenchDevice& backend : request_.backends) {
                if (cancelled()) return std::move(result_);
                measure_features(of, backend);
            }
            first_counts_.clear();
        }
        for (const RecognitionCase& of : tek_cases()) {
            if (of.bins != 2891 && of.bins != 8496 && of.bins != 11907) continue;  // those of table 4.3
            describe_gallery(of);
            for (const BenchDevice& backend : request_.backends) {
                if (cancelled()) return std::move(result_);
                measure_searches(of, backend);
            }
            first_neighbours_.clear();
        }
        return std::move(result_);
    }

  private:
    bool cancelled() {
        result_.interrupted = hooks_.is_cancelled();
        return result_.interrupted;
    }

    void say(const std::string& what, const BenchDevice& backend) const {
        hooks_.begin_stage("measuring " + what + " on " + backend.name());
    }

    // Once for nothing, then as often as wanted and as the budget allows.
    std::vector<double> repeated(ThreadLimit& threads, const std::function<void()>& work) const {
        std::vector<double> times;
        double spent = 0;
        threads.run([&] {
            const double first = time_ms(work);
            do {
                times.push_back(time_ms(work));
                spent += times.back();
            } while (times.size() < static_cast<std::size_t>(request_.repeat) &&
                     spent + first < request_.budget_ms);
        });
        return times;
    }

    // Many launches in a row, so that starting and waiting do not count.
    static double resident_ms(const Device& device, double expected_ms, const std::function<void()>& launch) {
        const int launches = std::clamp(static_cast<int>(20 / std::max(expected_ms, 1e-3)), 1, 200);
        return time_ms([&] {
                   for (int i = 0; i < launches; ++i) launch();
                   device.synchronize();
               }) /
               launches;
    }

    void measure_features(const RecognitionCase& of, const BenchDevice& backend) {
        ThreadLimit threads(backend.threads);
        const Device device = device_of(backend);
        const LbpHistograms histograms(device, geometry.size, features_of(of));
        const std::size_t bins = histograms.layout().bins;
        for (std::size_t b = 0; b < request_.faces.size(); ++b) {
            const std::size_t count = request_.faces[b];
            say(counted(count, "face"), backend);
            FeatureMeasurement measurement{backend.name(), of, count, {}, {}, true};
            std::vector<std::uint16_t> counts(count * bins);
            if (device.is_cuda()) {
                Buffer<std::uint8_t> pixels(device, count * face_pixels());
                Buffer<std::uint16_t> found(device, count * bins);
                measurement.total_ms = repeated(threads, [&] {
                    pixels.upload(faces_.data(), count * face_pixels());
                    histograms.compute(pixels.data(), count, found.data());
                    found.download(counts.data(), counts.size());
                });
                const double once =
                    resident_ms(device, 20, [&] { histograms.compute(pixels.data(), count, found.data()); });
                measurement.resident_ms = repeated_resident(
                    device, once, [&] { histograms.compute(pixels.data(), count, found.data()); });
            } else {
                measurement.total_ms =
                    repeated(threads, [&] { histograms.compute(faces_.data(), count, counts.data()); });
            }
            if (first_counts_.size() <= b) first_counts_.push_back(counts);
            measurement.equal = counts == first_counts_[b];
            result_.features.push_back(std::move(measurement));
        }
    }

    std::vector<double> repeated_resident(const Device& device, double once,
                                          const std::function<void()>& launch) const {
        std::vector<double> times;
        for (int i = 0; i < request_.repeat; ++i) times.push_back(resident_ms(device, once, launch));
        return times;
    }

    // The last backend describes it, which is the quickest.
    void describe_gallery(const RecognitionCase& of) {
        const BenchDevice& backend = request_.backends.back();
        hooks_.begin_stage("describing a gallery on " + backend.name());
        ThreadLimit threads(backend.threads);
        const Device device = device_of(backend);
        const LbpHistograms histograms(device, geometry.size, features_of(of));
        layout_ = histograms.layout();
        const std::size_t all = faces_needed(request_);
        vectors_.resize(all * layout_.bins);
        constexpr std::size_t part = 1024;
        Buffer<std::uint8_t> pixels;
        Buffer<std::uint16_t> counts;
        if (device.is_cuda()) {
            pixels = Buffer<std::uint8_t>(device, part * face_pixels());
            counts = Buffer<std::uint16_t>(device, part * layout_.bins);
        }
        for (std::size_t first = 0; first < all; first += part) {
            const std::size_t count = std::min(part, all - first);
            const std::uint8_t* faces = faces_.data() + first * face_pixels();
            std::uint16_t* target = vectors_.data() + first * layout_.bins;
            if (device.is_cuda()) {
                pixels.upload(faces, count * face_pixels());
                histograms.compute(pixels.data(), count, counts.data());
                counts.download(target, count * layout_.bins);
            } else {
                threads.run([&] { histograms.compute(faces, count, target); });
            }
        }
    }

    void measure_searches(const RecognitionCase& of, const BenchDevice& backend) {
        ThreadLimit threads(backend.threads);
        const Device device = device_of(backend);
        HistogramGallery gallery(device, layout_, HistogramDistance::chi_square);
        const std::uint16_t* queries = vectors_.data() + largest(request_.galleries) * layout_.bins;
        Buffer<std::uint16_t> resident;
        if (device.is_cuda()) {
            resident = Buffer<std::uint16_t>(device, largest(request_.queries) * layout_.bins);
            resident.upload(queries, largest(request_.queries) * layout_.bins);
        }
        std::size_t next = 0;
        for (const std::size_t size : request_.galleries) {
            gallery.clear();
            threads.run([&] { gallery.add(vectors_.data(), size); });
            for (const std::size_t count : request_.queries) {
                if (cancelled()) return;
                say(counted(count, "query", "queries") + " among " + std::to_string(size), backend);
                SearchMeasurement measurement{backend.name(), of, size, count, {}, {}, true};
                std::vector<Neighbour> found;
                measurement.total_ms = repeated(threads, [&] { found = gallery.search(queries, count, 1); });
                if (device.is_cuda()) {
                    measurement.resident_ms =
                        repeated(threads, [&] { gallery.search_from_device(resident.data(), count, 1); });
                }
                if (first_neighbours_.size() <= next) first_neighbours_.push_back(found);
                measurement.equal = found == first_neighbours_[next++];
                result_.searches.push_back(std::move(measurement));
            }
        }
    }

    static std::size_t largest(const std::vector<std::size_t>& numbers) {
        return *std::max_element(numbers.begin(), numbers.end());
    }

    const std::vector<std::uint8_t>& faces_;
    const RecognitionBenchmarkRequest& request_;
    const JobHooks& hooks_;
    HistogramLayout layout_;
    std::vector<std::uint16_t> vectors_;
    std::vector<std::vector<std::uint16_t>> first_counts_;  // of the first backend, by batch
    std::vector<std::vector<Neighbour>> first_neighbours_;  // likewise, by gallery and queries
    RecognitionBenchmark result_;
};

}  // namespace

std::vector<RecognitionCase> tek_cases() {
    return {{{8, 2, true}, {11, 13}, 8496},
            {{8, 2, true}, {18, 21}, 2891},
            {{8, 2, true}, {26, 30}, 1475},
            {{16, 2, true}, {18, 21}, 11907},
            {{16, 2, true}, {26, 30}, 6075}};
}

bool RecognitionBenchmark::equal() const {
    const auto is_equal = [](const auto& measurement) { return measurement.equal; };
    return std::all_of(features.begin(), features.end(), is_equal) &&
           std::all_of(searches.begin(), searches.end(), is_equal);
}

std::size_t faces_needed(const RecognitionBenchmarkRequest& request) {
    const auto largest = [](const std::vector<std::size_t>& numbers) {
        return *std::max_element(numbers.begin(), numbers.end());
    };
    return std::max(largest(request.faces), largest(request.galleries) + largest(request.queries));
}

RecognitionBenchmark benchmark_recognition(const std::vector<std::uint8_t>& faces,
                                           const RecognitionBenchmarkRequest& request,
                                           const JobHooks& hooks) {
    return Benchmark(faces, request, hooks).run();
}

}  // namespace fovea
