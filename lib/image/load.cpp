#include "lib/image/load.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/core/stopwatch.hpp"
#include "lib/core/text.hpp"
#include "lib/image/formats/codec.hpp"

namespace fovea::codec {
namespace {

constexpr std::size_t allowance = std::size_t{64} << 20;  // for metadata, further pages, text

/// Any whole file of an image within the pixel limit is smaller (plain PNM needs the most, 18 bytes per
/// pixel).
std::size_t max_file_bytes(const DecodeOptions& options) {
    const std::int64_t pixels = std::clamp<std::int64_t>(options.max_pixels, 0, std::int64_t{1} << 50);
    return static_cast<std::size_t>(pixels) * 20 + allowance;
}

bool is_packed(ImageFormat format) {
    return format == ImageFormat::gzip || format == ImageFormat::bzip2;
}

/// Counts what is read from another source, and how long that takes.
class MeasuredSource final : public ByteSource {
  public:
    explicit MeasuredSource(ByteSource& from) : from_(from) {}

    std::size_t read(std::uint8_t* to, std::size_t length) override {
        const Stopwatch watch;
        const std::size_t count = from_.read(to, length);
        seconds += watch.seconds();
        bytes += count;
        return count;
    }

    double seconds = 0;
    std::size_t bytes = 0;

  private:
    ByteSource& from_;
};

class MeasuredAccess final : public RandomAccess {
  public:
    explicit MeasuredAccess(const RandomAccess& from) : from_(from) {}

    std::size_t size() const override { return from_.size(); }
    std::size_t read_at(std::uint64_t at, std::uint8_t* to, std::size_t length) const override {
        const Stopwatch watch;
        const std::size_t count = from_.read_at(at, to, length);
        seconds_ += watch.seconds();
        return count;
    }
    double seconds() const { return seconds_; }

  private:
    const RandomAccess& from_;
    mutable double seconds_ = 0;
};

/// The encoded bytes of one image on their way from a source into memory.
class Loader {
  public:
    Loader(EncodedFile& file, const LoadOptions& options, const Reserve& reserve, LoadedImage& loaded)
        : file_(file), source_(file), options_(options), reserve_(reserve), loaded_(loaded) {}

    void load() {
        const Stopwatch watch;
        try {
            if (std::optional<GreyImage> decoded = file_.take_decoded()) {
                take(std::move(*decoded));
            } else {
                read();
                if (!keep()) decode();
            }
        } catch (...) {
            note_times(watch);
            throw;
        }
        note_times(watch);
    }

  private:
    void take(GreyImage decoded) {
        const std::int64_t pixels = std::int64_t{decoded.width} * decoded.height;
        if (pixels > options_.decode.max_pixels) {
            throw ImageError("has " + std::to_string(decoded.width) + "x" + std::to_string(decoded.height) +
                             " pixels, more than are allowed");
        }
        reserve(decoded.pixels.size(), true);
        loaded_.size = {decoded.width, decoded.height};
        loaded_.is_damaged = file_.is_damaged();
        loaded_.image = std::move(decoded);
    }

    void read() {
        const std::size_t size = file_.size();
        // No more than the beginning before memory is granted.
        take_room(std::min(size, prefix_bytes));
        const bool cut_short = !fill(source_, std::min(size, prefix_bytes));
        if (cut_short)
            file_.release();  // says so if the file has shrunk; what is left of it would say something else
        complete_ = cut_short || used_ == size;
        format_ = format_of(MemoryAccess(bytes()));
        if (is_packed(format_)) {
            bytes_.resize(used_);
            UnpackedSource unpacker(format_, std::exchange(bytes_, {}), source_);
            used_ = 0;
            complete_ = !fill(unpacker, prefix_bytes);
            format_ = format_of(MemoryAccess(bytes()));
            if (is_packed(format_)) throw ImageError("is compressed more than once");
            judge_prefix();
            read_packed(unpacker);
        } else if (begin_in_parts()) {
            return;
        } else {
            judge_prefix();
            read_file(size);
        }
        file_.release();
        if (header_) return;
        // The directory of a TIFF may lie behind the prefix: it tells of a camera only now.
        format_ = format_of(MemoryAccess(bytes()));
        header_ = read_header(format_, bytes());
        check_size(*header_, options_.decode);
    }

    /// True if the image is to be read from its place while it is decoded.
    bool begin_in_parts() {
        if (format_ != ImageFormat::tiff || complete_ || file_.random_access() == nullptr) return false;
        stream_.emplace(*file_.random_access());
        format_ = format_of(*stream_);
        if (format_ != ImageFormat::tiff) {
            stream_.reset();
            return false;
        }
        header_ = read_header(*stream_);
        check_size(*header_, options_.decode);
        if (!header_->read_in_parts) {
            stream_.reset();
            return false;
        }
        bytes_ = {};
        used_ = 0;
        reserve_last(0);
        return true;
    }

