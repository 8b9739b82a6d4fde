#include "lib/run/track/track_job.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "kernels/core/stopwatch.hpp"
#include "lib/core/error.hpp"
#include "lib/core/threads.hpp"
#include "lib/evaluate/analysis/face_appearance.hpp"
#include "lib/image/frame_opener.hpp"
#include "lib/job/manifest.hpp"
#include "lib/job/memory_plan.hpp"
#include "lib/job/stages/frame_routes.hpp"
#include "lib/json/json.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/run/track/frame_sequence.hpp"
#include "lib/run/track/gpu_pieces.hpp"
#include "lib/run/track/person_memory.hpp"
#include "lib/run/track/sequence_tracker.hpp"
#include "lib/video/nvdec.hpp"

namespace fovea {
namespace {

/// Sequences on one GPU at once: while the tracker of one waits for the GPU, others keep it busy.
constexpr std::size_t lanes_per_gpu = 8;

/// Distance of the features of recogniser lbp (chi-square) up to which faces are of one person.
constexpr double lbp_rejoin_distance = 1000;

/// One thread's own means.
struct Lane {
    Lane(const TrackJob& job, std::optional<int> gpu, ThreadLimit& thread_limit)
        : device(gpu ? Device::cuda(*gpu) : Device::cpu()), limit(thread_limit) {
        if (gpu) detector = job.detector.make_for_gpu(device);
        if (job.config.tracking.tracker.mode == FollowMode::flow)
            flow = make_point_flow(device, job.config.tracking.tracker);
    }

    Device device;
    ThreadLimit& limit;
    std::unique_ptr<Detector> detector;  // null: the job's
    std::unique_ptr<PointFlow> flow;
    BusySeconds decoding;                 // by the loader
    std::unique_ptr<FrameLoader> loader;  // made for the first video that the GPU decodes
    std::optional<FaceDescriber> describer;
};

/// The rules, and the detector's options, with the scores that a detection needs.
struct ScoreRules {
    TrackConfig tracking;
    DetectorOptions detection;
};

/// A weak detection continues a track. Only a confidence tells the weak ones: all that other detectors report
/// may begin tracks.
ScoreRules score_rules(const TrackConfig& config, const LoadedDetector& detector) {
    ScoreRules rules{config, detector.config.options};
    TrackerOptions& tracker = rules.tracking.tracker;
    if (rules.detection.score != ScoreKind::confidence) {
        tracker.min_score = tracker.min_weak_score = -std::numeric_limits<double>::infinity();
        return rules;
    }
    tracker.min_score = rules.detection.min_score.value_or(default_min_confidence);
    tracker.min_weak_score = std::min(tracker.min_weak_score, tracker.min_score);
    rules.detection.min_score = tracker.min_weak_score;
    return rules;
}

class TrackRun {
  public:
    TrackRun(const TrackJob& job, const RunHooks& hooks)
        : job_(job),
          hooks_(hooks),
          config_(job.config),
          rules_(score_rules(job.config.tracking, job.detector)),
          images_(job.images.images),
          sequences_(sequences_of(images_)),
          stems_(stems_of(sequences_)),
          limit_(config_.threads),
          memory_(plan_memory({config_.memory_limit_megabytes, config_.image.prefetch_megabytes,
                               images_.size(), limit_.threads(), job.device.is_cuda()})),
          files_({job.folder}) {
        if (job_.landmarker != nullptr) {
            rule_ = rule_for_detector(config_.landmarks, *job_.landmarker->landmarker,
                                      detector_name(job_.detector.config), job_.detector.model);
        }
        result_.sequences = sequences_.size();
    }

    TrackJobResult run() {
        const Stopwatch watch;
        std::vector<std::thread> threads;
        for (const std::optional<int>& gpu : lanes()) threads.emplace_back([this, gpu] { work(gpu); });
        for (std::thread& thread : threads) thread.join();
        if (failure_) std::rethrow_exception(failure_);
        files_.close();
        result_.interrupted = is_cancelled();
        result_.seconds = watch.seconds();
        return std::move(result_);
    }

    const std::optional<BoxRule>& rule() const { return rule_; }

  private:
    static std::vector<std::string> stems_of(const std::vector<FrameSequence>& sequences) {
        std::vector<std::string> names;
        for (const FrameSequence& sequence : sequences)
            names.push_back(sequence.name.empty() ? "frames" : sequence.name);
        return crop_stems(names);
    }

    bool on_gpu() const { return job_.device.is_cuda() && job_.detector.make_for_gpu != nullptr; }
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

    void work(const std::optional<int>& gpu) {
        try {
            Lane lane(job_, gpu, limit_);
            while (!is_cancelled() && !has_failed_.load()) {
                const std::size_t number = next_++;
                if (number >= sequences_.size()) return;
                track(lane, number);
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_) failure_ = std::current_exception();
            has_failed_ = true;
        }
    }

