#include "lib/job/detect_images.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "kernels/core/device.hpp"
#include "lib/core/bounded_queue.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/shortage.hpp"
#include "lib/job/detect_batch.hpp"

namespace fovea {
namespace {

// Threads that detect on one GPU: while one of them prepares or takes apart a batch on the host, another's is scanned.
constexpr std::size_t workers_per_gpu = 3;

// Threads that bring batches to one GPU. While the engines decode one batch, the files of the next are copied for them,
// which takes the host about as long. Of pictures that the CPU has decoded, one thread copies no more than 2,500 of 1080p a second.
constexpr std::size_t loaders_per_gpu = 2;

// Batches that wait on a GPU for its workers.
constexpr std::size_t batches_ahead = 2;

constexpr std::size_t batches_per_gpu = workers_per_gpu + loaders_per_gpu + batches_ahead;

/// Memory on a GPU that batches use in turn; whoever wants one of those that are in use waits.
class ResidentPool {
  public:
    explicit ResidentPool(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) free_.push_back(std::make_unique<ResidentImages>());
    }

    /// Null once the pool is closed.
    std::unique_ptr<ResidentImages> take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closed_ || !free_.empty(); });
        if (closed_) return nullptr;
        auto images = std::move(free_.front());
        free_.pop_front();
        return images;
    }
    void give_back(std::unique_ptr<ResidentImages> images) {
        {
            const std::lock_guard lock(mutex_);
            free_.push_back(std::move(images));
        }
        changed_.notify_one();
    }
    void close() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::unique_ptr<ResidentImages>> free_;
    bool closed_ = false;
};

/// Hands finished batches on in the order of their numbers, and lets no more be in flight than a limit.
class BatchOrder {
  public:
    explicit BatchOrder(std::size_t most_in_flight) : most_in_flight_(most_in_flight) {}

    /// Waits until another batch may begin. False if there is to be none.
    bool admit() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stopped_ || in_flight_ < most_in_flight_; });
        if (stopped_) return false;
        ++in_flight_;
        return true;
    }
    /// No batch has this number or a higher one.
    void end_at(std::size_t number) {
        {
            const std::lock_guard lock(mutex_);
            end_ = std::min(end_, number);
        }
        changed_.notify_all();
    }
    /// The batch failed by the exception in flight: those before it are handed on, and next() throws. Takes no memory, which
    /// may be what is short.
    void fail(std::size_t number) noexcept {
        {
            const std::lock_guard lock(mutex_);
            if (number >= failed_) return;
            failed_ = number;
            failure_ = std::current_exception();
        }
        changed_.notify_all();
    }
    void finish(Batch batch) {
        {
            const std::lock_guard lock(mutex_);
            const std::size_t number = batch.number;
            finished_.emplace(number, std::move(batch));
        }
        changed_.notify_all();
    }
    /// The next one, for which it waits; nothing behind the last, and once stopped. \throws what a batch failed by.
    std::optional<Batch> next() {
        std::unique_lock lock(mutex_);
        changed_.wait(
            lock, [&] { return stopped_ || next_ >= std::min(end_, failed_) || finished_.contains(next_); });
        if (stopped_) return std::nullopt;
        if (next_ >= failed_) std::rethrow_exception(failure_);
        if (next_ >= end_) return std::nullopt;
        auto node = finished_.extract(next_++);
        --in_flight_;
        lock.unlock();
        changed_.notify_all();
        return std::move(node.mapped());
    }
    void stop() {
        {
            const std::lock_guard lock(mutex_);
            stopped_ = true;
        }
        changed_.notify_all();
    }

  private:
    const std::size_t most_in_flight_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::size_t, Batch> finished_;
    std::size_t next_ = 0;
    std::size_t end_ = static_cast<std::size_t>(-1);
    std::size_t failed_ = static_cast<std::size_t>(-1);
    std::exception_ptr failure_;
    std::size_t in_flight_ = 0;
    bool stopped_ = false;
};

