#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lib/files/descriptor.hpp"
#include "lib/job/journal/journal.hpp"

// The bytes of a journal, see journal.hpp, and how they are read again.
namespace fovea::journal_detail {

/// The part before the marks.
struct JournalHead {
    std::uint64_t bytes = 0;         ///< its length
    std::uint64_t work_bytes = 0;    ///< of the JSON text
    std::uint64_t images_bytes = 0;  ///< of the list
    std::uint32_t seed = 0;          ///< the checksum of the list, with which those of marks begin
};

/// Writes a file that holds a head and is on the disk. \throws Error; nothing is left then.
JournalHead write_head(const std::filesystem::path& file, const Json& work, std::string_view images);

/// The place of the first output in a mark.
inline constexpr std::size_t mark_outputs_at = 56;
/// The bytes of a mark of so many outputs.
std::size_t mark_length(std::size_t outputs);
/// A mark as its bytes. \param seed JournalHead::seed.
std::string mark_bytes(const JournalMark& mark, std::uint32_t seed);

/// Reads a journal that may be torn or damaged in any way.
class JournalReader {
  public:
    /// Nothing if there is no file, or one that was never written in full. \throws Error as recover_job.
    static std::optional<JournalReader> open(const std::filesystem::path& file);

    const JournalHead& head() const { return head_; }
    Json work() const;           ///< \throws Error if it is not JSON
    std::string images() const;  ///< the list's bytes
    /// Reads all marks. \param handle called for each mark in order; with nothing for a damaged one.
    void for_each_mark(std::size_t outputs,
                       const std::function<void(const std::optional<JournalMark>&)>& handle) const;

  private:
    JournalReader(std::filesystem::path file, FileDescriptor descriptor, std::uint64_t size)
        : file_(std::move(file)), descriptor_(std::move(descriptor)), size_(size) {}
    bool read_head();
    bool part_holds(std::uint64_t offset, std::uint64_t length, std::uint32_t& checksum) const;
    std::string read(std::uint64_t offset, std::uint64_t length) const;
    bool is_zero_from(std::uint64_t at) const;
    [[noreturn]] void fail(const std::string& what) const;

    std::filesystem::path file_;
    FileDescriptor descriptor_;
    std::uint64_t size_;
    JournalHead head_;
};

}  // namespace fovea::journal_detail
