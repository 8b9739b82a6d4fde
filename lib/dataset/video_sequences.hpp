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
    std::vector<std::int64_t> frames;  ///< parallel to `samples`: numbers of frames, from 0
};

/// The numbers at the ends of names, before the extension, if the names differ only in these numbers
/// ("a_9.jpg", "a_010.jpg"), with any count of digits; nothing for other names.
std::optional<std::vector<std::int64_t>> numbers_of_names(const std::vector<std::string>& names);

/// The frames' numbers, from 0, of the images of a video's folder, parallel to `names`: by
/// numbers_of_names(), less 1 if they count from 1; else by the names' natural order if all end in digits, or
/// by the order given.
/// \param frames the number of frames, if known: larger numbers are not trusted. If it is not known, numbers
/// behind other text are not trusted.
std::vector<std::int64_t> frames_of_names(const std::vector<std::string>& names,
                                          std::optional<std::size_t> frames);

/// The sequences of a dataset, in the order of their first images: the frames of each video, and the images
/// of each folder.
///
/// A frame's name states its number; an image has Sample::sequence_frame, else its number by
/// frames_of_names(). A sequence has the name of its video without extension, or of its folder without an
/// "img1" at its end. If all videos have one name (300-VW's vid.avi), their folders' names are taken; if no
/// name is left, the dataset's folder's.
std::vector<VideoSequence> video_sequences(const Dataset& dataset);

/// The number of a track, as the attribute "track" of a face has it; nothing if it is a name.
std::optional<std::int64_t> track_number(const std::string& track);

}  // namespace fovea
