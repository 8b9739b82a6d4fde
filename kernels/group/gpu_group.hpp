#pragma once

#include "kernels/core/device.hpp"
#include "kernels/group/group.hpp"
#include "kernels/windows/found_windows.hpp"

namespace fovea::cuda_backend {

/// Scratch memory and output of grouping: `found.capacity` places for each image, but for `counts`.
struct Grouping {
    /// [image][5][capacity]: x, y, width, height, score (ordered bits of the largest, or the sum)
    unsigned long long* sums = nullptr;
    int* members = nullptr;             ///< [image][capacity]
    int* classes = nullptr;             ///< [image][capacity]: roots of the classes that are large enough
    RectGroup* means = nullptr;         ///< [image][capacity]: their means
    unsigned* counts = nullptr;         ///< [image]: groups written
    RectGroup* groups = nullptr;        ///< [image][capacity], in the order of group_rects
    RectGroup* first_groups = nullptr;  ///< [image][first_count]: the first of them once more
    int first_count = 0;
    GroupScore score = GroupScore::maximum;
    int min_neighbors = 3;
    int max_windows = 0;  ///< images of more are left to the host: all pairs are compared
    double eps = 0.2;
};

/// Groups the windows of every image, exactly as group_rects. Images of which windows were lost (counts above
/// the capacity), and of more than max_windows, are left with 0 groups. Two launches.
void launch_grouping(const Device& device, int images, const FoundWindows& found, const Grouping& grouping);

}  // namespace fovea::cuda_backend
