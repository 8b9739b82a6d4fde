#pragma once

#include "kernels/core/device.hpp"
#include "kernels/group/group.hpp"
#include "kernels/windows/found_windows.hpp"

namespace fovea::cuda_backend {

/// Scratch memory, output and parameters of grouping. `capacity` is FoundWindows::capacity.
struct Grouping {
    /// [image][5][capacity]: x, y, width, height, score (ordered bits of the largest, or the sum)
    unsigned long long* sums = nullptr;
    int* members = nullptr;             ///< [image][capacity]
    int* classes = nullptr;             ///< [image][capacity]: roots of the classes that are large enough
    RectGroup* means = nullptr;         ///< [image][capacity]: means of these classes
    unsigned* counts = nullptr;         ///< [image]: groups written
    RectGroup* groups = nullptr;        ///< [image][capacity], in the order of group_rects
    RectGroup* first_groups = nullptr;  ///< [image][first_count]: a copy of the first groups
    int first_count = 0;
    GroupScore score = GroupScore::maximum;
    int min_neighbors = 3;
    /// Images of more windows are left to the host, because all pairs are compared.
    int max_windows = 0;
    double eps = 0.2;
};

/// Groups the windows of every image, exactly as group_rects, in two launches. Images that lost windows (a
/// count above the capacity) or have more than max_windows get 0 groups.
void launch_grouping(const Device& device, int images, const FoundWindows& found, const Grouping& grouping);

}  // namespace fovea::cuda_backend
