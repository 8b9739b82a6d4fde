#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include "lib/image/formats/byte_source.hpp"
#include "lib/inputs/archive_reader.hpp"
#include "lib/inputs/image_list_data.hpp"

namespace fovea {

/// Reads the images of one archive that can be read only one after the other. Each must be opened or skipped.
class ArchiveSequence : public std::enable_shared_from_this<ArchiveSequence> {
  public:
    /// \param list  must outlive this
    /// \param first  the index, in the list, of the first image to read
    /// \param max_unpacker_bytes  as of ArchiveReader
    ArchiveSequence(const ImageListData& list, std::size_t first, std::size_t max_unpacker_bytes);

    /// Opens an image of the list; waits until the archive's image before it is released or skipped.
    /// \throws ImageError
    std::unique_ptr<codec::EncodedFile> open(std::size_t image);
    void skip(std::size_t image);
    /// Makes calls that wait in open() throw ImageError.
    void stop();

  private:
    class Member;
    static constexpr std::size_t none = ~std::size_t{0};

    void position(const ArchiveMember& member, std::size_t image);
    void release(std::size_t image);
    void pass(std::size_t image);
    std::size_t next_of(std::size_t image) const;

    const ImageListData& list_;
    const std::uint32_t archive_;
    const std::size_t max_unpacker_bytes_;
    std::mutex mutex_;
    std::condition_variable turn_changed_;
    std::size_t turn_;  // the image that may be read now
    std::set<std::size_t> skipped_;
    std::atomic<bool> stopped_ = false;
    // State of whoever's turn it is.
    std::optional<ArchiveReader> reader_;
    std::optional<MemberHeader> header_;
    std::string damage_;
};

}  // namespace fovea
