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
#include "lib/config/decoder_choice.hpp"
#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/appended_file.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/output_path.hpp"
#include "lib/files/sha256.hpp"
#include "lib/files/shortage.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/files/thread_shortage.hpp"
#include "lib/job/compare_manifests.hpp"
#include "lib/job/fingerprint.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/memory_plan.hpp"
#include "lib/job/resume_state.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_member.hpp"
#include "lib/json/json_place.hpp"
#include "lib/landmark/face_crops.hpp"
#include "lib/run/track/annotate_videos.hpp"
#include "lib/run/track/frame_sequence.hpp"
#include "lib/run/track/sequence_run.hpp"
#include "lib/run/track/track_files.hpp"
#include "lib/run/track/track_journal.hpp"
#include "lib/run/track/track_manifest.hpp"
#include "lib/video/write/video_writer.hpp"

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

/// \throws UsageError if one file is to hold several sequences, or no video can be written.
std::vector<std::filesystem::path> annotated_files(const std::filesystem::path& output,
                                                   const std::vector<std::string>& stems, bool on_gpu) {
    if (output.empty()) return {};
    VideoWriter::require_encoder(on_gpu);
    if (output.extension() == ".mp4" || output.extension() == ".mkv") {
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

JobMaterial material_of(const TrackJob& job) {
    return {job.config, job.images, std::span(&job.detector, 1), job.landmarker};
}

void add_inputs(const TrackJob& job) {
    InputFiles inputs = job.folder.inputs();
    if (job.config.tracking.rejoin) inputs.add(find_recogniser(job.config.tracking.recogniser));
    add_inputs(material_of(job), inputs);
}

Json work_of(const TrackJob& job, const TrackingRules& rules) {
    Json more;
    more["tracking"] = run_config_to_json(job.config)["tracking"];
    // It is for annotated videos alone, and the recogniser has a fingerprint.
    for (const char* key : {"smoothing", "recogniser"}) more["tracking"].erase(key);
    if (rules.recogniser) more["recogniser"] = feature_fingerprint(*rules.recogniser);
    if (job.gallery != nullptr) {
        more["gallery"] = {
            {"sha256", sha256_of_file(job.gallery->info().file)},
            {"max_distance", job.max_gallery_distance ? Json(*job.max_gallery_distance) : Json()}};
    }
    return result_fingerprint(material_of(job), ChosenDecoder{}, more);
}

class TrackRun {
  public:
    TrackRun(const TrackJob& job, const JobHooks& hooks)
        : job_(job),
          hooks_(hooks),
          images_(job.images.images),
          all_(sequences_of(images_)),
          stems_(stems_of(all_)),
          boxes_(boxes_of(job)),
          rules_(rules_of(job, boxes_)),
          limit_(job.config.threads),
          memory_(memory_of(job, limit_.threads())),
          folder_{job.folder.path()},
          annotated_(annotated_files(job.annotated, stems_, on_gpu())),
          work_(work_of(job, rules_)),
          description_(job_fingerprint(material_of(job), work_)),
          is_finished_(resumes() && !is_there(earlier_tracks(folder_).journal)),
          owns_annotated_(annotated_are_own()) {
        for (std::size_t i = 0; i < all_.size(); ++i) {
            const std::optional<Shard>& shard = job.images.shard;
            if (!shard || shard_of(all_[i].name, shard->count) == shard->index) own_.push_back(i);
        }
        for (const std::size_t i : own_) result_.sequences.push_back({all_[i].name});
        is_done_.resize(own_.size());
        for (const std::size_t i : own_) progress_.total += all_[i].count;
        check_earlier_results();
        check_annotated();
    }

    TrackJobResult run() {
        try {
            if (is_finished_)
                take_results();
            else
                follow();
        } catch (const AppendError& error) {
            throw Error(error.what() + std::string(" Free some space, or put right what the system complains "
                                                   "of, and go on with --resume."));
        }
        if (!annotated_.empty() && !result_.interrupted) annotate();
        return std::move(result_);
    }

  private:
    static std::vector<std::string> stems_of(const std::vector<FrameSequence>& sequences) {
        std::vector<std::string> names;
        for (const FrameSequence& sequence : sequences) names.push_back(sequence.name);
        return sequence_stems(names);
    }

    bool on_gpu() const { return job_.device.is_cuda() && !job_.detector.detector->gpus().empty(); }
    bool is_cancelled() const { return hooks_.is_cancelled(); }
    bool resumes() const { return job_.images.earlier.has_value(); }

    void check_earlier_results() const {
        check_is_same_job(job_.images, description_, folder_.results());
        const EarlierFiles earlier = earlier_tracks(folder_);
        std::error_code ignored;
        const bool is_empty =
            !is_file(folder_.results()) || std::filesystem::file_size(folder_.results(), ignored) == 0;
        if (job_.existing == ExistingResults::overwrite || resumes() || is_empty) return;
        const std::optional<FinishedJob> before = find_finished_job(earlier);
        std::string difference;
        if (before) {
            const Json now{{"work", description_["work"]}, {"shard", description_["shard"]}};
            difference = first_difference_in_work(now, before->work);
            if (difference.empty()) return;
        }
        refuse_finished_results(folder_.results(), difference, "--out");
    }

    void check_annotated() const {
        for (const std::size_t i : annotated_.empty() ? std::vector<std::size_t>() : own_) {
            const std::filesystem::path& file = annotated_[i];
            job_.folder.inputs().refuse(file);
            refuse_to_replace(file, owns_annotated_ || job_.existing == ExistingResults::overwrite);
            if (file == job_.annotated)
                make_parent_folder(file);
            else
                make_folders_to(file, job_.annotated, "annotation");
        }
    }

    /// True if the job that is resumed was to make these videos; if it is finished, it began to.
    bool annotated_are_own() const {
        if (!resumes()) return false;
        if (!is_finished_) {
            return is_file(folder_.wanted_videos()) &&
                   read_file(folder_.wanted_videos()) == job_.annotated.string();
        }
        const Json manifest = read_manifest(folder_.manifest());
        const Json& annotated = member_of(manifest, "annotated");
        return member_of(annotated, "file") == job_.annotated.string() &&
               member_of(annotated, "smoothing") == job_.config.tracking.smoothing;
    }

    /// Takes the counts of the job that is resumed: its results are complete.
    void take_results() {
        // A kill may have left the rest of a journal, and parts.
        const StagedFolder lock(job_.folder, "track");
        remove_tree(folder_.journal());
        const Json manifest = read_manifest(folder_.manifest());
        const JsonPlace root(manifest, folder_.manifest().string());
        result_.sequences = read_sequence_records(root);
        if (result_.sequences.size() != own_.size()) root["sequences"].fail("those of the images");
        result_.sum_up();
        result_.resumed = result_.found.frames;
        // Merged results have no times.
        if (const std::optional<JsonPlace> timings = root.given("timings"))
            result_.seconds = (*timings)["total_seconds"].number();
        if (const std::optional<JsonPlace> annotated = root.given("annotated")) {
            if (const std::optional<JsonPlace> encoder = annotated->given("encoder"))
                result_.encoder = encoder->text();
        }
    }

    void follow() {
        const Stopwatch watch;
        JoinedTracks joined(job_.folder);
        TrackJournal journal(folder_, description_, images_, resumes());
        if (!annotated_.empty()) write_file(folder_.wanted_videos(), job_.annotated.string());
        journal_ = &journal;
        for (std::size_t i = 0; resumes() && i < own_.size(); ++i) {
            if (std::optional<SequenceRecord> record = journal.recover(own_[i], all_[own_[i]].name))
                take_up(i, std::move(*record));
        }
        go_through_sequences();
        if (failure_) std::rethrow_exception(failure_);
        result_.sum_up();
        result_.interrupted = is_cancelled();
        result_.seconds = watch.seconds();
        result_.keeps_earlier = result_.interrupted && folder_.has_complete_results();
        if (result_.keeps_earlier) return;
        for (std::size_t i = 0; i < own_.size(); ++i) {
            SequenceRecord& record = result_.sequences[i];
            joined.add(record, stems_[own_[i]],
                       SequenceFiles::places(journal.folder_of(own_[i]), record.parts),
                       job_.images.shard.has_value());
        }
        joined.publish(images_.specification());
        // They would look like those of the new results.
        for (const std::filesystem::path& file : own_annotated()) remove_file(file);
        write_manifest();
        if (!result_.interrupted) journal.remove();
    }

    void take_up(std::size_t i, SequenceRecord record) {
        is_done_[i] = true;
        progress_.resumed += record.found.frames;
        progress_.done += record.found.frames;
        progress_.faces += record.found.boxes;
        progress_.unreadable += record.found.unreadable.size();
        result_.resumed += record.found.frames;
        result_.sequences[i] = std::move(record);
    }

    /// The GPU of each; on the CPU there is one, which has all threads for each sequence.
    std::vector<std::optional<int>> lanes() const {
        if (!on_gpu()) return {std::nullopt};
        std::vector<std::optional<int>> lanes;
        for (std::size_t i = 0; i < lanes_per_gpu; ++i)
            lanes.insert(lanes.end(), job_.device.gpus.begin(), job_.device.gpus.end());
        lanes.resize(std::min(lanes.size(), std::max<std::size_t>(1, own_.size())));
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

    void work(const std::optional<int>& gpu) {
        try {
            std::optional<TrackingLane> lane;
            while (!is_cancelled() && !has_failed_) {
                const std::size_t i = next_++;
                if (i >= own_.size()) return;
                if (is_done_[i]) continue;
                if (!lane) lane.emplace(job_.config, job_.detector, gpu, memory_, limit_);
                track(*lane, i);
            }
        } catch (...) {
            fail(std::current_exception());
        }
    }

    void track(TrackingLane& lane, std::size_t i) {
        const FrameSequence& sequence = all_[own_[i]];
        const ImageList frames = images_.part([&](std::size_t image) {
            return image >= sequence.first && image < sequence.first + sequence.count;
        });
        SequenceRecord record{sequence.name};
        SequenceFiles files(journal_->folder_of(own_[i]));
        const std::unique_ptr<FramePieces> pieces = lane.pieces_of(frames);
        SequenceRun run(rules_, lane, frames, sequence.name, files,
                        [&](const ImageResult& frame) { note(record, frame); });
        std::vector<TrackSummary> tracks = run.go(*pieces, hooks_.cancel);
        name(tracks, record);
        record.found.tracks = tracks.size();
        const auto seconds = [&](std::size_t image) {
            const std::optional<VideoFrame> frame = images_.frame(image);
            return frame ? frame->seconds() : 0;
        };
        record.first_seconds = seconds(sequence.first);
        record.last_seconds = seconds(sequence.first + sequence.count - 1);
        record.parts = files.finish(std::move(tracks), stems_[own_[i]]);
        if (record.found.frames == sequence.count) journal_->complete(own_[i], record);
        result_.sequences[i] = std::move(record);
    }

    void write_manifest() const {
        write_track_manifest({job_, rules_, boxes_, result_, folder_, work_, on_gpu(), limit_.threads()});
    }

    std::vector<std::filesystem::path> own_annotated() const {
        std::vector<std::filesystem::path> files;
        for (const std::size_t i : own_) {
            if (!annotated_.empty()) files.push_back(annotated_[i]);
        }
        return files;
    }

    void annotate() {
        std::vector<std::filesystem::path> files = own_annotated();
        if (is_finished_ && owns_annotated_) {
            // Each has got its name when it was complete; the last one counts once the encoder is known.
            for (std::filesystem::path& file : files) {
                const bool is_proved = !result_.encoder.empty() || &file != &files.back();
                if (is_proved && is_file(file)) file.clear();
            }
        } else if (is_finished_) {
            write_manifest();
        }
        const auto is_empty = [](const std::filesystem::path& file) { return file.empty(); };
        result_.is_annotated = std::all_of(files.begin(), files.end(), is_empty);
        if (result_.is_annotated) return;
        hooks_.begin_stage("annotating");
        const Stopwatch watch;
        std::vector<FrameSequence> sequences;
        for (const std::size_t i : own_) sequences.push_back(all_[i]);
        AnnotatedVideos annotated =
            annotate_videos(images_, sequences, folder_.results(), files,
                            {job_.config,
                             memory_.plan.max_image_bytes,
                             on_gpu(),
                             {.total = result_.found.frames, .faces = result_.found.boxes}},
                            hooks_);
        result_.interrupted = is_cancelled();
        if (result_.interrupted) return;
        if (!annotated.encoder.empty()) result_.encoder = std::move(annotated.encoder);
        result_.annotation_notes = std::move(annotated.notes);
        result_.is_annotated = true;
        result_.annotate_seconds = watch.seconds();
        write_manifest();
    }

    /// The gallery gives the names.
    void name(std::vector<TrackSummary>& tracks, SequenceRecord& record) {
        if (job_.gallery == nullptr) return;
        const std::lock_guard lock(gallery_mutex_);
        for (TrackSummary& track : tracks) {
            if (!track.best || track.best->features.empty()) continue;
            const auto nearest = job_.gallery->search(track.best->features.data(), 1, 1).at(0);
            if (nearest.empty()) continue;
            track.distance = nearest[0].distance;
            if (job_.max_gallery_distance && *track.distance > *job_.max_gallery_distance) continue;
            track.identity = job_.gallery->faces()[nearest[0].index].subject;
            if (!track.identity.empty()) ++record.found.named;
        }
    }

    void note(SequenceRecord& record, const ImageResult& frame) {
        ++record.found.frames;
        record.found.boxes += frame.detections.size();
        for (const Detection& face : frame.detections) record.found.detected += !face.details->followed;
        record.found.damaged += frame.is_damaged;
        record.found.pages_left_out += static_cast<std::size_t>(frame.pages - 1);
        if (!frame.ok()) {
            constexpr std::size_t prefix = sizeof "unreadable: " - 1;
            record.found.unreadable.push_back({frame.image, frame.status.substr(prefix)});
        }
        const std::lock_guard lock(mutex_);
        ++progress_.done;
        progress_.unreadable += !frame.ok();
        progress_.faces += frame.detections.size();
        if (frame.frame) {
            progress_.video = frame.image.substr(0, frame.image.rfind('#'));
            progress_.video_seconds = frame.frame->seconds;
        }
        hooks_.tell(progress_);
    }

    const TrackJob& job_;
    const JobHooks& hooks_;
    const ImageList& images_;
    const std::vector<FrameSequence> all_;
    const std::vector<std::string> stems_;  // of all sequences
    const std::optional<BoxRule> boxes_;
    const TrackingRules rules_;
    ThreadLimit limit_;
    const TrackingMemory memory_;
    const TrackFolder folder_;
    const std::vector<std::filesystem::path> annotated_;  // for each of all sequences; empty: none
    const Json work_;                                     // as result_fingerprint()
    const Json description_;                              // as job_fingerprint()
    const bool is_finished_;        // the job that is resumed has left all results, and no journal
    const bool owns_annotated_;     // it was to make the same videos
    std::vector<std::size_t> own_;  // the sequences of this job, among all
    std::vector<bool> is_done_;     // of these, by an earlier run
    TrackJournal* journal_ = nullptr;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> has_failed_{false};
    std::mutex mutex_;
    std::mutex gallery_mutex_;
    std::exception_ptr failure_;
    JobProgress progress_;
    TrackJobResult result_;
};

}  // namespace

void TrackJobResult::sum_up() {
    for (const SequenceRecord& sequence : sequences) found.add(sequence.found);
}

TrackJobResult run_track_job(const TrackJob& job, const JobHooks& hooks) {
    add_inputs(job);
    TrackRun run(job, hooks);
    hooks.begin_stage("tracking");
    return run.run();
}

}  // namespace fovea
