#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/dataset/dataset.hpp"
#include "lib/evaluate/detection/sparse_values.hpp"
#include "lib/evaluate/statistics/rates.hpp"
#include "lib/evaluate/statistics/resample.hpp"
#include "lib/results/results.hpp"

namespace fovea {

/// A protocol by its name: which detections count as hits, and how they are paired with faces. The row of a
/// protocol in lib/evaluate/protocols/detection_protocols.cpp tells the rest. Protocols that other code asks
/// for have constants here.
class DetectionProtocol {
  public:
    /// \param name as in configurations and report.json; must outlive this.
    constexpr explicit DetectionProtocol(std::string_view name) : name_(name) {}
    constexpr std::string_view name() const { return name_; }
    friend constexpr bool operator==(DetectionProtocol, DetectionProtocol) = default;

    /// IoU of the boxes >= a threshold, one to one and optimally (Hungarian), real-valued boxes.
    static const DetectionProtocol iou;
    /// Centre within 0.3 face widths of the face's and width within ±50 % of it (Lienhart's criterion), one
    /// to one and optimally.
    static const DetectionProtocol mit_cmu;
    static const DetectionProtocol s_eyes, fddb, wider, voc2007, voc2010, coco, oks, face_eval, uiuc,
        uiuc_scale;

  private:
    std::string_view name_;
};

inline constexpr DetectionProtocol DetectionProtocol::iou{"iou"};
inline constexpr DetectionProtocol DetectionProtocol::mit_cmu{"mit-cmu"};
inline constexpr DetectionProtocol DetectionProtocol::s_eyes{"s-eyes"};
inline constexpr DetectionProtocol DetectionProtocol::fddb{"fddb"};
inline constexpr DetectionProtocol DetectionProtocol::wider{"wider"};
inline constexpr DetectionProtocol DetectionProtocol::voc2007{"voc2007"};
inline constexpr DetectionProtocol DetectionProtocol::voc2010{"voc2010"};
inline constexpr DetectionProtocol DetectionProtocol::coco{"coco"};
inline constexpr DetectionProtocol DetectionProtocol::oks{"oks"};
inline constexpr DetectionProtocol DetectionProtocol::face_eval{"face-eval"};
inline constexpr DetectionProtocol DetectionProtocol::uiuc{"uiuc"};
inline constexpr DetectionProtocol DetectionProtocol::uiuc_scale{"uiuc-scale"};

/// Protocols are known by their programs, whose arithmetic is not always what is meant.
enum class ProtocolMode {
    strict,     ///< as the official program computes, its quirks included
    port,       ///< as another program computes, whose numbers papers print as often; WIDER FACE only
    corrected,  ///< as it is meant
};

struct DetectionEvaluationOptions {
    DetectionProtocol protocol = DetectionProtocol::iou;
    ProtocolMode mode = ProtocolMode::strict;  ///< no difference for iou and mit_cmu
    double iou_threshold = 0.5;                ///< for DetectionProtocol::iou
    /// For DetectionProtocol::oks: sigma of each landmark, as a share of the square root of the face's area.
    /// Empty: the sigmas of COCO's 17 points or of COCO-WholeBody's 68 points of a face.
    std::vector<double> oks_sigmas{};
    std::vector<int> false_positive_points{5, 16, 32};  ///< totals at which the detection rate is reported
    int bootstrap_resamples = 1000;                     ///< for the 95 % intervals; 0 = none
    std::uint64_t bootstrap_seed = 1;
};

/// The counts and rates of an evaluation when only detections with score >= threshold are kept.
struct RocPoint {
    double threshold = 0;
    int true_positives = 0;
    int false_positives = 0;
    double detection_rate = 0;  ///< true positives / faces (= recall)
    double precision = 0;       ///< true positives / (true + false positives)
    double false_positives_per_image = 0;
    double mean_iou = 0;  ///< over the true positives; 0 without any
    /// Sum of the IoU of the true positives / faces. FDDB's protocol sums over all pairs of faces and
    /// detections, as its program's continuous score does.
    double continuous_rate = 0;
};

/// Detection rate at a number of false positives: the most faces found by any threshold with at most
/// that many.
struct RateAtFalsePositives {
    int false_positives = 0;  ///< the allowed total
    double detection_rate = 0;
    /// The score threshold; absent if even the strictest one has more false positives.
    std::optional<double> threshold;
    std::optional<Interval> detection_rate_ci95{};  ///< made like DetectionEvaluation::estimates' intervals
};

/// A curve's 95 % interval at one place of its axis.
struct BandPoint {
    double at = 0;
    Interval ci95{};
};

enum class DetectionMatch : std::uint8_t { true_positive, false_positive, ignored };

/// One image at the lowest threshold (every detection kept).
struct ImageEvaluation {
    std::size_t sample = 0;  ///< index in Dataset::samples
    /// The detections that were evaluated, in the results' order: those of the results, or others where a
    /// protocol moves them.
    std::span<const Detection> detections;
    std::shared_ptr<const void> holder;    ///< keeps them
    std::vector<std::uint32_t> places;     ///< as ImageResult::places; under VOC's protocols only
    std::vector<DetectionMatch> outcomes;  ///< parallel to detections
    /// Parallel to detections: largest IoU with any face, also ignored ones.
    SparseValues best_iou;
    std::vector<int> face_match;  ///< parallel to the sample's faces: index of the detection, or -1
    /// Parallel to the sample's faces: 1 for those that the protocol neither counts nor holds against
    /// a detector.
    std::vector<char> face_ignored;
    /// The result's status: "ok" or "unreadable: why"; empty if the results lack the image.
    std::string status;
    std::optional<ImageSize> result_size;  ///< where the result states it

