#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fovea {

/// A list of numbers of which most are 0: the others alone take memory.
class SparseValues {
  public:
    SparseValues() = default;
    explicit SparseValues(std::span<const double> values) : size_(values.size()) {
        const std::size_t kept = size_ - static_cast<std::size_t>(std::ranges::count(values, 0.0));
        places_.reserve(kept);
        values_.reserve(kept);
        for (std::size_t i = 0; i < size_; ++i) {
            if (values[i] == 0) continue;
            places_.push_back(static_cast<std::uint32_t>(i));
            values_.push_back(values[i]);
        }
    }

    std::size_t size() const { return size_; }
    /// \param place below size()
    double operator[](std::size_t place) const {
        const auto found = std::ranges::lower_bound(places_, place);
        if (found == places_.end() || *found != place) return 0;
        return values_[static_cast<std::size_t>(found - places_.begin())];
    }
    std::vector<double> all() const {
        std::vector<double> list(size_);
        for (std::size_t i = 0; i < places_.size(); ++i) list[places_[i]] = values_[i];
        return list;
    }

    friend bool operator==(const SparseValues&, const SparseValues&) = default;

  private:
    std::size_t size_ = 0;
    std::vector<std::uint32_t> places_;  // of the numbers that are not 0, rising
    std::vector<double> values_;         // parallel to places_
};

}  // namespace fovea
