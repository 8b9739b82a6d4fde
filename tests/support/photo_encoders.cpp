#include "tests/support/photo_encoders.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include <jxl/encode.h>
#include <libheif/heif.h>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <openjpeg.h>
#include <tiffio.h>

#include "tests/support/temp_dir.hpp"

namespace fovea::test {
namespace {

void require(bool condition, const char* what) {
    if (!condition) throw std::logic_error(std::string("the test's encoder failed: ") + what);
}

void check(const heif_error& error) {
    require(error.code == heif_error_Ok, error.message);
}

heif_error append_heif(heif_context*, const void* data, std::size_t size, void* user) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    auto& to = *static_cast<ByteVector*>(user);
    to.insert(to.end(), bytes, bytes + size);
    return {heif_error_Ok, heif_suberror_Unspecified, ""};
}

ByteVector read_bytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return bytes_of(std::string(std::istreambuf_iterator<char>(file), {}));
}

struct Memory {
    ByteVector bytes;
    std::size_t at = 0;

    static OPJ_SIZE_T write(void* from, OPJ_SIZE_T length, void* user) {
        auto& memory = *static_cast<Memory*>(user);
        if (memory.bytes.size() < memory.at + length) memory.bytes.resize(memory.at + length);
        std::memcpy(memory.bytes.data() + memory.at, from, length);
        memory.at += length;
        return length;
    }
    static OPJ_OFF_T skip(OPJ_OFF_T length, void* user) {
        static_cast<Memory*>(user)->at += static_cast<std::size_t>(length);
        return length;
    }
    static OPJ_BOOL seek(OPJ_OFF_T to, void* user) {
        static_cast<Memory*>(user)->at = static_cast<std::size_t>(to);
        return OPJ_TRUE;
    }
};

}  // namespace

ByteVector encode_heif(const cv::Mat& picture, HeifCodec codec, int orientation) {
    heif_context* const context = heif_context_alloc();
    heif_encoder* encoder = nullptr;
    check(heif_context_get_encoder_for_format(
        context, codec == HeifCodec::hevc ? heif_compression_HEVC : heif_compression_AV1, &encoder));
    check(heif_encoder_set_lossy_quality(encoder, 100));
    check(heif_encoder_set_parameter_string(encoder, "chroma", "444"));
    if (codec == HeifCodec::av1) check(heif_encoder_set_parameter_integer(encoder, "speed", 8));
    heif_image* image = nullptr;
    check(heif_image_create(picture.cols, picture.rows, heif_colorspace_RGB, heif_chroma_interleaved_RGB,
                            &image));
    check(heif_image_add_plane(image, heif_channel_interleaved, picture.cols, picture.rows, 8));
    int stride = 0;
    std::uint8_t* const plane = heif_image_get_plane(image, heif_channel_interleaved, &stride);
    cv::Mat rgb(picture.rows, picture.cols, CV_8UC3, plane, static_cast<std::size_t>(stride));
    cv::cvtColor(picture, rgb, cv::COLOR_BGR2RGB);
    heif_encoding_options* const options = heif_encoding_options_alloc();
    options->image_orientation = static_cast<heif_orientation>(orientation);
    heif_image_handle* handle = nullptr;
    check(heif_context_encode_image(context, image, encoder, options, &handle));
    ByteVector bytes;
    heif_writer writer{1, append_heif};
    check(heif_context_write(context, &writer, &bytes));
    heif_image_handle_release(handle);
    heif_encoding_options_free(options);
    heif_image_release(image);
    heif_encoder_release(encoder);
    heif_context_free(context);
    return bytes;
}

namespace {

std::string big_endian(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = bytes; i-- > 0;) text += static_cast<char>(value >> (8 * i) & 0xff);
    return text;
}

std::string box(const std::string& kind, const std::string& body) {
    return big_endian(8 + body.size(), 4) + kind + body;
}

/// A box with version and flags.
std::string full_box(const std::string& kind, int version, const std::string& body) {
    return box(kind, big_endian(static_cast<std::uint64_t>(version) << 24, 4) + body);
}

/// A box of a file, from its length on; the first of that kind.
std::string box_of(const std::string& file, const std::string& kind) {
    const std::size_t at = file.find(kind) - 4;
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<std::uint8_t>(file.at(at + i));
    return file.substr(at, length);
}

}  // namespace

