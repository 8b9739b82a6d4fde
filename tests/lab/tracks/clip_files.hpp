#pragma once

#include <filesystem>

#include "tests/lab/tracks/tracked_clip.hpp"

namespace fovea {

inline constexpr const char* clip_video_name = "vid.mp4";

/// Writes a clip into a folder of its name below `folder`:
/// - vid.mp4;
/// - gt/gt.txt: boxes in MOTChallenge's format, with ids from 1 and the visible share; hidden faces have
///   confidence 0. `mot:FOLDER,video=vid.mp4` reads it;
/// - truth.json: boxes, landmarks and the attribute "track", as `fovea:FOLDER/truth.json`;
/// - annot/000001.pts, ..., as 300-VW has them, if the clip has one face: `300vw:FOLDER`.
/// \param crf rate factor of H.264; 0 is exact. \return the clip's folder. \throws Error if something
/// cannot be written.
std::filesystem::path write_clip(const Clip& clip, const std::filesystem::path& folder, int crf);

/// Replaces the frames of a clip by those of a video. \throws Error if it cannot be read or has another
/// number of frames.
void read_frames(const std::filesystem::path& video, Clip& clip);

/// The name of a clip's folder: "usual-1".
std::string clip_folder_name(const ClipPlan& plan);

}  // namespace fovea
