#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// The number that each name has at its end, before the extension, where all names differ in nothing else
/// ("a_9.jpg", "a_010.jpg"): how many digits it has is nobody's business. Nothing for other names.
std::optional<std::vector<std::int64_t>> numbers_of_names(const std::vector<std::string>& names);

/// The frames, from 0, of the images of a video's folder, parallel to their names: the numbers of
/// numbers_of_names(), less 1 where they count from 1; else the places of the names in natural order, if all
/// end in digits, or in the order given. \param frames how many there are, which larger numbers exceed; where
/// that is not known, numbers behind other text are not trusted.
std::vector<std::int64_t> frames_of_names(const std::vector<std::string>& names,
                                          std::optional<std::size_t> frames);

/// The sequences in the order of their first images: the frames of each video, and the images of each folder.
///
/// A frame has the number that its name states; an image that of Sample::sequence_frame, else of
/// frames_of_names(). Names are those of videos without extension, or of folders without an "img1" at their
/// end; a folder instead of a video where all videos have one name (300-VW's vid.avi); the dataset's folder
/// if there is no name left.
std::vector<VideoSequence> video_sequences(const Dataset& dataset);

}  // namespace fovea
