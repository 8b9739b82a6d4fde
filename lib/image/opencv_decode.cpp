#include "lib/image/opencv_decode.hpp"

#include <iostream>
#include <mutex>
#include <streambuf>
#include <string>

#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>

#include "lib/image/grey.hpp"

namespace fovea::codec {
namespace {

thread_local bool cerr_is_closed = false;

/// Stands before std::cerr's buffer and drops what a thread writes while its `cerr_is_closed` is set:
/// OpenCV's imdecode reports every exception of its decoders straight to std::cerr, past its own log.
class CerrGate : public std::streambuf {
  public:
    explicit CerrGate(std::streambuf* behind) : behind_(behind) {}

  protected:
    int_type overflow(int_type c) override {
        if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
        return cerr_is_closed ? c : behind_->sputc(traits_type::to_char_type(c));
    }
    std::streamsize xsputn(const char* text, std::streamsize length) override {
        return cerr_is_closed ? length : behind_->sputn(text, length);
    }
    int sync() override { return cerr_is_closed ? 0 : behind_->pubsync(); }

  private:
    std::streambuf* behind_;
};

void silence_opencv_once() {
    static std::once_flag once;
    std::call_once(once, [] {
        cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
        // Never deleted: std::cerr is used until the very end of the program.
        static CerrGate* const gate = new CerrGate(std::cerr.rdbuf());
        std::cerr.rdbuf(gate);
    });
}

class CloseCerr {
  public:
    CloseCerr() { cerr_is_closed = true; }
    ~CloseCerr() { cerr_is_closed = false; }
    CloseCerr(const CloseCerr&) = delete;
    CloseCerr& operator=(const CloseCerr&) = delete;
};

template <class T, class ToGrey>
GreyImage convert(const cv::Mat& picture, ToGrey to_grey) {
    GreyImage result{picture.cols, picture.rows, std::vector<std::uint8_t>(picture.total())};
    const int channels = picture.channels();
    std::uint8_t* to = result.pixels.data();
    for (int y = 0; y < picture.rows; ++y) {
        const T* from = picture.ptr<T>(y);
        for (int x = 0; x < picture.cols; ++x, from += channels) *to++ = to_grey(from);
    }
    return result;
}

}  // namespace

cv::Mat decode_with_opencv(Bytes bytes, const ImageHeader& header, const char* format) {
    constexpr std::int64_t max_side = std::int64_t{1} << 20, max_pixels = std::int64_t{1} << 30;
    const std::string name(format);
    const std::string size = std::to_string(header.width) + " x " + std::to_string(header.height);
    if (header.width > max_side || header.height > max_side || header.width * header.height > max_pixels)
        throw ImageError(name + " of " + size +
                         " pixels is more than its decoder takes (2^20 a side, 2^30 in all)");
    // OpenCV addresses the bytes as one row of a matrix.
    if (bytes.size() > 0x7fffffff)
        throw ImageError(name + " file of 2 GiB or more is more than its decoder takes");

    silence_opencv_once();
    cv::Mat picture;
    try {
        const CloseCerr quiet;
        const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8UC1,
                              const_cast<std::uint8_t*>(bytes.data()));
        picture = cv::imdecode(encoded, cv::IMREAD_UNCHANGED | cv::IMREAD_IGNORE_ORIENTATION);
    } catch (const cv::Exception& e) {
        if (e.code == cv::Error::StsNoMem)
            throw ImageError("out of memory for " + name + " of " + size + " pixels");
        throw ImageError("corrupt or unsupported " + name + ": " + e.err);
    }
    if (picture.empty()) throw ImageError("corrupt or unsupported " + name + ": its decoder refuses it");
    if (picture.cols != header.width || picture.rows != header.height)
        throw ImageError("corrupt " + name + ": header and picture differ in size");
    return picture;
}

GreyImage grey_of(const cv::Mat& picture, const char* format) {
    const int channels = picture.channels();
    if (channels == 1 || channels == 3 || channels == 4) {
        if (picture.depth() == CV_8U)
            return channels == 1 ? convert<std::uint8_t>(picture, [](const std::uint8_t* p) { return p[0]; })
                                 : convert<std::uint8_t>(picture, [](const std::uint8_t* p) {
                                       return grey_of_rgb(p[2], p[1], p[0]);
                                   });
        if (picture.depth() == CV_16U)
            return channels == 1 ? convert<std::uint16_t>(
                                       picture, [](const std::uint16_t* p) { return byte_of_16_bits(p[0]); })
                                 : convert<std::uint16_t>(picture, [](const std::uint16_t* p) {
                                       return grey_of_rgb(byte_of_16_bits(p[2]), byte_of_16_bits(p[1]),
                                                          byte_of_16_bits(p[0]));
                                   });
    }
    throw ImageError(std::string(format) + " with " + std::to_string(channels) +
                     " channels of a kind other than 8 or 16 bit unsigned is not supported");
}

}  // namespace fovea::codec