/// Bytes on the host that batches hold together. One image alone is let in whatever it takes, when nothing else is there.
class HostBudget {
  public:
    explicit HostBudget(std::size_t most) : most_(most) {}

    /// False if the bytes do not fit now.
    bool try_take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        if (!fits(bytes)) return false;
        used_ += bytes;
        return true;
    }
    /// Waits until they fit. False once it is closed.
    bool take(std::size_t bytes) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closed_ || fits(bytes); });
        if (closed_) return false;
        used_ += bytes;
        return true;
    }
    void give_back(std::size_t bytes) {
        {
            const std::lock_guard lock(mutex_);
            used_ -= bytes;
        }
        changed_.notify_one();
    }
    void close() {
        {
            const std::lock_guard lock(mutex_);
            closed_ = true;
        }
        changed_.notify_all();
    }

  private:
    bool fits(std::size_t bytes) const { return used_ == 0 || (used_ < most_ && bytes <= most_ - used_); }

    const std::size_t most_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::size_t used_ = 0;
    bool closed_ = false;
};

std::size_t host_bytes_of(const LoadedImage& image) {
    return image.image.pixels.size() + (image.jpeg ? image.jpeg->bytes.size() : 0);
}

/// One GPU's part of the pipeline: what decodes for it, and the detectors of its workers.
struct GpuGroup {
    GpuGroup(int gpu, const DetectImagesOptions& options) : device(Device::cuda(gpu, share_of(options))) {
        while (loaders.size() < loaders_per_gpu) {
            loaders.push_back(std::make_unique<GpuImageLoader>(gpu, options.nvjpeg, options.decode));
        }
        loading = loaders_per_gpu;
    }

    static GpuShare share_of(const DetectImagesOptions& options) {
        return options.nvjpeg == NvJpegBackend::engines ? GpuShare::beside_decoder : GpuShare::all;
    }

    Device device;
    std::vector<std::unique_ptr<GpuImageLoader>> loaders;
    std::atomic<std::size_t> loading{0};  ///< threads that load still
    std::vector<std::unique_ptr<BatchDetector>> detectors;
    BoundedQueue<Batch> loaded{batches_ahead};
    ResidentPool memory{batches_per_gpu};
};

class Pipeline {
  public:
    Pipeline(const ImageList& images, const std::vector<DetectTask>& tasks,
             const DetectImagesOptions& options)
        : images_(images),
          tasks_(tasks),
          options_(options),
          limit_(options.threads),
          groups_(make_groups(images, tasks, options, limit_)),
          set_up_seconds_(set_up_.seconds()),
          inputs_(images.open_from(options.first)),
          buffers_(options.spare_bytes),
          prefetcher_(*inputs_, prefetch_options()),
          on_gpus_(!options.gpus.empty()),
          host_(options.host_bytes),
          gathered_(std::max<std::size_t>(1, options.gpus.size())),
          order_(on_gpus_ ? options.gpus.size() * batches_per_gpu + 1 : 3) {
        outcome_.tasks.resize(tasks.size());
        for (std::size_t t = 0; t < tasks.size(); ++t) {
            if (tasks[t].detector != nullptr) outcome_.tasks[t].device = tasks[t].detector->device_name();
        }
        done_ = options.first;
    }

    ~Pipeline() { stop(); }

    DetectImagesOutcome run() {
        start();
        std::exception_ptr failure;
        try {
            while (std::optional<Batch> batch = order_.next()) write(*batch);
        } catch (const DeviceError& error) {
            outcome_.error = error.what();
        } catch (const ShortageError& error) {
            outcome_.error = error.what();
            outcome_.was_short = true;
        } catch (const std::bad_alloc&) {
            outcome_.error = not_enough_memory;
            outcome_.was_short = true;
        } catch (...) {
            failure = std::current_exception();
        }
        stop();
        if (failure) std::rethrow_exception(failure);
        outcome_.interrupted = done_ < images_.size();
        finish_statistics();
        return std::move(outcome_);
    }

  private:
    bool cancelled() const { return options_.cancel != nullptr && options_.cancel->load(); }

