#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "lib/inputs/archive_reader.hpp"
#include "lib/inputs/image_list_data.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {

/// The videos of one archive. Readers of videos seek: bytes that lie in the archive as they are stay there,
/// others are unpacked, while the video is open, to a file without a name, in the folder that $TMPDIR names,
/// or /var/tmp. Any threads may use it.
class ArchiveVideos : public std::enable_shared_from_this<ArchiveVideos> {
  public:
    /// \param max_unpacker_bytes  as of ArchiveReader
    ArchiveVideos(std::filesystem::path archive, std::size_t max_unpacker_bytes)
        : archive_(std::move(archive)), max_unpacker_bytes_(max_unpacker_bytes) {}

    /// The bytes of a member. Those that are packed are best opened in the order of the archive: an earlier
    /// one begins it again. They are refused if they would take more than a hundred times the archive's size,
    /// or the room on the disk.
    std::shared_ptr<const VideoBytes> bytes_of(const ArchiveMember& member);

  private:
    class Stored;
    class Packed;

    std::shared_ptr<const FileDescriptor> unpack(const ArchiveMember& member);
    void go_to(const ArchiveMember& member);

    const std::filesystem::path archive_;
    const std::size_t max_unpacker_bytes_;
    std::mutex mutex_;
    std::optional<ArchiveReader> reader_;
    std::optional<MemberHeader> header_;  // the member at which the reader stands
};

}  // namespace fovea
