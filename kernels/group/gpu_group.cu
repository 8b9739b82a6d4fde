// groupRectangles on a GPU: all pairs of windows are compared side by side (Helf 2018's adjacency); similar
// ones are joined in a forest of disjoint sets without locks; sums over a class are of integers, also those
// of scores, and the largest score is a maximum, so that no order of arrival shows in the result.

#include "kernels/core/gpu_launch.cuh"
#include "kernels/group/gpu_group.hpp"
#include "kernels/group/group_body.hpp"

namespace fovea::cuda_backend {
namespace {

constexpr int join_threads = 256;
constexpr int join_blocks_per_image = 16;
constexpr int mean_threads = 512;

// Parents change under a reader's feet; each change leads to a smaller index of the same class. Paths are
// halved on the way.
__device__ int find_root(int* parents, int item) {
    volatile int* const shared = parents;
    for (;;) {
        const int parent = shared[item];
        if (parent == item) return item;
        const int grandparent = shared[parent];
        if (grandparent == parent) return parent;
        shared[item] = grandparent;
        item = grandparent;
    }
}

__device__ void join(int* parents, int a, int b) {
    for (;;) {
        a = find_root(parents, a);
        b = find_root(parents, b);
        if (a == b) return;
        const int low = min(a, b);
        const int high = max(a, b);
        if (atomicCAS(parents + high, high, low) == high) return;
    }
}

// Windows of an image that are to be grouped; none if some were lost: they are found again with more memory.
__device__ int window_count(const FoundWindows& found, int max_windows, int image) {
    const unsigned count = found.counts[image];
    return count > static_cast<unsigned>(min(found.capacity, max_windows)) ? 0 : static_cast<int>(count);
}

__global__ void __launch_bounds__(join_threads) join_kernel(FoundWindows found, int max_windows, double eps) {
    const int image = static_cast<int>(blockIdx.y);
    const int count = window_count(found, max_windows, image);
    const std::size_t first = static_cast<std::size_t>(image) * found.capacity;
    const Rect* const rects = found.rects + first;
    int* const parents = found.parents + first;
    __shared__ Rect others[join_threads];
    // Rows of pairs in slices of join_threads; row r has the pairs of its windows with all later ones.
    const int slices = (count + join_threads - 1) / join_threads;
    // A few windows give one slice: its pairs are then shared out over the blocks.
    for (int row = 0; row < slices; ++row) {
        const int i = row * join_threads + static_cast<int>(threadIdx.x);
        const Rect own = i < count ? rects[i] : Rect{};
        for (int column = row; column < slices; ++column) {
            const int base = column * join_threads;
            const int end = min(join_threads, count - base);
            __syncthreads();
            if (static_cast<int>(threadIdx.x) < end) others[threadIdx.x] = rects[base + threadIdx.x];
            __syncthreads();
            if (i >= count) continue;
            for (int k = blockIdx.x; k < end; k += gridDim.x) {
                const int j = base + k;
                if (j > i && similar_rects(own, others[k], eps)) join(parents, i, j);
            }
        }
    }
}

// Doubles as unsigned integers of the same order.
__device__ unsigned long long ordered_bits(double value) {
    const unsigned long long bits = __double_as_longlong(value);
    return bits >> 63 != 0 ? ~bits : bits | 1ULL << 63;
}

__device__ double from_ordered_bits(unsigned long long bits) {
    return __longlong_as_double(bits >> 63 != 0 ? bits & ~(1ULL << 63) : ~bits);
}

// The order of group_rects.
__device__ bool comes_before(const RectGroup& a, const RectGroup& b) {
    if (a.neighbors != b.neighbors) return a.neighbors > b.neighbors;
    if (a.rect.y != b.rect.y) return a.rect.y < b.rect.y;
    if (a.rect.x != b.rect.x) return a.rect.x < b.rect.x;
    if (a.rect.height != b.rect.height) return a.rect.height < b.rect.height;
    if (a.rect.width != b.rect.width) return a.rect.width < b.rect.width;
    return a.score > b.score;
}

__global__ void __launch_bounds__(mean_threads) mean_kernel(FoundWindows found, Grouping grouping) {
    const int image = static_cast<int>(blockIdx.x);
    const int thread = static_cast<int>(threadIdx.x);
    const int count = window_count(found, grouping.max_windows, image);
    const std::size_t capacity = found.capacity;
    const std::size_t first = image * capacity;
    int* const parents = found.parents + first;
    int* const members = grouping.members + first;
    unsigned long long* const sums[5] = {grouping.sums + 5 * first, grouping.sums + 5 * first + capacity,
                                         grouping.sums + 5 * first + 2 * capacity,
                                         grouping.sums + 5 * first + 3 * capacity,
                                         grouping.sums + 5 * first + 4 * capacity};
    __shared__ int class_count;
    __shared__ int group_count;
    if (thread == 0) {
        class_count = 0;
        group_count = 0;
    }
    for (int i = thread; i < count; i += mean_threads) {
        members[i] = 0;
        for (unsigned long long* const sum : sums) sum[i] = 0;
    }
    __syncthreads();
    for (int i = thread; i < count; i += mean_threads) {
        const int root = find_root(parents, i);
        const Rect rect = found.rects[first + i];
        atomicAdd(members + root, 1);
        // Coordinates may be negative; the sums wrap and are read as signed.
        atomicAdd(sums[0] + root, static_cast<unsigned long long>(static_cast<long long>(rect.x)));
        atomicAdd(sums[1] + root, static_cast<unsigned long long>(static_cast<long long>(rect.y)));
        atomicAdd(sums[2] + root, static_cast<unsigned long long>(static_cast<long long>(rect.width)));
        atomicAdd(sums[3] + root, static_cast<unsigned long long>(static_cast<long long>(rect.height)));
        const double score = found.windows[first + i].last_sum;
        if (grouping.score == GroupScore::sum) {
            atomicAdd(sums[4] + root, static_cast<unsigned long long>(static_cast<long long>(score)));
        } else {
            atomicMax(sums[4] + root, ordered_bits(score));
        }
    }
    __syncthreads();
    RectGroup* const means = grouping.means + first;
    for (int i = thread; i < count; i += mean_threads) {
        if (members[i] <= grouping.min_neighbors) continue;
        const float scale = 1.0F / static_cast<float>(members[i]);
        const auto mean = [&](int sum) {
            return group_mean(static_cast<std::int64_t>(static_cast<long long>(sums[sum][i])), scale);
        };
        const double score = grouping.score == GroupScore::sum
                                 ? static_cast<double>(static_cast<long long>(sums[4][i]))
                                 : from_ordered_bits(sums[4][i]);
        const int place = atomicAdd(&class_count, 1);
        means[place] = {{mean(0), mean(1), mean(2), mean(3)}, members[i], score};
    }
    __syncthreads();
    // Classes that stay, then each into its place: the number of those that come before it.
    int* const kept = grouping.classes + first;
    for (int i = thread; i < class_count; i += mean_threads) {
        bool nested = false;
        for (int j = 0; j < class_count && !nested; ++j) {
            nested = j != i && nested_in(means[i].rect, means[i].neighbors, means[j].rect, means[j].neighbors,
                                         grouping.eps);
        }
        if (!nested) kept[atomicAdd(&group_count, 1)] = i;
    }
    __syncthreads();
    for (int i = thread; i < group_count; i += mean_threads) {
        const RectGroup own = means[kept[i]];
        int place = 0;
        for (int j = 0; j < group_count; ++j) {
            if (j == i) continue;
            const RectGroup& other = means[kept[j]];
            // Equal groups are interchangeable, but must not share a place.
            if (comes_before(other, own) || (j < i && !comes_before(own, other))) ++place;
        }
        grouping.groups[first + place] = own;
        if (place < grouping.first_count) {
            grouping.first_groups[static_cast<std::size_t>(image) * grouping.first_count + place] = own;
        }
    }
    if (thread == 0) grouping.counts[image] = static_cast<unsigned>(group_count);
}

}  // namespace

void launch_grouping(const Device& device, int images, const FoundWindows& found, const Grouping& grouping) {
    launch_kernel(device, "grouping", dim3(join_blocks_per_image, images), join_threads, 0, join_kernel,
                  found, grouping.max_windows, grouping.eps);
    launch_kernel(device, "grouping", images, mean_threads, 0, mean_kernel, found, grouping);
}

}  // namespace fovea::cuda_backend