    /// True if the image was kept as it is.
    bool keep() {
        if (!options_.keep_encoded || format_ != ImageFormat::jpeg) return false;
        const std::optional<JpegFrame> frame = read_jpeg_frame(bytes());
        if (!frame || !frame->complete) return false;
        if (options_.max_bytes > 0 && used_ > options_.max_bytes) return false;
        if (!options_.keep_encoded(*frame)) return false;
        if (!reserved_) reserve(used_, true);
        set_size(frame->orientation);
        bytes_.resize(used_);
        loaded_.jpeg = EncodedJpeg{std::move(bytes_), *frame};
        return true;
    }

    void decode() {
        if (!reserved_) reserve(needed(used_), true);
        DecodedImage decoded =
            stream_ ? decode_in_parts()
                    : codec::decode(format_, bytes(), *header_, options_.decode, room_for_pixels());
        if (options_.keep_file && !stream_) {
            bytes_.resize(used_);
            loaded_.file = std::move(bytes_);
        } else if (options_.buffers != nullptr) {
            options_.buffers->release(std::move(bytes_));
        }
        loaded_.image = std::move(decoded.image);
        loaded_.scale = decoded.scale;
        loaded_.pages = decoded.pages;
        if (decoded.scale == 1)
            loaded_.size = {loaded_.image.width, loaded_.image.height};
        else
            set_reduced(decoded.orientation);
    }

    std::vector<std::uint8_t> room_for_pixels() const {
        if (options_.buffers == nullptr || format_ != ImageFormat::jpeg) return {};
        return options_.buffers->take(decoded_pixels(format_, *header_, options_.decode));
    }

    // A picture's last column or row of reduced pixels may stand for less of it; mirrored, that is the first
    // one.
    void set_reduced(int orientation) {
        set_size(orientation);
        if (!options_.decode.apply_exif_orientation) return;
        const bool mirrors_x = orientation == 2 || orientation == 3 || orientation == 6 || orientation == 7;
        const bool mirrors_y = orientation == 3 || orientation == 4 || orientation == 7 || orientation == 8;
        if (mirrors_x) loaded_.left = loaded_.image.width * loaded_.scale - loaded_.size.width;
        if (mirrors_y) loaded_.top = loaded_.image.height * loaded_.scale - loaded_.size.height;
    }

    DecodedImage decode_in_parts() {
        DecodedImage decoded;
        try {
            decoded = codec::decode_in_parts(*stream_, *header_, options_.decode);
        } catch (const ImageError&) {
            file_.release();  // says so if the file has changed: that is then the reason
            throw;
        }
        file_.release();
        return decoded;
    }

    void set_size(int orientation) {
        loaded_.size = {static_cast<int>(header_->width), static_cast<int>(header_->height)};
        if (options_.decode.apply_exif_orientation && orientation >= 5)
            std::swap(loaded_.size.width, loaded_.size.height);
    }

    void note_times(const Stopwatch& watch) {
        const double read = source_.seconds + (stream_ ? stream_->seconds() : 0);
        loaded_.encoded_bytes = stream_ ? file_.size() : source_.bytes;
        loaded_.read_seconds = read;
        loaded_.decode_seconds = std::max(0.0, watch.seconds() - read - waited_);
    }

    Bytes bytes() const { return Bytes(bytes_).first(used_); }

    /// Room for so many bytes, with those that are there at its beginning: from the pool, if it has some.
    void take_room(std::size_t total) {
        if (options_.buffers == nullptr || bytes_.capacity() >= total) return;
        std::vector<std::uint8_t> room = options_.buffers->take(total);
        if (room.capacity() < total) return;
        // It keeps its size: what is filled anyway need not be cleared.
        if (room.size() < used_) room.resize(used_);
        std::copy_n(bytes_.begin(), used_, room.begin());
        options_.buffers->release(std::exchange(bytes_, std::move(room)));
    }

    /// Reads until there are `total` bytes; false if there are fewer.
    bool fill(ByteSource& source, std::size_t total) {
        bytes_.reserve(total);
        if (bytes_.size() < total) bytes_.resize(total);
        used_ += source.read(bytes_.data() + used_, total - used_);
        return used_ == total;
    }

    void judge_prefix() {
        if (format_ == ImageFormat::unknown) throw ImageError(describe_unknown(bytes()));
        try {
            // A camera's preview may lie anywhere, and decides.
            if (format_ == ImageFormat::camera_raw && !complete_) return;
            header_ = read_header(format_, bytes());
        } catch (const ImageError&) {
            if (complete_) throw;
            return;  // it may need more than the prefix
        }
        check_size(*header_, options_.decode);
    }

    void read_file(std::size_t size) {
        if (size > max_file_bytes(options_.decode))
            throw ImageError("a file of " + std::to_string(size) +
                             " bytes is more than any image within the pixel limit needs");
        // Bytes that a growing file gets while it is read are left out: they were not counted.
        if (complete_) size = used_;
        if (header_ && header_->end_of_pixels > 0)
            size = std::min(size, std::max(header_->end_of_pixels, used_));
        if (header_)
            reserve_last(size);
        else
            reserve(size, false);
        if (complete_) return;
        take_room(size);
        fill(source_, size);
    }

