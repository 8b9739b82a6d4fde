#include "lib/inputs/list_file.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <system_error>
#include <utility>

#include <zlib.h>

#include "lib/core/error.hpp"
#include "lib/dataset/formats/read_dataset.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/folder.hpp"
#include "lib/files/packed.hpp"
#include "lib/files/shortage.hpp"

namespace fovea {
namespace {

constexpr std::string_view end_magic = "FVLEND\n";
constexpr std::size_t sha256_length = 64;
constexpr std::size_t end_length = 3 * 8 + sha256_length + end_magic.size();
/// A shard reads its first and its last block in vain in part: they are small beside a part.
constexpr std::size_t max_block_images = 4096;
constexpr std::size_t max_block_length = std::size_t{1} << 20;
/// The most that zlib's packing shortens anything, and something for its frame.
constexpr std::uint64_t max_packing = 1040;
/// Half the time of the usual one, for a tenth more bytes.
constexpr int packing_level = 3;
constexpr ImageFields list_fields{.places = true, .marks = true};

std::string packed(const std::string& bytes) {
    uLongf length = ::compressBound(bytes.size());
    std::string packed(length, '\0');
    if (::compress2(reinterpret_cast<Bytef*>(packed.data()), &length,
                    reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), packing_level) != Z_OK)
        throw std::bad_alloc();
    packed.resize(length);
    return packed;
}

/// True if image i is decoded together with the image before it.
bool continues(const ImageListData& data, std::size_t i) {
    const FrameInList* const frame = i == 0 ? nullptr : data.frame(i);
    const FrameInList* const before = i == 0 ? nullptr : data.frame(i - 1);
    if (frame == nullptr || before == nullptr || frame->video != before->video) return false;
    const VideoSource& video = *data.videos[frame->video].source;
    return part_of_frame(video, frame->number) == part_of_frame(video, before->number);
}

/// bytes · part / parts, without leaving 64 bits.
std::uint64_t share_of(std::uint64_t bytes, std::uint64_t part, std::uint64_t parts) {
    return bytes / parts * part + bytes % parts * part / parts;
}

}  // namespace

std::uint64_t counted_bytes(const ImageListData& data, std::size_t i) {
    std::uint64_t bytes = data.marks[i].size;
    if (const ArchiveMember* const member = data.member(i)) {
        bytes = member->size;
    } else if (const FrameInList* const frame = data.frame(i)) {
        const std::int64_t packets = data.videos[frame->video].source->facts.packets;
        bytes /= static_cast<std::uint64_t>(std::max<std::int64_t>(packets, 1));
    }
    return std::max<std::uint64_t>(bytes, 1);
}

// --- writing ---------------------------------------------------------------------------------------

ListFileWriter::ListFileWriter(const std::filesystem::path& file) : staged_(file), file_(staged_.part()) {
    file_.begin();
    ListWriter beginning;
    beginning.bytes(list_file_magic);
    beginning.number(image_list_version);
    written_ = beginning.size();
    file_.append(beginning.take());
}

void ListFileWriter::add(const ImageListData& data) {
    for (std::size_t i = 0; i < data.names.size(); ++i) {
        const std::string_view name = data.name(i);
        if (name.find('%') != std::string_view::npos) {
            escaped_names_.push_back(escaped_.add(name));
            if (escaped_table_.add(escaped_names_.size() - 1) != escaped_names_.size() - 1)
                throw_two_images_named(data.specification, name, data.path(i), data.path(i));
        }
        names_.add(name);
        names_.add(std::string_view("", 1));
        write_image(block_, data, i, list_fields, before_);
        const std::uint64_t bytes = counted_bytes(data, i);
        block_bytes_ += bytes;
        bytes_ += bytes;
        ++images_;
        ++block_images_;
        if (block_images_ == max_block_images || block_.size() >= max_block_length) end_block();
    }
}

void ListFileWriter::end_block() {
    if (block_images_ == 0) return;
    const std::size_t unpacked_length = block_.size();
    const std::string bytes = packed(block_.take());
    file_.append(bytes);
    index_.number(bytes.size());
    index_.number(unpacked_length);
    index_.number(block_images_);
    index_.number(block_bytes_);
    index_.text(sha256_of(bytes));
    written_ += bytes.size();
    ++blocks_;
    block_ = {};
    before_ = {};
    block_images_ = 0;
    block_bytes_ = 0;
}

