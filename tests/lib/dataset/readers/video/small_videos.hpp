#pragma once

#include <string>

namespace fovea::test {

/// A video of so many grey frames of 16 x 16 pixels, as a .y4m file has it.
inline std::string small_video(int frames) {
    std::string video = "YUV4MPEG2 W16 H16 F25:1 Ip C420jpeg\n";
    for (int i = 0; i < frames; ++i)
        video += "FRAME\n" + std::string(256, static_cast<char>(i + 1)) + std::string(128, '\x7F');
    return video;
}

}  // namespace fovea::test
