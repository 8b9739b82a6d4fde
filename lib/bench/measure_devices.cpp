#include "lib/bench/measure_devices.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "lib/bench/jpeg_rate.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
constexpr std::size_t image_bytes = std::size_t{1920} * 1080;

/// How much is done for one repetition.
struct Amounts {
    explicit Amounts(bool quick)
        : copy_bytes((quick ? 8 : 256) * mebibyte),
          seconds(quick ? 0.001 : 0.02),
          jpeg_batch(quick ? 8 : 64) {}

    std::size_t copy_bytes;  // far more than any cache, unless quick
    double seconds;
    int jpeg_batch;
};

/// Measures one device after the other and collects the figures.
class DeviceMeasurer {
  public:
    explicit DeviceMeasurer(const MeasureRequest& request)
        : request_(request),
          amounts_(request.quick),
          sample_(request.image.empty() ? synthetic_jpeg_sample() : read_jpeg_sample(request.image)) {
        result_.jpeg = sample_.description;
        result_.host_simd = measure_simd_target();
    }

    void measure_cpu() {
        const int repeat = request_.repeat;
        rate("cpu", {"host_copy_1_thread", "copy in host memory, 1 thread", "integral images, one thread"},
             "GB/s", 1e9, [&] { return measure_host_copy(amounts_.copy_bytes, 1, repeat); });
        rate("cpu",
             {"host_copy_all_threads", "copy in host memory, " + counted_threads(),
              "integral images, all threads; filling of pinned memory"},
             "GB/s", 1e9, [&] { return measure_host_copy(amounts_.copy_bytes, request_.threads, repeat); });
        rate("cpu",
             {"host_integer_add", "32-bit additions, 1 core", "resize and integral images, one thread"},
             "Gop/s", 1e9,
             [&] { return measure_host_integer(IntegerOperation::add, amounts_.seconds, repeat); });
        rate("cpu", {"host_integer_multiply_add", "32-bit multiply-adds, 1 core", "resize, one thread"},
             "Gop/s", 1e9,
             [&] { return measure_host_integer(IntegerOperation::multiply_add, amounts_.seconds, repeat); });
        rate("cpu", {"jpeg_cpu", "JPEG to grey, TurboJPEG, 1 core", "archives with --decoder cpu, each core"},
             "images/s", 1, [&] { return measure_cpu_jpeg(sample_, repeat); });
    }

    void measure_gpu(const Device& device) {
        measure_links(device);
        measure_launching(device);
        measure_units(device);
        measure_jpeg(
            device, NvJpegBackend::engines,
            {"jpeg_engines", "JPEG to grey, nvJPEG, JPEG engines", "archives decoded beside the detection"});
        measure_jpeg(device, NvJpegBackend::multiprocessors,
                     {"jpeg_multiprocessors", "JPEG to grey, nvJPEG, multiprocessors",
                      "archives where a chip has no engines"});
    }

    void note(const std::string& sentence) { result_.notes.push_back(sentence); }

    Measurements finish() { return std::move(result_); }

  private:
    std::string counted_threads() const {
        return counted(static_cast<std::size_t>(request_.threads), "thread");
    }

    template <class Measure>
    void rate(const std::string& device, const FigureName& name, const std::string& unit, double scale,
              const Measure& measure) {
        announce(device, name);
        result_.figures.push_back(rate_figure(device, name, unit, scale, measure()));
    }

    template <class Measure>
    void latency(const std::string& device, const FigureName& name, const Measure& measure) {
        announce(device, name);
        result_.figures.push_back(latency_figure(device, name, measure()));
    }

    void announce(const std::string& device, const FigureName& name) const {
        if (request_.stage) request_.stage("measuring " + device + ": " + name.title);
    }

