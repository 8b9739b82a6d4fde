#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lib/evaluate/detection/falling_scores.hpp"

namespace fovea {

/// The gains of the counts by the detections of one image, one after the other by falling score. Nearly
/// all steps of a large set add a false positive and change no face: the others alone take memory, beside the
/// scores.
class TraceSteps {
  public:
    struct Step {
        double score = 0;
        /// The gain of the counts: 1 or 0 where detections are added one by one; more, or less than 0, where
        /// a protocol matches anew at every score (FDDB).
        std::int16_t true_positives = 0;
        std::int16_t false_positives = 0;
        /// The step's changes of faces, in ImageTrace::changes.
        std::uint32_t changes_begin = 0;
        std::uint32_t changes_end = 0;
    };

    struct Total {
        int true_positives = 0;
        int false_positives = 0;
    };

    void reserve(std::size_t steps) { scores_.reserve(steps); }
    /// Adds a step. \param score none above the score before it. \param changes_end where the step's changes
    /// end; they begin where those of the step before it end.
    void add(double score, int true_positives, int false_positives, std::size_t changes_end);
    /// Keeps no scores of its own if these detections have the same in the same order.
    /// \param detections live as long as this object.
    void share_scores(std::span<const Detection> detections) { scores_.share(detections); }

    std::size_t size() const { return scores_.size(); }
    bool empty() const { return size() == 0; }
    double score(std::size_t step) const { return scores_[step]; }
    Step operator[](std::size_t step) const;
    /// The counts after the last step.
    Total total() const;

  private:
    /// The gain of a step that does not just add a false positive.
    struct Gain {
        std::uint32_t step = 0;
        std::int16_t true_positives = 0;
        std::int16_t false_positives = 0;
        std::uint32_t changes_end = 0;
    };

    FallingScores scores_;
    std::vector<Gain> gains_;
};

}  // namespace fovea
