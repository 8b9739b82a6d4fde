#include "lib/video/ffmpeg.hpp"

#include <array>
#include <cstdarg>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string_view>

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

void note_message(void* from, int level, const char* message, std::va_list) {
    if (from == nullptr || !tells_damage(level, message)) return;
    if (*static_cast<const AVClass**>(from) != avcodec_get_class()) return;
    // Threads of a decoder have contexts of their own, with the same `opaque`.
    auto* const state = static_cast<DecoderState*>(static_cast<AVCodecContext*>(from)->opaque);
    if (state != nullptr) state->has_errors = true;
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

FramePointer make_frame() {
    FramePointer frame(av_frame_alloc());
    if (!frame) throw std::bad_alloc();
    return frame;
}

}  // namespace ffmpeg
}  // namespace fovea
