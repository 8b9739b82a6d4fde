#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "lib/files/appended_file.hpp"
#include "lib/files/input_files.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/results/results.hpp"
#include "lib/run/track/track_page.hpp"
#include "lib/run/track/track_summary.hpp"

namespace fovea {

/// The names in a folder of tracks.
struct TrackFolder {
    std::filesystem::path folder;

    std::filesystem::path results() const { return folder / "results.jsonl"; }
    std::filesystem::path tracks() const { return folder / "tracks.jsonl"; }
    std::filesystem::path table() const { return folder / "tracks.csv"; }
    std::filesystem::path page() const { return folder / "tracks.html"; }
    std::filesystem::path manifest() const { return folder / "run.json"; }
    std::filesystem::path mot() const { return folder / "mot"; }
    std::filesystem::path faces() const { return folder / "faces"; }

    /// True if a complete run has left its results there.
    bool has_complete_results() const;
};

/// The files of one sequence while it is followed. TrackFiles joins the files of all sequences later.
class SequenceFiles {
  public:
    /// \param parts TrackFiles::parts(). \param number of the sequence. \param stem of the names of its
    /// own files.
    /// \throws AppendError
    SequenceFiles(const TrackFolder& parts, std::size_t number, std::string stem);

    const std::string& stem() const { return stem_; }
    /// Writes the next frame. \param place in its sequence, from 0. \throws AppendError
    void write(const ImageResult& frame, std::size_t place);
    /// Closes the files of the sequence. \throws AppendError
    void close();

  private:
    friend class TrackFiles;

    const std::string stem_;
    const std::filesystem::path results_part_, table_part_;
    AppendedFile results_, table_, mot_;
};

/// The files of all sequences, in the order of sequences, whichever is done first. Until they are published,
/// they lie in a folder of their own, and an earlier run's files stay as they are. For any threads.
class TrackFiles {
  public:
    /// Makes the folders. \throws Error; UsageError if a file would replace an input.
    explicit TrackFiles(const OutputFolder& folder);

    /// The folder where the files lie until publish().
    const TrackFolder& parts() const { return parts_; }

    /// Adds a sequence that is done, or cut short. Writes the crops of its faces, and names them in
    /// the summaries.
    /// \param sequence with its tracks. \throws AppendError, Error
    void add(std::size_t number, std::unique_ptr<SequenceFiles> files, ShownSequence sequence);
    /// Writes sequences that wait for earlier ones that did not come, and the page.
    /// \throws AppendError, Error
    void close(const std::string& title);
    /// Removes the earlier run.json, which describes other results, then puts the files in their places.
    /// \throws Error
    void publish();

  private:
    struct Waiting {
        std::unique_ptr<SequenceFiles> files;
        ShownSequence sequence;
    };
    void write_crops(ShownSequence& sequence, const std::string& stem) const;
    void append(Waiting& done);

    const TrackFolder folder_;
    StagedFolder staged_;
    const TrackFolder parts_;
    std::mutex mutex_;
    AppendedFile results_, table_, tracks_;
    std::map<std::size_t, Waiting> waiting_;
    std::vector<ShownSequence> shown_;
    std::size_t next_ = 0;
};

}  // namespace fovea
