#pragma once

#include <cstdint>
#include <vector>

#include "lib/train/face_net/face_crops.hpp"

namespace fovea {

/// Photographs, and the share of the crops that are drawn from them.
struct PhotographSource {
    std::vector<FacePhotograph> photographs;
    double share = 1;  ///< of the sum of all shares
};

/// Draws the crops of a training. Each crop is from a photograph of a source, chosen by the sources' shares.
/// Beyond the photograph's border lies a photograph without faces, if there is one.
class CropDrawer {
  public:
    /// \param sources must outlive this. \throws std::invalid_argument without photographs.
    CropDrawer(const std::vector<PhotographSource>& sources, const CropSettings& settings,
               std::uint64_t seed);

    /// Draws crop `number` of a step, which is the same each time. \param pixels as in draw_crop().
    CropTruth draw(std::uint64_t step, std::uint64_t number, float* pixels) const;

  private:
    const FacePhotograph& photograph_for(CounterRandom& random) const;

    const std::vector<PhotographSource>& sources_;
    const CropSettings settings_;
    const std::uint64_t seed_;
    double shares_ = 0;
    std::vector<const FacePhotograph*> fillers_;  // without faces
};

}  // namespace fovea