std::string ListFileWriter::finish(ImageListData& head) {
    end_block();
    head.names_sha256 = names_.text();
    ListWriter index;
    write_head(index, head);
    index.number(blocks_);
    index.bytes(index_.take());
    const std::size_t unpacked_length = index.size();
    std::string bytes = packed(index.take());
    const std::string sha256 = sha256_of(bytes);
    const std::size_t length = bytes.size();
    append_number(bytes, written_, 8);
    append_number(bytes, length, 8);
    append_number(bytes, unpacked_length, 8);
    bytes += sha256;
    bytes += end_magic;
    file_.append(bytes);
    file_.sync();
    file_.close();
    staged_.publish(Durability::at_once);
    return sha256;
}

// --- reading ---------------------------------------------------------------------------------------

template <class Read>
auto ListFile::reading(const Read& read) const {
    try {
        return read();
    } catch (const Error& error) {
        fail(error.what());
    }
}

ListFile::ListFile(const std::filesystem::path& file) : path_(file) {
    if (!is_there(file)) throw UsageError("There is no list file '" + file.string() + "'; check the path.");
    std::optional<OpenFile> opened = open_to_read(file);
    if (!opened) {
        const int error = errno;
        throw_if_short("the list file '" + file.string() + "' cannot be opened", error);
        throw Error("The list file '" + file.string() +
                    "' cannot be opened: " + std::generic_category().message(error) + ".");
    }
    file_ = std::move(*opened);
    const std::string beginning = bytes_at(0, list_file_magic.size() + 10);
    if (!file_.is_regular() || !beginning.starts_with(list_file_magic)) fail("it does not begin as one");
    version_ = reading([&] { return ListReader(beginning, list_file_magic).version(); });
    const std::uint64_t size = file_.size();
    const std::string end = size < end_length ? std::string() : bytes_at(size - end_length, end_length);
    if (!end.ends_with(end_magic)) fail("its end is missing");
    const std::uint64_t offset = number_at(end, 0, 8);
    const std::string sha256 = end.substr(24, sha256_length);
    const std::string index = unpacked(offset, number_at(end, 8, 8), number_at(end, 16, 8), sha256);
    reading([&] { read_index(index, offset); });
    head_.list_sha256 = sha256;
}

void ListFile::read_index(std::string_view index, std::uint64_t offset) {
    ListReader reader(index, version_);
    read_head(reader, head_);
    const std::uint64_t most = max_packing * file_.size();
    Block block;
    block.offset = list_file_magic.size() + 1;
    for (std::size_t left = reader.count(); left > 0; --left) {
        block.length = reader.number(file_.size());
        block.unpacked = reader.number(most);
        block.images = reader.number(most);
        const std::uint64_t bytes = reader.number(std::numeric_limits<std::uint64_t>::max() / 4 - bytes_);
        block.sha256 = reader.text();
        blocks_.push_back(block);
        block.offset += block.length;
        block.first_image = images_ += block.images;
        block.first_byte = bytes_ += bytes;
    }
    if (!reader.at_end() || block.offset != offset) reader.fail("its blocks are not all there");
}

void ListFile::fail(const std::string& why) const {
    throw Error("The list file '" + path_.string() + "' cannot be read: " + why +
                "; make it again with 'fovea list'.");
}

std::string ListFile::bytes_at(std::uint64_t offset, std::size_t length) const {
    std::string bytes(length, '\0');
    const std::ptrdiff_t got = read_at(file_.descriptor.get(), bytes.data(), length, offset);
    if (got < 0) {
        const int error = errno;
        throw_if_short("the list file '" + path_.string() + "' cannot be read", error);
        fail(std::generic_category().message(error));
    }
    bytes.resize(static_cast<std::size_t>(got));
    return bytes;
}