    void read_packed(ByteSource& unpacker) {
        const std::size_t limit = unpack_limit();
        if (header_ && (complete_ || header_->end_of_pixels > 0)) {
            const std::size_t size = complete_ ? used_ : std::max(header_->end_of_pixels, used_);
            reserve_last(size);
            if (!complete_) complete_ = !fill(unpacker, size);
            // The checksums are at the end of the stream.
            if (!complete_) skip(unpacker, limit);
            return;
        }
        while (!complete_) {
            const std::size_t size = std::min(used_ * 2, limit + 1);
            // The old and the new buffer, while it is copied.
            reserve(used_ + size, false);
            complete_ = !fill(unpacker, size);
            check_unpacked(used_, limit);
        }
    }

    void skip(ByteSource& unpacker, std::size_t limit) const {
        std::vector<std::uint8_t> sink(std::size_t{64} << 10);
        std::size_t size = used_;
        for (;;) {
            const std::size_t count = unpacker.read(sink.data(), sink.size());
            size += count;
            check_unpacked(size, limit);
            if (count < sink.size()) return;
        }
    }

    /// The pixels bound what may come if the header of what is packed is known.
    std::size_t unpack_limit() const {
        // Further pages may follow the first of a TIFF.
        if (header_ && format_ != ImageFormat::tiff)
            return static_cast<std::size_t>(header_->width * header_->height) * 20 + allowance;
        return max_file_bytes(options_.decode) / 20 * 8 + allowance;
    }

    static void check_unpacked(std::size_t size, std::size_t limit) {
        if (size > limit)
            throw ImageError("unpacks to more than " + std::to_string(limit) +
                             " bytes, which no image of its size needs");
    }

    std::size_t needed(std::size_t encoded) const {
        return working_bytes(format_, *header_, encoded, options_.decode);
    }

    void reserve_last(std::size_t size) {
        // Kept encoded, it may do with less than it takes to decode it; whether it is kept turns out when it
        // is read.
        const bool may_be_kept = options_.keep_encoded && format_ == ImageFormat::jpeg;
        const bool too_much = options_.max_bytes > 0 && needed(size) > options_.max_bytes;
        reserved_ = !(may_be_kept && too_much);
        reserve(reserved_ ? needed(size) : size, reserved_);
    }

    void reserve(std::size_t size, bool last) {
        if (options_.max_bytes > 0 && size > options_.max_bytes)
            throw ImageError("needs " + binary_size(size) +
                             " while it is decoded, more than the memory limit allows; raise --memory-limit");
        const Stopwatch watch;
        reserve_(size, last);
        waited_ += watch.seconds();
    }

    EncodedFile& file_;
    MeasuredSource source_;
    std::optional<MeasuredAccess> stream_;  // where the image is read in parts
    const LoadOptions& options_;
    const Reserve& reserve_;
    LoadedImage& loaded_;
    std::vector<std::uint8_t> bytes_;  // the first used_ of them are the image's
    std::size_t used_ = 0;
    bool complete_ = false;  // they are all there is
    ImageFormat format_ = ImageFormat::unknown;
    std::optional<ImageHeader> header_;
    bool reserved_ = false;
    double waited_ = 0;
};

/// Bytes in memory that stand for a file.
class MemoryFile final : public EncodedFile {
  public:
    explicit MemoryFile(Bytes bytes) : source_(bytes), size_(bytes.size()) {}

    std::size_t read(std::uint8_t* to, std::size_t length) override { return source_.read(to, length); }
    std::size_t size() const override { return size_; }

  private:
    MemorySource source_;
    std::size_t size_;
};

GreyImage load_decoded(EncodedFile& file, const DecodeOptions& options, const Reserve& reserve) {
    LoadedImage loaded;
    load_image(file, {options}, reserve, loaded);
    return std::move(loaded.image);
}

}  // namespace

void load_image(EncodedFile& file, const LoadOptions& options, const Reserve& reserve, LoadedImage& loaded) {
    Loader(file, options, reserve, loaded).load();
}

GreyImage load_image(const std::filesystem::path& path, const DecodeOptions& options,
                     const Reserve& reserve) {
    FileSource file(path);
    return load_decoded(file, options, reserve);
}

GreyImage load_image(Bytes bytes, const DecodeOptions& options) {
    const ImageFormat format = format_of(MemoryAccess(bytes));
    if (is_packed(format)) {
        MemoryFile file(bytes);
        return load_decoded(file, options, [](std::size_t, bool) {});
    }
    const ImageHeader header = read_header(format, bytes);
    check_size(header, options);
    return decode(format, bytes, header, options).image;
}

}  // namespace fovea::codec
