#include "tests/support/encoders.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <stdexcept>

#include <bzlib.h>
#include <gif_lib.h>
#include <opencv2/imgcodecs.hpp>
#include <turbojpeg.h>
#include <zlib.h>

#include "lib/image/formats/decode.hpp"
#include "lib/image/read_grey.hpp"

namespace fovea::test {
namespace {

void require(bool condition, const char* what) {
    if (!condition) throw std::logic_error(std::string("the test's encoder failed: ") + what);
}

void put(ByteVector& to, std::uint32_t value, int size, bool big_endian) {
    for (int i = 0; i < size; ++i)
        to.push_back(static_cast<std::uint8_t>(value >> 8 * (big_endian ? size - 1 - i : i)));
}

template <class Range>
void append(ByteVector& to, const Range& range) {
    to.reserve(to.size() + range.size());
    for (const auto value : range) to.push_back(static_cast<std::uint8_t>(value));
}

double nearest_grey(double r, double g, double b) {
    return std::floor((9798 * r + 19235 * g + 3735 * b + 16384) / 32768);
}

double to_byte(double v) {
    return std::floor(v * 255 / 65535 + 0.5);
}

}  // namespace

cv::Mat colour_picture(int width, int height, int depth) {
    cv::Mat picture(height, width, CV_MAKETYPE(depth, 3));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            const int b = 3 * x + 11 * y, g = 7 * x + 2 * y + x * y, r = 200 - 5 * x + y * y;
            if (depth == CV_8U)
                picture.at<cv::Vec3b>(y, x) =
                    cv::Vec3b(static_cast<uchar>(b), static_cast<uchar>(g), static_cast<uchar>(r));
            else
                picture.at<cv::Vec3w>(y, x) = cv::Vec3w(
                    static_cast<ushort>(b * 251), static_cast<ushort>(g * 97), static_cast<ushort>(r * 131));
        }
    return picture;
}

cv::Mat grey_picture(int width, int height, int depth) {
    cv::Mat channel;
    cv::extractChannel(colour_picture(width, height, depth), channel, 1);
    return channel;
}

ByteVector encode(const std::string& extension, const cv::Mat& picture, const std::vector<int>& parameters) {
    ByteVector bytes;
    require(cv::imencode(extension, picture, bytes, parameters), "imencode");
    return bytes;
}

ByteVector encode_jpeg(const cv::Mat& picture, int subsampling, int flags) {
    const int formats[] = {TJPF_GRAY, -1, TJPF_BGR, TJPF_CMYK};
    tjhandle handle = tjInitCompress();
    unsigned char* data = nullptr;
    unsigned long size = 0;
    const int outcome =
        tjCompress2(handle, picture.data, picture.cols, static_cast<int>(picture.step[0]), picture.rows,
                    formats[picture.channels() - 1], &data, &size, subsampling, 90, flags);
    require(outcome == 0, tjGetErrorStr2(handle));
    ByteVector bytes(data, data + size);
    tjFree(data);
    tjDestroy(handle);
    return bytes;
}

ByteVector with_three_scans(const ByteVector& grey_jpeg) {
    const auto find = [&](std::uint8_t marker) {
        const ByteVector bytes = {0xff, marker};
        const auto at = std::search(grey_jpeg.begin(), grey_jpeg.end(), bytes.begin(), bytes.end());
        require(at != grey_jpeg.end(), "a JPEG without one of its markers");
        return at - grey_jpeg.begin();
    };
    // A frame header has 11 bytes and a scan header 8 behind the marker, of one component each.
    const std::span<const std::uint8_t> all(grey_jpeg);
    const auto frame = static_cast<std::size_t>(find(0xc0)), scan = static_cast<std::size_t>(find(0xda));
    ByteVector bytes;
    append(bytes, all.first(frame));
    append(bytes, ByteVector{0xff, 0xc0, 0, 17});
    append(bytes, all.subspan(frame + 4, 5));
    append(bytes, ByteVector{3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0});
    append(bytes, all.subspan(frame + 13, scan - frame - 13));
    for (const std::uint8_t component : {1, 2, 3}) {
        append(bytes, ByteVector{0xff, 0xda, 0, 8, 1, component, 0, 0, 63, 0});
        append(bytes, all.subspan(scan + 10, all.size() - 2 - scan - 10));
    }
    append(bytes, ByteVector{0xff, 0xd9});
    return bytes;
}

