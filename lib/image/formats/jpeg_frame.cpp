#include "lib/image/formats/jpeg_frame.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string_view>

#include "lib/image/formats/jpeg_segments.hpp"
#include "lib/image/formats/orientation.hpp"

namespace fovea {
namespace {

using codec::Bytes;

struct Component {
    std::uint8_t name = 0;
    std::uint8_t sampling = 0;  ///< horizontal in the high four bits, vertical in the low ones
};

/// The markers up to the first scan.
class Markers {
  public:
    /// False if the scan cannot be decoded for want of a frame header, or if there is no scan.
    bool read(Bytes jpeg) {
        codec::walk_jpeg_segments(jpeg, [&](std::uint8_t marker, Bytes payload) {
            if (marker == codec::jpeg_sos) {
                has_scan_ = !payload.empty();
                if (has_scan_) scan_components_ = payload[0];
                scan_at_ = static_cast<std::size_t>(payload.data() + payload.size() - jpeg.data());
                return false;
            }
            take(marker, payload);
            return true;
        });
        return has_scan_ && has_frame_;
    }

    /// The beginning of the first scan's entropy-coded data.
    std::size_t scan_at() const { return scan_at_; }

    bool with_restarts() const { return with_restarts_; }

    JpegFrame frame() const {
        JpegFrame frame;
        frame.size = size_;
        frame.components = static_cast<int>(count_);
        frame.baseline = (kind_ == codec::jpeg_sof0 || kind_ == codec::jpeg_sof1) && bits_ == 8 &&
                         scan_components_ == count_;
        frame.orientation = orientation_.value_or(1);
        frame.subsampling_common = subsampling_is_common();
        frame.ycc_or_grey = count_ == 1 || (count_ == 3 && is_ycc());
        return frame;
    }

  private:
    void take(std::uint8_t marker, Bytes payload) {
        if (codec::is_jpeg_frame_header(marker)) {
            take_frame_header(marker, payload);
        } else if (marker == codec::jpeg_dri && payload.size() >= 2) {
            with_restarts_ = (payload[0] | payload[1]) != 0;
        } else if (marker == codec::jpeg_app0 && codec::has_magic(payload, 0, "JFIF\0", 5)) {
            jfif_ = true;
        } else if (marker == codec::jpeg_app14 && payload.size() >= 12 &&
                   codec::has_magic(payload, 0, "Adobe", 5)) {
            adobe_ = true;
            adobe_transform_ = payload[11];
        } else if (marker == codec::jpeg_app1 && !orientation_ &&
                   codec::has_magic(payload, 0, "Exif\0\0", 6)) {
            orientation_ = codec::exif_orientation(payload);
        }
    }

    void take_frame_header(std::uint8_t marker, Bytes payload) {
        if (payload.size() < 6 || payload.size() < 6 + std::size_t{3} * payload[5]) return;
        has_frame_ = true;
        kind_ = marker;
        bits_ = payload[0];
        size_ = {payload[3] << 8 | payload[4], payload[1] << 8 | payload[2]};
        count_ = payload[5];
        for (std::size_t i = 0; i < std::min(count_, components_.size()); ++i)
            components_[i] = {payload[6 + 3 * i], payload[7 + 3 * i]};
    }

    bool subsampling_is_common() const {
        if (count_ == 1) return true;
        constexpr std::array<std::uint8_t, 4> of_luma = {0x11, 0x21, 0x22, 0x12};
        return count_ == 3 && components_[1].sampling == 0x11 && components_[2].sampling == 0x11 &&
               std::find(of_luma.begin(), of_luma.end(), components_[0].sampling) != of_luma.end();
    }

    bool is_ycc() const {
        if (jfif_) return true;
        if (adobe_) return adobe_transform_ != 0;
        return !(components_[0].name == 'R' && components_[1].name == 'G' && components_[2].name == 'B');
    }

    bool has_frame_ = false;
    std::uint8_t kind_ = 0;
    int bits_ = 0;
    Size size_;
    std::size_t count_ = 0;
    std::array<Component, 3> components_;
    bool jfif_ = false;
    bool adobe_ = false;
    int adobe_transform_ = 0;
    std::optional<int> orientation_;
    bool with_restarts_ = false;
    bool has_scan_ = false;
    std::size_t scan_components_ = 0;
    std::size_t scan_at_ = 0;
};

/// The bytes behind the end-of-image marker that ends the entropy-coded data at `at`. Nothing if they end in
/// another way: with the file, with a marker that cannot stand among them, with restart markers out of order.
/// Decoders go on after such damage and invent the rest.
std::optional<Bytes> behind_scan(Bytes jpeg, std::size_t at, bool with_restarts) {
    int restart = 0;
    while (at < jpeg.size()) {
        const void* found = std::memchr(jpeg.data() + at, 0xff, jpeg.size() - at);
        if (found == nullptr) break;
        at = static_cast<std::size_t>(static_cast<const std::uint8_t*>(found) - jpeg.data());
        while (at < jpeg.size() && jpeg[at] == 0xff) ++at;
        if (at == jpeg.size()) break;
        const std::uint8_t marker = jpeg[at++];
        if (marker == 0) continue;  // a stuffed byte of data
        if (marker == codec::jpeg_eoi) return jpeg.subspan(at);
        if (!with_restarts || marker != codec::jpeg_rst0 + restart) break;
        restart = (restart + 1) % 8;
    }
    return std::nullopt;
}

/// Whether the bytes behind an image may stand there, or look like more of its data behind an end-of-image
/// marker that does not belong there.
bool is_trailer(Bytes bytes) {
    // Cameras fill up to a block with zeros, and some programs append a few words of their own.
    constexpr std::size_t few = 1024;
    const auto is_data = [](std::uint8_t byte) { return byte != 0; };
    const auto begin = std::find_if(bytes.begin(), bytes.end(), is_data);
    const auto end = std::find_if(bytes.rbegin(), std::make_reverse_iterator(begin), is_data).base();
    const Bytes data(begin, end);
    if (data.size() <= few) return true;
    // More pictures (MPO), a film (motion photographs), whose first four bytes are a length.
    constexpr std::string_view film = "ftyp";
    const auto first_bytes = data.first(8);
    return codec::has_magic(data, 0, "\xff\xd8\xff", 3) ||
           std::search(first_bytes.begin(), first_bytes.end(), film.begin(), film.end()) != first_bytes.end();
}

}  // namespace

std::optional<JpegFrame> read_jpeg_frame(Bytes jpeg) {
    Markers markers;
    if (!codec::has_magic(jpeg, 0, "\xff\xd8\xff", 3) || !markers.read(jpeg)) return std::nullopt;
    JpegFrame frame = markers.frame();
    if (!frame.baseline) return frame;
    const std::optional<Bytes> behind = behind_scan(jpeg, markers.scan_at(), markers.with_restarts());
    frame.complete = behind && is_trailer(*behind);
    return frame;
}

}  // namespace fovea