    /// Takes these detections in place of the results' own.
    void hold(std::vector<Detection> own) {
        const auto kept = std::make_shared<const std::vector<Detection>>(std::move(own));
        detections = *kept;
        holder = kept;
    }
};

/// True for a face that the protocol neither counts nor holds against a detector.
inline bool is_ignored(const ImageEvaluation& outcome, std::size_t face) {
    return face < outcome.face_ignored.size() && outcome.face_ignored[face] != 0;
}

/// A protocol's number in a mode.
struct ModeValue {
    ProtocolMode mode = ProtocolMode::strict;
    std::optional<double> value;  ///< absent where it is undefined
};

/// A number of a protocol with a program of its own, in the evaluation's mode.
struct ProtocolNumber {
    Number estimate;
    std::vector<ModeValue> other_modes;  ///< modes that give another value
};

/// The numbers of a detector at a threshold that was fixed beforehand, on another run.
struct FixedThresholdResult {
    double threshold = 0;  ///< detections with score >= threshold are kept
    std::string origin;    ///< where the threshold is from: "best F1 of baseline/report.json"
    RocPoint point;        ///< of the kept detections; all 0 where none is
    double f1 = 0;
};

/// Everything that is known about a detector on a dataset.
struct DetectionEvaluation {
    std::string name;  ///< the detector's, for legends
    DetectionEvaluationOptions options;
    int images = 0;             ///< annotated images evaluated
    int images_unreadable = 0;  ///< of these: recorded as unreadable; their faces count as missed
    int images_missing = 0;     ///< of these: the results lack them; their faces count as missed
    int images_extra = 0;       ///< images in the results that the dataset does not annotate (left out)
    int faces = 0;              ///< not counting ignored ones
    int faces_ignored = 0;
    int ignored_but_counted = 0;  ///< of these: by protocol_numbers, which count them all the same
    int detections = 0;
    // At the lowest threshold:
    int true_positives = 0;
    int false_positives = 0;
    int detections_ignored = 0;    ///< neither true nor false positives
    double best_f1_threshold = 0;  ///< the highest that reaches the best F1; 0 without detections
    std::vector<RocPoint> roc;     ///< by falling threshold, one point per distinct score
    std::vector<RateAtFalsePositives> rate_at_false_positives;
    /// 20 bins of width 0.05: IoU of every face with its matched detection (0 if missed).
    std::vector<int> iou_histogram;
    std::shared_ptr<const DetectionResults> results;  ///< those evaluated
    /// In dataset order, annotated images only; they refer to `results`.
    std::vector<ImageEvaluation> image_outcomes;
    /// The numbers that all protocols share (shared_quantities, rate_quantity): average precision, the
    /// rates at numbers of false positives, best F1, then the numbers with every detection kept. Intervals,
    /// here and below: bootstrap over images (resample.hpp); absent with fewer than 2 images, no faces or
    /// no resamples.
    Numbers estimates;
    std::vector<ProtocolNumber> protocol_numbers;      ///< empty for iou and mit_cmu
    std::vector<BandPoint> roc_band;                   ///< detection rate at at most N false positives
    std::vector<BandPoint> continuous_band;            ///< continuous rate at at most N false positives
    std::vector<BandPoint> precision_band;             ///< precision envelope at a recall
    std::optional<FixedThresholdResult> at_threshold;  ///< set by evaluate_at_threshold (at_threshold.hpp)
    /// For paired comparisons: the numbers that all protocols share (DetectionCurve), then the protocol's
    /// own. Units are the images of image_outcomes in their order. May refer to the dataset and to `results`.
    std::vector<std::shared_ptr<const BootstrapStatistics>> resampleables;
    /// Sentences: names paired loosely, images missing, boxes without area, ...
    std::vector<std::string> warnings;

    /// \throws std::out_of_range if there is no such key.
    const Number& estimate(std::string_view key) const { return number_of_key(estimates, key); }
    /// Not a number where it is undefined.
    double value(std::string_view key) const { return estimate(key).value.value_or(undefined); }
};

}  // namespace fovea
