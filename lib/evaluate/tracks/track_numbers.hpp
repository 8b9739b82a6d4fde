#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace fovea {

/// Whether the quirks of TrackEval 1.3.0 are kept (lib/evaluate/README.md lists them).
enum class TrackMode { strict, corrected };

/// The thresholds of HOTA: 0.05, 0.1 ... 0.95.
inline constexpr std::size_t hota_levels = 19;
using ByLevel = std::array<double, hota_levels>;

/// The IoU at which a pair counts: 0.05 + level · 0.05, in these doubles.
constexpr double hota_threshold(std::size_t level) {
    return 0.05 + static_cast<double>(level) * 0.05;
}

/// The mean over the thresholds, as numpy sums it.
double mean_of_levels(const ByLevel& values);

/// HOTA by threshold. Source: J. Luiten and others, "HOTA: A Higher Order Metric for Evaluating Multi-Object
/// Tracking", International Journal of Computer Vision 129, 2021; TrackEval 1.3.0, HOTA.
struct HotaNumbers {
    ByLevel tp{}, fn{}, fp{};  ///< boxes found, missed, and found where none is
    ByLevel ass_a{}, ass_re{}, ass_pr{};
    ByLevel loc_a{};
    // These follow from those above:
    ByLevel det_re{}, det_pr{}, det_a{}, hota{}, owta{};
};

/// CLEAR. Sources: K. Bernardin, R. Stiefelhagen, "Evaluating Multiple Object Tracking Performance: The CLEAR
/// MOT Metrics", 2008; TrackEval 1.3.0, CLEAR.
struct ClearNumbers {
    double tp = 0, fn = 0, fp = 0, switches = 0;
    double mostly_tracked = 0, partly_tracked = 0, mostly_lost = 0;
    double fragments = 0, frames = 0, iou_sum = 0;
    // These follow from those above:
    double mota = 0, motp = 0, moda = 0, recall = 0, precision = 0;
    double mostly_tracked_rate = 0, partly_tracked_rate = 0, mostly_lost_rate = 0;
    double smota = 0, f1 = 0, fp_per_frame = 0, motal = 0;
};

/// Identity. Sources: E. Ristani and others, "Performance Measures and a Data Set for Multi-Target,
/// Multi-Camera Tracking", 2016; TrackEval 1.3.0, Identity.
struct IdentityNumbers {
    double tp = 0, fn = 0, fp = 0;
    // These follow from those above:
    double idf1 = 0, recall = 0, precision = 0;
};

/// Boxes and tracks that count.
struct TrackCounts {
    double frames = 0, truth_boxes = 0, result_boxes = 0, truth_tracks = 0, result_tracks = 0;
};

/// All numbers of a video, or of several.
struct TrackNumbers {
    HotaNumbers hota;
    ClearNumbers clear;
    IdentityNumbers identity;
    TrackCounts counts;
};

/// Fills in the members that follow from the others.
void complete(HotaNumbers& numbers);
void complete(ClearNumbers& numbers);
void complete(IdentityNumbers& numbers);

/// Joins several videos: counts are added, associations and overlaps are means weighted by the boxes found.
/// The sums depend on the order of the videos; TrackEval takes them by name.
/// \param weights how often each video counts; empty: once.
TrackNumbers combine(std::span<const TrackNumbers> videos, std::span<const std::uint16_t> weights = {});

}  // namespace fovea
