#include "lib/image/formats/opencv_decode.hpp"

#include <atomic>
#include <iostream>
#include <mutex>
#include <new>
#include <streambuf>
#include <string>
#include <string_view>

#include <opencv2/imgcodecs.hpp>

#include "kernels/luma/grey.hpp"

namespace fovea::codec {
namespace {

thread_local bool cerr_is_closed = false;
thread_local bool is_out_of_memory = false;

/// Stands before std::cerr's buffer and drops what a thread writes while its `cerr_is_closed` is set; what
/// other threads write passes.
class CerrGate : public std::streambuf {
  public:
    std::streambuf* behind() const { return behind_.load(); }
    void stand_before(std::streambuf* buffer) { behind_.store(buffer); }

  protected:
    int_type overflow(int_type c) override {
        if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
        if (cerr_is_closed) return c;
        return behind() != nullptr ? behind()->sputc(traits_type::to_char_type(c)) : traits_type::eof();
    }
    std::streamsize xsputn(const char* text, std::streamsize length) override {
        if (cerr_is_closed) {
            // OpenCV's decoders tell of a lack of memory nowhere else.
            if (std::string_view(text, static_cast<std::size_t>(length)).find("Insufficient memory") !=
                std::string_view::npos)
                is_out_of_memory = true;
            return length;
        }
        return behind() != nullptr ? behind()->sputn(text, length) : 0;
    }
    int sync() override { return cerr_is_closed || behind() == nullptr ? 0 : behind()->pubsync(); }

  private:
    std::atomic<std::streambuf*> behind_ = nullptr;
};

/// Closes std::cerr to this thread: OpenCV's imdecode reports every exception of its decoders, and its log's
/// warnings, there, and gives no other way to turn this off for one call. The gate stands there only while
/// some thread decodes.
class CloseCerr {
  public:
    CloseCerr() {
        const std::lock_guard lock(mutex());
        if (state().users++ == 0 && !state().left_behind) {
            gate().stand_before(std::cerr.rdbuf());
            exchange(&gate());
        }
        cerr_is_closed = true;
    }
    ~CloseCerr() {
        const std::lock_guard lock(mutex());
        cerr_is_closed = false;
        if (--state().users > 0) return;
        // Somebody may have put another buffer there in the meantime, and write on through the gate, which
        // then stays where it is.
        state().left_behind = std::cerr.rdbuf() != &gate();
        if (!state().left_behind) exchange(gate().behind());
    }
    CloseCerr(const CloseCerr&) = delete;
    CloseCerr& operator=(const CloseCerr&) = delete;

  private:
    static void exchange(std::streambuf* buffer) {
        const std::ios::iostate flags = std::cerr.rdstate();
        std::cerr.rdbuf(buffer);  // clears them
        std::cerr.setstate(flags);
    }
    static std::mutex& mutex() {
        static std::mutex one;
        return one;
    }
    struct State {
        int users = 0;
        bool left_behind = false;
    };
    static State& state() {
        static State one;
        return one;
    }
    // Never deleted: a thread that has just begun to write may still hold on to it.
    static CerrGate& gate() {
        static CerrGate* const one = new CerrGate;
        return *one;
    }
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

// Empty where a decoder refuses the file.
cv::Mat try_decode(Bytes bytes, const std::string& format) {
    cv::Mat picture;
    is_out_of_memory = false;
    try {
        const CloseCerr quiet;
        const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8UC1,
                              const_cast<std::uint8_t*>(bytes.data()));
        picture = cv::imdecode(encoded, cv::IMREAD_UNCHANGED | cv::IMREAD_IGNORE_ORIENTATION);
    } catch (const cv::Exception& e) {
        if (e.code == cv::Error::StsNoMem) throw std::bad_alloc();
        throw ImageError("corrupt or unsupported " + format + ": " + e.err);
    }
    if (picture.empty() && is_out_of_memory) throw std::bad_alloc();
    return picture;
}

// \throws std::bad_alloc if there is no room for the picture. It is not touched, and so takes none.
void require_memory(const ImageHeader& header) {
    try {
        const cv::Mat room(static_cast<int>(header.height), static_cast<int>(header.width), CV_8UC4);
    } catch (const cv::Exception&) {
        throw std::bad_alloc();
    }
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

    cv::Mat picture = try_decode(bytes, name);
    if (picture.empty()) {
        // The libraries behind OpenCV do not tell a lack of memory from damage. Where there is memory, damage
        // is refused again.
        require_memory(header);
        picture = try_decode(bytes, name);
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
