#include <algorithm>
#include <cstring>
#include <vector>

#include "kernels/boost/feature_bins_body.hpp"
#include "kernels/boost/gpu_feature_bins.hpp"
#include "kernels/core/buffer.hpp"
#include "kernels/core/gpu_memory.cuh"
#include "kernels/core/gpu_warp.cuh"
#include "kernels/haar_lbp/feature_corners.hpp"
#include "kernels/haar_lbp/window_body.hpp"

namespace fovea::cuda_backend {
namespace {

constexpr int bin_count = 256;
constexpr int block_threads = 256;
constexpr int warps = block_threads / 32;
/// Features whose histograms a block makes at once: each weight that it loads serves all of them.
constexpr int block_features = warps;
constexpr int lane_bins = bin_count / 32;
/// Bins of features that are not kept are made and searched so many bytes at a time.
constexpr std::size_t scratch_bytes = std::size_t{256} << 20;

/// Corners of a feature as SampleIntegrals numbers them, those of tilted sums behind the others.
struct FeatureCorners {
    std::uint32_t corners[16];  ///< Haar: four for each rectangle; LBP: the 4x4 grid
    float weights[3];
};

/// Bins are made from these.
struct WindowsOnGpu {
    const std::int32_t* sums;  ///< [corner][stride]
    const float* inverse_deviations;
    std::size_t stride;
    std::size_t count;
};

struct BinRows {
    std::uint8_t* bins;  ///< [feature][row]
    std::size_t row;     ///< bytes
};

__device__ float value_of(const FeatureCorners& feature, const WindowsOnGpu& windows, std::size_t sample) {
    const std::int32_t* const own = windows.sums + sample;
    const float value = haar_value(feature.corners, feature.weights, feature.weights[2] != 0,
                                   [&](std::uint32_t corner) { return own[corner * windows.stride]; });
    return value * windows.inverse_deviations[sample];
}

__global__ void find_ranges(const FeatureCorners* features, unsigned count, WindowsOnGpu windows,
                            BinRange* ranges) {
    const unsigned feature = blockIdx.x * blockDim.x + threadIdx.x;
    if (feature >= count) return;
    const FeatureCorners own = features[feature];
    ranges[feature] =
        bin_range(windows.count, [&](std::size_t sample) { return value_of(own, windows, sample); });
}

/// The same bin as bins_of() in sample_integrals_simd.cpp gives.
__device__ std::uint8_t bin_of(float value, const BinRange& range) {
    const float place = (value - range.least) * range.scale;
    return static_cast<std::uint8_t>(static_cast<int>(fminf(fmaxf(place, 0.0F), 255.0F)));
}

/// Each thread makes the bins of four samples. \param blocks of one feature
template <bool is_lbp>
__global__ void fill_bins(const FeatureCorners* features, const BinRange* ranges, unsigned blocks,
                          WindowsOnGpu windows, BinRows rows) {
    const unsigned feature = blockIdx.x / blocks;
    const std::size_t first =
        (static_cast<std::size_t>(blockIdx.x % blocks) * block_threads + threadIdx.x) * 4;
    if (first >= windows.count) return;
    const FeatureCorners& own = features[feature];
    std::uint8_t bins[4];
    for (int i = 0; i < 4; ++i) {
        // Samples beyond the last are there, but nobody looks at their bins.
        const std::size_t sample = first + i;
        if constexpr (is_lbp) {
            const std::int32_t* const sums = windows.sums + sample;
            bins[i] = static_cast<std::uint8_t>(
                lbp_code(own.corners, [&](std::uint32_t corner) { return sums[corner * windows.stride]; }));
        } else {
            bins[i] = bin_of(value_of(own, windows, sample), ranges[feature]);
        }
    }
    *reinterpret_cast<uchar4*>(rows.bins + feature * rows.row + first) =
        make_uchar4(bins[0], bins[1], bins[2], bins[3]);
}

/// The samples of a search. `responses` is null where every response is ± its weight: then the sign of a
/// weight is its response's.
struct WeighedSamples {
    const std::uint32_t* samples;
    const std::int32_t* weights;
    const std::int32_t* responses;
    unsigned count;
    SplitSums total;
};

struct BinSums {
    int weight, response;
};

/// The sums of all lanes before this one.
__device__ BinSums sums_before(const BinSums& own, int lane) {
    BinSums sums = own;
    for (int distance = 1; distance < 32; distance *= 2) {
        const int weight = __shfl_up_sync(all_lanes, sums.weight, distance);
        const int response = __shfl_up_sync(all_lanes, sums.response, distance);
        if (lane >= distance) {
            sums.weight += weight;
            sums.response += response;
        }
    }
    return {sums.weight - own.weight, sums.response - own.response};
}

/// The score of the best cut between bins in their order, to all lanes. \param bins the lane's own, 8 · lane
/// and on
__device__ double best_cut(const BinSums (&bins)[lane_bins], const SplitSums& total, SplitCriterion criterion,
                           int lane) {
    BinSums own{0, 0};
    for (int i = 0; i < lane_bins; ++i) {
        own.weight += bins[i].weight;
        own.response += bins[i].response;
    }
    const BinSums before = sums_before(own, lane);
    SplitSums left{before.weight, before.response};
    double best = 0;
    for (int i = 0; i < lane_bins; ++i) {
        if (bins[i].weight == 0) continue;
        left += {bins[i].weight, bins[i].response};
        const SplitSums right{total.weight - left.weight, total.response - left.response};
        if (right.weight > 0) best = fmax(best, split_score(criterion, left, right));
    }
    for (int distance = 16; distance > 0; distance /= 2)
        best = fmax(best, __shfl_xor_sync(all_lanes, best, distance));
    return best;
}

/// Puts the codes of an LBP feature into the order of their mean responses. \param means, sums [256] of the
/// warp
__device__ void sort_codes(BinSums (&bins)[lane_bins], double* means, BinSums* sums, int lane) {
    for (int i = 0; i < lane_bins; ++i) {
        const int code = lane_bins * lane + i;
        means[code] = bins[i].weight > 0
                          ? static_cast<double>(bins[i].response) / static_cast<double>(bins[i].weight)
                          : INFINITY;  // behind all others
    }
    __syncwarp();
    int ranks[lane_bins] = {};
    for (int other = 0; other < bin_count; ++other) {
        const double mean = means[other];
        for (int i = 0; i < lane_bins; ++i) {
            const int code = lane_bins * lane + i;
            const double own = means[code];
            ranks[i] += mean < own || (mean == own && other < code);
        }
    }
    for (int i = 0; i < lane_bins; ++i) sums[ranks[i]] = bins[i];
    __syncwarp();
    for (int i = 0; i < lane_bins; ++i) bins[i] = sums[lane_bins * lane + i];
}

/// A block makes the histograms of eight features, then each warp finds the best cut of one.
template <bool is_lbp, bool has_signs>
__global__ void __launch_bounds__(block_threads)
    find_scores(BinRows rows, unsigned feature_count, WeighedSamples samples, SplitCriterion criterion,
                double* scores) {
    // Sums of positive and of negative responses, or of weights and responses.
    __shared__ int histograms[block_features][2][bin_count];
    __shared__ double means[is_lbp ? block_features : 1][bin_count];
    int* const all = &histograms[0][0][0];
    for (int i = threadIdx.x; i < block_features * 2 * bin_count; i += block_threads) all[i] = 0;
    __syncthreads();

    const unsigned first = blockIdx.x * block_features;
    const unsigned last = min(feature_count - first, static_cast<unsigned>(block_features)) - 1;
    const std::uint8_t* const bins = rows.bins + first * rows.row;
    for (unsigned i = threadIdx.x; i < samples.count; i += block_threads) {
        const std::uint32_t sample = samples.samples[i];
        const int weight = samples.weights[i];
        const int response = has_signs ? 0 : samples.responses[i];
        unsigned places[block_features];
#pragma unroll
        for (unsigned f = 0; f < block_features; ++f) places[f] = bins[min(f, last) * rows.row + sample];
#pragma unroll
        for (unsigned f = 0; f < block_features; ++f) {
            if constexpr (has_signs) {
                atomicAdd(&histograms[f][weight < 0 ? 1 : 0][places[f]], abs(weight));
            } else {
                atomicAdd(&histograms[f][0][places[f]], weight);
                atomicAdd(&histograms[f][1][places[f]], response);
            }
        }
    }
    __syncthreads();

    const unsigned warp = threadIdx.x / 32;
    const int lane = static_cast<int>(threadIdx.x % 32);
    if (warp > last) return;
    BinSums own[lane_bins];
    for (int i = 0; i < lane_bins; ++i) {
        const int a = histograms[warp][0][lane_bins * lane + i],
                  b = histograms[warp][1][lane_bins * lane + i];
        own[i] = has_signs ? BinSums{a + b, a - b} : BinSums{a, b};
        if (own[i].weight == 0) own[i].response = 0;
    }
    if constexpr (is_lbp) {
        __syncwarp();
        sort_codes(own, means[warp], reinterpret_cast<BinSums*>(&histograms[warp][0][0]), lane);
    }
    const double best = best_cut(own, samples.total, criterion, lane);
    if (lane == 0) scores[first + warp] = best;
}

std::vector<FeatureCorners> corners_of(const WindowFeatures& features) {
    const auto width = static_cast<std::uint32_t>(features.window.width) + 1;
    const std::uint32_t corners = width * (static_cast<std::uint32_t>(features.window.height) + 1);
    const auto corner = [width](int x, int y) {
        return static_cast<std::uint32_t>(y) * width + static_cast<std::uint32_t>(x);
    };
    std::vector<FeatureCorners> all;
    all.reserve(features.size());
    for (const HaarFeature& feature : features.haar) {
        FeatureCorners own{};
        for (std::size_t r = 0; r < feature.rects.size(); ++r) {
            own.weights[r] = feature.weights[r];
            if (feature.weights[r] == 0) continue;
            const auto places = rect_corners(feature.rects[r], feature.tilted, [&](int x, int y) {
                return corner(x, y) + (feature.tilted ? corners : 0);
            });
            std::copy(places.begin(), places.end(), own.corners + 4 * r);
        }
        all.push_back(own);
    }
    for (const LbpFeature& feature : features.lbp) {
        FeatureCorners own{};
        const auto places = grid_corners(feature, corner);
        std::copy(places.begin(), places.end(), own.corners);
        all.push_back(own);
    }
    return all;
}

class Bins final : public GpuFeatureBins {
  public:
    Bins(const Device& device, const SampleIntegrals& samples, const WindowFeatures& features,
         std::size_t max_bytes)
        : device_(device),
          is_lbp_(features.kind == Cascade::Feature::lbp),
          feature_count_(features.size()),
          sample_count_(samples.count()),
          row_bytes_(align_up(std::max<std::size_t>(1, samples.count()))),
          features_(device, features.size()),
          ranges_(device, features.size()),
          inverse_deviations_(device, samples.stride()),
          scores_(device, features.size()),
          samples_(device, samples.count()),
          weights_(device, samples.count()),
          responses_(device, samples.count()),
          found_(device.index(), true) {
        const std::vector<FeatureCorners> corners = corners_of(features);
        features_.upload(corners.data(), corners.size());
        const std::size_t size = static_cast<std::size_t>(features.window.width + 1) *
                                 static_cast<std::size_t>(features.window.height + 1) * samples.stride();
        sums_ = Buffer<std::int32_t>(device, samples.has_tilted() ? 2 * size : size);
        sums_.upload(samples.sums(0, 0), size);
        if (samples.has_tilted()) {
            cuda_backend::copy(device.index(), device.stream(), sums_.data() + size, samples.tilted(0, 0),
                               size * sizeof(std::int32_t));
        }
        inverse_deviations_.upload(samples.inverse_deviations(), samples.stride());
        found_.reserve(features.size() * sizeof(double));
        keep_bins(max_bytes);
        device_.synchronize();  // `corners` and the caller's memory may go
    }

