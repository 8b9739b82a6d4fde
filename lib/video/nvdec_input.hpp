#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/video/ffmpeg.hpp"
#include "lib/video/part_reader.hpp"

namespace fovea::nvdec {

/// The packets of a part in the form that NVDEC's parser takes: H.264 and HEVC with start codes and parameter
/// sets in front.
class Input {
  public:
    /// \param part  must outlive the object. \throws std::bad_alloc
    explicit Input(const VideoPart& part);

    /// The bytes for a packet of the part, valid until the next call. Packets must be given in their order,
    /// but some may be left out. \return null if the packet cannot be converted. \throws std::bad_alloc
    const AVPacket* bytes_of(const AVPacket& packet);
    /// The reason for bytes_of()'s null.
    const std::string& why() const { return why_; }

  private:
    struct FilterDeleter {
        void operator()(AVBSFContext* filter) const { av_bsf_free(&filter); }
    };

    void open_filter(const char* name);
    const AVPacket* filtered(const AVPacket& packet);
    const AVPacket* with_header(const AVPacket& packet);
    bool has_other_parameters(const AVPacket& packet) const;

    const AVCodecParameters& parameters_;
    std::unique_ptr<AVBSFContext, FilterDeleter> filter_;  // none: the bytes stay
    PacketPointer made_;
    bool is_first_ = true;
    std::string why_;
};

/// The time stamps of a part on their way through NVDEC's parser. The parser gets numbers that rise evenly
/// from 0 instead, so any container's time stamps pass, and each number that comes back can be checked.
class Stamps {
  public:
    explicit Stamps(const VideoPart& part);

    /// False for packets of pictures that are displayed before the part's first key frame: they belong to the
    /// part before, and their references are not here.
    bool is_sent(std::size_t packet) const { return packets_[packet].is_sent; }
    std::int64_t number_of(std::size_t packet) const { return packets_[packet].number; }

    enum class Place { expected, left_out, out_of_order, unknown };
    /// Takes the number of a displayed frame, and says whether it is the next frame of the part, one that is
    /// not wanted, one in the wrong place, or unknown.
    Place pass(std::int64_t number);
    /// The time stamp of an expected frame.
    std::int64_t stamp_of(std::int64_t number) const;
    /// The number of the part's frames that were not displayed so far.
    std::size_t missing() const { return wanted_.size() - next_; }

  private:
    struct Packet {
        bool is_sent = true;
        bool is_wanted = false;
        std::int64_t number = 0;
    };
    struct Displayed {
        std::int64_t stamp = 0;
        std::size_t packet = 0;
    };

    std::vector<Packet> packets_;       // in the order of the file
    std::vector<Displayed> displayed_;  // in the order of display
    std::vector<std::int64_t> wanted_;  // numbers, in the order of display
    std::size_t next_ = 0;              // of wanted_
};

}  // namespace fovea::nvdec
