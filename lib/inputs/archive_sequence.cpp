#include "lib/inputs/archive_sequence.hpp"

#include <algorithm>
#include <utility>

#include "lib/dataset/text_file.hpp"
#include "lib/image/formats/decode.hpp"
#include "lib/inputs/archive_names.hpp"

namespace fovea {
namespace {

constexpr std::size_t reading_block = std::size_t{1} << 20;
constexpr const char* archive_changed = "the archive has changed since its images were listed";
constexpr const char* unreachable =
    "the archive is damaged before it, or has changed since its images were listed";

bool is_in_sequence(const ArchiveMember* member, std::uint32_t archive) {
    return member != nullptr && member->archive == archive && member->offset == ArchiveMember::in_sequence;
}

}  // namespace

class ArchiveSequence::Member final : public codec::EncodedFile {
  public:
    Member(std::shared_ptr<ArchiveSequence> sequence, std::size_t image, std::size_t size)
        : sequence_(std::move(sequence)), image_(image), size_(size) {}
    ~Member() override { release(); }

    std::size_t size() const override { return size_; }

    std::size_t read(std::uint8_t* to, std::size_t length) override {
        const std::size_t wanted = std::min(length, size_ - used_);
        if (wanted == 0 || !sequence_) return 0;
        const std::size_t count = sequence_->reader_->read(to, wanted);
        if (count < wanted) throw ImageError("the archive ends within it");
        used_ += count;
        return count;
    }

    void release() override {
        if (const auto sequence = std::exchange(sequence_, nullptr)) sequence->release(image_);
    }

  private:
    std::shared_ptr<ArchiveSequence> sequence_;
    std::size_t image_;
    std::size_t size_;
    std::size_t used_ = 0;
};

ArchiveSequence::ArchiveSequence(const ImageListData& list, std::size_t first, std::size_t max_unpacker_bytes)
    : list_(list),
      archive_(list.member(first)->archive),
      max_unpacker_bytes_(max_unpacker_bytes),
      turn_(first) {}

std::size_t ArchiveSequence::next_of(std::size_t image) const {
    // The images of an archive stand together.
    for (std::size_t i = image + 1; i < list_.names.size(); ++i) {
        const ArchiveMember* const member = list_.member(i);
        if (member == nullptr || member->archive != archive_) break;
        if (is_in_sequence(member, archive_)) return i;
    }
    return none;
}

std::unique_ptr<codec::EncodedFile> ArchiveSequence::open(std::size_t image) {
    {
        std::unique_lock lock(mutex_);
        turn_changed_.wait(lock, [&] { return stopped_ || turn_ >= image; });
        if (stopped_) throw ImageError("reading was stopped");
        if (turn_ != image) throw ImageError("an image of an archive is opened for a second time");
    }
    const ArchiveMember& member = *list_.member(image);
    try {
        position(member, image);
        return std::make_unique<Member>(shared_from_this(), image, member.size);
    } catch (...) {
        release(image);
        throw;
    }
}

void ArchiveSequence::position(const ArchiveMember& member, std::size_t image) {
    if (!damage_.empty()) throw ImageError(damage_);
    // All images that are left depend on it, and a network's file system may fail once: it was read before.
    for (bool is_again = false; !reader_; is_again = true) {
        try {
            reader_.emplace(list_.archives[archive_], reading_block, max_unpacker_bytes_, &stopped_);
        } catch (const ImageError& error) {
            if (!is_again) continue;
            damage_ = std::string("the archive cannot be read: ") + error.what();
            throw ImageError(damage_);
        }
    }
    // libarchive says different things of the same damage, by whether the member before was read or skipped.
    try {
        while (!header_ || header_->ordinal < member.ordinal) {
            header_ = reader_->next();
            if (!header_) break;
        }
    } catch (const ImageError&) {
        header_.reset();
    }
    if (!header_) {
        damage_ = unreachable;
        throw ImageError(damage_);
    }
    const std::string name = to_utf8(list_.prefixes[archive_] + member_key(header_->name));
    if (header_->ordinal != member.ordinal || name != list_.name(image) || header_->size != member.size ||
        header_->kind != MemberHeader::Kind::file) {
        throw ImageError(archive_changed);
    }
    if (header_->encrypted) throw ImageError("is encrypted; unpack the archive with its password");
}

void ArchiveSequence::release(std::size_t image) {
    const std::lock_guard lock(mutex_);
    pass(image);
}

void ArchiveSequence::skip(std::size_t image) {
    const std::lock_guard lock(mutex_);
    skipped_.insert(image);
    if (turn_ == image) {
        skipped_.erase(image);
        pass(image);
    }
}

void ArchiveSequence::pass(std::size_t image) {
    turn_ = next_of(image);
    while (turn_ != none && skipped_.erase(turn_) > 0) turn_ = next_of(turn_);
    if (turn_ == none) {
        reader_.reset();
        header_.reset();
    }
    turn_changed_.notify_all();
}

void ArchiveSequence::stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    turn_changed_.notify_all();
}

}  // namespace fovea
