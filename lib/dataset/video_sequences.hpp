#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/dataset/dataset.hpp"

namespace fovea {

/// The images of a dataset that follow one another in time.
struct VideoSequence {
    std::string name;                  ///< "clip" of clip.mp4#000012, "MOT-02" of MOT-02/img1/000013.jpg
    std::vector<std::size_t> samples;  ///< indices in Dataset::samples, in their order
    std::vector<std::int64_t> frames;  ///< parallel to them: numbers from 0
};

/// The sequences in the order of their first images: the frames of each video, and the images of each folder.
///
/// A frame has the number that its name states; an image the one that its name is, less 1 (000001.jpg is the
/// first), if all names in its folder are whole numbers from 1, else its place. Names are those of videos
/// without extension, or of folders without an "img1" at their end; a folder instead of a video where all
/// videos have one name (300-VW's vid.avi); the dataset's folder if there is no name left.
std::vector<VideoSequence> video_sequences(const Dataset& dataset);

}  // namespace fovea
