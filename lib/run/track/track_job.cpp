#include "lib/run/track/track_job.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "kernels/core/stopwatch.hpp"
#include "kernels/face_crop/face_crop.hpp"
#include "lib/core/error.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/output_path.hpp"
#include "lib/files/shortage.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/files/thread_shortage.hpp"
#include "lib/job/memory_plan.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/run/track/annotate_videos.hpp"
#include "lib/run/track/frame_sequence.hpp"
#include "lib/run/track/sequence_run.hpp"
#include "lib/run/track/track_manifest.hpp"

namespace fovea {
namespace {

/// Sequences on one GPU at once: while the tracker of one waits for the GPU, others keep it busy.
constexpr std::size_t lanes_per_gpu = 8;

/// \throws UsageError for what cannot be done.
TrackingRules rules_of(const TrackJob& job, const std::optional<BoxRule>& boxes) {
    TrackingRules rules;
    rules.tracking = job.config.tracking;
    rules.detection = job.detector.config.options;
    set_tracking_scores(default_min_confidence, rules.detection, rules.tracking.tracker);
    if (boxes) rules.landmarks = job.landmarker->stage(*boxes);
    const bool describes = rules.tracking.rejoin || job.gallery != nullptr;
    if (!describes) return rules;
    if (!boxes || eye_landmarks(job.landmarker->landmarker->model().points).count == 0) {
        throw UsageError(std::string(job.gallery != nullptr ? "--gallery" : "--rejoin") +
                         " compares faces by their eyes; name a landmark model of 68 or 5 points with "
                         "--landmarks");
    }
    rules.recogniser =
        job.gallery != nullptr ? job.gallery->info().recogniser : load_recogniser(rules.tracking.recogniser);
    double& max_distance = rules.tracking.max_rejoin_distance;
    if (rules.tracking.rejoin && max_distance == 0) max_distance = default_rejoin_distance(*rules.recogniser);
    return rules;
}

std::optional<BoxRule> boxes_of(const TrackJob& job) {
    if (job.landmarker == nullptr) return std::nullopt;
    return rule_for_detector(job.config.landmarks, *job.landmarker->landmarker,
                             detector_name(job.detector.config), job.detector.model);
}

/// \throws UsageError if one file is to hold several sequences.
std::vector<std::filesystem::path> annotated_files(const std::filesystem::path& output,
                                                   const std::vector<std::string>& stems) {
    if (output.empty()) return {};
    if (output.extension() == ".mp4") {
        if (stems.size() == 1) return {output};
        throw UsageError("'" + output.string() + "' is one file, but there are " +
                         std::to_string(stems.size()) + " videos; name a folder with --annotate");
    }
    std::vector<std::filesystem::path> files;
    for (const std::string& stem : stems) files.push_back(path_below(output, stem + ".mp4"));
    return files;
}

TrackingMemory memory_of(const TrackJob& job, int threads) {
    MemoryRequest request = memory_request(job.config, job.images.images, threads, job.device.is_cuda());
    request.follows = true;
    return {plan_memory(request), plan_followed_bytes(request)};
}

void add_inputs(const TrackJob& job) {
    InputFiles inputs = job.folder.inputs();
    inputs.add(job.config.file);
    inputs.add(job.detector.model);
    if (job.landmarker != nullptr) inputs.add(job.landmarker->model);
    if (job.config.tracking.rejoin) inputs.add(find_recogniser(job.config.tracking.recogniser));
    add_inputs(job.images.images, inputs);
}

class TrackRun {
  public:
    TrackRun(const TrackJob& job, const JobHooks& hooks)
        : job_(job),
          hooks_(hooks),
          images_(job.images.images),
          sequences_(sequences_of(images_)),
          stems_(stems_of(sequences_)),
          boxes_(boxes_of(job)),
          rules_(rules_of(job, boxes_)),
          limit_(job.config.threads),
          memory_(memory_of(job, limit_.threads())),
          folder_{job.folder.path()},
          annotated_(annotated_files(job.annotated, stems_)),
          files_(job.folder) {
        for (const std::filesystem::path& file : annotated_) {
            job.folder.inputs().refuse(file);
            if (file == job.annotated) {
                make_parent_folder(file);
            } else {
                make_folders_to(file, job.annotated, "annotation");
            }
        }
        for (const FrameSequence& sequence : sequences_) result_.sequences.push_back({sequence.name});
        unreadable_.resize(sequences_.size());
    }

