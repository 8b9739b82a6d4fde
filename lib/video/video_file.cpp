#include "lib/video/video_file.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cmath>
#include <cstdio>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "kernels/core/view.hpp"
#include "lib/files/disk.hpp"
#include "lib/files/open_file.hpp"
#include "lib/files/shortage.hpp"
#include "lib/video/ffmpeg.hpp"
#include "lib/video/video_error.hpp"

namespace fovea {
namespace {

// Containers that hold their video themselves. Playlists and lists of files are not among them.
constexpr const char* containers =
    "mov,mp4,matroska,webm,avi,mpegts,mpeg,mpegvideo,asf,flv,ogg,h264,hevc,ivf,mjpeg,m4v,rm,nut,mxf,dv,av1,"
    "obu,vc1,"
    "vc1test,h263,h261,wtv,gxf,yuv4mpegpipe";

constexpr int read_buffer_bytes = 1 << 18;
// An entry of an index, and what a container keeps beside it.
constexpr std::size_t bytes_of_entry = sizeof(AVIndexEntry) + 8;
// While headers are read: each says no more than one stream's index in so many bytes.
constexpr int header_step_bytes = 512;

// Frames that are held while the streams' kinds are found out, and the usual bits of a pixel.
constexpr std::size_t probed_frames = 21;
constexpr std::size_t probed_bits = 12;

// Those of the program's usual limit, for commands that have no other.
std::atomic<std::size_t> max_frame_bytes = std::size_t{1220} << 20;
std::atomic<std::size_t> max_index_bytes = std::size_t{488} << 20;
constexpr int max_streams = 64;

struct InputDeleter {
    void operator()(AVFormatContext* context) const { avformat_close_input(&context); }
};

struct IoDeleter {
    void operator()(AVIOContext* io) const {
        av_freep(&io->buffer);
        avio_context_free(&io);
    }
};

struct DictionaryOwner {
    ~DictionaryOwner() { av_dict_free(&dictionary); }
    AVDictionary* dictionary = nullptr;
};

/// A container may name further files and addresses: none is opened.
int refuse_to_open(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
    return AVERROR(EPERM);
}

// x' = a x + c y, y' = b x + d y, as the display matrix has it: 16.16 fixed point.
int orientation_of(const std::int32_t* matrix) {
    const auto magnitude = [&](int i) { return std::abs(static_cast<double>(matrix[i])); };
    const bool transposed = magnitude(1) + magnitude(3) > magnitude(0) + magnitude(4);
    if (!transposed) {
        const bool mirrors_x = matrix[0] < 0, mirrors_y = matrix[4] < 0;
        return mirrors_x ? (mirrors_y ? 3 : 2) : (mirrors_y ? 4 : 1);
    }
    const bool right = matrix[3] < 0, up = matrix[1] < 0;
    return right ? (up ? 7 : 6) : (up ? 8 : 5);
}

// Longer ones are mistakes.
PixelShape shape_of_pixels(AVRational ratio) {
    constexpr std::int64_t longest = 10;
    const bool is_shape = ratio.num > 0 && ratio.den > 0 && ratio.num <= longest * ratio.den &&
                          ratio.den <= longest * ratio.num;
    return is_shape ? PixelShape{ratio.num, ratio.den} : PixelShape{};
}

std::string system_reason(int error) {
    return error == ENOENT ? "no such file" : std::generic_category().message(error);
}

/// The bytes of a file, for FFmpeg.
struct FileBytes {
    VideoBytes::Range range;
    std::uint64_t at = 0;  ///< behind the range's first byte
    int error = 0;         ///< errno of the first reading that failed
    /// The reader whose index grows while it is read.
    const AVFormatContext* reader = nullptr;
    std::size_t max_index = 0;  ///< bytes; 0 = no limit
    bool has_header = false;    ///< it was read
    bool is_index_too_large = false;

    bool has_room_for_index() {
        if (max_index == 0 || reader == nullptr) return !is_index_too_large;
        std::size_t entries = 0;
        for (unsigned i = 0; i < reader->nb_streams; ++i)
            entries += static_cast<std::size_t>(avformat_index_get_entries_count(reader->streams[i]));
        is_index_too_large = is_index_too_large || entries * bytes_of_entry > max_index;
        return !is_index_too_large;
    }

