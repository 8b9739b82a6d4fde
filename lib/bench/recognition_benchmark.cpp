#include "lib/bench/recognition_benchmark.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "kernels/core/buffer.hpp"
#include "kernels/histogram_search/histogram_search.hpp"
#include "lib/bench/benchmark_timing.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/recognise/lbp_config.hpp"

namespace fovea {
namespace {

/// The recogniser of a row of Tek's.
RecogniserConfig recogniser_of(const RecognitionCase& of) {
    RecogniserConfig config;
    config.features = {{of.lbp, regions_by_cell(config.geometry.size, of.cell)}};
    return config;
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
        std::vector<RecognitionCase> cases = tek_cases();
        if (request_.recogniser) {
            const RecogniserConfig& own = *request_.recogniser;
            cases = {{own.name, own.kind->metric(own).length, {}, {}}};
        }
        for (const RecognitionCase& of : cases) {
            take(of);
            for (const BenchDevice& backend : request_.backends) {
                if (cancelled()) return std::move(result_);
                measure_features(of, backend);
            }
        }
        for (const RecognitionCase& of : cases) {
            if (!of.is_searched) continue;
            take(of);
            describe_gallery();
            for (const BenchDevice& backend : request_.backends) {
                if (cancelled()) return std::move(result_);
                search(of, backend);
            }
        }
        return std::move(result_);
    }

  private:
    void take(const RecognitionCase& of) {
        config_ = request_.recogniser ? *request_.recogniser : recogniser_of(of);
        metric_ = config_.kind->metric(config_);
        first_features_.clear();
        first_neighbours_.clear();
    }

    std::size_t face_pixels() const {
        const Size size = config_.geometry.size;
        return static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
    }

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
        const bool is_resident = device.is_cuda() && config_.kind->runs_on_gpus;
        if (device.is_cuda() && !is_resident) return;
        const std::unique_ptr<CropDescriber> describer = config_.kind->describer(config_, device);
        for (std::size_t b = 0; b < request_.faces.size(); ++b) {
            const std::size_t count = request_.faces[b];
            say(counted(count, "face"), backend);
            FeatureMeasurement measurement{backend.name(), of, count, {}, {}, true};
            std::vector<std::uint16_t> features(count * metric_.length);
            if (is_resident) {
                Buffer<std::uint8_t> pixels(device, count * face_pixels());
                Buffer<std::uint16_t> found(device, features.size());
                const auto describe = [&] { describer->describe(pixels.data(), count, found.data()); };
                measurement.total_ms = repeated(threads, [&] {
                    pixels.upload(faces_.data(), count * face_pixels());
                    describe();
                    found.download(features.data(), features.size());
                });
                measurement.resident_ms =
                    repeated_resident(device, resident_ms(device, 20, describe), describe);
            } else {
                measurement.total_ms =
                    repeated(threads, [&] { describer->describe(faces_.data(), count, features.data()); });
            }
            if (first_features_.size() <= b) first_features_.push_back(features);
            measurement.equal = are_near(features, first_features_[b]);
            result_.features.push_back(std::move(measurement));
        }
    }

    bool are_near(const std::vector<std::uint16_t>& found, const std::vector<std::uint16_t>& first) const {
        return std::equal(found.begin(), found.end(), first.begin(), [&](std::uint16_t a, std::uint16_t b) {
            // The words of vectors have signs.
            const int difference = static_cast<std::int16_t>(static_cast<std::uint16_t>(a - b));
            return std::abs(difference) <= config_.kind->max_difference;
        });
    }

    std::vector<double> repeated_resident(const Device& device, double once,
                                          const std::function<void()>& launch) const {
        std::vector<double> times;
        for (int i = 0; i < request_.repeat; ++i) times.push_back(resident_ms(device, once, launch));
        return times;
    }

    // The last backend describes it, which is the quickest.
    void describe_gallery() {
        const BenchDevice& backend = request_.backends.back();
        hooks_.begin_stage("describing a gallery on " + backend.name());
        ThreadLimit threads(backend.threads);
        const Device given = device_of(backend), host = Device::cpu();
        const Device& device = config_.kind->runs_on_gpus ? given : host;
        const std::unique_ptr<CropDescriber> describer = config_.kind->describer(config_, device);
        const std::size_t all = faces_needed(request_);
        vectors_.resize(all * metric_.length);
        constexpr std::size_t part = 1024;
        Buffer<std::uint8_t> pixels;
        Buffer<std::uint16_t> features;
        if (device.is_cuda()) {
            pixels = Buffer<std::uint8_t>(device, part * face_pixels());
            features = Buffer<std::uint16_t>(device, part * metric_.length);
        }
        for (std::size_t first = 0; first < all; first += part) {
            const std::size_t count = std::min(part, all - first);
            const std::uint8_t* faces = faces_.data() + first * face_pixels();
            std::uint16_t* target = vectors_.data() + first * metric_.length;
            if (device.is_cuda()) {
                pixels.upload(faces, count * face_pixels());
                describer->describe(pixels.data(), count, features.data());
                features.download(target, count * metric_.length);
            } else {
                threads.run([&] { describer->describe(faces, count, target); });
            }
        }
    }

    void search(const RecognitionCase& of, const BenchDevice& backend) {
        const Device device = device_of(backend);
        if (request_.recogniser) {
            measure_searches(of, backend, device, *metric_.gallery(device), {});
            return;
        }
        HistogramGallery gallery(device, histogram_layout(config_), HistogramDistance::chi_square);
        measure_searches(of, backend, device, gallery, [&](const std::uint16_t* queries, std::size_t count) {
            gallery.search_from_device(queries, count, 1);
        });
    }

    /// \param search_resident is empty if the gallery takes no queries that lie on a GPU.
    template <class Gallery>
    void measure_searches(const RecognitionCase& of, const BenchDevice& backend, const Device& device,
                          Gallery& gallery,
                          const std::function<void(const std::uint16_t*, std::size_t)>& search_resident) {
        ThreadLimit threads(backend.threads);
        const std::uint16_t* queries = vectors_.data() + largest(request_.galleries) * metric_.length;
        Buffer<std::uint16_t> resident;
        if (device.is_cuda()) {
            resident = Buffer<std::uint16_t>(device, largest(request_.queries) * metric_.length);
            resident.upload(queries, largest(request_.queries) * metric_.length);
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
                if (device.is_cuda() && search_resident)
                    measurement.resident_ms =
                        repeated(threads, [&] { search_resident(resident.data(), count); });
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
    RecogniserConfig config_;
    FeatureMetric metric_;
    std::vector<std::uint16_t> vectors_;
    std::vector<std::vector<std::uint16_t>> first_features_;  // of the first backend, by batch
    std::vector<std::vector<Neighbour>> first_neighbours_;    // of the first backend, by gallery and queries
    RecognitionBenchmark result_;
};

}  // namespace

std::vector<RecognitionCase> tek_cases() {
    return {{"", 8496, {8, 2, true}, {11, 13}, true},
            {"", 2891, {8, 2, true}, {18, 21}, true},
            {"", 1475, {8, 2, true}, {26, 30}, false},
            {"", 11907, {16, 2, true}, {18, 21}, true},
            {"", 6075, {16, 2, true}, {26, 30}, false}};
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