    void measure_links(const Device& device) {
        const int repeat = request_.repeat;
        // Another program may hold most of the memory: two buffers must fit in what is free.
        const std::size_t bytes = std::min(amounts_.copy_bytes, free_device_memory(device) / 4);
        const auto transfer = [&](CopyDirection direction, HostMemory memory) {
            return
                [&, direction, memory] { return measure_transfer(device, direction, memory, bytes, repeat); };
        };
        rate(device.name(), {"upload_pinned", "upload, pinned memory", "images that a GPU can be given"},
             "GB/s", 1e9, transfer(CopyDirection::upload, HostMemory::pinned));
        rate(device.name(), {"download_pinned", "download, pinned memory", "windows and crops taken back"},
             "GB/s", 1e9, transfer(CopyDirection::download, HostMemory::pinned));
        rate(device.name(), {"upload_pageable", "upload, pageable memory", "uploads that are not staged"},
             "GB/s", 1e9, transfer(CopyDirection::upload, HostMemory::pageable));
        rate(device.name(),
             {"download_pageable", "download, pageable memory", "downloads that are not staged"}, "GB/s", 1e9,
             transfer(CopyDirection::download, HostMemory::pageable));
        latency(
            device.name(),
            {"image_upload", "1080p grey image up, pinned, and wait", "one image alone, before any kernel"},
            [&] {
                return measure_transfer_latency(device, CopyDirection::upload, image_bytes, latency_repeat());
            });
        rate(device.name(),
             {"device_copy", "copy in device memory, read + written", "pyramid and integral images"}, "GB/s",
             1e9, [&] { return measure_device_copy(device, bytes, repeat); });
    }

    void measure_launching(const Device& device) {
        latency(device.name(), {"launch", "empty kernel and wait", "one image alone, at the least"},
                [&] { return measure_launches(device, 1, false, latency_repeat()); });
        latency(device.name(),
                {"launch_10", "10 empty kernels and wait", "one image alone, kernel by kernel"},
                [&] { return measure_launches(device, 10, false, latency_repeat()); });
        latency(device.name(),
                {"graph_10", "graph of 10 empty kernels and wait", "one image alone, as a graph"},
                [&] { return measure_launches(device, 10, true, latency_repeat()); });
    }

    void measure_units(const Device& device) {
        const int repeat = request_.repeat;
        const auto integer = [&](IntegerOperation operation) {
            return [&, operation] {
                return measure_device_integer(device, operation, amounts_.seconds, repeat);
            };
        };
        rate(device.name(), {"integer_add", "32-bit additions", "rectangle sums of the cascade"}, "Gop/s",
             1e9, integer(IntegerOperation::add));
        rate(device.name(), {"integer_multiply_add", "32-bit multiply-adds", "resize, weighted sums"},
             "Gop/s", 1e9, integer(IntegerOperation::multiply_add));
        rate(device.name(),
             {"shared_loads", "32-bit loads from shared memory", "cascade scan: corners of rectangles"},
             "Gword/s", 1e9, [&] { return measure_shared_loads(device, amounts_.seconds, repeat); });
    }

    void measure_jpeg(const Device& device, NvJpegBackend backend, const FigureName& name) {
        try {
            NvJpegDecoder decoder(device, backend, request_.threads);
            if (!decoder.supports(sample_.bytes)) {
                note(device.name() + ": " + name.title + ": this kind of JPEG is not decoded by it");
                return;
            }
            FigureName named = name;
            if (decoder.engines() > 0) named.title += " (" + std::to_string(decoder.engines()) + ")";
            rate(device.name(), named, "images/s", 1, [&] {
                return measure_nvjpeg(decoder, device, sample_, amounts_.jpeg_batch, request_.repeat);
            });
        } catch (const NvJpegUnavailable& none) {
            note(device.name() + ": " + name.title + ": " + none.what());
        } catch (const NvJpegRefused& refused) {
            note(device.name() + ": " + name.title + ": " + refused.what());
        }
    }

    // They take microseconds, and vary.
    int latency_repeat() const { return 20 * request_.repeat; }

    const MeasureRequest& request_;
    const Amounts amounts_;
    const JpegSample sample_;
    Measurements result_;
};

}  // namespace

Measurements measure_devices(const MeasureRequest& request) {
    DeviceMeasurer measurer(request);
    measurer.measure_cpu();
    std::string why_none;
    const std::vector<CudaDeviceInfo> gpus = cuda_devices(&why_none);
    if (gpus.empty()) measurer.note("no GPU was measured: " + why_none);
    for (const CudaDeviceInfo& gpu : gpus) measurer.measure_gpu(Device::cuda(gpu.index));
    return measurer.finish();
}

}  // namespace fovea
