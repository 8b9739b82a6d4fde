#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <gif_lib.h>

#include "kernels/luma/grey.hpp"
#include "lib/image/formats/codec.hpp"

// The picture is the first frame on the logical screen. The screen's background colour (black if the file has
// no global palette) shows where the frame does not cover the screen; the screen grows where the frame is
// larger. A transparent pixel has the colour that the palette holds for it, as alpha is ignored in every
// format. Later frames are not looked at.

namespace fovea::codec {
namespace {

struct GifSource {
    Bytes bytes;
    std::size_t at = 0;
};

int read_source(GifFileType* file, GifByteType* to, int length) {
    auto* source = static_cast<GifSource*>(file->UserData);
    const std::size_t count = std::min(static_cast<std::size_t>(length), source->bytes.size() - source->at);
    if (count > 0) std::memcpy(to, source->bytes.data() + source->at, count);
    source->at += count;
    return static_cast<int>(count);
}

struct CloseGif {
    void operator()(GifFileType* file) const { DGifCloseFile(file, nullptr); }
};

/// A GIF opened and read up to the pixels of its first frame.
class GifReader {
  public:
    explicit GifReader(Bytes bytes) : source_{bytes} {
        int error = 0;
        file_.reset(DGifOpen(&source_, read_source, &error));
        if (!file_) fail(error);
        to_first_frame();
    }

    GifFileType* operator->() const { return file_.get(); }
    GifFileType* get() const { return file_.get(); }
    const GifImageDesc& frame() const { return file_->Image; }
    int width() const { return std::max(file_->SWidth, frame().Left + frame().Width); }
    int height() const { return std::max(file_->SHeight, frame().Top + frame().Height); }

    [[noreturn]] void fail(int error) const {
        if (error == D_GIF_ERR_NOT_ENOUGH_MEM) throw std::bad_alloc();
        if (source_.at >= source_.bytes.size()) throw_truncated("GIF", "it ends inside its first frame");
        const char* reason = GifErrorString(error);
        throw ImageError(std::string("corrupt GIF: ") + (reason != nullptr ? reason : "unknown error"));
    }

  private:
    void to_first_frame() {
        for (;;) {
            GifRecordType record = UNDEFINED_RECORD_TYPE;
            if (DGifGetRecordType(file_.get(), &record) == GIF_ERROR) fail(file_->Error);
            if (record == TERMINATE_RECORD_TYPE) throw ImageError("GIF without a frame");
            if (record == IMAGE_DESC_RECORD_TYPE) {
                if (DGifGetImageDesc(file_.get()) == GIF_ERROR) fail(file_->Error);
                return;
            }
            int code = 0;
            GifByteType* extension = nullptr;
            if (DGifGetExtension(file_.get(), &code, &extension) == GIF_ERROR) fail(file_->Error);
            while (extension != nullptr)
                if (DGifGetExtensionNext(file_.get(), &extension) == GIF_ERROR) fail(file_->Error);
        }
    }

    GifSource source_;
    std::unique_ptr<GifFileType, CloseGif> file_;
};

std::uint8_t grey_of(const GifColorType& c) {
    return grey_of_rgb(c.Red, c.Green, c.Blue);
}

std::vector<std::uint8_t> grey_palette(const ColorMapObject* map) {
    std::vector<std::uint8_t> result;
    for (int i = 0; map != nullptr && i < map->ColorCount; ++i) result.push_back(grey_of(map->Colors[i]));
    return result;
}

}  // namespace

ImageHeader read_gif_header(Bytes bytes) {
    const GifReader gif(bytes);
    if (gif.frame().Width == 0 || gif.frame().Height == 0) return {};
    return {gif.width(), gif.height(), 1};
}

DecodedImage decode_gif(Bytes bytes, const ImageHeader&) {
    GifReader gif(bytes);
    const GifImageDesc frame = gif.frame();
    // An LZW code has at least 3 bits and stands for at most 4096 pixels.
    const std::uint64_t pixels =
        static_cast<std::uint64_t>(frame.Width) * static_cast<std::uint64_t>(frame.Height);
    if (pixels / 4096 > bytes.size() * std::uint64_t{3})
        throw_truncated("GIF", std::to_string(bytes.size()) + " bytes cannot hold its first frame");

    const std::vector<std::uint8_t> palette =
        grey_palette(frame.ColorMap != nullptr ? frame.ColorMap : gif->SColorMap);
    if (palette.empty()) throw ImageError("corrupt GIF: no palette");
    const std::vector<std::uint8_t> screen_palette = grey_palette(gif->SColorMap);
    const auto background = static_cast<std::size_t>(gif->SBackGroundColor);
    const std::size_t width = static_cast<std::size_t>(gif.width());
    GreyImage image{gif.width(), gif.height(), {}};
    image.pixels.assign(width * static_cast<std::size_t>(image.height),
                        background < screen_palette.size() ? screen_palette[background] : 0);

    // Interlaced rows come in four passes.
    struct Pass {
        int first, step;
    };
    static constexpr Pass progressive[] = {{0, 1}};
    static constexpr Pass interlaced[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
    const std::span<const Pass> passes = frame.Interlace ? std::span<const Pass>(interlaced) : progressive;
    std::vector<GifPixelType> row(static_cast<std::size_t>(frame.Width));
    for (const Pass pass : passes)
        for (int y = pass.first; y < frame.Height; y += pass.step) {
            if (DGifGetLine(gif.get(), row.data(), frame.Width) == GIF_ERROR) gif.fail(gif->Error);
            std::uint8_t* to =
                image.pixels.data() + static_cast<std::size_t>(frame.Top + y) * width + frame.Left;
            for (const GifPixelType index : row) {
                if (index >= palette.size()) throw ImageError("corrupt GIF: a pixel outside of the palette");
                *to++ = palette[index];
            }
        }
    return {std::move(image), 1};
}

}  // namespace fovea::codec