    std::span<const double> scores(std::span<const std::uint32_t> samples,
                                   std::span<const BoostWeight> weights, SplitCriterion criterion) override {
        const WeighedSamples weighed = bring(samples, weights);
        for (std::size_t first = 0; first < feature_count_;) {
            const bool kept = first < kept_;
            const std::size_t last =
                kept ? std::min(kept_, first + max_features_of_launch)
                     : std::min({feature_count_, first + max_features_of_launch, first + scratch_features_});
            BinRows rows{bins_.data() + (kept ? first : kept_) * row_bytes_, row_bytes_};
            if (!kept) fill(first, last, rows);
            search(first, last, rows, weighed, criterion);
            first = last;
        }
        auto* const found = found_.at<double>();
        scores_.download(found, feature_count_);
        return {found, feature_count_};
    }

  private:
    // A grid ends at 2^31 - 1 blocks.
    static constexpr std::size_t max_features_of_launch = std::size_t{1} << 16;

    WindowsOnGpu windows() const {
        return {sums_.data(), inverse_deviations_.data(), inverse_deviations_.size(), sample_count_};
    }

    void keep_bins(std::size_t max_bytes) {
        if (!is_lbp_) {
            constexpr unsigned threads = 128;
            const auto count = static_cast<unsigned>(feature_count_);
            launch_kernel(device_, "finding ranges of bins", (count + threads - 1) / threads, threads, 0,
                          find_ranges, features_.data(), count, windows(), ranges_.data());
        }
        kept_ = std::min(feature_count_, max_bytes / row_bytes_);
        scratch_features_ =
            std::min(feature_count_ - kept_, std::max<std::size_t>(1, scratch_bytes / row_bytes_));
        bins_ = Buffer<std::uint8_t>(device_, (kept_ + scratch_features_) * row_bytes_);
        for (std::size_t first = 0; first < kept_; first += max_features_of_launch) {
            fill(first, std::min(kept_, first + max_features_of_launch),
                 {bins_.data() + first * row_bytes_, row_bytes_});
        }
    }