    void track(Lane& lane, std::size_t number);
    std::unique_ptr<FramePieces> pieces_of(Lane& lane, const ImageList& frames) const;
    bool decodes_on_gpu(const Lane& lane, const ImageList& frames) const;
    void note(const ImageResult& frame);

    friend class SequenceRun;

    const TrackJob& job_;
    const RunHooks& hooks_;
    const RunConfig& config_;
    const ScoreRules rules_;
    const ImageList& images_;
    const std::vector<FrameSequence> sequences_;
    const std::vector<std::string> stems_;
    ThreadLimit limit_;
    const DetectImagesOptions memory_;
    std::optional<BoxRule> rule_;
    TrackFiles files_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> has_failed_{false};
    std::mutex mutex_;
    std::exception_ptr failure_;
    TrackJobResult result_;
};

/// One sequence on its way through a lane.
class SequenceRun {
  public:
    SequenceRun(TrackRun& run, Lane& lane, std::size_t number, const ImageList& frames)
        : run_(run),
          lane_(lane),
          number_(number),
          frames_(frames),
          files_(std::make_unique<SequenceFiles>(TrackFolder{run.job_.folder}, number, run.stems_[number])),
          gatherer_(run.sequences_[number].name) {
        const TrackConfig& config = run.config_.tracking;
        if (run.job_.landmarker != nullptr) landmarks_ = run.job_.landmarker->stage(*run.rule_);
        if ((config.rejoin || run.job_.gallery != nullptr) && !lane.describer)
            lane.describer.emplace(recogniser());
        if (config.rejoin) {
            persons_.emplace(*lane.describer, config.max_rejoin_distance > 0 ? config.max_rejoin_distance
                                                                             : lbp_rejoin_distance);
        }
    }

    void go(FramePieces& pieces) {
        const Detector& detector = lane_.detector ? *lane_.detector : *run_.job_.detector.detector;
        const TrackingTools tools{lane_.device, detector,         run_.rules_.detection,
                                  landmarks_,   lane_.flow.get(), lane_.limit};
        SequenceTracker tracker(
            run_.rules_.tracking, tools,
            [this](const Track& track, const ImageView<const std::uint8_t>& image,
                   const std::set<int>& in_use) { return number_of(track, image, in_use); },
            [this](std::vector<FinishedFrame>& frames) {
                for (FinishedFrame& frame : frames) take(frame);
            });
        tracker.run(pieces, run_.hooks_.cancel);
        std::vector<TrackSummary> tracks = gatherer_.take();
        name(tracks);
        {
            const std::lock_guard lock(run_.mutex_);
            run_.result_.tracks += tracks.size();
        }
        run_.files_.add(number_, std::move(files_), std::move(tracks));
    }

  private:
    RecogniserConfig recogniser() const {
        return run_.job_.gallery != nullptr ? run_.job_.gallery->info().recogniser
                                            : load_recogniser(run_.config_.tracking.recogniser);
    }

    int number_of(const Track& track, const ImageView<const std::uint8_t>& image,
                  const std::set<int>& in_use) {
        if (!persons_) return ++last_number_;
        std::vector<std::vector<Detection>> faces{{{track.last_box, track.score}}};
        if (landmarks_)
            add_landmarks(
                *landmarks_,
                {std::span(&image, 1), lane_.device.is_cuda() ? lane_.device.index() : ImageBatch::on_host},
                faces);
        std::vector<std::uint16_t> look =
            lane_.describer->describe(image_on_host(lane_.device, image), faces[0][0].details->landmarks);
        int person = persons_->find(look, in_use);
        if (person == 0) person = ++last_number_;
        persons_->add(person, std::move(look));
        return person;
    }

    void take(FinishedFrame& finished) {
        ImageResult frame;
        frame.image = frames_.name(finished.index);
        frame.frame = frame_time(frames_.frame(finished.index));
        frame.is_damaged = finished.is_damaged;
        if (finished.unreadable.empty()) {
            frame.width = finished.size.width;
            frame.height = finished.size.height;
            frame.detections = std::move(finished.faces);
        } else {
            frame.status = "unreadable: " + finished.unreadable;
        }
        keep_best_faces(frame, finished.image);
        gatherer_.add(frame);
        files_->write(frame, place_++);
        run_.note(frame);
    }

    /// Detections alone: their boxes are surest.
    void keep_best_faces(const ImageResult& frame, const ImageView<const std::uint8_t>& view) {
        std::optional<GreyImage> image;
        for (const Detection& face : frame.detections) {
            if (face.details->followed) continue;
            if (!image) image = image_on_host(lane_.device, view);
            BestFace best;
            best.image = frame.image;
            best.frame = frame.frame;
            best.box = face.box;
            best.score = face.score;
            best.size = std::sqrt(face.box.area());
            best.frontal = frontal_measure(face.details->landmarks);
            best.sharpness = measure_face(*image, face.box).sharpness.value_or(0);
            best.quality = quality_of_face(best);
            const int track = face.details->track.value();
            const BestFace* before = gatherer_.best_of(track);
            if (before != nullptr && before->quality >= best.quality) continue;
            best.crop = face_crops(image->view(), std::span(&face, 1)).at(0);
            if (lane_.describer) best.features = lane_.describer->describe(*image, face.details->landmarks);
            if (persons_) persons_->add(track, best.features);
            gatherer_.set_best(track, std::move(best));
        }
    }