    PrefetchOptions prefetch_options() {
        PrefetchOptions prefetch;
        prefetch.threads = std::min(limit_.threads(), options_.max_readers);
        prefetch.max_bytes = options_.prefetch_bytes;
        prefetch.decode = options_.decode;
        prefetch.first = options_.first;
        prefetch.most_image_bytes = options_.most_image_bytes;
        prefetch.buffers = &buffers_;
        if (options_.nvjpeg) {
            prefetch.keep_encoded = [this](const JpegFrame& frame) { return leave_to_gpu(frame); };
        }
        return prefetch;
    }

    // With mixed decoders, the GPUs get as many files as they have batches before them; what is more, threads that would
    // have to wait for the GPUs decode.
    bool leave_to_gpu(const JpegFrame& frame) {
        if (!nvjpeg_takes(frame, *options_.nvjpeg)) return false;
        if (!options_.mixed_decoders) return true;
        const std::size_t enough = 2 * options_.gpus.size() * options_.batch_images;
        if (encoded_waiting_.load() >= enough) return false;
        ++encoded_waiting_;
        return true;
    }

    void start() {
        threads_.emplace_back([this] { gather(); });
        if (!on_gpus_) {
            threads_.emplace_back([this] { work_on_host(); });
            return;
        }
        for (const auto& group : groups_) {
            for (const auto& loader : group->loaders) {
                threads_.emplace_back([this, &group, &loader] { load(*group, *loader); });
            }
            for (const auto& detector : group->detectors) {
                threads_.emplace_back([this, &group, &detector] { work_on_gpu(*group, *detector); });
            }
        }
    }

    // Libraries are loaded, decoders and detectors made: once, however many images follow.
    static std::vector<std::unique_ptr<GpuGroup>> make_groups(const ImageList& images,
                                                              const std::vector<DetectTask>& tasks,
                                                              const DetectImagesOptions& options,
                                                              ThreadLimit& limit) {
        std::vector<std::unique_ptr<GpuGroup>> groups;
        for (const int gpu : options.gpus) {
            groups.push_back(std::make_unique<GpuGroup>(gpu, options));
            GpuGroup& group = *groups.back();
            for (std::size_t i = 0; i < workers_per_gpu; ++i) {
                group.detectors.push_back(
                    std::make_unique<BatchDetector>(images, tasks, options.truth, limit, &group.device));
            }
        }
        return groups;
    }

    void stop() {
        order_.stop();
        host_.close();
        gathered_.abandon();
        for (const auto& group : groups_) {
            group->loaded.abandon();
            group->memory.close();
        }
        for (std::thread& thread : threads_) thread.join();
        threads_.clear();
    }

    // --- gathering batches of what was read and decoded ahead --------------------------------------

    void gather() {
        std::size_t number = 0;
        try {
            for (; order_.admit(); ++number) {
                Batch batch;
                batch.number = number;
                if (!fill(batch)) break;
                if (!gathered_.push(std::move(batch))) break;
            }
        } catch (...) {
            order_.fail(number++);
        }
        order_.end_at(number);
        gathered_.close();
    }

    // What was gathered before a cancellation is in flight and still processed.
    bool fill(Batch& batch) {
        std::size_t bytes = 0;
        while (batch.images.size() < options_.batch_images && !cancelled()) {
            if (!next_) {
                const BusyScope waiting(decode_wait_);
                next_ = prefetcher_.next();
            }
            if (!next_) break;
            const std::size_t held = host_bytes_of(*next_);
            const std::size_t size = next_->jpeg ? static_cast<std::size_t>(next_->size.width) *
                                                       static_cast<std::size_t>(next_->size.height)
                                                 : held;
            // A batch that is there does not wait for memory that only its going on sets free.
            if (batch.images.empty()) {
                if (!host_.take(held)) break;
            } else if (bytes + size > options_.batch_bytes || !host_.try_take(held)) {
                break;
            }
            bytes += size;
            batch.host_bytes += held;
            batch.images.push_back(std::move(*next_));
            next_.reset();
        }
        return !batch.images.empty();
    }