    void fill(std::size_t first, std::size_t last, const BinRows& rows) {
        const auto blocks =
            static_cast<unsigned>((sample_count_ + 4 * block_threads - 1) / (4 * block_threads));
        const auto count = static_cast<unsigned>(last - first);
        launch_kernel(device_, "filling bins", count * blocks, block_threads, 0,
                      is_lbp_ ? fill_bins<true> : fill_bins<false>, features_.data() + first,
                      ranges_.data() + first, blocks, windows(), rows);
    }

    void search(std::size_t first, std::size_t last, const BinRows& rows, const WeighedSamples& samples,
                SplitCriterion criterion) {
        const auto count = static_cast<unsigned>(last - first);
        const bool has_signs = samples.responses == nullptr;
        const auto kernel = is_lbp_ ? (has_signs ? find_scores<true, true> : find_scores<true, false>)
                                    : (has_signs ? find_scores<false, true> : find_scores<false, false>);
        launch_kernel(device_, "finding splits", (count + block_features - 1) / block_features, block_threads,
                      0, kernel, rows, count, samples, criterion, scores_.data() + first);
    }

    /// Samples without weight and response change nothing.
    WeighedSamples bring(std::span<const std::uint32_t> samples, std::span<const BoostWeight> weights) {
        const bool has_signs = std::all_of(weights.begin(), weights.end(), [](const BoostWeight& w) {
            return w.response == w.weight || w.response == -w.weight;
        });
        host_samples_.clear();
        host_weights_.clear();
        host_responses_.clear();
        SplitSums total;
        for (std::size_t i = 0; i < samples.size(); ++i) {
            const BoostWeight& weight = weights[i];
            total += {weight.weight, weight.response};
            if (weight.weight == 0 && weight.response == 0) continue;
            host_samples_.push_back(samples[i]);
            host_weights_.push_back(has_signs ? weight.response : weight.weight);
            host_responses_.push_back(weight.response);
        }
        samples_.upload(host_samples_.data(), host_samples_.size());
        weights_.upload(host_weights_.data(), host_weights_.size());
        if (!has_signs) responses_.upload(host_responses_.data(), host_responses_.size());
        return {samples_.data(), weights_.data(), has_signs ? nullptr : responses_.data(),
                static_cast<unsigned>(host_samples_.size()), total};
    }

