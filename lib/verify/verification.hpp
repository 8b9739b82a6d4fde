#pragma once

#include <string>
#include <vector>

#include "lib/detect/opencv_reference.hpp"
#include "lib/detect/trace_comparison.hpp"
#include "lib/job/detection_job.hpp"

namespace fovea {

/// An image in which detector and reference differ.
struct DifferingImage {
    std::string image;            ///< as in Sample::image
    DetectionDifference raw;      ///< windows that pass, with their last stage sums
    DetectionDifference grouped;  ///< boxes with their scores
    TraceComparison trace;        ///< backends only: the stages and sums of every window
};

struct VerificationResult {
    std::size_t images = 0;  ///< images that were compared
    std::size_t raw_windows = 0;
    std::size_t grouped_boxes = 0;
    std::size_t traced_windows = 0;     ///< backends only: windows whose stages and sums were compared
    std::size_t evaluated_windows = 0;  ///< traced windows that were neither skipped nor flat
    std::size_t differing_windows = 0;  ///< traced windows that differ
    std::vector<DifferingImage> differing;
    std::vector<UnreadableImage> unreadable;
    bool interrupted = false;  ///< cancelled before the last image
};

/// Compares a detector with OpenCV's on every image of a dataset, to the last bit: the set of windows that
/// pass the cascade, with their last stage sums, and the set of grouped boxes with their scores. An image
/// that cannot be decoded or scanned is recorded and left out.
///
/// \param threads of both; 0 = all cores. \throws UsageError if OpenCV has no such detectors, or runs the
/// detector itself; as OpenCvReference; DeviceError if a GPU fails.
VerificationResult run_verification(const Dataset& dataset, const LoadedDetector& detector, int threads,
                                    const JobHooks& hooks);

/// Compares a detector on the CPU with the same model on a GPU on every image of a dataset, to the last bit:
/// for every window of every level the number of stages (look-ups of an MCT cascade) that it passed and its
/// last sum; the windows that pass; the grouped boxes with their neighbors and largest sums (sums of
/// margins). A network has no windows: its faces with a score of 0.001 and more are compared. One image's
/// traces are in memory at a time. Unreadable images, `threads` and errors are as for run_verification().
///
/// \param detector on the CPU, with the options. \param reference the same model on a GPU.
VerificationResult run_backend_verification(const Dataset& dataset, const LoadedDetector& detector,
                                            const Detector& reference, int threads, const JobHooks& hooks);

}  // namespace fovea
