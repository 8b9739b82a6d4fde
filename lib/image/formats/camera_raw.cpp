#include <algorithm>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include <libraw/libraw.h>

#include "lib/image/formats/codec.hpp"
#include "lib/image/formats/picture.hpp"
#include "lib/image/formats/tiff_directory.hpp"
#include "lib/image/formats/tiff_tags.hpp"

// A camera's raw file (DNG, CR2, CR3, NEF, ARW, RAF, ORF, RW2, ...) by LibRaw. The picture is the JPEG that
// the camera put into it, if its longer side is at least half of the raw image's: cameras develop better than
// we do, and faster. Otherwise the raw image is developed, with the camera's white balance.

namespace fovea::codec {
namespace {

struct CloseRaw {
    void operator()(libraw_data_t* raw) const { libraw_close(raw); }
    void operator()(libraw_processed_image_t* image) const { libraw_dcraw_clear_mem(image); }
};

int exif_orientation_of_flip(int flip) {
    switch (flip) {
        case 3:
            return 3;
        case 5:
            return 8;
        case 6:
            return 6;
        default:
            return 1;
    }
}

class CameraRaw {
  public:
    explicit CameraRaw(Bytes bytes)
        : raw_(libraw_init(LIBRAW_OPIONS_NO_MEMERR_CALLBACK | LIBRAW_OPIONS_NO_DATAERR_CALLBACK)) {
        if (!raw_) throw std::bad_alloc();
        libraw_set_dataerror_handler(raw_.get(), note_damage, &is_damaged_);
        // Turned by its orientation as any other image.
        raw_->params.user_flip = 0;
        raw_->params.use_camera_wb = 1;
        check(libraw_open_buffer(raw_.get(), const_cast<std::uint8_t*>(bytes.data()), bytes.size()));
        flip_ = raw_->sizes.flip;
        width_ = raw_->sizes.width;
        height_ = raw_->sizes.height;
    }

    int width() const { return width_; }
    int height() const { return height_; }
    /// The bytes of the raw samples of 16 bits: one of each pixel, or up to four where there is no mosaic.
    std::int64_t raw_bytes() const {
        return saturating_product(raw_->sizes.raw_width, raw_->sizes.raw_height,
                                  raw_->idata.filters != 0 ? 2 : 8);
    }
    int orientation() const { return exif_orientation_of_flip(flip_); }

    /// The JPEG inside, where it is large enough; valid as long as this.
    std::optional<Bytes> preview() {
        if (raw_->thumbnail.tlength == 0) return std::nullopt;
        if (libraw_unpack_thumb(raw_.get()) != LIBRAW_SUCCESS || raw_->thumbnail.thumb == nullptr ||
            raw_->thumbnail.tformat != LIBRAW_THUMBNAIL_JPEG)
            return std::nullopt;
        const Bytes jpeg(reinterpret_cast<const std::uint8_t*>(raw_->thumbnail.thumb),
                         raw_->thumbnail.tlength);
        try {
            const ImageHeader header = read_jpeg_header(jpeg);
            if (2 * std::max(header.width, header.height) >= std::max(width_, height_)) return jpeg;
        } catch (const ImageError&) {
            // The raw image may be whole.
        }
        return std::nullopt;
    }

    Picture develop() {
        is_damaged_ = false;  // the preview may be, and the raw image whole
        check(libraw_unpack(raw_.get()));
        if (is_damaged_) throw ImageError("corrupt camera raw file: its pixels cannot be unpacked");
        raw_->params.output_bps = 8;
        check(libraw_dcraw_process(raw_.get()));
        int error = 0;
        const std::unique_ptr<libraw_processed_image_t, CloseRaw> image(
            libraw_dcraw_make_mem_image(raw_.get(), &error));
        check(error);
        if (!image || image->type != LIBRAW_IMAGE_BITMAP || image->bits != 8 ||
            (image->colors != 1 && image->colors != 3))
            throw ImageError("a camera raw file of this kind is not supported");
        cv::Mat pixels = make_pixels(image->width, image->height, image->colors == 3 ? CV_8UC3 : CV_8UC1);
        std::copy_n(image->data, pixels.total() * pixels.elemSize(), pixels.data);
        return {std::move(pixels), orientation()};
    }

  private:
    static void note_damage(void* is_damaged, const char*, int) { *static_cast<bool*>(is_damaged) = true; }

    static void check(int error) {
        if (error == LIBRAW_SUCCESS) return;
        if (error == LIBRAW_UNSUFFICIENT_MEMORY) throw std::bad_alloc();
        if (error == LIBRAW_FILE_UNSUPPORTED)
            throw ImageError("a camera raw file of this kind is not supported");
        if (error == LIBRAW_IO_ERROR) throw_truncated("camera raw file", "it ends before its pixels do");
        throw ImageError(std::string("corrupt camera raw file: ") + libraw_strerror(error));
    }

