#include "lib/job/journal/journal_bytes.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "lib/core/error.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/open_file.hpp"
#include "lib/files/packed.hpp"
#include "lib/json/json_text.hpp"

namespace fovea::journal_detail {
namespace {

constexpr std::string_view magic = "FOVEAJOB";
constexpr std::uint32_t version = 2;
constexpr std::size_t prefix_bytes = magic.size() + 4 + 8 + 8 + 4;
constexpr std::uint64_t checksum_bytes = 4;
// Places in a mark.
constexpr std::size_t unreadable_at = 8, time_at = 16, kind_at = 24, host_at = 25;
constexpr std::size_t host_bytes = mark_outputs_at - host_at;
constexpr std::size_t block_bytes = std::size_t{1} << 20;

std::string with_checksum(std::string bytes, std::uint32_t before = 0) {
    const std::uint32_t checksum = crc32_of(bytes, before);
    append_number(bytes, checksum, 4);
    return bytes;
}

bool ends_with_checksum(std::string_view bytes, std::uint32_t before = 0) {
    const std::size_t length = bytes.size() - checksum_bytes;
    return crc32_of(bytes.substr(0, length), before) == number_at(bytes, length, 4);
}

}  // namespace

JournalHead write_head(const std::filesystem::path& file, const Json& work, std::string_view images) {
    const std::string text = compact_text(work);
    JournalHead head;
    head.work_bytes = text.size();
    head.images_bytes = images.size();
    head.seed = crc32_of(images);
    std::string prefix(magic);
    append_number(prefix, version, 4);
    append_number(prefix, head.work_bytes, 8);
    append_number(prefix, head.images_bytes, 8);
    std::string seed;
    append_number(seed, head.seed, 4);
    AppendedFile appended(file);
    try {
        appended.append(with_checksum(prefix) + with_checksum(text));
        // The list is appended by itself: that of a large archive is not copied.
        appended.append(images);
        appended.append(seed);
        appended.sync();
        head.bytes = appended.extent().bytes;
        appended.close();
    } catch (const Error&) {
        std::error_code ignored;
        std::filesystem::remove(file, ignored);
        throw;
    }
    return head;
}

std::size_t mark_length(std::size_t outputs) {
    return mark_outputs_at + outputs * (8 + 4) + checksum_bytes;
}

std::string mark_bytes(const JournalMark& mark, std::uint32_t seed) {
    std::string bytes;
    append_number(bytes, mark.images, 8);
    append_number(bytes, mark.unreadable, 8);
    append_number(bytes, static_cast<std::uint64_t>(mark.time.count()), 8);
    append_number(bytes, static_cast<std::uint64_t>(mark.kind), 1);
    std::string host = mark.host;
    host.resize(host_bytes, '\0');
    bytes += host;
    for (const FileExtent& output : mark.outputs) {
        append_number(bytes, output.bytes, 8);
        append_number(bytes, output.crc32, 4);
    }
    return with_checksum(bytes, seed);
}

std::optional<JournalReader> JournalReader::open(const std::filesystem::path& file) {
    std::optional<OpenFile> opened = open_to_read(file);
    if (!opened) {
        if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
        throw Error("The journal '" + file.string() + "' cannot be opened: " + std::strerror(errno) + ".");
    }
    JournalReader reader(file, std::move(opened->descriptor), opened->size());
    if (!opened->is_regular()) reader.fail("is no regular file");
    if (!reader.read_head()) return std::nullopt;
    return reader;
}

// False if it is what a loss of power left of one that was being made.
bool JournalReader::read_head() {
    const std::string prefix = read(0, std::min<std::uint64_t>(size_, prefix_bytes));
    const auto differs = std::mismatch(prefix.begin(), prefix.end(), magic.begin(), magic.end()).second;
    const auto known = static_cast<std::size_t>(differs - magic.begin());
    if (known < std::min(prefix.size(), magic.size()) && !is_zero_from(known)) {
        fail("is no journal of this program");
    }
    if (prefix.size() < prefix_bytes) return false;
    if (!ends_with_checksum(prefix)) {
        if (is_zero_from(prefix_bytes - 1)) return false;
        fail("is damaged: the lengths at its beginning do not match their checksum");
    }
    if (number_at(prefix, magic.size(), 4) != version) {
        fail("is of version " + std::to_string(number_at(prefix, magic.size(), 4)) +
             ", and this program reads version " + std::to_string(version));
    }
    head_.work_bytes = number_at(prefix, magic.size() + 4, 8);
    head_.images_bytes = number_at(prefix, magic.size() + 12, 8);
    // One after the other, as their sum may not fit.
    std::uint64_t left = size_ - prefix_bytes;
    for (const std::uint64_t length : {head_.work_bytes, head_.images_bytes}) {
        if (left < checksum_bytes || left - checksum_bytes < length) return false;
        left -= length + checksum_bytes;
    }
    head_.bytes = size_ - left;
    std::uint32_t checksum = 0;
    if (part_holds(prefix_bytes, head_.work_bytes, checksum) &&
        part_holds(prefix_bytes + head_.work_bytes + checksum_bytes, head_.images_bytes, head_.seed)) {
        return true;
    }
    if (is_zero_from(head_.bytes - 1)) return false;
    fail("is damaged: what work it is does not match its checksum");
}

bool JournalReader::part_holds(std::uint64_t offset, std::uint64_t length, std::uint32_t& checksum) const {
    checksum = 0;
    for (std::uint64_t done = 0; done < length;) {
        const std::string block = read(offset + done, std::min<std::uint64_t>(length - done, block_bytes));
        checksum = crc32_of(block, checksum);
        done += block.size();
    }
    return checksum == number_at(read(offset + length, checksum_bytes), 0, 4);
}

// Bytes that were not on the disk yet may read as zeros after a loss of power.
bool JournalReader::is_zero_from(std::uint64_t at) const {
    while (at < size_) {
        const std::string block = read(at, std::min<std::uint64_t>(size_ - at, block_bytes));
        if (block.find_first_not_of('\0') != std::string::npos) return false;
        at += block.size();
    }
    return true;
}

Json JournalReader::work() const {
    const std::string text = read(prefix_bytes, head_.work_bytes);
    try {
        return parse_json(text);
    } catch (const Json::parse_error&) {
        fail("is damaged: what work it is cannot be read");
    }
}

std::string JournalReader::images() const {
    return read(prefix_bytes + head_.work_bytes + checksum_bytes, head_.images_bytes);
}

void JournalReader::for_each_mark(
    std::size_t outputs, const std::function<void(const std::optional<JournalMark>&)>& handle) const {
    const std::size_t length = mark_length(outputs);
    const std::uint64_t marks = (size_ - head_.bytes) / length;
    const std::uint64_t marks_at_once = std::max<std::uint64_t>(block_bytes / length, 1);
    std::string block;
    for (std::uint64_t i = 0; i < marks; ++i) {
        if (i % marks_at_once == 0) {
            block = read(head_.bytes + i * length, std::min(marks - i, marks_at_once) * length);
        }
        const std::string_view bytes = std::string_view(block).substr(i % marks_at_once * length, length);
        if (!ends_with_checksum(bytes, head_.seed)) {
            handle(std::nullopt);
            continue;
        }
        JournalMark mark;
        mark.images = number_at(bytes, 0, 8);
        mark.unreadable = number_at(bytes, unreadable_at, 8);
        mark.time = std::chrono::milliseconds(static_cast<std::int64_t>(number_at(bytes, time_at, 8)));
        mark.kind = static_cast<MarkKind>(number_at(bytes, kind_at, 1));
        const std::string_view host = bytes.substr(host_at, host_bytes);
        mark.host = host.substr(0, host.find('\0'));
        for (std::size_t output = 0; output < outputs; ++output) {
            const std::size_t at = mark_outputs_at + 12 * output;
            mark.outputs.push_back(
                {number_at(bytes, at, 8), static_cast<std::uint32_t>(number_at(bytes, at + 8, 4))});
        }
        handle(mark);
    }
}

// Only what the file has is asked for.
std::string JournalReader::read(std::uint64_t offset, std::uint64_t length) const {
    std::string bytes(length, '\0');
    const std::ptrdiff_t got = read_at(descriptor_.get(), bytes.data(), length, offset);
    if (got < 0) fail(std::string("cannot be read: ") + std::strerror(errno));
    if (static_cast<std::uint64_t>(got) < length) fail("has become shorter while it was read");
    return bytes;
}

void JournalReader::fail(const std::string& what) const {
    throw Error("The journal '" + file_.string() + "' " + what +
                "; to begin the job anew, remove it and run the command without --resume.");
}

}  // namespace fovea::journal_detail
