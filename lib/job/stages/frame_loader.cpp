#include "lib/job/stages/frame_loader.hpp"

#include <algorithm>
#include <utility>

#include "kernels/orient/orient_body.hpp"
#include "lib/video/video_decoder.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace {

/// Thrown through a decoder when the job ends.
struct Stopped {};

}  // namespace

/// One part on its way.
class FrameLoader::Work {
  public:
    Work(FrameLoader& loader, Batch& batch, const BatchStation::Pieces& pieces)
        : loader_(loader), batch_(batch), frames_(*batch.frames), pieces_(pieces) {}

    void run() {
        try {
            std::string stopped;
            {
                const BusyScope busy(loader_.decoding_);
                stopped = decode_on_gpu();
            }
            if (!stopped.empty() && next_ < frames_.wanted.size()) decode_on_cpu();
            while (next_ < frames_.wanted.size()) add_none();
            pass_on(true);
        } catch (const Stopped&) {
        }
    }

  private:
    DecoderOptions options(int threads) const {
        return decoder_options(loader_.options_.frames, frames_.part.video->facts, threads);
    }

    // The orientation by which its frames are turned.
    int orientation() const { return options(1).orientation; }

    std::string decode_on_gpu() {
        return loader_.session()
            .decode(frames_.part,
                    [&](const NvdecFrame& frame) {
                        if (!is_next(frame.time_stamp)) return;
                        LoadedImage& image = add({frame.luma.width, frame.luma.height});
                        image.by_nvdec = true;
                        loader_.frames_.add(*piece_.resident, frame.luma);
                        if (is_full()) pass_on(false);
                    })
            .stopped;
    }

    // True if this is the next wanted frame; those before it will not come.
    bool is_next(std::int64_t time_stamp) {
        while (next_ < frames_.wanted.size() && frames_.wanted[next_].time_stamp < time_stamp) add_none();
        return next_ < frames_.wanted.size() && frames_.wanted[next_].time_stamp == time_stamp;
    }

    // The same frames as on a machine without a GPU.
    void decode_on_cpu() {
        if (piece_.resident) pass_on(false);
        if (!decode_on_cpu(loader_.options_.frames.threads)) decode_on_cpu(1);
        upload();
    }

    // False if the part is damaged, so that one thread alone must go on.
    bool decode_on_cpu(int threads) {
        VideoDecoder decoder(*frames_.part.parameters, options(threads));
        const auto take_frames = [&] {
            while (decoder.receive() && !decoder.is_in_doubt()) {
                const std::optional<std::int64_t> stamp = decoder.time_stamp();
                if (stamp && frames_.part.stamps.contains(*stamp) && is_next(*stamp)) add_decoded(decoder);
            }
        };
        for (const PacketPointer& packet : frames_.part.packets) {
            decoder.send(packet.get());
            take_frames();
            if (decoder.is_in_doubt()) return false;
        }
        decoder.send(nullptr);
        take_frames();
        return !decoder.is_in_doubt();
    }

    void add_decoded(const VideoDecoder& decoder) {
        LoadedImage& image = piece_.images.emplace_back();
        image.index = frames_.wanted[next_++].index;
        try {
            GreyFrame frame = decoder.grey();
            image.size = {frame.width, frame.height};
            image.is_damaged = frame.is_damaged;
            image.image = {frame.width, frame.height, std::move(frame.pixels)};
        } catch (const VideoError& error) {
            image.unreadable = error.what();
        }
        if (piece_.images.size() >= max_images(image.image.pixels.size())) upload();
    }

    // From the host, with whatever has gathered there.
    void upload() {
        if (piece_.images.empty()) return;
        take_memory();
        loader_.images_.load(piece_.images, *piece_.resident);
        hand_over(false);
    }

    std::size_t max_images(std::size_t bytes_of_one) const {
        const std::size_t fit = loader_.options_.max_bytes / std::max<std::size_t>(1, bytes_of_one);
        return std::clamp<std::size_t>(fit, 1, loader_.options_.max_images);
    }

    void take_memory() {
        if (piece_.resident) return;
        piece_.resident = pieces_.memory();
        if (!piece_.resident) throw Stopped();
    }

    LoadedImage& add(Size stored) {
        if (!piece_.resident) begin(stored);
        LoadedImage& image = piece_.images.emplace_back();
        image.index = frames_.wanted[next_++].index;
        const Size displayed = displayed_size(orient_rule(orientation()), stored);
        image.size = {displayed.width, displayed.height};
        return image;
    }

    void begin(Size stored) {
        take_memory();
        capacity_ =
            max_images(static_cast<std::size_t>(stored.width) * static_cast<std::size_t>(stored.height));
        loader_.frames_.begin(*piece_.resident, capacity_, stored, orientation());
        for (std::size_t i = 0; i < piece_.images.size(); ++i) GpuFrameLoader::add_none(*piece_.resident);
        used_ = 0;
    }

    // A wanted frame that does not come; it may stand before the first that does.
    void add_none() {
        LoadedImage& image = piece_.images.emplace_back();
        image.unreadable = why_no_frame(frames_.wanted[next_].time_stamp);
        image.index = frames_.wanted[next_++].index;
        if (piece_.resident) GpuFrameLoader::add_none(*piece_.resident);
    }

    bool is_full() {
        ++used_;
        return used_ >= capacity_ || (used_ >= loader_.options_.min_images && pieces_.are_awaited());
    }

    void pass_on(bool is_last) {
        if (!piece_.resident) {
            if (!is_last) return;
            // Only frames that do not come, or none.
            take_memory();
            loader_.images_.load(piece_.images, *piece_.resident);
        } else {
            loader_.frames_.finish();
        }
        hand_over(is_last);
    }

    void hand_over(bool is_last) {
        piece_.number = batch_.number;
        piece_.piece = number_++;
        piece_.is_last_piece = is_last;
        if (!pieces_.pass_on(std::exchange(piece_, {}))) throw Stopped();
    }

    FrameLoader& loader_;
    Batch& batch_;
    FramePart& frames_;
    const BatchStation::Pieces& pieces_;
    Batch piece_;
    std::size_t number_ = 0;  // of the piece
    std::size_t next_ = 0;    // of the wanted frames
    std::size_t capacity_ = 0;
    std::size_t used_ = 0;
};

FrameLoader::FrameLoader(int gpu, const FrameLoaderOptions& options, BusySeconds& decoding)
    : options_(options),
      decoding_(decoding),
      device_(Device::cuda(gpu)),
      frames_(device_),
      images_(gpu, std::nullopt, DecodeOptions{}) {}

FrameLoader::~FrameLoader() = default;

NvdecSession& FrameLoader::session() {
    if (!session_) session_ = std::make_unique<NvdecSession>(device_);
    return *session_;
}

void FrameLoader::prepare(const VideoSource& video) {
    session().prepare(video);
}

void FrameLoader::load(Batch& batch, const BatchStation::Pieces& pieces) {
    Work(*this, batch, pieces).run();
}

}  // namespace fovea
