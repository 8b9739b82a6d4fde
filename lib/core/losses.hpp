#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lib/core/text.hpp"

namespace fovea {

/// Counts what a format cannot hold, and tells it in one sentence.
class LossCounter {
  public:
    void add(bool lost = true) { count_ += lost ? 1 : 0; }
    std::size_t count() const { return count_; }

    /// Appends "3 faces lose the eyes.": the count with `singular` or `plural` ("face loses", "faces lose"),
    /// then `sentence`. Nothing if nothing was counted.
    void report(std::vector<std::string>& losses, const std::string& singular, const std::string& plural,
                const std::string& sentence) const {
        if (count_ > 0) losses.push_back(counted(count_, singular, plural) + " " + sentence);
    }

  private:
    std::size_t count_ = 0;
};

}  // namespace fovea
