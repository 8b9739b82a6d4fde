#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/haar_lbp/cascade.hpp"

namespace fovea {

/// The features that a boosted cascade may choose from.
struct WindowFeatures {
    Cascade::Feature kind = Cascade::Feature::haar;
    Size window;
    std::vector<HaarFeature> haar;
    std::vector<LbpFeature> lbp;

    std::size_t size() const { return kind == Cascade::Feature::haar ? haar.size() : lbp.size(); }
    bool has_tilted() const;
};

/// Pools of Haar features. `basic`, `core` and `all` are opencv_traincascade's (OpenCV 3.4), in its order.
enum class HaarPool {
    basic,  ///< two and three stripes, and the chessboard
    core,   ///< also four stripes and the centre of nine fields
    all,    ///< also the stripes tilted by 45°
    /// D. Oro et al., ICPP 2012, table I: two and three stripes, the centre and the chessboard, in cells of
    /// 2x2 pixels and more, without the window's last row and column.
    oro,
};

/// The most features of a pool: with more, a training would take days and too much memory. Their number grows
/// with the fourth power of the window's side: a window of 256x256 pixels has 3 · 10^9.
inline constexpr std::uint64_t max_pool_features = 10'000'000;

/// Counts the features of a pool without making them.
/// \throws std::invalid_argument if the window is smaller than 3x3 or larger than 1024x1024 pixels.
std::uint64_t haar_feature_count(Size window, HaarPool pool);
std::uint64_t lbp_feature_count(Size window);

/// Makes the features of a pool.
/// \throws std::invalid_argument as haar_feature_count, and for more than max_pool_features.
WindowFeatures haar_features(Size window, HaarPool pool);

/// Makes all multi-block LBP features, in the order of opencv_traincascade. Errors as haar_features.
WindowFeatures lbp_features(Size window);

}  // namespace fovea