    const Device& device_;
    const bool is_lbp_;
    const std::size_t feature_count_, sample_count_, row_bytes_;
    Buffer<FeatureCorners> features_;
    Buffer<BinRange> ranges_;
    Buffer<std::int32_t> sums_;
    Buffer<float> inverse_deviations_;
    Buffer<double> scores_;
    Buffer<std::uint32_t> samples_;
    Buffer<std::int32_t> weights_, responses_;
    Buffer<std::uint8_t> bins_;  // [feature][sample] of those kept, then room for a part of the others
    std::size_t kept_ = 0, scratch_features_ = 0;
    std::vector<std::uint32_t> host_samples_;
    std::vector<std::int32_t> host_weights_, host_responses_;
    HostMemory found_;
};

}  // namespace

std::unique_ptr<GpuFeatureBins> make_gpu_feature_bins(const Device& device, const SampleIntegrals& samples,
                                                      const WindowFeatures& features, std::size_t max_bytes) {
    return std::make_unique<Bins>(device, samples, features, max_bytes);
}

std::size_t memory_for_bins(const Device& device) {
    std::size_t free = 0, all = 0;
    check(cudaSetDevice(device.index()), device.index(), "selecting the device");
    check(cudaMemGetInfo(&free, &all), device.index(), "asking for its free memory");
    return free / 2;
}

}  // namespace fovea::cuda_backend
