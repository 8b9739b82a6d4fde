#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "lib/core/types.hpp"

namespace fovea {

/// Scores of an image's detections, none above the one before it. Evaluations hold millions, so scores that
/// are the detections' own are read from these.
class FallingScores {
  public:
    void reserve(std::size_t scores) { own_.reserve(scores); }
    void push_back(double score) { own_.push_back(score); }
    /// Takes no memory any more if these detections have the same scores in the same order.
    /// \param detections live as long as this object.
    void share(std::span<const Detection> detections) {
        if (!std::ranges::equal(own_, detections, {}, {}, &Detection::score)) return;
        shared_ = detections;
        own_ = {};
    }

    std::size_t size() const { return shared_.empty() ? own_.size() : shared_.size(); }
    double operator[](std::size_t place) const {
        return shared_.empty() ? own_[place] : shared_[place].score;
    }

  private:
    std::vector<double> own_;
    std::span<const Detection> shared_;
};

}  // namespace fovea
