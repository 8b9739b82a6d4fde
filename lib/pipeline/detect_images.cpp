#include "lib/pipeline/detect_images.hpp"

#include <chrono>
#include <new>
#include <stdexcept>
#include <utility>

#include "kernels/device.hpp"
#include "lib/core/error.hpp"
#include "lib/pipeline/crop_writer.hpp"
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

using ImageDetections = std::vector<std::vector<Detection>>;  // one list per image

std::vector<Detection> annotated_detections(const Sample& sample) {
    std::vector<Detection> detections;
    for (const Face& face : sample.faces) {
        if (face.ignore || face.crowd) continue;
        Detection& detection = detections.emplace_back();
        detection.box = face.box;
        detection.score = 1;
    }
    return detections;
}

using Views = std::vector<ImageView<const std::uint8_t>>;

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
        try {
            while (fill_batch()) {
                // Nothing is written before all detectors are done: an image that one of them cannot scan is
                // unreadable in every results file, so that detectors are compared on the same images.
                std::vector<ImageDetections> found;
                for (std::size_t t = 0; t < tasks_.size(); ++t) found.push_back(run_task(t));
                for (std::size_t t = 0; t < tasks_.size(); ++t) write_results(t, found[t]);
                note_batch();
            }
        } catch (const DeviceError& error) {
            outcome_.error = error.what();
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

    // Results for every image of the batch; empty for those that are unreadable.
    ImageDetections run_task(std::size_t t) {
        const Stopwatch detect;
        ImageDetections found(batch_.size());
        std::vector<std::size_t> readable;
        for (std::size_t i = 0; i < batch_.size(); ++i) {
            if (batch_[i].unreadable.empty()) readable.push_back(i);
        }
        std::string why;
        if (!readable.empty() && !detect_in(t, readable, found, why)) {
            // One image is too large for a scan, or all at once are: each by itself tells which.
            for (const std::size_t i : readable) {
                if (readable.size() == 1 || !detect_in(t, {i}, found, why)) batch_[i].unreadable = why;
            }
        }
        outcome_.tasks[t].detect_seconds += detect.seconds();
        return found;
    }

    // False with the reason if an image asks for more than there is.
    bool detect_in(std::size_t t, const std::vector<std::size_t>& indices, ImageDetections& found,
                   std::string& why) {
        Views views;
        for (const std::size_t i : indices) views.push_back(batch_[i].image.view());
        try {
            limit_.run([&] {
                ImageDetections detections = tasks_[t].detector == nullptr
                                                 ? faces_of(tasks_[t], indices, views)
                                                 : detections_of(tasks_[t], views);
                for (std::size_t n = 0; n < indices.size(); ++n) found[indices[n]] = std::move(detections[n]);
            });
            return true;
        } catch (const std::bad_alloc&) {
            why = "cannot be scanned: out of memory";
        } catch (const std::length_error& error) {
            why = std::string("cannot be scanned: ") + error.what();
        }
        return false;
    }

    static ImageDetections detections_of(const DetectTask& task, const Views& views) {
        return task.landmarks ? task.detector->detect_with_landmarks(views, task.options, *task.landmarks)
                              : task.detector->detect(views, task.options);
    }

    ImageDetections faces_of(const DetectTask& task, const std::vector<std::size_t>& indices,
                             const Views& views) const {
        ImageDetections faces;
        for (const std::size_t i : indices) {
            faces.push_back(annotated_detections(dataset_.samples[batch_[i].index]));
        }
        if (task.landmarks) add_landmarks(*task.landmarks, views, faces);
        return faces;
    }

    void write_results(std::size_t t, ImageDetections& found) {
        const Stopwatch write;
        for (std::size_t i = 0; i < batch_.size(); ++i) {
            const LoadedImage& loaded = batch_[i];
            ImageResult result;
            result.image = dataset_.samples[loaded.index].image;
            if (loaded.unreadable.empty()) {
                result.width = loaded.image.width;
                result.height = loaded.image.height;
                result.detections = std::move(found[i]);
                outcome_.tasks[t].detections += result.detections.size();
                if (tasks_[t].crops != nullptr) write_crops(t, loaded, result.detections);
            } else {
                result.status = "unreadable: " + loaded.unreadable;
            }
            tasks_[t].writer->write(result);
        }
        outcome_.write_seconds += write.seconds();
    }

    // A crop that cannot be written costs neither results nor the other crops.
    void write_crops(std::size_t t, const LoadedImage& loaded, const std::vector<Detection>& detections) {
        DetectTaskOutcome& outcome = outcome_.tasks[t];
        try {
            outcome.crops += tasks_[t].crops->write(loaded.index, loaded.image.view(), detections);
        } catch (const Error& error) {
            if (outcome.crop_error.empty()) outcome.crop_error = error.what();
        }
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
