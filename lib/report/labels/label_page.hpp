#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lib/core/job_hooks.hpp"
#include "lib/core/types.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/results/results.hpp"

namespace fovea::report {

/// The longer side of a frame on the page in pixels, at most: enough to see a face, and smaller files.
constexpr int label_side = 1280;

/// The bytes that the frames of a page may take: browsers hold no text above 512 MB, which the page's is a
/// third longer than.
constexpr std::size_t max_label_bytes = std::size_t{300} << 20;

/// A box that the page offers to be corrected.
struct LabelBox {
    std::int64_t person = 0;  ///< 0 or more
    Box box;
    bool is_ignored = false;
};

/// A frame of the page.
struct LabelFrame {
    std::int64_t number = 1;   ///< in its video, from 1
    ImageSize size;            ///< as boxes count it
    std::string jpeg{};        ///< empty if unreadable; at most label_side wide and high
    std::string unreadable{};  ///< why
    bool is_annotated = false;
    std::vector<LabelBox> boxes{};
};

/// A video, or another sequence, with the boxes of some of its frames.
struct LabelSequence {
    std::string name;
    std::vector<LabelFrame> frames;  ///< rising
};

/// Reads the frames of a dataset's sequence, with its boxes. An annotated frame has the boxes of its faces;
/// another one has those of the results. Persons are the tracks; a box without one has its place in the
/// frame, from 1. \param results nullptr: none. \param cancel null = never; the frames read so far are
/// returned. \throws UsageError if the dataset has several sequences, if no image of the results is one of
/// the dataset's, or if the pictures take more than max_label_bytes; ShortageError.
LabelSequence read_label_sequence(const Dataset& dataset, const DetectionResults* results,
                                  const ShareProgress& progress = {},
                                  const std::atomic<bool>* cancel = nullptr);

/// The page on which a person corrects the boxes, and saves them as a file of tracks. One file without any
/// reference to the outside.
std::string label_page(const LabelSequence& sequence);

}  // namespace fovea::report