    void name(std::vector<TrackSummary>& tracks) {
        GallerySearch* const gallery = run_.job_.gallery;
        if (gallery == nullptr) return;
        for (TrackSummary& track : tracks) {
            if (!track.best || track.best->features.empty()) continue;
            const std::lock_guard lock(run_.mutex_);
            const auto nearest = gallery->search(track.best->features.data(), 1, 1).at(0);
            if (nearest.empty()) continue;
            track.distance = nearest[0].distance;
            const std::optional<double>& limit = run_.job_.max_gallery_distance;
            if (limit && *track.distance > *limit) continue;
            track.identity = gallery->faces()[nearest[0].index].subject;
            if (!track.identity.empty()) ++run_.result_.named;
        }
    }

    TrackRun& run_;
    Lane& lane_;
    const std::size_t number_;
    const ImageList& frames_;
    std::unique_ptr<SequenceFiles> files_;
    TrackGatherer gatherer_;
    std::optional<LandmarkStage> landmarks_;
    std::optional<PersonMemory> persons_;
    int last_number_ = 0;
    std::size_t place_ = 0;
};

bool TrackRun::decodes_on_gpu(const Lane& lane, const ImageList& frames) const {
    if (!lane.device.is_cuda() || config_.image.video_decoder == VideoDecoderChoice::cpu) return false;
    const std::optional<VideoFrame> first = frames.frame(0);
    if (!first) return false;
    const std::string why_not = nvdec_library().loaded ? why_not_on_gpus(*first->video, {lane.device.index()})
                                                       : nvdec_library().why_none;
    if (!why_not.empty() && config_.image.video_decoder == VideoDecoderChoice::nvdec) {
        throw UsageError("'" + std::string(frames.video_name(0)) +
                         "' cannot be decoded by NVDEC: " + why_not + "; use --video-decoder auto");
    }
    return why_not.empty();
}

std::unique_ptr<FramePieces> TrackRun::pieces_of(Lane& lane, const ImageList& frames) const {
    const std::size_t held = FaceTracker::max_frames_held(config_.tracking.tracker);
    const DecodeOptions decode = decode_options(config_.image);
    if (decodes_on_gpu(lane, frames)) {
        if (!lane.loader) {
            FrameLoaderOptions loading;
            loading.frames = video_read_options(decode, 2, memory_.max_image_bytes);
            lane.loader = std::make_unique<FrameLoader>(lane.device.index(), loading, lane.decoding);
        }
        return std::make_unique<GpuPieces>(frames, VideoLimits{decode.max_pixels, memory_.max_image_bytes},
                                           *lane.loader, held);
    }
    PrefetchOptions prefetch;
    prefetch.threads = std::min(limit_.threads(), memory_.max_readers);
    prefetch.max_bytes = memory_.prefetch_bytes;
    prefetch.decode = decode;
    prefetch.max_image_bytes = memory_.max_image_bytes;
    auto reader = std::make_unique<FrameReader>(
        frames, video_read_options(decode, limit_.threads(), memory_.max_image_bytes), prefetch,
        PieceLimits{});
    if (!lane.device.is_cuda()) return std::make_unique<HostPieces>(std::move(reader));
    return std::make_unique<UploadedPieces>(std::move(reader), lane.device.index(), held);
}

void TrackRun::track(Lane& lane, std::size_t number) {
    const FrameSequence& sequence = sequences_[number];
    const ImageList frames = images_.part(
        [&](std::size_t i) { return i >= sequence.first && i < sequence.first + sequence.count; });
    const std::unique_ptr<FramePieces> pieces = pieces_of(lane, frames);
    SequenceRun(*this, lane, number, frames).go(*pieces);
}

void TrackRun::note(const ImageResult& frame) {
    const std::lock_guard lock(mutex_);
    ++result_.images;
    result_.boxes += frame.detections.size();
    for (const Detection& face : frame.detections) result_.detected += !face.details->followed;
    result_.damaged += frame.is_damaged;
    if (!frame.ok())
        result_.unreadable.push_back({frame.image, frame.status.substr(sizeof "unreadable: " - 1)});
    if (!hooks_.progress) return;
    DetectProgress progress;
    progress.done = result_.images;
    progress.total = images_.size();
    progress.unreadable = result_.unreadable.size();
    progress.faces = result_.boxes;
    if (frame.frame) {
        progress.video = frame.image.substr(0, frame.image.rfind('#'));
        progress.video_seconds = frame.frame->seconds;
    }
    hooks_.progress(progress);
}

}  // namespace

TrackJobResult run_track_job(const TrackJob& job, const RunHooks& hooks) {
    TrackRun run(job, hooks);
    if (hooks.stage) hooks.stage("tracking");
    return run.run();
}

}  // namespace fovea
