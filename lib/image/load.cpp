#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

class OpenFile {
  public:
    explicit OpenFile(const std::filesystem::path& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (descriptor_ < 0) throw ImageError(reason(errno));
    }
    ~OpenFile() { ::close(descriptor_); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    /// Size of a regular file, 0 of anything else.
    std::size_t size() const {
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0) throw ImageError(reason(errno));
        if (S_ISDIR(status.st_mode)) throw ImageError("is a directory");
        return S_ISREG(status.st_mode) ? static_cast<std::size_t>(status.st_size) : 0;
    }

    std::size_t read(std::uint8_t* to, std::size_t length) const {
        for (;;) {
            const ssize_t count = ::read(descriptor_, to, length);
            if (count >= 0) return static_cast<std::size_t>(count);
            if (errno != EINTR) throw ImageError("cannot read: " + reason(errno));
        }
    }

  private:
    static std::string reason(int error) {
        switch (error) {
            case ENOENT:
                return "no such file";
            case EACCES:
                return "permission denied";
            case ENOTDIR:
                return "a part of the path is not a directory";
            default:
                return std::generic_category().message(error);
        }
    }

    int descriptor_;
};

std::vector<std::uint8_t> read_file(const std::filesystem::path& path, const DecodeOptions& options) {
    const OpenFile file(path);
    const std::size_t limit = max_file_bytes(options);
    constexpr std::size_t first = 4096;
    std::vector<std::uint8_t> bytes(first);
    std::size_t used = 0;
    const std::size_t expected = file.size();
    for (bool judged = false;;) {
        const std::size_t count = file.read(bytes.data() + used, bytes.size() - used);
        used += count;
        // A video of many gigabytes among the photographs need not be read to see that it is none.
        if (!judged && (count == 0 || used >= 64)) {
            const Bytes begin = Bytes(bytes).first(used);
            if (sniff(begin) == ImageFormat::unknown) throw ImageError(describe_unknown(begin));
            judged = true;
            if (expected > limit)
                throw ImageError("a file of " + std::to_string(expected) +
                                 " bytes is more than any image within the pixel limit needs");
            // One byte over, so that the end is seen without growing once more.
            bytes.resize(std::max(bytes.size(), expected + 1));
        }
        if (count == 0) break;
        if (used > limit)
            throw ImageError("more than " + std::to_string(limit) +
                             " bytes, which no image within the pixel limit needs");
        if (used == bytes.size()) bytes.resize(bytes.size() * 2);
    }
    bytes.resize(used);
    return bytes;
}

/// Once the header of what is packed is known, its pixels bound what may still come.
std::size_t unpack_limit(Bytes prefix, const DecodeOptions& options) {
    const ImageFormat format = sniff(prefix);
    if (format == ImageFormat::unknown) throw ImageError(describe_unknown(prefix));
    if (format == ImageFormat::gzip || format == ImageFormat::bzip2)
        throw ImageError("is compressed more than once");
    // A TIFF's directory may lie at its end, and further pages may follow the first.
    if (format != ImageFormat::tiff) {
        ImageHeader header;
        bool known = true;
        try {
            header = read_header(format, prefix);
        } catch (const ImageError&) {
            known = false;  // it may need more than the prefix
        }
        if (known) {
            check_size(header, options);
            return static_cast<std::size_t>(header.width * header.height) * 20 + allowance;
        }
    }
    return max_file_bytes(options) / 20 * 8 + allowance;
}

}  // namespace

ImageHeader read_header(ImageFormat format, Bytes bytes) {
    switch (format) {
        case ImageFormat::jpeg:
            return read_jpeg_header(bytes);
        case ImageFormat::png:
            return read_png_header(bytes);
        case ImageFormat::tiff:
            return read_tiff_header(bytes);
        case ImageFormat::pnm:
            return read_pnm_header(bytes);
        case ImageFormat::bmp:
            return read_bmp_header(bytes);
        case ImageFormat::webp:
            return read_webp_header(bytes);
        case ImageFormat::gif:
            return read_gif_header(bytes);
        case ImageFormat::unknown:
        case ImageFormat::gzip:
        case ImageFormat::bzip2:
            break;
    }
    throw ImageError(describe_unknown(bytes));
}

void check_size(const ImageHeader& header, const DecodeOptions& options) {
    const std::string size = std::to_string(header.width) + " x " + std::to_string(header.height);
    if (header.width <= 0 || header.height <= 0) throw ImageError("no pixels: its size is " + size);
    // The product of two 32-bit sides does not fit into 63 bits.
    if (header.width > options.max_pixels / header.height || header.width > 0x7fffffff ||
        header.height > 0x7fffffff)
        throw ImageError("too large: " + size + " pixels, the limit is " +
                         std::to_string(options.max_pixels) + " in all");
}

EncodedImage EncodedImage::read(const std::filesystem::path& path, const DecodeOptions& options) {
    EncodedImage image;
    image.storage_ = read_file(path, options);
    image.bytes_ = image.storage_;
    image.unpack_and_check(options);
    return image;
}

EncodedImage EncodedImage::from_bytes(Bytes bytes, const DecodeOptions& options) {
    EncodedImage image;
    image.bytes_ = bytes;
    image.unpack_and_check(options);
    return image;
}

void EncodedImage::unpack_and_check(const DecodeOptions& options) {
    format_ = sniff(bytes_);
    if (format_ == ImageFormat::gzip || format_ == ImageFormat::bzip2) {
        const auto limit = [&](Bytes prefix) { return unpack_limit(prefix, options); };
        storage_ = format_ == ImageFormat::gzip ? unpack_gzip(bytes_, limit) : unpack_bzip2(bytes_, limit);
        bytes_ = storage_;
        format_ = sniff(bytes_);
    }
    header_ = read_header(format_, bytes_);
    check_size(header_, options);
}

std::size_t EncodedImage::working_bytes() const {
    // PNG and TIFF are copied once, without what OpenCV should not see.
    const bool copied = format_ == ImageFormat::png || format_ == ImageFormat::tiff;
    return static_cast<std::size_t>(header_.width * header_.height) *
               static_cast<std::size_t>(header_.working_bytes_per_pixel + 1) +  // + 1: turned by EXIF
           bytes_.size() * (copied ? 2 : 1);
}

GreyImage EncodedImage::decode(const DecodeOptions& options) const {
    const auto decode_stored = [&]() -> DecodedImage {
        switch (format_) {
            case ImageFormat::jpeg:
                return decode_jpeg(bytes_, header_);
            case ImageFormat::png:
                return decode_png(bytes_, header_);
            case ImageFormat::tiff:
                return decode_tiff(bytes_, header_);
            case ImageFormat::pnm:
                return decode_pnm(bytes_, header_);
            case ImageFormat::bmp:
                return decode_bmp(bytes_, header_);
            case ImageFormat::webp:
                return decode_webp(bytes_, header_);
            case ImageFormat::gif:
                return decode_gif(bytes_, header_);
            default:
                throw ImageError(describe_unknown(bytes_));
        }
    };
    DecodedImage decoded = decode_stored();
    if (!options.apply_exif_orientation) return std::move(decoded.image);
    return apply_orientation(std::move(decoded.image), decoded.orientation);
}

}  // namespace fovea::codec