    TrackJobResult run() {
        const Stopwatch watch;
        go_through_sequences();
        for (const std::vector<UnreadableImage>& images : unreadable_)
            result_.unreadable.insert(result_.unreadable.end(), images.begin(), images.end());
        result_.interrupted = is_cancelled();
        result_.seconds = watch.seconds();
        if ((failure_ || result_.interrupted) && folder_.has_complete_results()) {
            if (failure_) std::rethrow_exception(failure_);
            result_.keeps_earlier = true;
            return std::move(result_);
        }
        publish();
        write_manifest();
        if (!annotated_.empty()) {
            annotate();
            write_manifest();
        }
        return std::move(result_);
    }

  private:
    static std::vector<std::string> stems_of(const std::vector<FrameSequence>& sequences) {
        std::vector<std::string> names;
        for (const FrameSequence& sequence : sequences)
            names.push_back(sequence.name.empty() ? "frames" : sequence.name);
        return crop_stems(names);
    }

    bool on_gpu() const { return job_.device.is_cuda() && !job_.detector.detector->gpus().empty(); }
    bool is_cancelled() const { return hooks_.cancel != nullptr && hooks_.cancel->load(); }

    /// The GPU of each; on the CPU there is one, which has all threads for each sequence.
    std::vector<std::optional<int>> lanes() const {
        if (!on_gpu()) return {std::nullopt};
        std::vector<std::optional<int>> lanes;
        for (std::size_t i = 0; i < lanes_per_gpu; ++i)
            lanes.insert(lanes.end(), job_.device.gpus.begin(), job_.device.gpus.end());
        lanes.resize(std::min(lanes.size(), std::max<std::size_t>(1, sequences_.size())));
        return lanes;
    }

    void go_through_sequences() {
        std::vector<std::thread> threads;
        try {
            for (const std::optional<int>& gpu : lanes()) threads.emplace_back([this, gpu] { work(gpu); });
        } catch (const std::system_error&) {
            fail(std::make_exception_ptr(ShortageError(no_thread)));
        } catch (...) {
            fail(std::current_exception());
        }
        for (std::thread& thread : threads) thread.join();
    }

    void fail(std::exception_ptr failure) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::move(failure);
        has_failed_ = true;
    }

    /// \throws the failure, with what was done before it in its place
    void publish() {
        try {
            files_.close("Faces followed in " + images_.specification());
            files_.publish();
        } catch (...) {
            if (!failure_) throw;
        }
        if (failure_) std::rethrow_exception(failure_);
    }

    void work(const std::optional<int>& gpu) {
        try {
            TrackingLane lane(job_.config, job_.detector, gpu, memory_, limit_);
            while (!is_cancelled() && !has_failed_) {
                const std::size_t number = next_++;
                if (number >= sequences_.size()) return;
                track(lane, number);
            }
        } catch (...) {
            fail(std::current_exception());
        }
    }

    void track(TrackingLane& lane, std::size_t number) {
        const FrameSequence& sequence = sequences_[number];
        const ImageList frames = images_.part(
            [&](std::size_t i) { return i >= sequence.first && i < sequence.first + sequence.count; });
        auto files = std::make_unique<SequenceFiles>(files_.parts(), number, stems_[number]);
        const std::unique_ptr<FramePieces> pieces = lane.pieces_of(frames);
        SequenceRun run(rules_, lane, frames, sequence.name, *files,
                        [&](const ImageResult& frame) { note(number, frame); });
        std::vector<TrackSummary> tracks = run.go(*pieces, hooks_.cancel);
        {
            const std::lock_guard lock(mutex_);
            name(tracks);
            result_.sequences[number].tracks = tracks.size();
            result_.tracks += tracks.size();
        }
        files_.add(number, std::move(files),
                   {sequence.name, result_.sequences[number].frames, std::move(tracks)});
    }

