#include "lib/job/stages/detect_images.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "kernels/core/device.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/shortage.hpp"
#include "lib/files/thread_shortage.hpp"
#include "lib/job/stages/batch_gatherer.hpp"
#include "lib/job/stages/batch_pipeline.hpp"
#include "lib/job/stages/crop_writer.hpp"
#include "lib/job/stages/detection_station.hpp"
#include "lib/job/stages/image_source.hpp"

namespace fovea {
namespace {

/// Everything that one call of detect_images() holds, in the order in which it is made.
class ImageDetection {
  public:
    ImageDetection(const ImageList& images, const std::vector<DetectorTask>& tasks,
                   const DetectImagesOptions& options)
        : images_(images),
          tasks_(tasks),
          options_(options),
          limit_(options.threads),
          quota_(2 * options.gpus.size() * options.batch_images),
          stations_(make_stations()),
          set_up_seconds_(set_up_.seconds()),
          source_(images, options, limit_.threads(), files_of_source()),
          gatherer_([this] { return next_item(); },
                    {options.batch_images, options.batch_bytes, options.host_bytes, keeps_files(),
                     options.first_batch_images},
                    &source_.buffers(), options.hooks.cancel),
          pipeline_(gatherer_, works_of(stations_)),
          done_(options.first) {
        result_.tasks.resize(tasks.size());
    }

    DetectImagesResult run() {
        std::exception_ptr failure;
        try {
            while (std::optional<Batch> batch = pipeline_.next()) finish(*batch);
        } catch (const DeviceError& error) {
            result_.error = error.what();
        } catch (const ShortageError& error) {
            result_.error = error.what();
            result_.was_short = true;
        } catch (const std::bad_alloc&) {
            result_.error = not_enough_memory;
            result_.was_short = true;
        } catch (const std::exception& error) {
            if (is_lack_of_threads(error)) {
                result_.error = no_thread;
                result_.was_short = true;
            } else {
                failure = std::current_exception();
            }
        } catch (...) {
            failure = std::current_exception();
        }
        pipeline_.stop();
        if (failure) std::rethrow_exception(failure);
        result_.interrupted = done_ < images_.size();
        add_counters();
        add_statistics();
        return std::move(result_);
    }

  private:
    // Libraries are loaded, decoders and detectors made: once, however many images follow.
    std::vector<DetectionStation> make_stations() {
        const StationContext context{images_, tasks_, options_,
                                     limit_,  times_, options_.mixed_decoders ? &quota_ : nullptr};
        if (options_.gpus.empty()) return {make_host_station(context)};
        std::vector<DetectionStation> stations;
        for (const int gpu : options_.gpus) {
            stations.push_back(options_.make_station ? options_.make_station(gpu, context)
                                                     : make_gpu_station(gpu, context));
        }
        return stations;
    }

    static std::vector<BatchStation> works_of(const std::vector<DetectionStation>& stations) {
        std::vector<BatchStation> works;
        for (const DetectionStation& station : stations) works.push_back(station.work);
        return works;
    }

    SourceFiles files_of_source() {
        SourceFiles files{keeps_files()};
        if (options_.nvjpeg) {
            files.keep_encoded = [this](const JpegFrame& frame) {
                return nvjpeg_takes(frame, *options_.nvjpeg) &&
                       (!options_.mixed_decoders || quota_.try_reserve());
            };
        }
        return files;
    }

    bool keeps_files() const {
        return std::any_of(tasks_.begin(), tasks_.end(), [](const DetectorTask& task) {
            return task.crops != nullptr && task.crops->takes_files();
        });
    }

    std::optional<GatheredItem> next_item() {
        const BusyScope waiting(times_.decode_wait);
        return source_.next();
    }

    void finish(const Batch& batch) {
        {
            const BusyScope busy(times_.writing);
            for (std::size_t t = 0; t < tasks_.size(); ++t) write(batch.outputs[t], t);
            for (const LoadedImage& loaded : batch.images) note(loaded);
            done_ += batch.images.size();
            result_.images += batch.images.size();
            if (options_.written) options_.written(done_, result_.unreadable.size());
        }
        options_.hooks.tell(progress());
    }

    void write(const BatchOutput& output, std::size_t t) {
        // Features first: rows that belong to no line are cut off when a job is resumed.
        if (tasks_[t].features) tasks_[t].features->file->append(output.features);
        tasks_[t].writer->write_lines(output.lines);
        DetectorTaskResult& task = result_.tasks[t];
        task.detections += output.detections;
        task.crops += output.crops;
        task.detect_seconds += output.detect_seconds;
    }

