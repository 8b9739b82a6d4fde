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
    TraceComparison trace;        ///< what became of every window; backends only
};

struct VerificationResult {
    std::size_t images = 0;  ///< compared
    std::size_t raw_windows = 0;
    std::size_t grouped_boxes = 0;
    std::size_t traced_windows = 0;     ///< backends only: windows whose fate was compared
    std::size_t evaluated_windows = 0;  ///< of these, neither skipped nor flat
    std::size_t differing_windows = 0;  ///< of the traced ones
    std::vector<DifferingImage> differing;
    std::vector<UnreadableImage> unreadable;
    bool interrupted = false;  ///< cancelled before the last image
};

/// Compares a detector with OpenCV's on every image of a dataset, to the last bit: as sets, all windows that
/// pass the cascade with their last stage sums, and the grouped boxes with their scores.
///
/// \param threads of both; 0 = all cores. An image that cannot be decoded or scanned is recorded and left
/// out. \throws UsageError if OpenCV has no such detectors, or runs the detector itself; what OpenCvReference
/// throws; DeviceError if a GPU fails.
VerificationResult run_verification(const Dataset& dataset, const LoadedDetector& detector, int threads,
                                    const RunHooks& hooks);

/// Compares one detector on two devices on every image of a dataset, to the last bit: for every window of
/// every level the number of stages (look-ups of an MCT cascade) that it passed and its last sum; the windows
/// that pass; the grouped boxes with their neighbors and largest sums (sums of margins). One image's traces
/// are in memory at a time. A network has no windows: its faces with a score of 0.001 and more are compared.
///
/// \param detector on the CPU, with the options. \param reference the same model on a GPU. Otherwise as
/// above.
VerificationResult run_backend_verification(const Dataset& dataset, const LoadedDetector& detector,
                                            const Detector& reference, int threads, const RunHooks& hooks);

}  // namespace fovea
