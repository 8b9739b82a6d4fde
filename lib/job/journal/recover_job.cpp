#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/open_file.hpp"
#include "lib/files/packed.hpp"
#include "lib/job/journal/journal.hpp"
#include "lib/job/journal/journal_bytes.hpp"

namespace fovea {
namespace {

// The running checksum of a file's records, for growing lengths.
class RunningChecksum {
  public:
    explicit RunningChecksum(const JournalOutput& output)
        : output_(output), file_(open_to_read(output.file)) {
        if (!file_) {
            if (errno != ENOENT && errno != ENOTDIR) fail();
            return;
        }
        const std::uint64_t size = file_->size();
        if (file_->is_regular() && size > output.header_bytes) bytes_ = size - output.header_bytes;
    }

    /// True if the file begins with these records; lengths must not fall from call to call.
    bool begins_with(const FileExtent& extent) {
        if (extent.bytes > bytes_) return false;
        while (done_ < extent.bytes) {
            block_.resize(std::min<std::uint64_t>(extent.bytes - done_, std::size_t{1} << 20));
            const std::ptrdiff_t got =
                read_at(file_->descriptor.get(), block_.data(), block_.size(), output_.header_bytes + done_);
            if (got < 0) fail();
            if (static_cast<std::size_t>(got) < block_.size()) {
                bytes_ = done_;  // it has become shorter
                return false;
            }
            checksum_ = crc32_of(block_, checksum_);
            done_ += block_.size();
        }
        return checksum_ == extent.crc32;
    }

  private:
    [[noreturn]] void fail() const {
        throw Error("The file '" + output_.file.string() +
                    "' of the job to resume cannot be read: " + std::strerror(errno) + ".");
    }

    const JournalOutput& output_;
    std::optional<OpenFile> file_;
    std::uint64_t bytes_ = 0;  // of records
    std::uint64_t done_ = 0;   // under the checksum
    std::uint32_t checksum_ = 0;
    std::string block_;
};

std::vector<std::size_t> by_bytes(const std::vector<JournalMark>& marks, std::size_t output) {
    std::vector<std::size_t> order(marks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return marks[a].outputs[output].bytes < marks[b].outputs[output].bytes;
    });
    return order;
}

[[noreturn]] void fail_denied(const JournalOutput& output, const std::filesystem::path& journal) {
    throw Error("The file '" + output.file.string() + "' does not begin with the results that the journal '" +
                journal.string() +
                "' describes: it was removed, cut off or changed, or it is a file of features and an earlier "
                "version of this program noted a wrong checksum, as some did behind images without a face. "
                "Restore it, or start again with --overwrite.");
}

// A journal does not say how many outputs its job has.
std::size_t outputs_of(const journal_detail::JournalReader& reader) {
    constexpr std::size_t most = 64;
    for (std::size_t outputs = 1; outputs <= most; ++outputs) {
        bool is_first = true, is_valid = false;
        reader.for_each_mark(outputs, [&](const std::optional<JournalMark>& mark) {
            if (std::exchange(is_first, false)) is_valid = mark.has_value();
        });
        if (is_valid) return outputs;
    }
    return 0;
}

}  // namespace

std::optional<JournalProgress> read_journal_progress(const std::filesystem::path& journal,
                                                     std::chrono::milliseconds recent) {
    const auto reader = journal_detail::JournalReader::open(journal);
    if (!reader) return std::nullopt;
    JournalProgress progress{reader->work(), ImageList::from_bytes(reader->images()).size(), {}};
    const std::size_t outputs = outputs_of(*reader);
    if (outputs == 0) return progress;
    reader->for_each_mark(outputs, [&](const std::optional<JournalMark>& mark) {
        if (mark && mark->images <= progress.images) progress.marks.push_back(*mark);
    });
    if (progress.marks.size() < 3) return progress;
    const auto since = progress.marks.back().time - recent;
    const auto first_recent = std::find_if(progress.marks.begin() + 1, progress.marks.end(),
                                           [&](const JournalMark& mark) { return mark.time >= since; });
    progress.marks.erase(progress.marks.begin() + 1, first_recent);
    return progress;
}

std::optional<ResumeState> recover_job(const std::filesystem::path& journal,
                                       std::span<const JournalOutput> outputs) {
    const auto reader = journal_detail::JournalReader::open(journal);
    if (!reader) return std::nullopt;
    ResumeState job{reader->work(), ImageList::from_bytes(reader->images()), {}};
    job.mark.outputs.resize(outputs.size());
    std::vector<JournalMark> marks;
    reader->for_each_mark(outputs.size(), [&](const std::optional<JournalMark>& mark) {
        if (mark && mark->images <= job.images->size()) marks.push_back(*mark);
    });
    if (!marks.empty()) job.began = marks.front().time;
    // The first output of each mark that does not bear it out.
    std::vector<const JournalOutput*> denied_by(marks.size(), nullptr);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        RunningChecksum checksum(outputs[i]);
        for (const std::size_t m : by_bytes(marks, i)) {
            if (!checksum.begins_with(marks[m].outputs[i]) && denied_by[m] == nullptr) {
                denied_by[m] = &outputs[i];
            }
        }
    }
    const JournalOutput* denying = nullptr;
    for (std::size_t m = 0; m < marks.size(); ++m) {
        if (denied_by[m] != nullptr) {
            if (denying == nullptr) denying = denied_by[m];
            job.denied_images = std::max(job.denied_images, marks[m].images);
        } else if (marks[m].images >= job.mark.images) {
            job.mark = marks[m];
        }
    }
    for (std::size_t m = marks.size(); m-- > 0 && marks[m] == job.mark && marks[m].kind != MarkKind::written;)
        job.kills_for_memory += marks[m].kind == MarkKind::full;
    // Outputs are on the disk before the mark that tells of them: no loss of power does this. Results that
    // are not there were removed, as by an engine that cleans up after a failed task: the job begins anew.
    if (job.mark.images == 0 && denying != nullptr && is_there(outputs.front().file))
        fail_denied(*denying, journal);
    return job;
}

}  // namespace fovea