ByteVector heif_grid(const ByteVector& tile, int columns, int rows, int tile_width, int tile_height,
                     int damaged, bool is_turned) {
    const std::string file(tile.begin(), tile.end());
    const std::string coded = box_of(file, "mdat").substr(8);
    const int tiles = columns * rows;
    const auto size = [](int width, int height) {
        return full_box("ispe", 0,
                        big_endian(static_cast<std::uint64_t>(width), 4) +
                            big_endian(static_cast<std::uint64_t>(height), 4));
    };
    // Item 1 is the grid, whose description stands in the box idat; the others are the tiles.
    std::string entries, properties, references, places, data;
    for (int item = 1; item <= tiles + 1; ++item) {
        const std::string id = big_endian(static_cast<std::uint64_t>(item), 2);
        entries += full_box("infe", 2, id + std::string(2, '\0') + (item == 1 ? "grid" : "hvc1") + '\0');
        properties += item > 1 ? id + "\x02\x82\x03" : id + (is_turned ? "\x02\x84\x01" : "\x01\x01");
        if (item > 1) references += id;
    }
    const std::string grid = std::string(2, '\0') + static_cast<char>(rows - 1) +
                             static_cast<char>(columns - 1) +
                             big_endian(static_cast<std::uint64_t>(columns * tile_width), 2) +
                             big_endian(static_cast<std::uint64_t>(rows * tile_height), 2);
    const std::string start = box("ftyp", "heic" + std::string(4, '\0') + "mif1heic");
    const auto meta = [&](std::size_t data_at) {
        places.clear();
        data.clear();
        for (int item = 1; item <= tiles + 1; ++item) {
            const bool is_grid = item == 1;
            places += big_endian(static_cast<std::uint64_t>(item), 2) + big_endian(is_grid ? 1 : 0, 2) +
                      big_endian(0, 2) + big_endian(1, 2) +
                      big_endian(is_grid ? 0 : data_at + data.size(), 4) +
                      big_endian(is_grid ? grid.size() : coded.size(), 4);
            if (is_grid) continue;
            data += coded;
            if (item - 2 == damaged) data[data.size() - coded.size() / 2] ^= 0x10;
        }
        return full_box(
            "meta", 0,
            full_box("hdlr", 0, std::string(4, '\0') + "pict" + std::string(13, '\0')) +
                full_box("pitm", 0, big_endian(1, 2)) +
                full_box("iloc", 1,
                         "\x44" + std::string(1, '\0') +
                             big_endian(static_cast<std::uint64_t>(tiles) + 1, 2) + places) +
                full_box("iinf", 0, big_endian(static_cast<std::uint64_t>(tiles) + 1, 2) + entries) +
                full_box("iref", 0,
                         box("dimg", big_endian(1, 2) + big_endian(static_cast<std::uint64_t>(tiles), 2) +
                                         references)) +
                box("iprp",
                    box("ipco", size(columns * tile_width, rows * tile_height) + box_of(file, "hvcC") +
                                    size(tile_width, tile_height) + box("irot", "\x01")) +
                        full_box("ipma", 0,
                                 big_endian(static_cast<std::uint64_t>(tiles) + 1, 4) + properties)) +
                box("idat", grid));
    };
    const std::size_t data_at = start.size() + meta(0).size() + 8;
    const std::string whole = start + meta(data_at) + box("mdat", data);
    return {whole.begin(), whole.end()};
}

ByteVector with_heif_size(ByteVector file, std::uint32_t width, std::uint32_t height) {
    constexpr std::string_view name = "ispe";
    const auto found = std::search(file.begin(), file.end(), name.begin(), name.end());
    require(found != file.end(), "HEIF without a size");
    const std::string sizes = big_endian(width, 4) + big_endian(height, 4);
    std::copy(sizes.begin(), sizes.end(), found + 8);
    return file;
}

