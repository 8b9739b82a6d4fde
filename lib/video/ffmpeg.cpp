#include "lib/video/ffmpeg.hpp"

#include <array>
#include <cstdarg>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>
#include <utility>

namespace fovea {

void PacketDeleter::operator()(AVPacket* packet) const {
    av_packet_free(&packet);
}

PacketPointer make_packet() {
    PacketPointer packet(av_packet_alloc());
    if (!packet) throw std::bad_alloc();
    return packet;
}

PacketPointer share_packet(const AVPacket& packet) {
    PacketPointer shared(av_packet_clone(&packet));
    if (!shared) throw std::bad_alloc();
    return shared;
}

namespace ffmpeg {

std::string error_text(int error) {
    std::array<char, AV_ERROR_MAX_STRING_SIZE> text{};
    if (av_strerror(error, text.data(), text.size()) < 0) return "error " + std::to_string(error);
    return text.data();
}

namespace {

bool is_short_of_memory() {
    constexpr std::size_t little = std::size_t{64} << 20;
    void* volatile memory = std::malloc(little);
    const bool is_short = memory == nullptr;
    std::free(memory);
    return is_short;
}

// FFmpeg only remarks on damage that a decoder makes up for.
bool tells_damage(int level, std::string_view message) {
    return level <= AV_LOG_ERROR || message.starts_with("concealing");
}

const AVClass* class_of(const void* from) {
    return from == nullptr ? nullptr : *static_cast<const AVClass* const*>(from);
}

// Threads of a decoder have contexts of their own, with the same `opaque`.
DecoderState* state_of(void* from) {
    if (class_of(from) != avcodec_get_class()) return nullptr;
    return static_cast<DecoderState*>(static_cast<AVCodecContext*>(from)->opaque);
}

// Libavutil's own words come from an object whose parent is the decoder.
void* parent_of(void* from) {
    const AVClass* const of = class_of(from);
    if (of == nullptr || of->parent_log_context_offset == 0) return nullptr;
    return *reinterpret_cast<void**>(static_cast<char*>(from) + of->parent_log_context_offset);
}

thread_local LargeFrameWatch* frame_watch = nullptr;

// If a decoder's max_pixels forbid a frame, this message alone tells its size.
constexpr std::string_view large_frame = "Picture size %ux%u exceeds specified max pixel count";

void note_message(void* from, int level, const char* message, std::va_list arguments) {
    if (std::string_view(message).starts_with(large_frame)) {
        std::va_list values;
        va_copy(values, arguments);
        const auto width = static_cast<int>(va_arg(values, unsigned));
        const auto height = static_cast<int>(va_arg(values, unsigned));
        va_end(values);
        if (DecoderState* const state = state_of(parent_of(from))) {
            state->refuse({width, height, 0});
        } else if (frame_watch != nullptr) {
            frame_watch->frame = {width, height, 0};
        }
        return;
    }
    if (!tells_damage(level, message)) return;
    if (DecoderState* const state = state_of(from)) state->has_errors = true;
}

}  // namespace

void throw_if_no_memory(int error) {
    if (error == AVERROR(ENOMEM)) throw std::bad_alloc();
}

void throw_if_memory_is_short(int error) {
    if (error == AVERROR(ENOMEM) && is_short_of_memory()) throw std::bad_alloc();
}

void silence() {
    static std::once_flag once;
    std::call_once(once, [] { av_log_set_callback(note_message); });
}

LargeFrameWatch::LargeFrameWatch() {
    frame_watch = this;
}

LargeFrameWatch::~LargeFrameWatch() {
    frame_watch = nullptr;
}

void DecoderState::refuse(const LargeFrame& frame) {
    has_errors = true;
    const std::lock_guard lock(mutex_);
    refused_ = frame;
}

std::optional<LargeFrame> DecoderState::take_refused() {
    const std::lock_guard lock(mutex_);
    return std::exchange(refused_, std::nullopt);
}

FramePointer make_frame() {
    FramePointer frame(av_frame_alloc());
    if (!frame) throw std::bad_alloc();
    return frame;
}

}  // namespace ffmpeg
}  // namespace fovea
