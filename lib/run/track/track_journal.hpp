#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>

#include "kernels/core/stopwatch.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/job/resume_state.hpp"
#include "lib/json/json_fwd.hpp"
#include "lib/run/track/sequence_record.hpp"
#include "lib/run/track/track_files.hpp"

namespace fovea {

/// The files that an earlier job may have left in a folder of tracks.
EarlierFiles earlier_tracks(const TrackFolder& folder);

/// The journal of a job that follows sequences: a folder with the head of a Journal, and a folder for each
/// sequence, with its parts and, once these are complete, their record. It lies beside the results until the
/// job is complete. The record's checksums tell whether all of a sequence is on the disk; a loss of power
/// costs at most the sequences of the last half second. For any threads.
class TrackJournal {
  public:
    /// Begins a journal, in place of an older one, or goes on with the one that is there. Call it when the
    /// output folder is locked (JoinedTracks). \param description as job_fingerprint(). \throws Error
    TrackJournal(const TrackFolder& folder, const Json& description, const ImageList& images, bool goes_on);

    /// The folder for the parts of a sequence. \param number of the sequence in the whole list.
    std::filesystem::path folder_of(std::size_t number) const;
    /// The record of a sequence that is complete. A record that is torn, of another job, or not borne out by
    /// the parts is passed over. \throws Error if a file cannot be read.
    std::optional<SequenceRecord> recover(std::size_t number, const std::string& name) const;
    /// Says that all parts of a sequence are complete. \throws Error
    void complete(std::size_t number, const SequenceRecord& record);
    /// Removes the journal of a job that is complete. \throws Error
    void remove();

  private:
    const std::filesystem::path folder_;
    const std::uint32_t seed_;  // of the records' checksums, so that none of another job is taken
    std::optional<Journal> head_;
    std::mutex mutex_;
    Stopwatch since_sync_;
};

}  // namespace fovea