    /// See read_at().
    std::ptrdiff_t read_from(std::uint64_t place, void* to, std::size_t length) const {
        if (place >= range.size) return 0;
        const std::size_t count = std::min<std::uint64_t>(length, range.size - place);
        return read_at(range.file->get(), static_cast<char*>(to), count, range.first + place);
    }

    static int read(void* opaque, std::uint8_t* to, int length) {
        auto& self = *static_cast<FileBytes*>(opaque);
        if (!self.has_room_for_index()) return AVERROR(ENOMEM);
        if (!self.has_header && self.max_index > 0) length = std::min(length, header_step_bytes);
        const std::ptrdiff_t count = self.read_from(self.at, to, static_cast<std::size_t>(length));
        if (count < 0) {
            if (self.error == 0) self.error = errno;
            return AVERROR(EIO);
        }
        if (count == 0) return AVERROR_EOF;
        self.at += static_cast<std::uint64_t>(count);
        return static_cast<int>(count);
    }

    static std::int64_t seek(void* opaque, std::int64_t offset, int whence) {
        auto& self = *static_cast<FileBytes*>(opaque);
        const auto size = static_cast<std::int64_t>(self.range.size);
        if ((whence & AVSEEK_SIZE) != 0) return size;
        const int from = whence & ~AVSEEK_FORCE;
        const std::int64_t base = from == SEEK_CUR   ? static_cast<std::int64_t>(self.at)
                                  : from == SEEK_END ? size
                                                     : 0;
        if (offset < -base) return AVERROR(EINVAL);
        self.at = static_cast<std::uint64_t>(base + offset);
        return base + offset;
    }
};

}  // namespace

void limit_video_memory(const VideoMemory& memory) {
    max_frame_bytes = memory.frames;
    max_index_bytes = memory.index;
}

VideoMemory video_memory() {
    return {max_frame_bytes, max_index_bytes};
}

class VideoFile::Implementation {
  public:
    Implementation(const std::filesystem::path& file, std::optional<int> stream, const VideoLimits& limits,
                   const VideoBytes* bytes)
        : name_(file.string()) {
        ffmpeg::silence();
        const std::size_t max_index = max_index_bytes;
        av_max_alloc(max_index == 0 ? INT_MAX : max_index);
        open_io(bytes != nullptr ? bytes->open() : bytes_of(file));
        open_container();
        meet_streams(limits);
        find_streams(limits);
        choose(stream);
        check(limits);
    }

    PacketPointer read() {
        for (;;) {
            PacketPointer packet = make_packet();
            const int status = av_read_frame(input_.get(), packet.get());
            if (status < 0) {
                note_end(status);
                return nullptr;
            }
            if (std::find(read_.begin(), read_.end(), packet->stream_index) != read_.end()) return packet;
        }
    }

    std::vector<int> turn_to_sound() {
        const AVProgram* const program = av_find_program_from_stream(input_.get(), nullptr, stream_);
        const auto belongs = [&](unsigned i) {
            if (program == nullptr) return true;
            const unsigned* const first = program->stream_index;
            return std::find(first, first + program->nb_stream_indexes, i) !=
                   first + program->nb_stream_indexes;
        };
        read_.clear();
        for (unsigned i = 0; i < input_->nb_streams; ++i) {
            AVStream& stream = *input_->streams[i];
            const bool is_sound = stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO && belongs(i);
            stream.discard = is_sound ? AVDISCARD_DEFAULT : AVDISCARD_ALL;
            if (is_sound) read_.push_back(static_cast<int>(i));
        }
        return read_;
    }

    const AVStream& stream() const { return stream_at(stream_); }
    const AVStream& stream_at(int number) const { return *input_->streams[number]; }
    int number() const { return stream_; }
    bool has_loose_clock() const { return (input_->iformat->flags & AVFMT_TS_DISCONT) != 0; }
    const std::string& damage() const { return damage_; }

