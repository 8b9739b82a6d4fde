#include "lib/bench/video_limits.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <spdlog/fmt/fmt.h>

#include "kernels/core/buffer.hpp"
#include "kernels/core/stopwatch.hpp"
#include "kernels/luma/luma.hpp"
#include "lib/core/bounded_queue.hpp"
#include "lib/core/text.hpp"
#include "lib/core/threads.hpp"
#include "lib/core/time_summary.hpp"
#include "lib/video/index_video.hpp"
#include "lib/video/nvdec.hpp"
#include "lib/video/video_decoder.hpp"
#include "lib/video/video_error.hpp"
#include "lib/video/video_frames.hpp"

namespace fovea {
namespace {

constexpr int sessions_of_engine = 2;
constexpr double max_latency_ms = 40;  // Oro's deadline: 25 frames a second

std::vector<VideoPart> parts_of(const std::vector<std::filesystem::path>& files) {
    std::vector<VideoPart> parts;
    for (const std::filesystem::path& file : files) {
        const VideoIndex index = index_video(file);
        PartReader reader(index.source, {});
        while (reader.next_part()) parts.push_back(take_part(index.source, reader));
    }
    return parts;
}

/// A decoder at work: parts one after the other, frames to grey in memory of its own.
class DecodingThread {
  public:
    explicit DecodingThread(int gpu) : device_(Device::cuda(gpu)), session_(device_) {}

    std::size_t decode(const VideoPart& part) {
        std::size_t frames = 0;
        const NvdecResult result = session_.decode(part, [&](const NvdecFrame& frame) {
            const auto bytes =
                static_cast<std::size_t>(frame.luma.width) * static_cast<std::size_t>(frame.luma.height);
            if (grey_.size() < bytes) grey_ = Buffer<std::uint8_t>(device_, bytes);
            const LumaTask task{frame.luma,
                                {grey_.data(), frame.luma.width, frame.luma.height, frame.luma.width}};
            luma_to_grey(device_, {&task, 1});
            ++frames;
        });
        device_.synchronize();
        if (!result.stopped.empty()) throw VideoError("the GPU's decoder stopped: " + result.stopped);
        return frames;
    }

