#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lib/video/ffmpeg.hpp"
#include "lib/video/part_reader.hpp"

namespace fovea::nvdec {

/// The packets of a part as NVDEC's parser takes them: H.264 and HEVC with start codes, parameter sets in
/// front.
class Input {
  public:
    /// \param part  must outlive the object. \throws std::bad_alloc
    explicit Input(const VideoPart& part);

    /// The bytes for a packet of the part, valid until the next call. The packets must be given in their
    /// order, but some may be left out. Null if the packet cannot be taken: why() tells. \throws
    /// std::bad_alloc
    const AVPacket* bytes_of(const AVPacket& packet);
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

/// Time stamps of a part as they go through NVDEC's parser and come back. It is given numbers that rise
/// evenly, from 0: those of any container pass, and what comes back must be one of them.
class Stamps {
  public:
    explicit Stamps(const VideoPart& part);

    /// False for packets that only matter to frames of the part before: pictures displayed before the key
    /// frame that the part begins with. Their references are not there.
    bool is_sent(std::size_t packet) const { return packets_[packet].is_sent; }
    std::int64_t number_of(std::size_t packet) const { return packets_[packet].number; }

    enum class Place { expected, left_out, out_of_order, unknown };
    /// For the number of a frame that is displayed: whether it is the next frame of the part (which is then
    /// behind us), one that no one wants, or one in the wrong place.
    Place pass(std::int64_t number);
    /// The time stamp of a frame that was expected.
    std::int64_t stamp_of(std::int64_t number) const;
    /// Frames of the part that were not displayed so far.
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