std::string ListFile::unpacked(std::uint64_t offset, std::uint64_t length, std::uint64_t unpacked_length,
                               std::string_view sha256) const {
    if (length > file_.size() || unpacked_length > max_packing * (length + 1)) fail("a length is wrong");
    const std::string packed = bytes_at(offset, length);
    if (packed.size() != length || sha256_of(packed) != sha256) fail("it was changed, or is damaged");
    std::string bytes(unpacked_length, '\0');
    uLongf written = bytes.size();
    if (::uncompress(reinterpret_cast<Bytef*>(bytes.data()), &written,
                     reinterpret_cast<const Bytef*>(packed.data()), packed.size()) != Z_OK ||
        written != unpacked_length)
        fail("it was changed, or is damaged");
    return bytes;
}

void ListFile::read_block(std::size_t number, ImageListData& data) const {
    const Block& block = blocks_[number];
    const std::string bytes = unpacked(block.offset, block.length, block.unpacked, block.sha256);
    reading([&] {
        ListReader reader(bytes, version_);
        ImageBefore before;
        for (std::size_t left = block.images; left > 0; --left) read_image(reader, data, list_fields, before);
        if (!reader.at_end()) reader.fail("something stands behind the images of a block");
    });
}

ImageListData ListFile::whole() const {
    ImageListData data = head_of(head_);
    data.names.reserve(images_);
    data.marks.reserve(images_);
    for (std::size_t block = 0; block < blocks_.size(); ++block) read_block(block, data);
    return data;
}

bool ListFile::continues_before(std::size_t block) const {
    if (block == 0 || head_.videos.empty()) return false;
    ImageListData data = head_of(head_);
    read_block(block - 1, data);
    const std::size_t first = data.names.size();
    read_block(block, data);
    return continues(data, first);
}

std::vector<PartSize> ListFile::part_sizes(int count) const {
    const auto parts = static_cast<std::uint64_t>(count);
    std::vector<PartSize> sizes(parts);
    std::uint64_t part = 0, at = 0;
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
        ImageListData data = head_of(head_);
        const bool follows_block_before = continues_before(block);
        read_block(block, data);
        for (std::size_t i = 0; i < data.names.size(); ++i) {
            const std::uint64_t bytes = counted_bytes(data, i);
            const bool follows = i == 0 ? follows_block_before : continues(data, i);
            while (!follows && at + bytes / 2 >= share_of(bytes_, part + 1, parts)) ++part;
            ++sizes[part].images;
            sizes[part].bytes += bytes;
            at += bytes;
        }
    }
    return sizes;
}

ImageList ListFile::part(const Shard& shard) const {
    const auto count = static_cast<std::uint64_t>(shard.count);
    const auto index = static_cast<std::uint64_t>(shard.index);
    // An image belongs where its middle lies, and to the image before it if both are decoded together.
    const std::uint64_t begin = share_of(bytes_, index - 1, count), end = share_of(bytes_, index, count);
    const auto after =
        std::upper_bound(blocks_.begin(), blocks_.end(), begin,
                         [](std::uint64_t at, const Block& block) { return at < block.first_byte; });
    auto block = static_cast<std::size_t>(after - blocks_.begin());
    if (block > 0) --block;
    while (continues_before(block)) --block;
    ImageListData data = head_of(head_);
    data.is_part = true;
    data.whole_size = images_;
    std::vector<bool> belongs;
    std::uint64_t at = blocks_.empty() ? 0 : blocks_[block].first_byte;
    bool is_behind = false;
    for (; block < blocks_.size() && !is_behind; ++block) {
        read_block(block, data);
        for (std::size_t i = belongs.size(); i < data.names.size(); ++i) {
            data.positions.push_back(blocks_[block].first_image +
                                     (i - (data.names.size() - blocks_[block].images)));
            const std::uint64_t bytes = counted_bytes(data, i);
            const bool follows = continues(data, i);
            const std::uint64_t middle = at + bytes / 2;
            belongs.push_back(follows ? belongs.back() : middle >= begin && middle < end);
            is_behind = !belongs.back() && middle >= end;
            at += bytes;
        }
    }
    return ImageListBuilder::part(std::move(data)).part([&](std::size_t i) { return bool(belongs[i]); });
}

}  // namespace fovea