  private:
    Device device_;
    NvdecSession session_;
    Buffer<std::uint8_t> grey_;
};

/// Runs one function in several threads and passes on what the first of them threw.
template <class Work>
void run_threads(std::size_t count, const Work& work) {
    std::exception_ptr failure;
    std::mutex mutex;
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            try {
                work(i);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!failure) failure = std::current_exception();
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

double decode_all(std::vector<std::unique_ptr<DecodingThread>>& decoders,
                  const std::vector<VideoPart>& parts) {
    std::atomic<std::size_t> next{0}, frames{0};
    const Stopwatch watch;
    run_threads(decoders.size(), [&](std::size_t i) {
        for (std::size_t part = next++; part < parts.size(); part = next++)
            frames += decoders[i]->decode(parts[part]);
    });
    return static_cast<double>(frames.load()) / watch.seconds();
}

double decode_by_ffmpeg(const std::filesystem::path& path, int threads) {
    const Stopwatch watch;
    VideoFile file(path, std::nullopt, {});
    VideoDecoder decoder(file.parameters(), {threads, 1, {}});
    std::size_t frames = 0;
    const auto count = [&] {
        while (decoder.receive()) ++frames;
    };
    while (const PacketPointer packet = file.read()) {
        decoder.send(packet.get());
        count();
    }
    decoder.send(nullptr);
    count();
    return static_cast<double>(frames) / watch.seconds();
}

/// Frames of one stream on their way from the decoder to the detector, on one GPU or on the host.
class LiveStream {
  public:
    LiveStream(const std::filesystem::path& file, std::size_t max_frames, const LoadedDetector& detector)
        : index_(index_video(file)),
          max_frames_(std::min(max_frames, index_.time_stamps.size())),
          detector_(detector) {}

    LiveResult run_on_gpu(int gpu) {
        if (const std::string why = why_not_by_nvdec(*index_.source, gpu); !why.empty()) return not_run(why);
        if (detector_.detector->gpus().empty()) return not_run("the detector runs on the CPU");
        Device decoding = Device::cuda(gpu);
        NvdecSession session(decoding);
        const Device detecting = Device::cuda(gpu);
        const std::unique_ptr<Detector> detector = detector_.detector->copy_for(detecting);
        std::vector<VideoPart> parts = parts_of({index_.source->file});
        for (int round = 0; round < 2; ++round) {  // the first one warms up
            begin();
            BoundedQueue<std::size_t> waiting(slots - 2);
            std::thread worker([&] { detect_on_gpu(*detector, gpu, waiting); });
            try {
                decode_on_gpu(session, decoding, parts, waiting);
            } catch (...) {
                waiting.close();
                worker.join();
                throw;
            }
            waiting.close();
            worker.join();
            if (failure_) std::rethrow_exception(failure_);
        }
        return result();
    }

    LiveResult run_on_cpu() {
        VideoReadOptions options;
        options.threads = resolve_threads(0);
        VideoFrames frames(index_.source, options);
        begin();
        for (std::size_t i = 0; i < max_frames_; ++i) {
            const GreyFrame frame =
                frames.read({index_.source, static_cast<std::int64_t>(i), index_.time_stamps[i]});
            given_ms_.push_back(1000 * watch_.seconds());
            const ImageView<const std::uint8_t> view{frame.pixels.data(), frame.width, frame.height,
                                                     frame.width};
            detector_.detector->detect(std::vector{view}, detector_.config.options);
            done_ms_.push_back(1000 * watch_.seconds());
        }
        return result();
    }

  private:
    // Frames that are in work at once: so many wait that the decoder is never held up by a slow one.
    static constexpr std::size_t slots = 8;

    LiveResult not_run(const std::string& why) const {
        LiveResult result;
        result.video = index_.source->file;
        result.not_run = why;
        return result;
    }

    void begin() {
        given_ms_.clear();
        done_ms_.clear();
        watch_ = Stopwatch();
    }

    void decode_on_gpu(NvdecSession& session, const Device& device, const std::vector<VideoPart>& parts,
                       BoundedQueue<std::size_t>& waiting) {
        std::size_t number = 0;
        for (const VideoPart& part : parts) {
            if (number >= max_frames_) break;
            const NvdecResult decoded = session.decode(part, [&](const NvdecFrame& frame) {
                if (number >= max_frames_) return;
                GreySlot& slot = slot_[number % slots];
                slot.fit(device, frame.luma);
                const LumaTask task{frame.luma, slot.view()};
                luma_to_grey(device, {&task, 1});
                device.synchronize();
                given_ms_.push_back(1000 * watch_.seconds());
                waiting.push(number++);
            });
            if (!decoded.stopped.empty()) throw VideoError("the GPU's decoder stopped: " + decoded.stopped);
        }
    }

    void detect_on_gpu(const Detector& detector, int gpu, BoundedQueue<std::size_t>& waiting) {
        try {
            while (const std::optional<std::size_t> number = waiting.pop()) {
                const std::vector<ImageView<const std::uint8_t>> views{slot_[*number % slots].view()};
                detector.detect({views, gpu}, detector_.config.options);
                done_ms_.push_back(1000 * watch_.seconds());
            }
        } catch (...) {
            failure_ = std::current_exception();
            waiting.close();
        }
    }

    LiveResult result() const {
        LiveResult result;
        result.video = index_.source->file;
        std::vector<double> periods;
        for (std::size_t i = 0; i < done_ms_.size(); ++i) {
            result.latency_ms.push_back(done_ms_[i] - given_ms_[i]);
            const double before = i == 0 ? 0 : given_ms_[i - 1];
            periods.push_back(given_ms_[i] - before + result.latency_ms.back());
        }
        if (done_ms_.empty()) return not_run("it has no frame");
        std::vector<double> sorted = result.latency_ms;
        std::sort(sorted.begin(), sorted.end());
        result.frames_per_second = 1000.0 * static_cast<double>(done_ms_.size()) / done_ms_.back();
        result.median_ms = median_time(sorted);
        result.p99_ms = sorted[(sorted.size() - 1) * 99 / 100];
        result.max_ms = sorted.back();
        const auto late =
            std::count_if(periods.begin(), periods.end(), [](double ms) { return ms > max_latency_ms; });
        result.share_over_40_ms = static_cast<double>(late) / static_cast<double>(periods.size());
        return result;
    }

    /// Room for one frame on a GPU.
    struct GreySlot {
        Buffer<std::uint8_t> pixels;
        Size size;

        void fit(const Device& device, const LumaPlane& luma) {
            size = {luma.width, luma.height};
            const auto bytes = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
            if (pixels.size() < bytes) pixels = Buffer<std::uint8_t>(device, bytes);
        }
        ImageView<std::uint8_t> view() const { return {pixels.data(), size.width, size.height, size.width}; }
    };

    const VideoIndex index_;
    const std::size_t max_frames_;
    const LoadedDetector& detector_;
    GreySlot slot_[slots];
    Stopwatch watch_;
    std::vector<double> given_ms_, done_ms_;
    std::exception_ptr failure_;
};

}  // namespace

VideoDecodeLimit measure_gpu_decode_limit(const std::vector<std::filesystem::path>& files,
                                          const std::vector<int>& gpus, int repeat) {
    const std::vector<VideoPart> parts = parts_of(files);
    std::vector<std::unique_ptr<DecodingThread>> decoders;
    for (const int gpu : gpus) {
        const int sessions = sessions_of_engine * std::max(1, nvdec_engines(gpu));
        for (int i = 0; i < sessions; ++i) decoders.push_back(std::make_unique<DecodingThread>(gpu));
    }
    VideoDecodeLimit limit{fmt::format("NVDEC, {}", counted(decoders.size(), "session")), {}};
    for (int i = 0; i <= repeat; ++i) {
        const double rate = decode_all(decoders, parts);
        if (i > 0) limit.frames_per_second.push_back(rate);
    }
    return limit;
}

VideoDecodeLimit measure_cpu_decode_limit(const std::filesystem::path& file, int threads, int repeat) {
    const int used = resolve_threads(threads);
    VideoDecodeLimit limit{fmt::format("FFmpeg, {}", counted(static_cast<std::size_t>(used), "thread")), {}};
    for (int i = 0; i <= repeat; ++i) {
        const double rate = decode_by_ffmpeg(file, used);
        if (i > 0) limit.frames_per_second.push_back(rate);
    }
    return limit;
}

double measure_detection_alone(const std::filesystem::path& file, const LoadedDetector& detector) {
    constexpr std::size_t max_frames = 64;
    constexpr int rounds = 3;
    const VideoIndex index = index_video(file);
    VideoFrames reader(index.source, {});
    std::vector<GreyFrame> frames;
    std::vector<ImageView<const std::uint8_t>> views;
    for (std::size_t i = 0; i < std::min(max_frames, index.time_stamps.size()); ++i)
        frames.push_back(reader.read({index.source, static_cast<std::int64_t>(i), index.time_stamps[i]}));
    for (const GreyFrame& frame : frames)
        views.push_back({frame.pixels.data(), frame.width, frame.height, frame.width});
    std::vector<double> rates;
    for (int i = 0; i <= rounds; ++i) {
        const Stopwatch watch;
        detector.detector->detect(views, detector.config.options);
        if (i > 0) rates.push_back(static_cast<double>(views.size()) / watch.seconds());
    }
    return median_time(rates);
}

LiveResult measure_live(const std::filesystem::path& file, std::size_t max_frames,
                        const LoadedDetector& detector, const DetectionDevice& device) {
    LiveStream stream(file, max_frames, detector);
    return device.is_cuda() ? stream.run_on_gpu(device.gpus.front()) : stream.run_on_cpu();
}

}  // namespace fovea
