#pragma once

#include <string>
#include <vector>

#include "kernels/haar_lbp/scan.hpp"

namespace fovea::test {

/// Restricts vector code to one instruction set for as long as it lives.
class ForcedSimdTarget {
  public:
    explicit ForcedSimdTarget(const std::string& name) { force_simd_target(name); }
    ~ForcedSimdTarget() { force_simd_target(""); }
    ForcedSimdTarget(const ForcedSimdTarget&) = delete;
    ForcedSimdTarget& operator=(const ForcedSimdTarget&) = delete;
};

/// All that this machine has, and "", the best one, which may be beyond those that can be named.
inline std::vector<std::string> all_simd_targets() {
    std::vector<std::string> names = simd_targets();
    names.emplace_back();
    return names;
}

}  // namespace fovea::test