    // The images are on a GPU, or done with.
    void let_go(Batch& batch) {
        for (LoadedImage& image : batch.images) {
            buffers_.give_back(std::move(image.image.pixels));
            image.image = {};
            if (image.jpeg) buffers_.give_back(std::move(image.jpeg->bytes));
            image.jpeg.reset();
        }
        host_.give_back(std::exchange(batch.host_bytes, 0));
    }

    // --- stages --------------------------------------------------------------------------------------

    void work_on_host() {
        std::optional<BatchDetector> detector;
        while (std::optional<Batch> batch = gathered_.pop()) {
            const std::size_t number = batch->number;
            try {
                if (!detector) detector.emplace(images_, tasks_, options_.truth, limit_, nullptr);
                detector->run(*batch, detecting_, describing_);
                let_go(*batch);
                order_.finish(std::move(*batch));
            } catch (...) {
                order_.fail(number);
                return;
            }
        }
    }

    void load(GpuGroup& group, GpuImageLoader& loader) {
        while (std::optional<Batch> batch = gathered_.pop()) {
            const std::size_t number = batch->number;
            try {
                batch->resident = group.memory.take();
                if (batch->resident == nullptr) return;
                load(loader, *batch);
                if (!group.loaded.push(std::move(*batch))) return;
            } catch (...) {
                order_.fail(number);
                break;
            }
        }
        if (--group.loading == 0) group.loaded.close();
    }

    void load(GpuImageLoader& loader, Batch& batch) {
        std::size_t encoded = 0;
        for (const LoadedImage& image : batch.images) encoded += image.jpeg.has_value();
        try {
            const GpuLoadCounts counts = loader.load(batch.images, *batch.resident);
            gpu_decoding_.add(counts.decode_seconds);
            uploading_.add(counts.upload_seconds);
        } catch (const std::bad_alloc&) {
            throw DeviceError(out_of_memory(loader.device()));
        }
        if (options_.mixed_decoders) encoded_waiting_ -= encoded;
    }

    void work_on_gpu(GpuGroup& group, BatchDetector& detector) {
        while (std::optional<Batch> batch = group.loaded.pop()) {
            const std::size_t number = batch->number;
            try {
                // Not by the thread that loads: giving back the memory of hundreds of files takes as long as it takes the
                // engines to decode a part of them.
                let_go(*batch);
                try {
                    detector.run(*batch, detecting_, describing_);
                } catch (const std::bad_alloc&) {
                    throw DeviceError(out_of_memory(group.device));
                }
                group.memory.give_back(std::move(batch->resident));
                order_.finish(std::move(*batch));
            } catch (...) {
                order_.fail(number);
                break;
            }
        }
        add_counters(detector);
    }

    static std::string out_of_memory(const Device& device) {
        return device.name() +
               " has too little memory free for a batch of images; other programs may use it, and "
               "--device cpu needs none of it";
    }

    void add_counters(const BatchDetector& detector) {
        const std::lock_guard lock(counters_mutex_);
        for (std::size_t t = 0; t < tasks_.size(); ++t) {
            const std::optional<EngineCounters> counters = detector.counters(t);
            if (counters) outcome_.tasks[t].counters += *counters;
        }
    }

    // --- writing, in order ---------------------------------------------------------------------------

    void write(Batch& batch) {
        {
            const BusyScope busy(writing_);
            for (std::size_t t = 0; t < tasks_.size(); ++t) {
                const TaskFindings& findings = batch.findings[t];
                // Features first: rows that belong to no line are cut off when a job is resumed.
                if (tasks_[t].features) tasks_[t].features->file->append(findings.features);
                tasks_[t].writer->write_lines(findings.lines);
                DetectTaskOutcome& task = outcome_.tasks[t];
                task.detections += findings.detections;
                task.crops += findings.crops;
                task.detect_seconds += findings.detect_seconds;
            }
            for (const LoadedImage& loaded : batch.images) note(loaded);
            done_ += batch.images.size();
            outcome_.images += batch.images.size();
            if (options_.written) options_.written(done_);
        }
        if (!options_.progress) return;
        DetectProgress progress;
        progress.done = done_;
        progress.total = images_.size();
        progress.unreadable = outcome_.unreadable.size();
        progress.faces = tasks_.empty() ? 0 : outcome_.tasks[0].detections;
        progress.pixels = outcome_.pixels;
        progress.resumed = options_.first;
        options_.progress(progress);
    }

