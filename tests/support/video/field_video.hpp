#pragma once

#include <filesystem>

namespace fovea::test {

struct FieldVideoPlan {
    int frames = 140;
    int gop = 35;                          ///< frames from IDR picture to IDR picture
    bool has_packet_of_each_field = true;  ///< else a packet holds both fields
};

/// Writes H.264 whose frames are coded as two fields, each a picture of its own (PAFF), which no encoder of
/// FFmpeg makes: 32x32 pixels, samples as they are (I_PCM), 25 frames a second. The container is that of the
/// file's name. \throws std::runtime_error
void make_field_video(const std::filesystem::path& file, const FieldVideoPlan& plan);

}  // namespace fovea::test