    VideoFacts facts() const {
        const AVStream& stream = this->stream();
        const AVCodecParameters& parameters = *stream.codecpar;
        VideoFacts facts;
        facts.container = input_->iformat->name;
        facts.codec = avcodec_get_name(parameters.codec_id);
        if (const char* profile = avcodec_profile_name(parameters.codec_id, parameters.profile))
            facts.profile = profile;
        const auto format = static_cast<AVPixelFormat>(parameters.format);
        if (const AVPixFmtDescriptor* descriptor = av_pix_fmt_desc_get(format)) {
            facts.pixel_format = descriptor->name;
            facts.bits = descriptor->comp[0].depth;
        }
        facts.width = parameters.width;
        facts.height = parameters.height;
        facts.pixel =
            shape_of_pixels(av_guess_sample_aspect_ratio(input_.get(), input_->streams[stream_], nullptr));
        std::size_t size = 0;
        const std::uint8_t* matrix = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size);
        if (matrix != nullptr && size >= 9 * sizeof(std::int32_t)) {
            facts.orientation = orientation_of(reinterpret_cast<const std::int32_t*>(matrix));
        }
        facts.streams = static_cast<int>(videos_.size());
        const AVRational rate = stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : stream.r_frame_rate;
        if (rate.num > 0 && rate.den > 0) facts.frames_per_second = av_q2d(rate);
        facts.header_frames = std::max<std::int64_t>(0, stream.nb_frames);
        return facts;
    }

  private:
    VideoBytes::Range bytes_of(const std::filesystem::path& file) const {
        std::optional<OpenFile> opened = open_to_read(file);
        if (!opened) {
            throw_if_short("'" + name_ + "' cannot be opened", errno);
            throw VideoError(system_reason(errno));
        }
        if (!opened->is_regular()) throw VideoError("is not a regular file");
        const std::uint64_t size = opened->size();
        return {std::make_shared<const FileDescriptor>(std::move(opened->descriptor)), 0, size};
    }

    void open_io(VideoBytes::Range range) {
        bytes_ = std::make_unique<FileBytes>();
        bytes_->range = std::move(range);
        bytes_->max_index = max_index_bytes;
        auto* const buffer = static_cast<unsigned char*>(av_malloc(read_buffer_bytes));
        if (buffer == nullptr) throw std::bad_alloc();
        io_.reset(avio_alloc_context(buffer, read_buffer_bytes, 0, bytes_.get(), FileBytes::read, nullptr,
                                     FileBytes::seek));
        if (!io_) {
            av_free(buffer);
            throw std::bad_alloc();
        }
    }

