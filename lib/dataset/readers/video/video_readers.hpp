#pragma once

#include <filesystem>
#include <string>

#include "lib/dataset/dataset.hpp"
#include "lib/dataset/dataset_options.hpp"

// The readers of videos and of their frames, as those in readers.hpp.
namespace fovea {

/// Videos: FILE[,FILE...][,stream=NUMBER], or a folder with them; a sample is a frame. The stream is that of
/// the container's numbering; without it, FFmpeg's choice. One video may have a box a frame,
/// boxes=FILE[,corners=yes|no], and its annotated frames are then the samples.
Dataset read_video_dataset(const std::string& path, const DatasetOptions& options);

/// Tracks as MOTChallenge has them: PATH[,video=FILE][,class=NUMBER], where PATH is the folder of a sequence
/// (gt/gt.txt, seqinfo.ini, img1/), a folder with such folders, or a file of tracks, whose frames are those
/// of the video; such a file may be LTFT's, too. Faces have the attribute "track".
Dataset read_mot_dataset(const std::string& path, const DatasetOptions& options);

/// True if the folder, or one of its sub-folders, holds gt/gt.txt.
bool is_mot_folder(const std::filesystem::path& folder);

/// 300-VW: the folder of a sequence (vid.avi, and annot/000001.pts of its first frame), or a folder with such
/// folders. Images have the attribute "category" where the test set puts their sequence into one.
Dataset read_300vw_dataset(const std::string& path, const DatasetOptions& options);

/// True if the folder, or one of its sub-folders, holds a video and annot/ with a .pts file.
bool is_300vw_folder(const std::filesystem::path& folder);

}  // namespace fovea