cv::Vec3b palette_colour(int index) {
    return {static_cast<uchar>(index * 3), static_cast<uchar>(255 - index),
            static_cast<uchar>(index * index)};
}

ByteVector encode_gif(const cv::Mat& indices, const GifOptions& options) {
    ByteVector bytes;
    const auto write = [](GifFileType* file, const GifByteType* from, int length) {
        auto* to = static_cast<ByteVector*>(file->UserData);
        to->insert(to->end(), from, from + length);
        return length;
    };
    int error = 0;
    GifFileType* gif = EGifOpen(&bytes, write, &error);
    require(gif != nullptr, "EGifOpen");
    EGifSetGifVersion(gif, true);
    ColorMapObject* map = GifMakeMapObject(256, nullptr);
    for (int i = 0; i < 256; ++i) {
        const cv::Vec3b c = palette_colour(i);
        map->Colors[i] = {c[0], c[1], c[2]};
    }
    const int width = options.screen_width ? options.screen_width : indices.cols;
    const int height = options.screen_height ? options.screen_height : indices.rows;
    require(EGifPutScreenDesc(gif, width, height, 8, options.background, map) == GIF_OK, "screen");
    for (int frame = 0; frame < options.frames; ++frame) {
        if (options.transparent >= 0) {
            const std::uint8_t control[4] = {1, 0, 0, static_cast<std::uint8_t>(options.transparent)};
            require(EGifPutExtension(gif, GRAPHICS_EXT_FUNC_CODE, 4, control) == GIF_OK, "extension");
        }
        require(EGifPutImageDesc(gif, options.left, options.top, indices.cols, indices.rows,
                                 options.interlaced, nullptr) == GIF_OK,
                "frame");
        const int starts[] = {0, 4, 2, 1}, steps[] = {8, 8, 4, 2};
        for (int pass = 0; pass < (options.interlaced ? 4 : 1); ++pass)
            for (int y = options.interlaced ? starts[pass] : 0; y < indices.rows;
                 y += options.interlaced ? steps[pass] : 1) {
                cv::Mat row = indices.row(y).clone();
                if (frame > 0) row = 255 - row;
                require(EGifPutLine(gif, row.data, indices.cols) == GIF_OK, "line");
            }
    }
    require(EGifCloseFile(gif, &error) == GIF_OK, "close");
    GifFreeMapObject(map);
    return bytes;
}

ByteVector make_tiff(int width, int height, const ByteVector& strip, const std::vector<TiffTag>& tags,
                     bool big_endian) {
    const auto size = static_cast<std::uint32_t>(strip.size());
    const bool tiled =
        std::any_of(tags.begin(), tags.end(), [](const TiffTag& tag) { return tag.tag == 322; });
    std::vector<TiffTag> all = {{256, static_cast<std::uint32_t>(width), 4},
                                {257, static_cast<std::uint32_t>(height), 4},
                                {tiled ? 324u : 273u, 8, 4},
                                {tiled ? 325u : 279u, size, 4}};
    if (!tiled) all.push_back({278, static_cast<std::uint32_t>(height), 4});
    all.insert(all.end(), tags.begin(), tags.end());
    std::sort(all.begin(), all.end(), [](const TiffTag& a, const TiffTag& b) { return a.tag < b.tag; });
    ByteVector bytes = bytes_of(big_endian ? "MM" : "II");
    put(bytes, 42, 2, big_endian);
    put(bytes, static_cast<std::uint32_t>(8 + strip.size()), 4, big_endian);
    append(bytes, strip);
    put(bytes, static_cast<std::uint32_t>(all.size()), 2, big_endian);
    for (const TiffTag& tag : all) {
        put(bytes, tag.tag, 2, big_endian);
        put(bytes, tag.type, 2, big_endian);
        put(bytes, 1, 4, big_endian);
        const int width_of_type = tag.type == 1 || tag.type == 6 ? 1 : tag.type == 3 || tag.type == 8 ? 2 : 4;
        put(bytes, tag.value, width_of_type, big_endian);
        put(bytes, 0, 4 - width_of_type, big_endian);
    }
    put(bytes, 0, 4, big_endian);
    return bytes;
}