    /// True if it begins as a JPEG picture behind whose end another one begins.
    bool is_row_of_jpegs() const {
        constexpr std::string_view begin = "\xFF\xD8\xFF", next = "\xFF\xD9\xFF\xD8\xFF";
        constexpr std::size_t looked_at = std::size_t{4} << 20;
        std::string head;
        for (const std::size_t bytes : {begin.size(), looked_at}) {
            head.resize(bytes);
            const std::ptrdiff_t count = bytes_->read_from(0, head.data(), bytes);
            head.resize(static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, count)));
            if (!head.starts_with(begin)) return false;
        }
        return head.find(next) != std::string::npos;
    }

    void open_container() {
        AVFormatContext* context = avformat_alloc_context();
        if (context == nullptr) throw std::bad_alloc();
        bytes_->reader = context;
        context->pb = io_.get();
        context->io_open = refuse_to_open;
        context->max_streams = max_streams;
        DictionaryOwner options;
        av_dict_set(&options.dictionary, "format_whitelist", containers, 0);
        av_dict_set(&options.dictionary, "protocol_whitelist", "", 0);
        // The file's name is not given: FFmpeg recognises a container by its content, but for pictures of
        // JPEG in a row.
        const AVInputFormat* const format = is_row_of_jpegs() ? av_find_input_format("mjpeg") : nullptr;
        const int status = avformat_open_input(&context, "", format, &options.dictionary);
        bytes_->reader = status < 0 ? nullptr : context;
        bytes_->has_header = true;
        if (status >= 0) input_.reset(context);
        if (!bytes_->has_room_for_index()) throw_large_index();
        if (status < 0) fail(status, "is no video that can be read");  // the context is gone
    }

    [[noreturn]] static void throw_large_index() {
        throw VideoError("its index needs more than the memory limit allows; raise --memory-limit");
    }

    /// Some containers tell their streams in packets alone. The limits are set for streams that are known.
    void meet_streams(const VideoLimits& limits) {
        if (limits.max_bytes == 0 || input_->nb_streams > 0) return;
        const PacketPointer packet = make_packet();
        for (std::int64_t bytes = 0; bytes < input_->probesize; bytes += packet->size) {
            av_packet_unref(packet.get());
            if (av_read_frame(input_.get(), packet.get()) < 0) break;
        }
        const int status = av_seek_frame(input_.get(), -1, 0, AVSEEK_FLAG_BYTE);
        if (status < 0) fail(status, "its streams cannot be read");
    }

    std::int64_t max_probed_pixels(const VideoLimits& limits) const {
        const std::int64_t pixels = std::max<std::int64_t>(1, limits.max_pixels);
        if (limits.max_bytes == 0) return pixels;
        std::size_t videos = 0;
        for (unsigned i = 0; i < input_->nb_streams; ++i)
            videos += input_->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
        const std::size_t bits = probed_frames * probed_bits * std::max<std::size_t>(1, videos);
        return std::clamp<std::int64_t>(static_cast<std::int64_t>(limits.max_bytes * 8 / bits), 1, pixels);
    }

    void find_streams(const VideoLimits& limits) {
        std::vector<AVDictionary*> options(input_->nb_streams, nullptr);
        const std::int64_t max_pixels = max_probed_pixels(limits);
        for (AVDictionary*& option : options) {
            av_dict_set_int(&option, "max_pixels", max_pixels, 0);
            av_dict_set(&option, "threads", "1", 0);
        }
        const std::vector<Size> sizes = sizes_of_streams();
        ffmpeg::LargeFrameWatch watch;
        const int status =
            avformat_find_stream_info(input_.get(), options.empty() ? nullptr : options.data());
        for (AVDictionary*& option : options) av_dict_free(&option);
        if (!bytes_->has_room_for_index()) throw_large_index();
        if (status < 0) fail(status, "its streams cannot be read");
        for (unsigned i = 0; i < input_->nb_streams; ++i) {
            AVStream& stream = *input_->streams[i];
            restore_size(stream, sizes, watch.frame);
            const bool is_picture =
                (stream.disposition & (AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS)) != 0;
            if (stream.codecpar->codec_type == AVMEDIA_TYPE_VIDEO && !is_picture)
                videos_.push_back(static_cast<int>(i));
        }
        if (videos_.empty()) throw VideoError("it has no stream of video");
    }

    void choose(std::optional<int> wanted) {
        const int best =
            av_find_best_stream(input_.get(), AVMEDIA_TYPE_VIDEO, wanted.value_or(-1), -1, nullptr, 0);
        stream_ = wanted.value_or(
            std::find(videos_.begin(), videos_.end(), best) != videos_.end() ? best : videos_.front());
        if (std::find(videos_.begin(), videos_.end(), stream_) == videos_.end()) {
            std::string there;
            for (const int video : videos_) there += (there.empty() ? "" : ", ") + std::to_string(video);
            throw VideoError("its stream " + std::to_string(stream_) +
                             " is no video; those that are: " + there);
        }
        read_ = {stream_};
        for (unsigned i = 0; i < input_->nb_streams; ++i) {
            if (static_cast<int>(i) != stream_) input_->streams[i]->discard = AVDISCARD_ALL;
        }
    }

    /// The sizes that the container says, of each stream.
    std::vector<Size> sizes_of_streams() const {
        std::vector<Size> sizes;
        for (unsigned i = 0; i < input_->nb_streams; ++i) {
            const AVCodecParameters& parameters = *input_->streams[i]->codecpar;
            sizes.push_back({parameters.width, parameters.height});
        }
        return sizes;
    }

    /// FFmpeg forgets the size of frames that the limits forbid.
    static void restore_size(AVStream& stream, const std::vector<Size>& sizes,
                             const std::optional<ffmpeg::LargeFrame>& refused) {
        AVCodecParameters& parameters = *stream.codecpar;
        if (parameters.codec_type != AVMEDIA_TYPE_VIDEO || (parameters.width > 0 && parameters.height > 0))
            return;
        const auto number = static_cast<std::size_t>(stream.index);
        Size size = number < sizes.size() ? sizes[number] : Size{};
        const AVCodecParserContext* const parser = av_stream_get_parser(&stream);
        if (size.width <= 0 && refused) size = {refused->width, refused->height};
        if (size.width <= 0 && parser != nullptr) {
            size = {std::max(parser->width, parser->coded_width),
                    std::max(parser->height, parser->coded_height)};
        }
        parameters.width = size.width;
        parameters.height = size.height;
    }

    void check(const VideoLimits& limits) const {
        const AVCodecParameters& parameters = *stream().codecpar;
        if (stream().time_base.num <= 0 || stream().time_base.den <= 0)
            throw VideoError("its clock has no rate");
        const Size shown = shown_size(facts());
        const std::int64_t pixels = std::max(std::int64_t{parameters.width} * parameters.height,
                                             std::int64_t{shown.width} * shown.height);
        if (parameters.width <= 0 || parameters.height <= 0)
            throw VideoError("the size of its frames is unknown");
        if (pixels > limits.max_pixels) {
            throw VideoError("its frames have " + std::to_string(shown.width) + "x" +
                             std::to_string(shown.height) +
                             " pixels, more than are allowed; see --max-megapixels");
        }
        if (avcodec_find_decoder(parameters.codec_id) == nullptr) {
            throw VideoError(std::string("no decoder for ") + avcodec_get_name(parameters.codec_id) +
                             " is there");
        }
        const auto frames = static_cast<std::size_t>(std::max<std::int64_t>(0, stream().nb_frames));
        const bool has_index = avformat_index_get_entries_count(&stream()) > 0;
        if (bytes_->max_index > 0 && !has_index && frames * sizeof(AVIndexEntry) > bytes_->max_index)
            throw_large_index();
    }

    void throw_if_the_disk_failed() const {
        if (bytes_->error != 0) throw_if_short("'" + name_ + "' cannot be read", bytes_->error);
    }

    [[noreturn]] void fail(int status, const std::string& what) const {
        ffmpeg::throw_if_memory_is_short(status);
        throw_if_the_disk_failed();
        if (bytes_->error != 0) throw VideoError("cannot read: " + system_reason(bytes_->error));
        // FFmpeg says EINVAL of a container that is not among those allowed, and ENOMEM where absurd sizes
        // are asked for.
        const bool is_plain = status == AVERROR_INVALIDDATA || status == AVERROR_EOF ||
                              status == AVERROR(EINVAL) || status == AVERROR(ENOMEM);
        throw VideoError(is_plain ? what : what + " (" + ffmpeg::error_text(status) + ")");
    }

    void note_end(int status) {
        ffmpeg::throw_if_memory_is_short(status);
        throw_if_the_disk_failed();
        if (bytes_->is_index_too_large) throw_large_index();
        if (bytes_->error != 0) {
            damage_ = "cannot be read to its end: " + system_reason(bytes_->error);
        } else if (status != AVERROR_EOF) {
            damage_ = "is damaged and cannot be read to its end (" + ffmpeg::error_text(status) + ")";
        }
    }

    std::string name_;
    std::unique_ptr<FileBytes> bytes_;
    std::unique_ptr<AVIOContext, IoDeleter> io_;
    std::unique_ptr<AVFormatContext, InputDeleter> input_;
    std::vector<int> videos_;
    int stream_ = 0;
    std::vector<int> read_;  // numbers of the streams whose packets are read
    std::string damage_;
};

