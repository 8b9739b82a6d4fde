#include "lib/image/load.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "lib/image/byte_source.hpp"
#include "lib/image/codec.hpp"
#include "lib/image/orientation.hpp"

namespace fovea::codec {
namespace {

constexpr std::size_t allowance = std::size_t{64} << 20;  // for metadata, further pages, text

/// Any whole file of an image within the pixel limit is smaller (plain PNM needs the most, 18 bytes a pixel).
std::size_t max_file_bytes(const DecodeOptions& options) {
    const std::int64_t pixels = std::clamp<std::int64_t>(options.max_pixels, 0, std::int64_t{1} << 50);
    return static_cast<std::size_t>(pixels) * 20 + allowance;
}

bool is_packed(ImageFormat format) {
    return format == ImageFormat::gzip || format == ImageFormat::bzip2;
}

/// Appends up to `count` bytes; false if there were fewer.
bool append(std::vector<std::uint8_t>& bytes, ByteSource& source, std::size_t count) {
    const std::size_t used = bytes.size();
    bytes.resize(used + count);
    const std::size_t got = source.read(bytes.data() + used, count);
    bytes.resize(used + got);
    return got == count;
}

/// The encoded bytes of one image on their way from a source into memory.
class Loader {
  public:
    Loader(const DecodeOptions& options, const Reserve& reserve) : options_(options), reserve_(reserve) {}

    /// \param size  of all that the source gives
    GreyImage load(ByteSource& file, std::size_t size) {
        complete_ = !append(bytes_, file, prefix_bytes);
        format_ = sniff(bytes_);
        if (is_packed(format_)) {
            Unpacker unpacker(format_, std::move(bytes_), file);
            bytes_ = {};
            complete_ = !append(bytes_, unpacker, prefix_bytes);
            format_ = sniff(bytes_);
            if (is_packed(format_)) throw ImageError("is compressed more than once");
            judge_prefix();
            read_packed(unpacker);
        } else {
            judge_prefix();
            read_file(file, size);
        }
        if (!header_) {
            header_ = read_header(format_, bytes_);
            check_size(*header_, options_);
        }
        if (!reserved_) reserve_(working_bytes(format_, *header_, bytes_.size()), true);
        return decode(format_, bytes_, *header_, options_);
    }

  private:
    void judge_prefix() {
        if (format_ == ImageFormat::unknown) throw ImageError(describe_unknown(bytes_));
        try {
            header_ = read_header(format_, bytes_);
        } catch (const ImageError&) {
            if (complete_) throw;
            return;  // it may need more than the prefix
        }
        check_size(*header_, options_);
    }

    void read_file(ByteSource& file, std::size_t size) {
        if (size > max_file_bytes(options_))
            throw ImageError("a file of " + std::to_string(size) +
                             " bytes is more than any image within the pixel limit needs");
        // What a growing file gets while it is read is left out: it was not counted.
        size = complete_ ? bytes_.size() : std::max(size, bytes_.size());
        if (header_ && header_->end_of_pixels > 0)
            size = std::min(size, std::max(header_->end_of_pixels, bytes_.size()));
        if (header_)
            reserve_last(size);
        else
            reserve_(size, false);
        bytes_.reserve(size);
        if (!complete_) append(bytes_, file, size - bytes_.size());
    }

    void read_packed(ByteSource& unpacker) {
        const std::size_t limit = unpack_limit();
        if (header_ && (complete_ || header_->end_of_pixels > 0)) {
            const std::size_t size =
                complete_ ? bytes_.size() : std::max(header_->end_of_pixels, bytes_.size());
            reserve_last(size);
            bytes_.reserve(size);
            if (!complete_) complete_ = !append(bytes_, unpacker, size - bytes_.size());
            // The checksums are at the end of the stream.
            if (!complete_) skip(unpacker, limit);
            return;
        }
        while (!complete_) {
            const std::size_t size = std::min(bytes_.size() * 2, limit + 1);
            // The old and the new buffer, while it is copied.
            reserve_(bytes_.size() + size, false);
            bytes_.reserve(size);
            complete_ = !append(bytes_, unpacker, size - bytes_.size());
            check_unpacked(bytes_.size(), limit);
        }
    }

    void skip(ByteSource& unpacker, std::size_t limit) const {
        std::vector<std::uint8_t> sink(std::size_t{64} << 10);
        std::size_t size = bytes_.size();
        for (;;) {
            const std::size_t count = unpacker.read(sink.data(), sink.size());
            size += count;
            check_unpacked(size, limit);
            if (count < sink.size()) return;
        }
    }

    /// Where the header of what is packed is known, its pixels bound what may come.
    std::size_t unpack_limit() const {
        // Further pages may follow the first of a TIFF.
        if (header_ && format_ != ImageFormat::tiff)
            return static_cast<std::size_t>(header_->width * header_->height) * 20 + allowance;
        return max_file_bytes(options_) / 20 * 8 + allowance;
    }

    static void check_unpacked(std::size_t size, std::size_t limit) {
        if (size > limit)
            throw ImageError("unpacks to more than " + std::to_string(limit) +
                             " bytes, which no image of its size needs");
    }

    void reserve_last(std::size_t size) {
        reserve_(working_bytes(format_, *header_, size), true);
        reserved_ = true;
    }

    const DecodeOptions& options_;
    const Reserve& reserve_;
    std::vector<std::uint8_t> bytes_;
    bool complete_ = false;  // bytes_ is all there is
    ImageFormat format_ = ImageFormat::unknown;
    std::optional<ImageHeader> header_;
    bool reserved_ = false;
};

}  // namespace

GreyImage load_image(const std::filesystem::path& path, const DecodeOptions& options,
                     const Reserve& reserve) {
    FileSource file(path);
    return Loader(options, reserve).load(file, file.size());
}

GreyImage load_image(Bytes bytes, const DecodeOptions& options) {
    const ImageFormat format = sniff(bytes);
    if (is_packed(format)) {
        MemorySource source(bytes);
        const Reserve unlimited = [](std::size_t, bool) {};
        return Loader(options, unlimited).load(source, bytes.size());
    }
    const ImageHeader header = read_header(format, bytes);
    check_size(header, options);
    return decode(format, bytes, header, options);
}

}  // namespace fovea::codec
