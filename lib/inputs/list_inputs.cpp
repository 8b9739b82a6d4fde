#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include <zlib.h>

#include "lib/files/disk.hpp"
#include "lib/files/shortage.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/image/frame_opener.hpp"
#include "lib/inputs/archive_sequence.hpp"
#include "lib/inputs/image_list_data.hpp"

namespace fovea {
namespace {

/// A member whose bytes lie in the archive file as they are.
class PlainMember final : public codec::EncodedFile {
  public:
    PlainMember(const std::filesystem::path& archive, std::shared_ptr<const FileDescriptor> file,
                const ArchiveMember& member)
        : archive_(archive), file_(std::move(file)), at_(member.offset), size_(member.size) {
        std::array<std::uint8_t, tar_block> header;
        if (at_ < header.size() ||
            read_at(at_ - header.size(), header.data(), header.size()) != header.size() ||
            ::crc32(0, header.data(), static_cast<uInt>(header.size())) != member.header_crc) {
            throw ImageError("the archive has changed since its images were listed");
        }
    }

    std::size_t size() const override { return size_; }

    std::size_t read(std::uint8_t* to, std::size_t length) override {
        const std::size_t wanted = std::min(length, size_ - used_);
        if (read_at(at_ + used_, to, wanted) != wanted) throw ImageError("the archive ends within it");
        used_ += wanted;
        return wanted;
    }

    void release() override {}

  private:
    std::size_t read_at(std::uint64_t offset, std::uint8_t* to, std::size_t length) const {
        const std::ptrdiff_t count =
            fovea::read_at(file_->get(), reinterpret_cast<char*>(to), length, offset);
        if (count < 0) fail(errno);
        return static_cast<std::size_t>(count);
    }

    [[noreturn]] void fail(int error) const {
        throw_if_short("the archive '" + archive_.string() + "' cannot be read", error);
        throw ImageError("cannot read the archive: " + std::generic_category().message(error));
    }

    const std::filesystem::path& archive_;
    std::shared_ptr<const FileDescriptor> file_;
    std::uint64_t at_;
    std::size_t size_;
    std::size_t used_ = 0;
};

class ListInputs final : public ImageInputs {
  public:
    ListInputs(const ImageListData& list, std::size_t first, const VideoReadOptions& frames,
               std::size_t max_unpacker_bytes)
        : list_(list),
          first_(first),
          max_unpacker_bytes_(max_unpacker_bytes),
          in_order_(!list.frames.empty() || std::any_of(list.members.begin(), list.members.end(),
                                                        [](const ArchiveMember& member) {
                                                            return member.offset ==
                                                                   ArchiveMember::in_sequence;
                                                        })),
          frames_(frames) {}

    std::size_t size() const override { return list_.names.size(); }
    bool in_order() const override { return in_order_; }

    std::unique_ptr<codec::EncodedFile> open(std::size_t index) const override {
        if (const FrameInList* const frame = list_.frame(index))
            return frames_.open(list_.video_frame(*frame));
        const ArchiveMember* const member = list_.member(index);
        if (member == nullptr) return open_file(index);
        if (member->offset != ArchiveMember::in_sequence)
            return std::make_unique<PlainMember>(list_.archives[member->archive], file_of(member->archive),
                                                 *member);
        return sequence_of(index, member->archive)->open(index);
    }

    std::string name(std::size_t index) const override { return std::string(list_.name(index)); }

    void skip(std::size_t index) const override {
        const ArchiveMember* const member = list_.member(index);
        if (member == nullptr || member->offset != ArchiveMember::in_sequence) return;
        sequence_of(index, member->archive)->skip(index);
    }

    void stop() const override {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        for (const auto& [archive, sequence] : sequences_) sequence->stop();
    }

  private:
    std::unique_ptr<codec::EncodedFile> open_file(std::size_t index) const {
        std::unique_ptr<codec::EncodedFile> file = open_image_file(list_.path(index));
        if (list_.marks.empty() || file->size() == list_.marks[index].size) return file;
        throw ImageError("the file was replaced since its list was made: it has " +
                         std::to_string(file->size()) + " bytes and had " +
                         std::to_string(list_.marks[index].size));
    }

    std::shared_ptr<const FileDescriptor> file_of(std::uint32_t archive) const {
        const std::lock_guard lock(mutex_);
        if (plain_file_ && plain_archive_ == archive) return plain_file_;
        // One alone is kept open: a folder may hold more archives than a process may have files.
        try {
            plain_file_ = std::make_shared<const FileDescriptor>(open_archive_file(list_.archives[archive]));
        } catch (const ImageError& error) {
            throw ImageError(std::string("the archive cannot be opened: ") + error.what());
        }
        plain_archive_ = archive;
        return plain_file_;
    }

    std::shared_ptr<ArchiveSequence> sequence_of(std::size_t index, std::uint32_t archive) const {
        const std::lock_guard lock(mutex_);
        if (stopped_) throw ImageError("reading was stopped");
        auto& sequence = sequences_[archive];
        if (!sequence)
            sequence = std::make_shared<ArchiveSequence>(list_, first_in_sequence(index, archive),
                                                         max_unpacker_bytes_);
        return sequence;
    }

    std::size_t first_in_sequence(std::size_t index, std::uint32_t archive) const {
        std::size_t found = index;
        for (std::size_t i = index; i-- > first_;) {
            const ArchiveMember* const member = list_.member(i);
            if (member == nullptr || member->archive != archive) break;
            if (member->offset == ArchiveMember::in_sequence) found = i;
        }
        return found;
    }

    const ImageListData& list_;
    const std::size_t first_;
    const std::size_t max_unpacker_bytes_;
    const bool in_order_;
    mutable FrameOpener frames_;
    mutable std::mutex mutex_;
    mutable bool stopped_ = false;
    mutable std::map<std::uint32_t, std::shared_ptr<ArchiveSequence>> sequences_;
    mutable std::shared_ptr<const FileDescriptor> plain_file_;
    mutable std::uint32_t plain_archive_ = 0;
};

}  // namespace

std::unique_ptr<ImageInputs> ImageList::open_from(std::size_t first, const VideoReadOptions& frames,
                                                  std::size_t max_unpacker_bytes) const {
    return std::make_unique<ListInputs>(ImageListBuilder::data(*this), first, frames, max_unpacker_bytes);
}

}  // namespace fovea