    void write_manifest() const {
        write_track_manifest({job_, rules_, boxes_, result_, folder_, on_gpu(), limit_.threads()});
    }

    void annotate() {
        if (hooks_.stage) hooks_.stage("annotating");
        const Stopwatch watch;
        AnnotateOptions options;
        options.decode = decode_options(job_.config.image);
        options.max_bytes = memory_.plan.max_image_bytes;
        options.threads = job_.config.threads;
        options.smoothing = job_.config.tracking.smoothing;
        options.on_gpu = on_gpu();
        options.cancel = hooks_.cancel;
        options.progress = [&](std::size_t frame) {
            JobProgress progress;
            progress.done = frame;
            progress.total = result_.images;
            progress.faces = result_.boxes;
            if (hooks_.progress) hooks_.progress(progress);
        };
        result_.encoder = annotate_videos(images_, sequences_, folder_.results(), annotated_, options);
        result_.annotate_seconds = watch.seconds();
    }

    /// The gallery gives the names.
    void name(std::vector<TrackSummary>& tracks) {
        if (job_.gallery == nullptr) return;
        for (TrackSummary& track : tracks) {
            if (!track.best || track.best->features.empty()) continue;
            const auto nearest = job_.gallery->search(track.best->features.data(), 1, 1).at(0);
            if (nearest.empty()) continue;
            track.distance = nearest[0].distance;
            if (job_.max_gallery_distance && *track.distance > *job_.max_gallery_distance) continue;
            track.identity = job_.gallery->faces()[nearest[0].index].subject;
            if (!track.identity.empty()) ++result_.named;
        }
    }

    void note(std::size_t sequence, const ImageResult& frame) {
        const std::lock_guard lock(mutex_);
        ++result_.images;
        ++result_.sequences[sequence].frames;
        result_.sequences[sequence].boxes += frame.detections.size();
        result_.boxes += frame.detections.size();
        for (const Detection& face : frame.detections) result_.detected += !face.details->followed;
        result_.damaged += frame.is_damaged;
        result_.pages_left_out += static_cast<std::size_t>(frame.pages - 1);
        if (!frame.ok()) {
            constexpr std::size_t prefix = sizeof "unreadable: " - 1;
            unreadable_[sequence].push_back({frame.image, frame.status.substr(prefix)});
            ++unreadable_so_far_;
        }
        if (hooks_.progress) hooks_.progress(progress(frame));
    }

    JobProgress progress(const ImageResult& frame) const {
        JobProgress progress;
        progress.done = result_.images;
        progress.total = images_.size();
        progress.unreadable = unreadable_so_far_;
        progress.faces = result_.boxes;
        if (frame.frame) {
            progress.video = frame.image.substr(0, frame.image.rfind('#'));
            progress.video_seconds = frame.frame->seconds;
        }
        return progress;
    }

    const TrackJob& job_;
    const JobHooks& hooks_;
    const ImageList& images_;
    const std::vector<FrameSequence> sequences_;
    const std::vector<std::string> stems_;
    const std::optional<BoxRule> boxes_;
    const TrackingRules rules_;
    ThreadLimit limit_;
    const TrackingMemory memory_;
    const TrackFolder folder_;
    const std::vector<std::filesystem::path> annotated_;  // for each sequence; empty: none
    TrackFiles files_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> has_failed_{false};
    std::mutex mutex_;
    std::exception_ptr failure_;
    TrackJobResult result_;
    std::vector<std::vector<UnreadableImage>> unreadable_;  // of each sequence, whichever is done first
    std::size_t unreadable_so_far_ = 0;
};

}  // namespace

TrackJobResult run_track_job(const TrackJob& job, const JobHooks& hooks) {
    add_inputs(job);
    TrackRun run(job, hooks);
    if (hooks.stage) hooks.stage("tracking");
    return run.run();
}

}  // namespace fovea
