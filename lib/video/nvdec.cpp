#include "lib/video/nvdec.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <iterator>
#include <optional>

#include "kernels/core/gpu_device.hpp"
#include "lib/video/nvdec_api.hpp"
#include "lib/video/nvdec_decoder.hpp"
#include "lib/video/nvdec_input.hpp"

namespace fovea {
namespace {

using TakeFrame = std::function<void(const NvdecFrame&)>;

// Frames that the parser may hold back, so that the chip has pictures to decode while a frame is waited for.
constexpr unsigned display_delay = 4;

// True if a picture of H.264 counts on one that was lost.
bool lacks_reference(const CUVIDH264PICPARAMS& picture) {
    return std::any_of(std::begin(picture.dpb), std::end(picture.dpb), [](const CUVIDH264DPBENTRY& entry) {
        return entry.not_existing != 0 && entry.used_for_reference != 0;
    });
}

bool lacks_reference(const CUVIDHEVCPICPARAMS& picture) {
    const auto lacks = [&](const unsigned char* set, int count) {
        return std::any_of(set, set + std::clamp(count, 0, 8), [&](unsigned char place) {
            return place >= std::size(picture.RefPicIdx) || picture.RefPicIdx[place] < 0;
        });
    };
    return lacks(picture.RefPicSetStCurrBefore, picture.NumPocStCurrBefore) ||
           lacks(picture.RefPicSetStCurrAfter, picture.NumPocStCurrAfter) ||
           lacks(picture.RefPicSetLtCurr, picture.NumPocLtCurr);
}

// Empty if the chip decodes the picture as the CPU does.
std::string why_not_the_picture(cudaVideoCodec codec, const CUVIDPICPARAMS& picture) {
    const auto& of_codec = picture.CodecSpecific;
    if (codec == cudaVideoCodec_H264) {
        if (of_codec.h264.num_slice_groups_minus1 != 0) return "its pictures have groups of slices";
        if (lacks_reference(of_codec.h264)) return "a picture that others refer to is missing";
    } else if (codec == cudaVideoCodec_HEVC) {
        if (lacks_reference(of_codec.hevc)) return "a picture that others refer to is missing";
    } else if (codec == cudaVideoCodec_AV1) {
        // The grain is made anew by every decoder.
        if (of_codec.av1.apply_grain != 0) return "its frames have film grain";
    }
    return {};
}

/// The pictures given to the decoder, in its order, until it is known that they are right. A frame is right
/// only if all pictures decoded before it are, as it may refer to them, though they may be displayed later.
class PictureList {
  public:
    void add(int picture) { pictures_.push_back(picture); }
    bool has(int picture) const {
        return std::find(pictures_.begin(), pictures_.end(), picture) != pictures_.end();
    }
    /// Waits for the pictures up to this one: empty, or what is wrong with one. \throws DeviceError
    std::string finish(const nvdec::Decoder& decoder, int picture) {
        while (has(picture)) {
            const int first = pictures_.front();
            pictures_.pop_front();
            if (std::string wrong = decoder.state_of(first); !wrong.empty()) return wrong;
        }
        return {};
    }

  private:
    std::deque<int> pictures_;
};

/// The decoding of one part: NVDEC's parser cuts packets into pictures and tells when they are displayed.
class PartDecoding {
  public:
    PartDecoding(const Device& device, nvdec::Decoder& decoder, cudaVideoCodec codec, const VideoPart& part,
                 const TakeFrame& take)
        : device_(device), decoder_(decoder), part_(part), take_(take), stamps_(part), input_(part) {
        CUVIDPARSERPARAMS how{};
        how.CodecType = codec;
        how.ulMaxNumDecodeSurfaces = 1;  // until the sequence is known
        how.ulMaxDisplayDelay = display_delay;
        how.pUserData = this;
        how.pfnSequenceCallback = [](void* self, CUVIDEOFORMAT* format) {
            return guarded(self, [&](PartDecoding& us) { return us.begin_sequence(*format); });
        };
        how.pfnDecodePicture = [](void* self, CUVIDPICPARAMS* picture) {
            return guarded(self, [&](PartDecoding& us) { return us.decode(*picture); });
        };
        how.pfnDisplayPicture = [](void* self, CUVIDPARSERDISPINFO* info) {
            return guarded(self, [&](PartDecoding& us) { return info == nullptr ? 1 : us.display(*info); });
        };
        nvdec::check(nvdec::api().create_parser(&parser_, &how), device.index(), "making a video parser");
    }
    ~PartDecoding() { nvdec::api().destroy_parser(parser_); }
    PartDecoding(const PartDecoding&) = delete;
    PartDecoding& operator=(const PartDecoding&) = delete;

