#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace fovea::test {

/// A packet of sound as a file stores it.
struct SoundPacket {
    double seconds = 0;
    std::string bytes;
};

/// A stream of sound.
struct SoundStream {
    std::string codec;     ///< FFmpeg's name
    std::string language;  ///< empty: undetermined
    int channels = 0;
    std::vector<SoundPacket> packets;
};

/// A file's streams by FFmpeg, with nothing of lib/video.
struct FileStreams {
    std::string container;  ///< FFmpeg's name
    double seconds = 0;     ///< its length
    std::vector<SoundStream> sound;
    int others = 0;                 ///< streams that are neither video nor sound
    int rotation = 0;               ///< of the video, degrees counter-clockwise, by its display matrix
    int sample_aspect[2] = {0, 1};  ///< of the video
    int level = 0;                  ///< of the video's codec
    int colour_matrix = 2;          ///< of the video: a number of ITU-T H.273
};

/// Reads a file to its end. \throws std::runtime_error
FileStreams streams_of(const std::filesystem::path& file);

}  // namespace fovea::test
