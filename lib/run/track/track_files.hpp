#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/files/appended_file.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/results/results.hpp"
#include "lib/run/track/sequence_record.hpp"
#include "lib/run/track/track_page.hpp"
#include "lib/run/track/track_summary.hpp"
#include "lib/track/track_decision.hpp"

namespace fovea {

/// The names in a folder of tracks.
struct TrackFolder {
    std::filesystem::path folder;

    std::filesystem::path results() const { return folder / part_name::results; }
    std::filesystem::path tracks() const { return folder / part_name::tracks; }
    std::filesystem::path table() const { return folder / part_name::table; }
    /// Only there with TrackConfig::explain.
    std::filesystem::path decisions() const { return folder / part_name::decisions; }
    std::filesystem::path page() const { return folder / "tracks.html"; }
    std::filesystem::path manifest() const { return folder / "run.json"; }
    /// A folder; it is there until the job is complete.
    std::filesystem::path journal() const { return folder / ".track-journal"; }
    /// In the journal: where annotated videos are wanted.
    std::filesystem::path wanted_videos() const { return journal() / "videos"; }

    /// True if a complete run has left its results there.
    bool has_complete_results() const;
};

/// The parts of one sequence while it is followed, in a folder of their own.
class SequenceFiles {
  public:
    /// Makes the folder, and empties it. \param explains decisions are written. \throws Error
    SequenceFiles(std::filesystem::path folder, bool explains);

    /// Writes the next frame. \param place in its sequence, from 0. \throws AppendError
    void write(const ImageResult& frame, std::size_t place, std::span<const TrackDecision> decisions);
    /// Writes what is known of the tracks; then all parts are complete.
    /// \param stem of the sequence: crop_stems(). \return the parts. \throws AppendError
    std::map<std::string, FileExtent> finish(std::vector<TrackSummary> tracks, const std::string& stem);

    /// The places where finish() has left the parts.
    static PartPlaces places(const std::filesystem::path& folder,
                             const std::map<std::string, FileExtent>& parts);

  private:
    AppendedFile results_, table_, mot_, rest_;
    std::optional<AppendedFile> decisions_;
};

/// The files of a job, made of the parts of its sequences. Until they are published, they lie in a folder of
/// their own, and an earlier run's files stay as they are.
class JoinedTracks {
  public:
    /// Makes the folders. \throws Error, also if another program writes there; UsageError if a file would
    /// replace an input.
    explicit JoinedTracks(const OutputFolder& folder);

    /// Adds the parts of the next sequence.
    /// \param keeps_shown  keeps what the page shows as a file; else the record has no such part any more
    /// \throws Error if a part is not as the record says; AppendError
    void add(SequenceRecord& record, const std::string& stem, const PartPlaces& places, bool keeps_shown);
    /// Writes the page, removes the earlier run.json, which describes other results, and puts the files in
    /// their places. \throws Error
    void publish(const std::string& specification);

  private:
    AppendedFile& shared(const std::string& part);

    const TrackFolder folder_;
    StagedFolder staged_;
    const TrackFolder parts_;
    AppendedFile results_, tracks_, table_;
    std::optional<AppendedFile> decisions_;  // from the first part on
    std::vector<ShownSequence> shown_;
    std::size_t room_ = max_shown_tracks;
};

/// The bytes at the beginning of a shared file, before the parts of its sequences.
std::string head_of_file(const std::string& part);

}  // namespace fovea
