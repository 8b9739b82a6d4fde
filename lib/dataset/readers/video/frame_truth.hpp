#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// The most frames that a file of tracks, or a seqinfo.ini, may state: 22 hours at 25 frames a second.
inline constexpr int max_tracked_frames = 2'000'000;

/// The faces of a video's frames, the first frame first.
using FramesOfFaces = std::vector<std::vector<Face>>;

/// The meaning of a box's four numbers.
enum class BoxNumbers {
    corners,          ///< x1 y1 x2 y2; w = x2 - x1, h = y2 - y1
    corner_and_size,  ///< x y w h
};

/// Reads a text file with one line and box per frame (TLD, OTB): four numbers between commas or blanks. Four
/// NaN, or a box without width or height, mean a frame without a face.
/// \throws Error naming file and line.
FramesOfFaces read_frame_boxes(const std::filesystem::path& path, BoxNumbers numbers);

/// The true tracks of a video.
struct TrackTruth {
    FramesOfFaces faces;
    std::vector<bool> is_annotated;  ///< parallel to `faces`; the others have none
};

struct TrackFileOptions {
    std::optional<std::size_t> frames;  ///< number of frames; nothing: up to the last one with a line
    std::optional<int> category;        ///< the class to read; nothing: pedestrians, MOTChallenge's 1
};

/// Reads a text file of tracks: MOTChallenge's ground truth
/// (`frame,id,left,top,w,h,conf[,class[,visibility]]` or with x,y,z behind conf, frames from 1), or LTFT's
/// (the number of frames, then `frame n` and n times `id x y w h face confidence`, frames from 0). Faces have
/// the attribute "track".
///
/// Coordinates stay as they are, as in MOTChallenge's own evaluation. Boxes with conf 0 (LTFT: face 0) are
/// marked ignore (MOTChallenge's also get the attribute "confidence", 0); among pedestrians, so are boxes of
/// MOTChallenge's distractor classes. Boxes of other classes are left out.
///
/// All frames are annotated, or those of MOTChallenge's that a comment names (read_annotated_frames).
/// \throws Error naming file and line.
TrackTruth read_track_file(const std::filesystem::path& path, const TrackFileOptions& options);

/// True for LTFT's files, whose first line is one number.
bool is_ltft_file(const std::filesystem::path& path);

}  // namespace fovea
