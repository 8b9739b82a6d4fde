#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kernels/haar_lbp/haar_lbp_engine.hpp"
#include "tests/lab/optimisations.hpp"
#include "tests/support/engines.hpp"
#include "tests/support/images.hpp"

namespace fovea::test {

// Haar stumps, trees, tilted features and multi-block LBP; with few stages, so that much is found in noise.
inline std::vector<std::pair<std::string, Cascade>> kinds_of_cascades() {
    return {{"stumps", first_stages(named_cascade("haarcascade_frontalface_alt"), 4)},
            {"trees", first_stages(named_cascade("haarcascade_frontalface_alt2"), 3)},
            {"tilted stumps", first_stages(named_cascade("haarcascade_frontalcatface_extended"), 3)},
            {"tilted trees", first_stages(named_cascade("haarcascade_lefteye_2splits"), 3)},
            {"LBP", first_stages(named_cascade("lbpcascade_frontalface"), 3)}};
}

// Every optimisation turned off alone, and all together.
inline std::vector<std::pair<std::string, EngineOptions>> variants() {
    std::vector<std::pair<std::string, EngineOptions>> list{{"all on", {}}};
    EngineOptions none;
    for (const std::string& name : engine_optimisations()) {
        list.emplace_back("without " + name, without_optimisation({}, name));
        none = without_optimisation(none, name);
    }
    list.emplace_back("all off", none);
    return list;
}

// Sizes around those of windows, tiles and warps, some without any window.
inline std::vector<GreyImage> mixed_images() {
    std::vector<GreyImage> images;
    constexpr Size sizes[] = {{1, 1},   {24, 24}, {300, 1},  {1, 300}, {320, 240}, {25, 21},  {20, 20},
                              {21, 20}, {64, 64}, {65, 129}, {83, 83}, {88, 151},  {640, 90}, {333, 222}};
    std::uint32_t seed = 1;
    for (const Size size : sizes) images.push_back(smooth_noise(size.width, size.height, 4, seed++));
    return images;
}

}  // namespace fovea::test
