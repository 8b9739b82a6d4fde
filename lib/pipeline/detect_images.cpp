#include "lib/pipeline/detect_images.hpp"

#include <chrono>
#include <utility>

#include "lib/pipeline/threads.hpp"

namespace fovea {
namespace {

class Stopwatch {
  public:
    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point start_ = Clock::now();
};

std::vector<std::filesystem::path> image_paths(const Dataset& dataset) {
    std::vector<std::filesystem::path> paths;
    paths.reserve(dataset.samples.size());
    for (const Sample& sample : dataset.samples) paths.push_back(sample.path);
    return paths;
}

class BatchRunner {
  public:
    BatchRunner(const Dataset& dataset, const std::vector<DetectTask>& tasks,
                const DetectImagesOptions& options)
        : dataset_(dataset),
          tasks_(tasks),
          options_(options),
          limit_(options.threads),
          prefetcher_(image_paths(dataset), {limit_.threads(), options.prefetch_bytes, options.decode}) {
        outcome_.tasks.resize(tasks.size());
    }

    DetectImagesOutcome run() {
        const Stopwatch total;
        while (fill_batch()) {
            std::vector<ImageView<const std::uint8_t>> views;
            for (const LoadedImage& loaded : batch_) {
                if (loaded.unreadable.empty()) views.push_back(loaded.image.view());
            }
            for (std::size_t t = 0; t < tasks_.size(); ++t) run_task(t, views);
            note_batch();
        }
        outcome_.interrupted = outcome_.images < dataset_.samples.size();
        outcome_.total_seconds = total.seconds();
        return std::move(outcome_);
    }

  private:
    bool cancelled() const { return options_.cancel != nullptr && options_.cancel->load(); }

    // What was gathered before a cancellation is in flight and still processed.
    bool fill_batch() {
        const Stopwatch wait;
        batch_.clear();
        std::size_t bytes = 0;
        while (batch_.size() < options_.batch_images && (batch_.empty() || bytes < options_.batch_bytes) &&
               !cancelled()) {
            std::optional<LoadedImage> loaded = prefetcher_.next();
            if (!loaded) break;
            bytes += loaded->image.pixels.size();
            batch_.push_back(std::move(*loaded));
        }
        outcome_.decode_wait_seconds += wait.seconds();
        return !batch_.empty();
    }

    void run_task(std::size_t t, const std::vector<ImageView<const std::uint8_t>>& views) {
        const DetectTask& task = tasks_[t];
        const Stopwatch detect;
        std::vector<std::vector<Detection>> found;
        if (!views.empty()) limit_.run([&] { found = task.detector->detect(views, task.options); });
        outcome_.tasks[t].detect_seconds += detect.seconds();

        const Stopwatch write;
        std::size_t readable = 0;
        for (const LoadedImage& loaded : batch_) {
            ImageResult result;
            result.image = dataset_.samples[loaded.index].image;
            if (loaded.unreadable.empty()) {
                result.width = loaded.image.width;
                result.height = loaded.image.height;
                result.detections = std::move(found[readable++]);
                outcome_.tasks[t].detections += result.detections.size();
            } else {
                result.status = "unreadable: " + loaded.unreadable;
            }
            task.writer->write(result);
        }
        outcome_.write_seconds += write.seconds();
    }

    void note_batch() {
        for (const LoadedImage& loaded : batch_) {
            outcome_.pixels += loaded.image.pixels.size();
            if (loaded.unreadable.empty()) continue;
            outcome_.unreadable.push_back({dataset_.samples[loaded.index].image, loaded.unreadable});
        }
        outcome_.images += batch_.size();
        if (options_.progress) {
            options_.progress({outcome_.images, dataset_.samples.size(), outcome_.unreadable.size()});
        }
    }

    const Dataset& dataset_;
    const std::vector<DetectTask>& tasks_;
    const DetectImagesOptions& options_;
    ThreadLimit limit_;
    ImagePrefetcher prefetcher_;
    std::vector<LoadedImage> batch_;
    DetectImagesOutcome outcome_;
};

}  // namespace

DetectImagesOutcome detect_images(const Dataset& dataset, const std::vector<DetectTask>& tasks,
                                  const DetectImagesOptions& options) {
    return BatchRunner(dataset, tasks, options).run();
}

}  // namespace fovea
