#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/files/input_files.hpp"
#include "lib/job/job_material.hpp"
#include "lib/recognise/gallery_search.hpp"
#include "lib/run/track/sequence_record.hpp"

namespace fovea {

/// A job that follows faces through the videos, or numbered pictures, of a list. It has one detector.
struct TrackJob : JobMaterial {
    GallerySearch* gallery = nullptr;              ///< names the persons; null: they have none
    std::optional<double> max_gallery_distance{};  ///< of a person who gets a name
    OutputFolder folder;                           ///< for all results; the job's inputs are added
    /// Videos with the faces drawn in: one file, or a folder where there are several sequences; empty: none.
    std::filesystem::path annotated{};
};

struct TrackJobResult {
    std::vector<SequenceRecord> sequences;  ///< those of this job: a shard has its own
    FollowedCounts found{};                 ///< in all of them
    std::size_t resumed = 0;                ///< of the frames, by an earlier run
    bool interrupted = false;
    /// It was interrupted, and the results of an earlier, complete run stay.
    bool keeps_earlier = false;
    bool is_annotated = false;  ///< the annotated videos that are wanted are complete
    double seconds = 0;         ///< without annotating
    std::string encoder{};      ///< FFmpeg's name of the one that wrote annotated videos; empty: none
    std::vector<std::string> annotation_notes{};  ///< see AnnotatedVideos
    double annotate_seconds = 0;

    /// Sums up the sequences in `found`.
    void sum_up();
};

/// Follows the faces of each sequence (sequences_of()) and writes results.jsonl, tracks.jsonl, tracks.csv, a
/// file of MOTChallenge for each sequence in mot/, a picture of each track in faces/, and run.json. On GPUs,
/// several sequences are gone through at once. Results do not depend on devices, threads or timing. Files
/// take their places when all are complete. Until then, a journal (TrackJournal) keeps the sequences that are
/// done, and a job that is resumed goes through the others. A run that is interrupted also leaves results
/// as far as it came, unless the results of an earlier run that was complete are there: those stay.
/// \throws UsageError as sequences_of, for options that do not fit, and if results of other work would be
/// lost; DeviceError; Error if a file cannot be written; ShortageError.
TrackJobResult run_track_job(const TrackJob& job, const JobHooks& hooks);

}  // namespace fovea