    /// Empty, or why it stopped.
    std::string run() {
        for (std::size_t i = 0; i < part_.packets.size() && goes_on(); ++i) {
            if (!stamps_.is_sent(i)) continue;
            const AVPacket* const bytes = input_.bytes_of(*part_.packets[i]);
            if (bytes == nullptr) {
                stop(input_.why());
                break;
            }
            CUVIDSOURCEDATAPACKET data{};
            data.flags = CUVID_PKT_TIMESTAMP;
            data.payload = bytes->data;
            data.payload_size = static_cast<unsigned long>(bytes->size);
            data.timestamp = stamps_.number_of(i);
            parse(data);
        }
        if (goes_on()) {
            CUVIDSOURCEDATAPACKET end{};
            end.flags = CUVID_PKT_ENDOFSTREAM;
            parse(end);
        }
        if (failure_) std::rethrow_exception(failure_);
        if (stopped_.empty() && stamps_.missing() > 0)
            stop("the decoder gives no frame for " + std::to_string(stamps_.missing()) + " of its packets");
        return stopped_;
    }

  private:
    // Exceptions must not pass through the parser, which is C.
    template <class Work>
    static int guarded(void* self, const Work& work) noexcept {
        auto& us = *static_cast<PartDecoding*>(self);
        if (!us.goes_on()) return 0;
        try {
            return work(us);
        } catch (...) {
            us.failure_ = std::current_exception();
            return 0;
        }
    }

    bool goes_on() const { return !failure_ && stopped_.empty(); }

    // For the parser: failed.
    int stop(const std::string& why) {
        stopped_ = why;
        return 0;
    }

    void parse(CUVIDSOURCEDATAPACKET& data) {
        const CUresult status = nvdec::api().parse(parser_, &data);
        if (status != CUDA_SUCCESS && goes_on())
            stop("the parser refuses a packet (" + nvdec::error_name(status) + ")");
    }

    int begin_sequence(const CUVIDEOFORMAT& format) {
        const nvdec::FrameKind kind(format);
        const unsigned min_surfaces = std::max<unsigned>(1, format.min_num_decode_surfaces);
        if (kind_) {
            const bool is_same = kind == *kind_ && min_surfaces <= decoder_.surfaces();
            return is_same ? 1 : stop("its frames change in size or kind");
        }
        if (std::string why = why_not_the_kind(kind); !why.empty()) return stop(why);
        decoder_.prepare(kind, min_surfaces);
        kind_ = kind;
        is_full_range_ = kind.is_full_range || is_full_by_parameters();
        return static_cast<int>(decoder_.surfaces());
    }

    // The frames must be those that the container's parameters promise, as the CPU's are.
    std::string why_not_the_kind(const nvdec::FrameKind& kind) const {
        const AVCodecParameters& parameters = *part_.parameters;
        const char* const format = av_get_pix_fmt_name(static_cast<AVPixelFormat>(parameters.format));
        const Rect& shown = kind.shown;
        if (kind.chroma != cudaVideoChromaFormat_420 || kind.bits != kind.chroma_bits ||
            kind.bits != nvdec::bits_of(format == nullptr ? "" : format)) {
            return "its frames have another chroma or number of bits than its file says";
        }
        if (shown.width != parameters.width || shown.height != parameters.height)
            return "its frames have another size than its file says";
        if (shown.x < 0 || shown.y < 0 || shown.x + shown.width > kind.coded.width ||
            shown.y + shown.height > kind.coded.height) {
            return "its frames reach beyond what is coded";
        }
        if (!nvdec::is_within(nvdec::capabilities(device_.index(), kind.codec, kind.bits),
                              static_cast<unsigned>(kind.coded.width),
                              static_cast<unsigned>(kind.coded.height)))
            return "its coded pictures have a size that the GPU's decoders do not take";
        if (kind.is_full_range && parameters.color_range == AVCOL_RANGE_MPEG)
            return "its range of luma is another than its file says";
        return {};
    }

    // FFmpeg knows a word about it in the stream; without one it has the container's.
    bool is_full_by_parameters() const {
        return part_.parameters->format == AV_PIX_FMT_YUVJ420P ||
               part_.parameters->color_range == AVCOL_RANGE_JPEG;
    }