ByteVector encode_jpeg_xl(const cv::Mat& picture, int orientation, std::uint32_t extra_channels) {
    const auto channels = static_cast<std::uint32_t>(picture.channels());
    cv::Mat samples = picture.clone();
    if (channels == 3) cv::cvtColor(samples, samples, cv::COLOR_BGR2RGB);
    JxlEncoder* const encoder = JxlEncoderCreate(nullptr);
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = static_cast<std::uint32_t>(picture.cols);
    info.ysize = static_cast<std::uint32_t>(picture.rows);
    info.bits_per_sample = 8;
    info.num_color_channels = channels;
    info.uses_original_profile = JXL_TRUE;
    info.orientation = static_cast<JxlOrientation>(orientation);
    info.num_extra_channels = extra_channels;
    if (extra_channels > 4) JxlEncoderSetCodestreamLevel(encoder, 10);
    require(JxlEncoderSetBasicInfo(encoder, &info) == JXL_ENC_SUCCESS, "JPEG XL header");
    for (std::uint32_t i = 0; i < extra_channels; ++i) {
        JxlExtraChannelInfo channel;
        JxlEncoderInitExtraChannelInfo(JXL_CHANNEL_OPTIONAL, &channel);
        channel.bits_per_sample = 8;
        require(JxlEncoderSetExtraChannelInfo(encoder, i, &channel) == JXL_ENC_SUCCESS, "JPEG XL channel");
    }
    JxlColorEncoding colours;
    JxlColorEncodingSetToSRGB(&colours, channels == 1 ? JXL_TRUE : JXL_FALSE);
    require(JxlEncoderSetColorEncoding(encoder, &colours) == JXL_ENC_SUCCESS, "JPEG XL colours");
    JxlEncoderFrameSettings* const settings = JxlEncoderFrameSettingsCreate(encoder, nullptr);
    JxlEncoderSetFrameLossless(settings, JXL_TRUE);
    const JxlPixelFormat format{channels, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    require(JxlEncoderAddImageFrame(settings, &format, samples.data, samples.total() * samples.elemSize()) ==
                JXL_ENC_SUCCESS,
            "JPEG XL pixels");
    const ByteVector zeros(extra_channels > 0 ? picture.total() : 0);
    const JxlPixelFormat of_channel{1, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    for (std::uint32_t i = 0; i < extra_channels; ++i)
        require(JxlEncoderSetExtraChannelBuffer(settings, &of_channel, zeros.data(), zeros.size(), i) ==
                    JXL_ENC_SUCCESS,
                "JPEG XL channel's pixels");
    JxlEncoderCloseInput(encoder);
    ByteVector bytes(1 << 24);
    std::uint8_t* next = bytes.data();
    std::size_t left = bytes.size();
    require(JxlEncoderProcessOutput(encoder, &next, &left) == JXL_ENC_SUCCESS, "JPEG XL output");
    bytes.resize(bytes.size() - left);
    JxlEncoderDestroy(encoder);
    return bytes;
}

ByteVector encode_jpeg_2000(const cv::Mat& picture, const Jpeg2000Options& options) {
    const int channels = picture.channels();
    opj_cparameters_t parameters;
    opj_set_default_encoder_parameters(&parameters);
    parameters.tcp_mct = channels == 3 && !options.is_ycc ? 1 : 0;
    parameters.numresolution = 2;
    std::array<opj_image_cmptparm_t, 3> components{};
    for (int i = 0; i < channels; ++i) {
        opj_image_cmptparm_t& component = components[static_cast<std::size_t>(i)];
        component.dx = component.dy = 1;
        component.w = static_cast<OPJ_UINT32>(picture.cols);
        component.h = static_cast<OPJ_UINT32>(picture.rows);
        component.prec = static_cast<OPJ_UINT32>(options.bits);
    }
    opj_image_t* const image = opj_image_create(static_cast<OPJ_UINT32>(channels), components.data(),
                                                options.is_ycc  ? OPJ_CLRSPC_SYCC
                                                : channels == 1 ? OPJ_CLRSPC_GRAY
                                                                : OPJ_CLRSPC_SRGB);
    image->x1 = static_cast<OPJ_UINT32>(picture.cols);
    image->y1 = static_cast<OPJ_UINT32>(picture.rows);
    for (int y = 0; y < picture.rows; ++y)
        for (int x = 0; x < picture.cols; ++x)
            for (int c = 0; c < channels; ++c) {
                const int sample = picture.depth() == CV_16U ? picture.ptr<ushort>(y)[x * channels + c]
                                                             : picture.ptr(y)[x * channels + c];
                image->comps[c].data[y * picture.cols + x] = sample;
            }
    opj_codec_t* const codec = opj_create_compress(options.bare ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    Memory memory;
    opj_stream_t* const stream = opj_stream_create(1 << 16, OPJ_FALSE);
    opj_stream_set_user_data(stream, &memory, nullptr);
    opj_stream_set_write_function(stream, Memory::write);
    opj_stream_set_skip_function(stream, Memory::skip);
    opj_stream_set_seek_function(stream, Memory::seek);
    require(opj_setup_encoder(codec, &parameters, image) && opj_start_compress(codec, image, stream) &&
                opj_encode(codec, stream) && opj_end_compress(codec, stream),
            "JPEG 2000");
    opj_stream_destroy(stream);
    opj_destroy_codec(codec);
    opj_image_destroy(image);
    return memory.bytes;
}

ByteVector encode_dng(const cv::Mat& mosaic, const std::optional<ByteVector>& preview, int orientation) {
    const TempDir folder;
    const std::string path = (folder.path() / "x.dng").string();
    TIFF* const tiff = TIFFOpen(path.c_str(), "wl");
    require(tiff != nullptr, "DNG");
    const auto describe_camera = [&] {
        const std::array<std::uint8_t, 4> version{1, 4, 0, 0};
        TIFFSetField(tiff, TIFFTAG_DNGVERSION, version.data());
        TIFFSetField(tiff, TIFFTAG_MAKE, "Fovea");
        TIFFSetField(tiff, TIFFTAG_MODEL, "Test");
        TIFFSetField(tiff, TIFFTAG_UNIQUECAMERAMODEL, "Fovea Test");
        TIFFSetField(tiff, TIFFTAG_ORIENTATION, orientation);
        const std::array<float, 9> to_camera{1, 0, 0, 0, 1, 0, 0, 0, 1};
        TIFFSetField(tiff, TIFFTAG_COLORMATRIX1, 9, to_camera.data());
        const std::array<float, 3> neutral{1, 1, 1};
        TIFFSetField(tiff, TIFFTAG_ASSHOTNEUTRAL, 3, neutral.data());
        TIFFSetField(tiff, TIFFTAG_CALIBRATIONILLUMINANT1, 21);
    };
    const auto describe_pixels = [&](const cv::Mat& picture, int bits, int samples, int photometric,
                                     int compression) {
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, picture.cols);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, picture.rows);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, bits);
        TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, samples);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, photometric);
        TIFFSetField(tiff, TIFFTAG_COMPRESSION, compression);
        TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, picture.rows);
    };
    if (preview) {
        const cv::Mat decoded = cv::imdecode(*preview, cv::IMREAD_GRAYSCALE | cv::IMREAD_IGNORE_ORIENTATION);
        TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, FILETYPE_REDUCEDIMAGE);
        describe_pixels(decoded, 8, 3, PHOTOMETRIC_YCBCR, COMPRESSION_JPEG);
        TIFFSetField(tiff, TIFFTAG_JPEGTABLESMODE, 0);
        describe_camera();
        const toff_t none = 0;
        TIFFSetField(tiff, TIFFTAG_SUBIFD, 1, &none);
        ByteVector bytes = *preview;
        require(TIFFWriteRawStrip(tiff, 0, bytes.data(), static_cast<tmsize_t>(bytes.size())) > 0, "preview");
        require(TIFFWriteDirectory(tiff) == 1, "preview's directory");
    } else {
        describe_camera();
    }
    TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, 0);
    describe_pixels(mosaic, 16, 1, PHOTOMETRIC_CFA, COMPRESSION_NONE);
    const std::array<std::uint16_t, 2> pattern_size{2, 2};
    TIFFSetField(tiff, TIFFTAG_CFAREPEATPATTERNDIM, pattern_size.data());
    const std::array<std::uint8_t, 4> pattern{0, 1, 1, 2};
    TIFFSetField(tiff, TIFFTAG_CFAPATTERN, 4, pattern.data());
    const std::uint32_t white = 65535;
    TIFFSetField(tiff, TIFFTAG_WHITELEVEL, 1, &white);
    cv::Mat rows = mosaic.clone();
    const auto size = static_cast<tmsize_t>(rows.total() * rows.elemSize());
    require(TIFFWriteEncodedStrip(tiff, 0, rows.data, size) == size, "mosaic");
    TIFFClose(tiff);
    return read_bytes(path);
}

}  // namespace fovea::test