ByteVector png_chunk(const std::string& name, const ByteVector& data) {
    ByteVector bytes, checked;
    append(checked, name);
    append(checked, data);
    put(bytes, static_cast<std::uint32_t>(data.size()), 4, true);
    append(bytes, checked);
    put(bytes, static_cast<std::uint32_t>(crc32(0, checked.data(), static_cast<uInt>(checked.size()))), 4,
        true);
    return bytes;
}

ByteVector make_exif(int orientation, bool big_endian) {
    ByteVector bytes = bytes_of(big_endian ? "MM" : "II");
    put(bytes, 42, 2, big_endian);
    put(bytes, 8, 4, big_endian);
    put(bytes, 2, 2, big_endian);
    // A make (271) before it, as cameras write.
    for (const std::uint32_t tag : {271u, 274u}) {
        put(bytes, tag, 2, big_endian);
        put(bytes, tag == 271 ? 2 : 3, 2, big_endian);
        put(bytes, tag == 271 ? 4 : 1, 4, big_endian);
        put(bytes, tag == 271 ? 0 : static_cast<std::uint32_t>(orientation), 2, big_endian);
        put(bytes, 0, 2, big_endian);
    }
    put(bytes, 0, 4, big_endian);
    ByteVector exif = {'E', 'x', 'i', 'f', 0, 0};
    append(exif, bytes);
    return exif;
}

ByteVector with_exif(const ByteVector& jpeg, const ByteVector& exif) {
    ByteVector bytes(jpeg.begin(), jpeg.begin() + 2);
    bytes.push_back(0xff);
    bytes.push_back(0xe1);
    put(bytes, static_cast<std::uint32_t>(exif.size() + 2), 2, true);
    append(bytes, exif);
    append(bytes, std::span(jpeg).subspan(2));
    return bytes;
}

ByteVector with_metadata(const ByteVector& jpeg, int segments) {
    ByteVector segment{0xff, 0xe1, 0xfd, 0xea};  // its length, 65,002, counts itself
    segment.insert(segment.end(), 65'000, 'x');
    ByteVector result(jpeg.begin(), jpeg.begin() + 2);
    for (int i = 0; i < segments; ++i) result.insert(result.end(), segment.begin(), segment.end());
    result.insert(result.end(), jpeg.begin() + 2, jpeg.end());
    return result;
}

ByteVector gzip(const ByteVector& bytes) {
    z_stream stream{};
    require(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK, "deflate");
    ByteVector packed(deflateBound(&stream, bytes.size()));
    stream.next_in = const_cast<Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = packed.data();
    stream.avail_out = static_cast<uInt>(packed.size());
    require(deflate(&stream, Z_FINISH) == Z_STREAM_END, "deflate");
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

ByteVector bzip2(const ByteVector& bytes) {
    ByteVector packed(bytes.size() + bytes.size() / 64 + 700);
    auto size = static_cast<unsigned>(packed.size());
    require(BZ2_bzBuffToBuffCompress(reinterpret_cast<char*>(packed.data()), &size,
                                     const_cast<char*>(reinterpret_cast<const char*>(bytes.data())),
                                     static_cast<unsigned>(bytes.size()), 1, 0, 0) == BZ_OK,
            "bzip2");
    packed.resize(size);
    return packed;
}

ByteVector concatenate(std::initializer_list<ByteVector> parts) {
    ByteVector all;
    for (const ByteVector& part : parts) append(all, part);
    return all;
}

ByteVector bytes_of(const std::string& text) {
    return {text.begin(), text.end()};
}

GreyImage expected_grey(const cv::Mat& picture) {
    GreyImage image{picture.cols, picture.rows, {}};
    const bool deep = picture.depth() == CV_16U;
    const int channels = picture.channels();
    for (int y = 0; y < picture.rows; ++y)
        for (int x = 0; x < picture.cols; ++x) {
            const auto channel = [&](int c) -> double {
                return deep ? to_byte(picture.ptr<ushort>(y)[x * channels + c])
                            : picture.ptr(y)[x * channels + c];
            };
            image.pixels.push_back(static_cast<std::uint8_t>(
                channels == 1 ? channel(0) : nearest_grey(channel(2), channel(1), channel(0))));
        }
    return image;
}

std::string reason_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const ImageError& e) {
        return e.what();
    }
    return {};
}

std::string reason_of(const ByteVector& bytes) {
    return reason_of([&] { decode_grey_image(bytes); });
}

}  // namespace fovea::test
