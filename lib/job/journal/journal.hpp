#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/files/appended_file.hpp"
#include "lib/inputs/image_list.hpp"
#include "lib/json/json.hpp"

// A journal as a file, all numbers little-endian:
//
// - head: "FOVEAJOB", version (32 bits), lengths of the two parts that follow (64 bits each), checksum
//   of these 28 bytes; the work as JSON text, its checksum; the list of images (ImageList::to_bytes),
//   its checksum
// - each mark: images, unreadable images, milliseconds since 1970 (64 bits each), kind (8 bits), name of the
// host (31
//   bytes, filled up with zeros), for each output its bytes (64 bits) and checksum (32 bits); checksum of all
//   this, begun with the checksum of the list, so that a mark of another job is not taken for one of this job
//
// Checksums are CRC-32 as zlib computes it.
namespace fovea {

enum class MarkKind : std::uint8_t {
    written = 0,  ///< the results of more images are there
    begun = 1,    ///< the job was begun, or taken up again
    full = 2      ///< the memory that the program may use was nearly full
};

/// How far a job has come: the results of its first `images` images are in the beginnings of its files.
struct JournalMark {
    std::size_t images = 0;
    std::vector<FileExtent> outputs;    ///< in the order of the job's files
    std::size_t unreadable = 0;         ///< of the images
    std::chrono::milliseconds time{0};  ///< when it was made, since 1970
    std::string host{};                 ///< that made it; a long name is cut off
    MarkKind kind = MarkKind::written;

    /// True if both are of the same results, whoever made them.
    friend bool operator==(const JournalMark& a, const JournalMark& b) {
        return a.images == b.images && a.outputs == b.outputs;
    }
};

/// The journal of a job that appends to files: its work, its images, and marks that say how far it has come.
/// It lies beside the results until the job is complete.
class Journal {
  public:
    /// Begins a journal, which is on the disk when this returns; an older one is replaced. Call it when the
    /// outputs are open, and so locked against other jobs. \param work must be equal for a job that resumes
    /// this one.
    /// \throws Error if it cannot be written.
    static Journal create(const std::filesystem::path& file, const Json& work, const ImageList& images);
    /// Continues a journal that recover_job() has read; marks after `from` are dropped. \throws Error if it
    /// cannot be read or written, or is not the journal that was recovered.
    static Journal reopen(const std::filesystem::path& file, const JournalMark& from);

    /// Syncs the outputs, then adds a mark and syncs it. All calls must have the same outputs in the
    /// same order. \param unreadable those of the images that could not be read.
    /// \throws Error
    void mark(std::size_t images, std::span<AppendedFile* const> outputs, std::size_t unreadable = 0,
              MarkKind kind = MarkKind::written);
    /// Adds the last mark once more, as one of full memory. Any thread may call it. \throws Error
    void mark_full_memory();
    /// Removes the file of a job that is complete and marked so. \throws Error
    void remove();

  private:
    /// \param bytes of the file that stay. \param seed of its marks. \param marked images of the last mark.
    Journal(std::filesystem::path file, std::uint64_t bytes, std::uint32_t seed, std::size_t marked);

    void append_last();

    std::filesystem::path path_;
    std::unique_ptr<AppendedFile> file_;
    std::uint32_t seed_;
    std::size_t marked_;
    JournalMark last_;
    std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

/// A file that a job appends to.
struct JournalOutput {
    std::filesystem::path file;
    std::size_t header_bytes = 0;  ///< see AppendedFile
};

/// An earlier job, as its journal or its manifest tells, so that it can go on.
struct ResumeState {
    Json description;  ///< of the job, as the journal was given it
    /// The images in its journal; nothing if the job is complete and has no journal any more.
    std::optional<ImageList> images{};
    JournalMark mark;  ///< the last mark that agrees with the outputs
    /// Images of the furthest mark that does not agree with them; 0 = none. Images after `mark` are
    /// done again.
    std::size_t denied_images = 0;
    /// How many times memory was nearly full since the last results were written: the job was killed then.
    std::size_t kills_for_memory = 0;
    /// When its first images were done, since 1970; 0 if that is not known.
    std::chrono::milliseconds began{0};
};

/// How far an unfinished job has come, by its journal alone.
struct JournalProgress {
    Json description;  ///< of the job, as the journal was given it
    std::size_t images = 0;
    /// The first mark, and the last ones that were made within `recent`; none if no image is done.
    std::vector<JournalMark> marks;
};

/// Reads how far a job has come, also while it runs. Outputs are not read. \param recent how long before the
/// last mark others are of interest. \return nothing if there is no journal, or only one that was never
/// written in full. \throws Error as recover_job().
std::optional<JournalProgress> read_journal_progress(const std::filesystem::path& journal,
                                                     std::chrono::milliseconds recent);

/// The place of a results file's journal: NAME.journal beside it. Empty for standard output and anything in
/// /dev or /proc.
std::filesystem::path journal_path(const std::filesystem::path& results);

/// Reads a journal and finds the last mark whose outputs are there with the recorded checksums. Torn or
/// missing ends of journal and outputs, as a power cut leaves them, are passed over. If the journal has no
/// mark, the result's mark has no images and an empty extent for each output. Each output is read once, up to
/// its last mark, in blocks. No file is changed.
/// \return nothing if there is no journal, or only one that was never written in full (then no image
/// was done).
/// \throws Error if the journal cannot be read, is no journal or has a damaged head, or if an output cannot
/// be read; Error naming an output if there are marks and none of them agrees with it, so that no result is
/// lost in silence. If the first output, the results, is not there, the job begins anew.
std::optional<ResumeState> recover_job(const std::filesystem::path& journal,
                                       std::span<const JournalOutput> outputs);

}  // namespace fovea
