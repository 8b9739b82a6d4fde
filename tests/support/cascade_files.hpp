#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "kernels/core/view.hpp"

namespace fovea::test {

/// All Haar and LBP cascades of Debian's package opencv-data.
std::vector<std::filesystem::path> debian_cascades();

struct Stump {
    std::string rects;  ///< "<_>x y w h weight</_>" for each rectangle
    double threshold = 0;
    double left = 0;
    double right = 0;
};

struct Stage {
    double threshold = 0;
    std::vector<Stump> stumps;
};

/// A Haar cascade of stumps in the format of opencv_traincascade.
std::string haar_cascade_xml(Size window, const std::vector<Stage>& stages);

/// The same cascade in the older format of opencv_haartraining.
std::string old_haar_cascade_xml(Size window, const std::vector<Stage>& stages);

}  // namespace fovea::test