    std::unique_ptr<libraw_data_t, CloseRaw> raw_;
    bool is_damaged_ = false;
    int flip_ = 0;
    int width_ = 0;
    int height_ = 0;
};

/// Cameras differ in whether they turn the preview. It stands as the raw image does, or has been turned.
int preview_orientation(const CameraRaw& raw, const ImageHeader& preview, int own_orientation) {
    const bool raw_is_wide = raw.width() >= raw.height(), preview_is_wide = preview.width >= preview.height;
    if (own_orientation != 1) return own_orientation;
    return raw.orientation() >= 5 && raw_is_wide != preview_is_wide ? 1 : raw.orientation();
}

enum : std::uint32_t { old_jpeg = 6, colour_filter_array = 32803, linear_raw = 34892 };

/// True if a full picture stands below the preview as scanners and programs write it, and no samples of a
/// sensor.
bool has_plain_picture(const RandomAccess& stream, const TiffDirectory& preview) {
    constexpr std::uint32_t cmyk = 5;
    constexpr std::uint32_t usual_compressions[] = {1, 5, 7, 8, 32773, 32946, 50000};
    const TiffDirectory directory = find_tiff_pages(stream).picture;
    return directory.at() != preview.at() && directory.value(photometric).value_or(linear_raw) <= cmyk &&
           std::find(std::begin(usual_compressions), std::end(usual_compressions),
                     directory.value(compression).value_or(1)) != std::end(usual_compressions);
}

}  // namespace

ImageHeader read_camera_raw_header(Bytes bytes) {
    CameraRaw raw(bytes);
    ImageHeader header{raw.width(), raw.height()};
    header.orientation = raw.orientation();
    if (const auto jpeg = raw.preview()) {
        const ImageHeader preview = read_jpeg_header(*jpeg);
        header.width = preview.width;
        header.height = preview.height;
        header.orientation = preview_orientation(raw, preview, read_jpeg_orientation(*jpeg));
        header.working_bytes_per_pixel = preview.working_bytes_per_pixel + 3;
        header.buffer_bytes = preview.buffer_bytes + static_cast<std::int64_t>(jpeg->size());
        return header;
    }
    // Four samples of 16 bits while it is developed, LibRaw's result, the picture, the grey; and the raw
    // samples, with borders that are not shown, and LibRaw's tables.
    header.working_bytes_per_pixel = 4 * 2 + 3 + 3 + 1;
    header.buffer_bytes = raw.raw_bytes() + (std::int64_t{16} << 20);
    return header;
}

Picture read_camera_raw_picture(Bytes bytes, const ImageHeader&) {
    CameraRaw raw(bytes);
    const auto jpeg = raw.preview();
    if (!jpeg) return raw.develop();
    const ImageHeader preview = read_jpeg_header(*jpeg);
    Picture picture = read_jpeg_picture(*jpeg, preview);
    picture.orientation = preview_orientation(raw, preview, picture.orientation);
    return picture;
}

DecodedImage decode_camera_raw(Bytes bytes, const ImageHeader&) {
    CameraRaw raw(bytes);
    const auto jpeg = raw.preview();
    if (!jpeg) {
        const Picture picture = raw.develop();
        return {grey_of(picture.pixels), picture.orientation};
    }
    const ImageHeader preview = read_jpeg_header(*jpeg);
    DecodedImage decoded = decode_jpeg(*jpeg, preview);
    decoded.orientation = preview_orientation(raw, preview, decoded.orientation);
    return decoded;
}

bool is_camera_raw(const RandomAccess& stream) {
    enum : std::uint32_t { make = 271, dng_version = 50706 };
    // Compressions of Samsung, Sony, Nikon, Kodak and Pentax.
    constexpr std::uint32_t own_compressions[] = {262, 32767, 32769, 32770, 34713, 65000, 65535};
    std::uint8_t head[10] = {};
    if (stream.read_at(0, head, sizeof head) == sizeof head && head[8] == 'C' && head[9] == 'R') return true;
    try {
        const TiffDirectory directory(stream);
        if (directory.find(dng_version) != nullptr) return true;
        const std::uint32_t photometry = directory.value(photometric).value_or(0);
        if (photometry == colour_filter_array || photometry == linear_raw) return true;
        if (directory.find(make) == nullptr) return false;
        const std::uint32_t packed = directory.value(compression).value_or(1);
        if (std::find(std::begin(own_compressions), std::end(own_compressions), packed) !=
            std::end(own_compressions))
            return true;
        // The first directory is the preview, and the raw image is in one below it.
        return directory.find(sub_directories) != nullptr &&
               ((directory.value(new_subfile_type).value_or(0) & 1) != 0 || packed == old_jpeg) &&
               !has_plain_picture(stream, directory);
    } catch (const ImageError&) {
        return false;  // whoever reads the TIFF says what is wrong
    }
}

}  // namespace fovea::codec