VideoFile::VideoFile(const std::filesystem::path& file, std::optional<int> stream, const VideoLimits& limits,
                     const VideoBytes* bytes)
    : implementation_(std::make_unique<Implementation>(file, stream, limits, bytes)) {}
VideoFile::~VideoFile() = default;
VideoFile::VideoFile(VideoFile&&) noexcept = default;
VideoFile& VideoFile::operator=(VideoFile&&) noexcept = default;

int VideoFile::stream() const {
    return implementation_->number();
}

std::int64_t VideoFile::time_base_num() const {
    return implementation_->stream().time_base.num;
}

std::int64_t VideoFile::time_base_den() const {
    return implementation_->stream().time_base.den;
}

VideoFacts VideoFile::facts() const {
    return implementation_->facts();
}

bool VideoFile::has_loose_clock() const {
    return implementation_->has_loose_clock();
}

const AVCodecParameters& VideoFile::parameters() const {
    return *implementation_->stream().codecpar;
}

const AVStream& VideoFile::stream_at(int number) const {
    return implementation_->stream_at(number);
}

std::vector<int> VideoFile::turn_to_sound() {
    return implementation_->turn_to_sound();
}

PacketPointer VideoFile::read() {
    return implementation_->read();
}

const std::string& VideoFile::damage() const {
    return implementation_->damage();
}

}  // namespace fovea
