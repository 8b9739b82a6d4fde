#include "lib/job/journal/journal.hpp"

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/staged_files.hpp"
#include "lib/job/journal/journal_bytes.hpp"
#include "lib/json/json.hpp"
#include "lib/process/command_line.hpp"

namespace fovea {
namespace fs = std::filesystem;
using namespace journal_detail;

Journal::Journal(fs::path file, std::uint64_t bytes, std::uint32_t seed, std::size_t marked)
    : path_(std::move(file)),
      file_(std::make_unique<AppendedFile>(path_, FileExtent{bytes, 0})),
      seed_(seed),
      marked_(marked) {
    file_->begin();
}

Journal Journal::create(const fs::path& file, const Json& work, const ImageList& images) {
    StagedFile staged(file);
    const JournalHead head = write_head(staged.part(), work, images.to_bytes());
    staged.publish(Durability::at_once);
    return {file, head.bytes, head.seed, 0};
}

Journal Journal::reopen(const fs::path& file, const JournalMark& from) {
    const std::optional<JournalReader> reader = JournalReader::open(file);
    if (!reader) {
        throw Error("The journal '" + file.string() +
                    "' is gone, or has become shorter since the job was taken up; run the command again.");
    }
    std::uint64_t bytes = reader->head().bytes;
    if (from.images > 0) {
        const std::size_t length = mark_length(from.outputs.size());
        std::uint64_t at = bytes;
        bool found = false;
        reader->for_each_mark(from.outputs.size(), [&](const std::optional<JournalMark>& mark) {
            at += length;
            if (mark != from) return;
            bytes = at;
            found = true;
        });
        if (!found) {
            throw Error("The journal '" + file.string() + "' has no mark at " +
                        counted(from.images, "image") +
                        " any more: it was changed since it was read; run the command again.");
        }
    }
    return {file, bytes, reader->head().seed, from.images};
}

void Journal::mark(std::size_t images, std::span<AppendedFile* const> outputs, std::size_t unreadable,
                   MarkKind kind) {
    if (images < marked_) throw std::invalid_argument("a mark of fewer images than the one before");
    JournalMark mark{images, {}, unreadable};
    mark.host = host_name();
    mark.kind = kind;
    for (AppendedFile* output : outputs) {
        output->sync();
        mark.outputs.push_back(output->extent());
    }
    const std::lock_guard lock(*mutex_);
    last_ = std::move(mark);
    append_last();
    marked_ = images;
}

void Journal::mark_full_memory() {
    const std::lock_guard lock(*mutex_);
    last_.kind = MarkKind::full;
    append_last();
}

void Journal::append_last() {
    last_.time = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    file_->append(mark_bytes(last_, seed_));
    file_->sync();
}

void Journal::remove() {
    file_->close();
    std::error_code error;
    if (!fs::remove(path_, error) && error) {
        throw Error("The job is complete, but its journal '" + path_.string() +
                    "' cannot be removed: " + error.message() + "; remove it yourself.");
    }
    sync_folder(path_);
}

fs::path journal_path(const fs::path& results) {
    if (results == "-" || is_device_path(results)) return {};
    fs::path journal = results;
    return journal += ".journal";
}

}  // namespace fovea
