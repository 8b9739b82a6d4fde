#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <hwy/targets.h>

namespace fovea::test {

/// Restricts vector code to one instruction set for as long as it lives: a name that all_simd_targets()
/// gives.
class ForcedSimdTarget {
  public:
    /// \throws std::invalid_argument if this machine does not have it.
    explicit ForcedSimdTarget(const std::string& name) {
        hwy::SetSupportedTargetsForTest(0);
        if (name.empty()) return;
        for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
            if (hwy::TargetName(target) != name) continue;
            hwy::SetSupportedTargetsForTest(target);
            return;
        }
        throw std::invalid_argument("this machine has no vector instruction set '" + name + "'");
    }
    ~ForcedSimdTarget() { hwy::SetSupportedTargetsForTest(0); }
    ForcedSimdTarget(const ForcedSimdTarget&) = delete;
    ForcedSimdTarget& operator=(const ForcedSimdTarget&) = delete;
};

/// All that this machine has, and "", the best one, which may be beyond those that can be named.
inline std::vector<std::string> all_simd_targets() {
    std::vector<std::string> names;
    for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        names.push_back(hwy::TargetName(target));
    }
    names.emplace_back();
    return names;
}

}  // namespace fovea::test
