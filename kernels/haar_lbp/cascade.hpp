#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea {

/// A Haar-like feature: up to three weighted rectangles inside the window, upright or rotated by 45°.
/// Its value is Σ weight · (sum of the pixels under the rectangle). An unused rectangle has weight 0.
struct HaarFeature {
    std::array<Rect, 3> rects{};
    std::array<float, 3> weights{};
    bool tilted = false;
};

/// A multi-block LBP feature: a 3×3 grid of equal cells; `cell` is the top left one.
struct LbpFeature {
    Rect cell;
};

/// An inner node of a weak classifier. `left` and `right` index the tree's nodes if > 0, else the tree's
/// leaves at -left and -right. A child's index is always larger than its parent's.
struct CascadeNode {
    int feature = 0;
    int left = 0;
    int right = 0;
    float threshold = 0;                    ///< Haar: value < threshold goes left
    std::array<std::uint32_t, 8> subset{};  ///< LBP: codes whose bit is set go left
};

/// A weak classifier: a decision tree; a stump is a tree of one node and two leaves.
struct CascadeTree {
    int first_node = 0;
    int node_count = 0;
    int first_leaf = 0;  ///< node_count + 1 leaves
};

struct CascadeStage {
    int first_tree = 0;
    int tree_count = 0;
    float threshold = 0;  ///< a window passes if the sum of the trees' leaves is not below it
};

/// A boosted cascade as OpenCV 4.6 trains and reads it (Viola and Jones 2001; Lienhart and Maydt 2002; Liao
/// et al. 2007 for multi-block LBP). Built and checked by read_cascade (lib/detect/cascade_xml.hpp).
struct Cascade {
    enum class Feature { haar, lbp };

    Feature feature = Feature::haar;
    Size window;
    bool has_tilted = false;
    bool stumps_only = true;
    std::vector<CascadeStage> stages;
    std::vector<CascadeTree> trees;
    std::vector<CascadeNode> nodes;
    std::vector<float> leaves;
    std::vector<HaarFeature> haar_features;
    std::vector<LbpFeature> lbp_features;
};

}  // namespace fovea
