#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/train/face_net/face_crops.hpp"

namespace fovea {

/// Photographs, and the share of the crops that are drawn from them.
struct PhotographSource {
    std::vector<FacePhotograph> photographs;
    double share = 1;  ///< of the sum of all shares
};

/// A place without a face that a network took for one.
struct HardNegative {
    std::size_t source = 0, photograph = 0;  ///< indices
    Box box;                                 ///< pixels of the photograph
    double score = 0;                        ///< above 0: how sure the network was
};

/// Draws the crops of a training. Each crop is from a photograph of a source, chosen by the sources' shares.
/// Beyond the photograph's border lies a photograph without faces, if there is one.
class CropDrawer {
  public:
    /// \param sources must outlive this. \throws std::invalid_argument without photographs.
    CropDrawer(const std::vector<PhotographSource>& sources, const CropSettings& settings,
               std::uint64_t seed);

    /// From now on, a share of the crops shows such places, each as often as its score is high. Without
    /// places, crops are drawn as before. \throws std::invalid_argument for a place in no photograph.
    void show_often(std::vector<HardNegative> places, double share);

    /// Draws crop `number` of a step, which is the same each time. \param pixels as in draw_crop().
    CropTruth draw(std::uint64_t step, std::uint64_t number, float* pixels) const;

  private:
    CropSubject subject_for(CounterRandom& random) const;
    CropTruth draw_one(const CropSettings& settings, CounterRandom& random, float* pixels) const;
    CropTruth draw_mosaic(CounterRandom& random, float* pixels) const;

    const std::vector<PhotographSource>& sources_;
    const CropSettings settings_;
    const std::uint64_t seed_;
    double shares_ = 0;
    std::vector<const FacePhotograph*> fillers_;  // without faces
    std::vector<HardNegative> hard_negatives_;
    std::vector<double> score_sums_;  // of the hard negatives up to each one, itself included
    double hard_share_ = 0;
};

}  // namespace fovea