    void note(const LoadedImage& loaded) {
        outcome_.decoded.refused_by_nvjpeg += loaded.refused_by_nvjpeg;
        if (loaded.unreadable.empty()) {
            outcome_.pixels +=
                static_cast<std::size_t>(loaded.size.width) * static_cast<std::size_t>(loaded.size.height);
            outcome_.decoded.reduced += loaded.scale > 1;
            ++(loaded.by_nvjpeg ? outcome_.decoded.nvjpeg : outcome_.decoded.cpu);
        } else {
            outcome_.unreadable.push_back({std::string(images_.name(loaded.index)), loaded.unreadable});
        }
    }

    void finish_statistics() {
        outcome_.total_seconds = total_.seconds();
        outcome_.set_up_seconds = set_up_seconds_;
        outcome_.decode_wait_seconds = decode_wait_.seconds();
        outcome_.write_seconds = writing_.seconds();
        for (std::size_t t = 0; t < tasks_.size(); ++t) {
            if (!on_gpus_ && tasks_[t].detector != nullptr) {
                outcome_.tasks[t].counters = tasks_[t].detector->engine().counters();
            }
        }
        const PrefetchTimes times = prefetcher_.times();
        const auto readers = static_cast<std::size_t>(std::min(limit_.threads(), options_.max_readers));
        add_stage("decode", readers, {{"read", times.read_seconds}, {"decode", times.decode_seconds}});
        const std::size_t gpus = options_.gpus.size();
        if (on_gpus_) {
            add_stage("gpu_load", gpus * groups_[0]->loaders.size(),
                      {{"decode", gpu_decoding_.seconds()}, {"upload", uploading_.seconds()}});
        }
        add_stage("detect", on_gpus_ ? gpus * workers_per_gpu : 1,
                  {{"detect", detecting_.seconds()}, {"describe", describing_.seconds()}});
        add_stage("write", 1, {{"write", writing_.seconds()}});
    }

    void add_stage(const char* name, std::size_t threads, std::vector<std::pair<std::string, double>> work) {
        outcome_.stages.push_back({name, threads, std::move(work), outcome_.total_seconds});
    }

    const ImageList& images_;
    const std::vector<DetectTask>& tasks_;
    const DetectImagesOptions& options_;
    const Stopwatch set_up_;
    std::atomic<std::size_t> encoded_waiting_{0};
    ThreadLimit limit_;
    std::vector<std::unique_ptr<GpuGroup>> groups_;
    const double set_up_seconds_;
    const Stopwatch total_;
    const std::unique_ptr<ImageInputs> inputs_;
    BufferPool buffers_;
    ImagePrefetcher prefetcher_;
    std::optional<LoadedImage> next_;  // read, and too large for the batch before
    const bool on_gpus_;
    HostBudget host_;
    BoundedQueue<Batch> gathered_;
    BatchOrder order_;
    std::vector<std::thread> threads_;

    BusySeconds decode_wait_, gpu_decoding_, uploading_, detecting_, describing_, writing_;
    std::size_t done_ = 0;
    std::mutex counters_mutex_;
    DetectImagesOutcome outcome_;
};

}  // namespace

DetectImagesOutcome detect_images(const ImageList& images, const std::vector<DetectTask>& tasks,
                                  const DetectImagesOptions& options) {
    return Pipeline(images, tasks, options).run();
}

DetectImagesOutcome detect_images(const Dataset& dataset, const std::vector<DetectTask>& tasks,
                                  const DetectImagesOptions& options) {
    DetectImagesOptions with_truth = options;
    with_truth.truth = &dataset;
    return detect_images(ImageList::of(dataset), tasks, with_truth);
}

}  // namespace fovea