    int decode(CUVIDPICPARAMS& picture) {
        if (!kind_) return stop("a picture comes before its parameter sets");
        if (std::string why = why_not_the_picture(kind_->codec, picture); !why.empty()) return stop(why);
        const int number = picture.CurrPicIdx;
        if (number < 0 || static_cast<unsigned>(number) >= decoder_.surfaces())
            return stop("the parser numbers a picture wrongly");
        // The second field of a frame goes to the place of the first; else an old picture was there.
        if (picture.second_field == 0) {
            if (std::string wrong = unfinished_.finish(decoder_, number); !wrong.empty()) return stop(wrong);
        }
        if (std::string why = decoder_.decode(picture); !why.empty()) return stop(why);
        if (!unfinished_.has(number)) unfinished_.add(number);
        return 1;
    }

    int display(const CUVIDPARSERDISPINFO& info) {
        switch (stamps_.pass(info.timestamp)) {
            case nvdec::Stamps::Place::left_out:
                return 1;
            case nvdec::Stamps::Place::out_of_order:
                return stop("frames are missing, or come in another order");
            case nvdec::Stamps::Place::unknown:
                return stop("a frame has a time stamp of no packet");
            case nvdec::Stamps::Place::expected:
                break;
        }
        if (!kind_) return stop("a frame comes before its parameter sets");
        if (info.repeat_first_field < 0) return stop("a frame has one field only");
        NvdecFrame frame;
        frame.time_stamp = stamps_.stamp_of(info.timestamp);
        frame.luma = decoder_.map(info, *kind_);
        frame.luma.is_full_range = is_full_range_;
        if (std::string wrong = unfinished_.finish(decoder_, info.picture_index); !wrong.empty())
            return stop(wrong);
        take_(frame);
        decoder_.keep_for_queued_work();
        return 1;
    }

    const Device& device_;
    nvdec::Decoder& decoder_;
    const VideoPart& part_;
    const TakeFrame& take_;
    nvdec::Stamps stamps_;
    nvdec::Input input_;
    CUvideoparser parser_ = nullptr;
    std::optional<nvdec::FrameKind> kind_;
    bool is_full_range_ = false;
    PictureList unfinished_;
    std::string stopped_;
    std::exception_ptr failure_;
};

}  // namespace

class NvdecSession::Implementation {
  public:
    explicit Implementation(const Device& device) : device_(device), decoder_(device) {
        if (!nvdec_library().loaded) throw DeviceError(nvdec_library().why_none);
        if (!device.is_cuda()) throw DeviceError("NVDEC decodes on a GPU only");
        cuda_backend::select(device.index());
    }

    void prepare(const VideoSource& video) {
        cuda_backend::select(device_.index());
        const std::optional<cudaVideoCodec> codec = nvdec::codec_of(video.facts.codec);
        const int bits = nvdec::bits_of(video.facts.pixel_format);
        if (!codec || bits == 0) return;
        // Whole macroblocks of H.264; other codecs need no more.
        const auto blocks = [](int side) { return static_cast<unsigned>(side + 15) / 16 * 16; };
        CUVIDEOFORMAT format{};
        format.codec = *codec;
        format.chroma_format = cudaVideoChromaFormat_420;
        format.bit_depth_luma_minus8 = format.bit_depth_chroma_minus8 = static_cast<unsigned char>(bits - 8);
        format.coded_width = blocks(video.facts.width);
        format.coded_height = blocks(video.facts.height);
        decoder_.prepare(nvdec::FrameKind(format), 1);
    }

    NvdecResult decode(const VideoPart& part, const TakeFrame& take) {
        cuda_backend::select(device_.index());
        const char* const codec = avcodec_get_name(part.parameters->codec_id);
        if (!nvdec::codec_of(codec)) return {std::string("GPUs have no decoder for ") + codec};
        PartDecoding decoding(device_, decoder_, *nvdec::codec_of(codec), part, take);
        NvdecResult result;
        try {
            result.stopped = decoding.run();
        } catch (...) {
            unmap_after_failure();
            throw;
        }
        decoder_.unmap_all();
        return result;
    }

  private:
    void unmap_after_failure() noexcept {
        try {
            decoder_.unmap_all();
        } catch (...) {
            // The failure that is on its way says enough.
        }
    }

    const Device& device_;
    nvdec::Decoder decoder_;
};

NvdecSession::NvdecSession(const Device& device)
    : implementation_(std::make_unique<Implementation>(device)) {}
NvdecSession::~NvdecSession() = default;

void NvdecSession::prepare(const VideoSource& video) {
    implementation_->prepare(video);
}

NvdecResult NvdecSession::decode(const VideoPart& part, const std::function<void(const NvdecFrame&)>& take) {
    return implementation_->decode(part, take);
}

}  // namespace fovea
