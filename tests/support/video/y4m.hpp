#pragma once

#include <string>

namespace fovea::test {

/// A video, as a .y4m file has it, whose frames are the same grey picture. \param luma width x height bytes;
/// both sides are even.
inline std::string y4m_video(int width, int height, const std::string& luma, int frames) {
    std::string video =
        "YUV4MPEG2 W" + std::to_string(width) + " H" + std::to_string(height) + " F25:1 Ip C420jpeg\n";
    for (int i = 0; i < frames; ++i) video += "FRAME\n" + luma + std::string(luma.size() / 2, '\x80');
    return video;
}

}  // namespace fovea::test
