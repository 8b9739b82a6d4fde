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
#include "lib/core/error.hpp"
#include "lib/core/job_hooks.hpp"
#include "lib/core/threads.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/files/thread_shortage.hpp"
#include "lib/job/manifest_file.hpp"
#include "lib/job/resume_state.hpp"
#include "lib/json/json_member.hpp"
#include "lib/json/json_place.hpp"
#include "lib/results/result_line.hpp"
#include "lib/run/track/annotate_videos.hpp"
#include "lib/run/track/track_files.hpp"
#include "lib/run/track/track_journal.hpp"
#include "lib/run/track/track_manifest.hpp"

namespace fovea {
namespace {

/// Sequences on one GPU at once: while the tracker of one waits for the GPU, others keep it busy.
constexpr std::size_t lanes_per_gpu = 8;

class TrackRun {
  public:
    TrackRun(const TrackJob& job, const JobHooks& hooks)
        : job_(job),
          hooks_(hooks),
          images_(job.images.images),
          limit_(job.config.threads),
          plan_(plan_track_job(job)),
          own_(plan_.sequences),
          folder_{job.folder.path()},
          is_finished_(resumes() && !is_there(earlier_tracks(folder_).journal)),
          owns_annotated_(annotated_are_own()),
          is_done_(own_.size()) {
        for (const PlannedSequence& sequence : own_) {
            result_.sequences.push_back({sequence.frames.name});
            progress_.total += sequence.frames.count;
        }
        check_earlier_results(job, plan_.description, earlier_tracks(folder_),
                              {{folder_.results(), "--out"}});
        check_annotated();
    }

    TrackJobResult run() {
        with_way_to_resume([&] { is_finished_ ? take_results() : follow(); });
        if (!job_.annotated.empty() && !result_.interrupted) annotate();
        return std::move(result_);
    }

  private:
    bool is_cancelled() const { return hooks_.is_cancelled(); }
    bool resumes() const { return job_.images.earlier.has_value(); }

    void check_annotated() const {
        if (job_.annotated.empty()) return;
        for (const auto& [frames, number, stem, file] : own_) {
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
        result_.resumed = result_.found.images;
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
        TrackJournal journal(folder_, plan_.description, images_, resumes());
        if (!job_.annotated.empty()) write_file(folder_.wanted_videos(), job_.annotated.string());
        journal_ = &journal;
        for (std::size_t i = 0; resumes() && i < own_.size(); ++i) {
            if (std::optional<SequenceRecord> record = journal.recover(own_[i].number, own_[i].frames.name))
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
            joined.add(record, own_[i].stem,
                       SequenceFiles::places(journal.folder_of(own_[i].number), record.parts),
                       job_.images.shard.has_value());
        }
        joined.publish(images_.specification());
        // They would look like those of the new results.
        for (const PlannedSequence& sequence : own_) {
            if (!sequence.annotated.empty()) remove_file(sequence.annotated);
        }
        write_track_manifest(job_, plan_, result_);
        if (!result_.interrupted) journal.remove();
    }

    void take_up(std::size_t i, SequenceRecord record) {
        is_done_[i] = true;
        progress_.resumed += record.found.images;
        progress_.done += record.found.images;
        progress_.faces += record.found.boxes;
        progress_.unreadable += record.found.unreadable.size();
        result_.resumed += record.found.images;
        result_.sequences[i] = std::move(record);
    }

    /// The GPU of each; on the CPU there is one, which has all threads for each sequence.
    std::vector<std::optional<int>> lanes() const {
        if (!plan_.on_gpu) return {std::nullopt};
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
                if (!lane) {
                    lane.emplace(plan_.rules.tracking.tracker, *job_.detectors[0].detector, gpu,
                                 plan_.reading, limit_);
                }
                track(*lane, i);
            }
        } catch (...) {
            fail(std::current_exception());
        }
    }

    void track(TrackingLane& lane, std::size_t i) {
        const auto& [sequence, number, stem, annotated] = own_[i];
        const std::size_t first = sequence.first, end = first + sequence.count;
        const ImageList frames =
            images_.part([&](std::size_t image) { return image >= first && image < end; });
        SequenceRecord record{sequence.name};
        SequenceFiles files(journal_->folder_of(number), job_.config.tracking.explain);
        const std::unique_ptr<FramePieces> pieces = lane.pieces_of(frames);
        SequenceRun run(plan_.rules, lane, frames, sequence.name, files,
                        [&](const ImageResult& frame) { note(record, frame); });
        std::vector<TrackSummary> tracks = run.go(*pieces, hooks_.cancel);
        name(tracks, record);
        record.found.tracks = tracks.size();
        const auto seconds = [&](std::size_t image) {
            const std::optional<VideoFrame> frame = images_.frame(image);
            return frame ? frame->seconds() : 0;
        };
        record.first_seconds = seconds(first);
        record.last_seconds = seconds(end - 1);
        record.parts = files.finish(std::move(tracks), stem);
        if (record.found.images == sequence.count) journal_->complete(number, record);
        result_.sequences[i] = std::move(record);
    }

    void annotate() {
        std::vector<FrameSequence> sequences;
        std::vector<std::filesystem::path> files;
        for (const PlannedSequence& sequence : own_) {
            sequences.push_back(sequence.frames);
            files.push_back(sequence.annotated);
        }
        if (is_finished_ && owns_annotated_) {
            // Each has got its name when it was complete; the last one counts once the encoder is known.
            for (std::filesystem::path& file : files) {
                const bool is_proved = !result_.encoder.empty() || &file != &files.back();
                if (is_proved && is_file(file)) file.clear();
            }
        } else if (is_finished_) {
            write_track_manifest(job_, plan_, result_);
        }
        const auto is_empty = [](const std::filesystem::path& file) { return file.empty(); };
        result_.is_annotated = std::all_of(files.begin(), files.end(), is_empty);
        if (result_.is_annotated) return;
        hooks_.begin_stage("annotating");
        const Stopwatch watch;
        AnnotatedVideos annotated =
            annotate_videos(images_, sequences, folder_.results(), files,
                            {job_.config,
                             plan_.reading.max_image_bytes,
                             plan_.on_gpu,
                             {.total = result_.found.images, .faces = result_.found.boxes}},
                            hooks_);
        result_.interrupted = is_cancelled();
        if (result_.interrupted) return;
        if (!annotated.encoder.empty()) result_.encoder = std::move(annotated.encoder);
        result_.annotation_notes = std::move(annotated.notes);
        result_.is_annotated = true;
        result_.annotate_seconds = watch.seconds();
        write_track_manifest(job_, plan_, result_);
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
        ++record.found.images;
        record.found.boxes += frame.detections.size();
        for (const Detection& face : frame.detections) record.found.detected += !face.details->followed;
        record.found.damaged += frame.is_damaged;
        record.found.pages_left_out += static_cast<std::size_t>(frame.pages - 1);
        if (!frame.ok())
            record.found.unreadable.push_back({frame.image, std::string(unreadable_reason(frame.status))});
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
    ThreadLimit limit_;
    const TrackPlan plan_;
    const std::vector<PlannedSequence>& own_;
    const TrackFolder folder_;
    const bool is_finished_;     // the job that is resumed has left all results, and no journal
    const bool owns_annotated_;  // it was to make the same videos
    std::vector<bool> is_done_;  // parallel to own_: by an earlier run
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
    TrackRun run(job, hooks);
    hooks.begin_stage("tracking");
    return run.run();
}

}  // namespace fovea
