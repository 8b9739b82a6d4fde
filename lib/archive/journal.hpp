#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "lib/archive/appended_file.hpp"
#include "lib/archive/image_list.hpp"
#include "lib/core/json.hpp"

namespace fovea {

/// How far a job has come: the results of its first `images` images are in the beginnings of its files.
struct JournalMark {
    std::size_t images = 0;
    std::vector<FileExtent> outputs;  ///< in the order of the job's files

    friend bool operator==(const JournalMark&, const JournalMark&) = default;
};

/// The journal of a job that appends to files: what work it is, its images, and marks of how far it has come. It lies beside
/// the results until the job is complete, and says that it is not.
class Journal {
  public:
    /// Begins a journal; an older one is replaced. \param work whatever tells that a resumed job does the same work.
    /// \throws Error if it cannot be written.
    static Journal create(const std::filesystem::path& file, const Json& work, const ImageList& images);
    /// Goes on with one that recover_job() has read: marks behind `from` are dropped.
    static Journal reopen(const std::filesystem::path& file, const JournalMark& from);

    ~Journal();
    Journal(Journal&&) noexcept;
    Journal& operator=(Journal&&) noexcept;

    /// Syncs the outputs, then adds a mark and syncs it. \throws Error
    void mark(std::size_t images, std::span<AppendedFile* const> outputs);
    /// The job is complete: removes the file.
    void remove();

  private:
    class Implementation;
    explicit Journal(std::unique_ptr<Implementation> implementation);
    std::unique_ptr<Implementation> implementation_;
};

/// A file that a job appends to.
struct JournalOutput {
    std::filesystem::path file;
    std::size_t header_bytes = 0;  ///< see AppendedFile
};

/// What a journal says.
struct RecoveredJob {
    Json work;
    ImageList images;
    JournalMark mark;  ///< the last one that the outputs bear out
};

/// Where the journal of a results file is: NAME.journal beside it. Empty for standard output and anything in /dev or /proc.
std::filesystem::path journal_path(const std::filesystem::path& results);

/// Reads a journal and finds the last mark whose outputs are there with the checksums noted: torn or missing ends of journal
/// and outputs, as a loss of power leaves them, are passed over. Nothing is changed yet. Nothing if there is no journal, or
/// none whose beginning is whole (then nothing was done). \throws Error if it cannot be read or is no journal.
std::optional<RecoveredJob> recover_job(const std::filesystem::path& journal,
                                        std::span<const JournalOutput> outputs);

}  // namespace fovea