    void note(const LoadedImage& loaded) {
        result_.decoded.refused_by_nvjpeg += loaded.refused_by_nvjpeg;
        result_.damaged += loaded.is_damaged;
        result_.pages_left_out += static_cast<std::size_t>(loaded.pages - 1);
        if (loaded.unreadable.empty()) {
            result_.pixels +=
                static_cast<std::size_t>(loaded.size.width) * static_cast<std::size_t>(loaded.size.height);
            result_.decoded.reduced += loaded.scale > 1;
            ++(loaded.by_nvjpeg  ? result_.decoded.nvjpeg
               : loaded.by_nvdec ? result_.decoded.nvdec
                                 : result_.decoded.cpu);
        } else {
            result_.unreadable.push_back({std::string(images_.name(loaded.index)), loaded.unreadable});
        }
    }

    JobProgress progress() const {
        JobProgress progress;
        progress.done = done_;
        progress.total = images_.size();
        progress.unreadable = result_.unreadable.size();
        progress.faces = tasks_.empty() ? 0 : result_.tasks[0].detections;
        progress.pixels = result_.pixels;
        progress.resumed = options_.first;
        if (done_ == 0) return progress;
        if (const std::optional<VideoFrame> frame = images_.frame(done_ - 1)) {
            progress.video = images_.video_name(done_ - 1);
            progress.video_seconds = frame->seconds();
        }
        return progress;
    }

    void add_counters() {
        for (std::size_t t = 0; t < tasks_.size(); ++t) {
            bool has_own = false;
            for (const DetectionStation& station : stations_) {
                const std::optional<EngineCounters> counters = station.counters(t);
                if (!counters) continue;
                result_.tasks[t].counters += *counters;
                has_own = true;
            }
            if (!has_own && tasks_[t].detector != nullptr) {
                result_.tasks[t].counters = tasks_[t].detector->counters();
            }
        }
    }

    void add_statistics() {
        result_.total_seconds = total_.seconds();
        result_.set_up_seconds = set_up_seconds_;
        result_.decode_wait_seconds = times_.decode_wait.seconds();
        result_.write_seconds = times_.writing.seconds();
        const PrefetchTimes times = source_.times();
        const auto readers = static_cast<std::size_t>(source_.readers());
        std::size_t loaders = 0, frame_loaders = 0, workers = 0;
        for (const DetectionStation& station : stations_) {
            loaders += station.work.loaders.size();
            frame_loaders += station.work.frame_loaders.size();
            workers += station.work.workers.size();
        }
        add_stage("decode", readers, {{"read", times.read_seconds}, {"decode", times.decode_seconds}});
        if (loaders > 0) {
            add_stage("gpu_load", loaders,
                      {{"decode", times_.gpu_decoding.seconds()}, {"upload", times_.uploading.seconds()}});
        }
        if (source_.any_by_gpu())
            add_stage("gpu_video", frame_loaders, {{"decode", times_.video_decoding.seconds()}});
        add_stage("detect", workers,
                  {{"detect", times_.detecting.seconds()}, {"describe", times_.describing.seconds()}});
        add_stage("write", 1, {{"write", times_.writing.seconds()}});
    }

    void add_stage(const char* name, std::size_t threads, std::vector<std::pair<std::string, double>> work) {
        result_.stages.push_back({name, threads, std::move(work), result_.total_seconds});
    }

    const ImageList& images_;
    const std::vector<DetectorTask>& tasks_;
    const DetectImagesOptions& options_;
    const Stopwatch set_up_;
    StageTimes times_;
    ThreadLimit limit_;
    // The GPUs get as many files as they have batches before them; threads that would have to wait for the
    // GPUs decode.
    GpuDecodeQuota quota_;
    const std::vector<DetectionStation> stations_;
    const double set_up_seconds_;
    const Stopwatch total_;
    ImageSource source_;
    BatchGatherer gatherer_;
    DetectImagesResult result_;
    BatchPipeline pipeline_;
    std::size_t done_;
};

}  // namespace

DetectImagesResult detect_images(const ImageList& images, const std::vector<DetectorTask>& tasks,
                                 const DetectImagesOptions& options) {
    return ImageDetection(images, tasks, options).run();
}

DetectImagesResult detect_images(const Dataset& dataset, const std::vector<DetectorTask>& tasks,
                                 const DetectImagesOptions& options) {
    DetectImagesOptions with_truth = options;
    with_truth.truth = &dataset;
    return detect_images(ImageList::of(dataset), tasks, with_truth);
}

}  // namespace fovea
