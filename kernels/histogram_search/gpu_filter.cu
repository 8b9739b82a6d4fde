// Approximate distances of many queries, with a bound of their error.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <cuda_fp16.h>

#include "kernels/histogram_search/chi_square_features.hpp"
#include "kernels/histogram_search/gpu_candidate_kernels.cuh"
#include "kernels/histogram_search/gpu_feature_kernels.cuh"
#include "kernels/histogram_search/gpu_filter.cuh"
#include "kernels/histogram_search/gpu_similarity_kernel.cuh"

namespace fovea::cuda_backend {
namespace {

static_assert(features_of_count * sizeof(__half) == sizeof(uint4));

// Beyond, there are too many tables and pairs of counts to try.
constexpr std::uint32_t max_count = 1023;
constexpr std::size_t max_weights = 64;
// Features take 16 bytes a count: gallery vectors have them in turns.
constexpr std::size_t max_feature_bytes = std::size_t{1} << 30;
constexpr std::uint32_t room_for_candidates = 1024;
constexpr std::uint32_t max_parts = 8;

using HalfFeatures = std::array<__half, features_of_count>;

// Features of a count, times a factor, rounded to half precision.
std::vector<HalfFeatures> rounded(const std::vector<std::array<double, features_of_count>>& features,
                                  double factor) {
    std::vector<HalfFeatures> halves;
    for (const auto& of_count : features) {
        HalfFeatures& half = halves.emplace_back();
        for (std::size_t f = 0; f < features_of_count; ++f) half[f] = __double2half(factor * of_count[f]);
    }
    return halves;
}

// The largest error of a pair of counts, in proportion to factor · (a + b).
double largest_error(const std::vector<HalfFeatures>& weighted, const std::vector<HalfFeatures>& plain,
                     double factor, int bits) {
    const auto widened = [](const std::vector<HalfFeatures>& halves) {
        std::vector<std::array<float, features_of_count>> floats;
        for (const HalfFeatures& half : halves) {
            auto& to = floats.emplace_back();
            for (std::size_t f = 0; f < features_of_count; ++f) to[f] = __half2float(half[f]);
        }
        return floats;
    };
    const auto first = widened(weighted), second = widened(plain);
    double largest = 0;
    for (std::uint32_t a = 0; a < first.size(); ++a) {
        for (std::uint32_t b = 0; b < second.size(); ++b) {
            if (a + b == 0) continue;
            double similarity = 0;
            for (std::size_t f = 0; f < features_of_count; ++f) {
                similarity += static_cast<double>(first[a][f]) * static_cast<double>(second[b][f]);
            }
            const double term = factor * std::ldexp(chi_square_term(a, b, bits), -bits);
            largest = std::max(largest, std::abs(term - similarity) / (factor * (a + b)));
        }
    }
    return largest;
}

// For sums on tensor cores. Each instruction adds 16 products to a sum; no more is assumed than that it
// brings these 17 to the exponent of the largest, drops what lies below its 24 bits, and rounds the result by
// less than 3 units (they are more precise: Fasi, Higham, Mikaitis, Pranesh 2021). Products of a bin add up
// to |v(a)| |v(b)| <= a + b and a hundredth, times its weight, at most, so that neither a sum nor a product
// exceeds the own sums of its bins.
double error_of_sums(std::size_t packed_bins) {
    constexpr double unit = 0x1p-23;
    constexpr double instructions =
        similarity_chunks_of_sum * chunk_bins * static_cast<double>(features_of_count) / 16;
    const double sums =
        std::ceil(static_cast<double>(packed_bins) / chunk_bins / similarity_chunks_of_sum) + max_parts;
    return 1.02 * unit * (20 * instructions + sums);
}

}  // namespace

bool GpuFilter::serves(const Device& device, const SearchPlan& plan) {
    check(cudaSetDevice(device.index()), device.index(), "selecting the device");
    cudaFuncAttributes attributes{};
    check(cudaFuncGetAttributes(&attributes, similarity_kernel), device.index(), "asking about a kernel");
    std::vector<std::uint32_t> weights;
    for (const SearchSegment& segment : plan.segments) weights.push_back(segment.weight);
    // They are in order.
    weights.erase(std::unique(weights.begin(), weights.end()), weights.end());
    // Code that was compiled for less does nothing.
    return attributes.ptxVersion >= 80 && plan.distance == HistogramDistance::chi_square &&
           plan.largest >= 1 && plan.largest <= max_count && !weights.empty() &&
           weights.size() <= max_weights;
}

GpuFilter::GpuFilter(const Device& device, const SearchPlan& plan)
    : device_(device),
      plan_(plan),
      features_(device.index()),
      similarities_(device.index()),
      candidates_(device.index()) {
    make_tables();
    check(cudaDeviceGetAttribute(&multiprocessors_, cudaDevAttrMultiProcessorCount, device.index()),
          device.index(), "reading the device's properties");
    check(cudaFuncSetAttribute(similarity_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(similarity_shared_bytes)),
          device.index(), "asking for shared memory");
}

void GpuFilter::make_tables() {
    const auto features = chi_square_features(plan_.largest);
    const std::vector<HalfFeatures> plain = rounded(features, 1);
    std::vector<HalfFeatures> tables = plain;
    std::vector<std::uint16_t> table_of_bin(plan_.source.size());
    double error = 0;
    std::uint16_t table = 0;
    for (std::size_t s = 0; s < plan_.segments.size(); ++s) {
        const SearchSegment& segment = plan_.segments[s];
        if (s == 0 || segment.weight != plan_.segments[s - 1].weight) {
            const double factor = segment.weight / 256.0;
            const std::vector<HalfFeatures> weighted = rounded(features, factor);
            error = std::max(error, largest_error(weighted, plain, factor, plan_.bits));
            tables.insert(tables.end(), weighted.begin(), weighted.end());
            ++table;
        }
        std::fill_n(table_of_bin.begin() + segment.first, segment.bins, table);
    }
    // A little more, for the rounding of the bounds themselves.
    error_ = 1.0001 * (error + error_of_sums(plan_.source.size()));
    std::vector<uint4> words(tables.size());
    std::memcpy(words.data(), tables.data(), words.size() * sizeof(uint4));
    tables_ = Buffer<uint4>(device_, words.size());
    tables_.upload(words.data(), words.size());
    table_of_bin_ = Buffer<std::uint16_t>(device_, table_of_bin.size());
    table_of_bin_.upload(table_of_bin.data(), table_of_bin.size());
    device_.synchronize();
}

// Parts of the sums of so many tiles that keep the multiprocessors, which have one each at a time, busiest.
std::uint32_t GpuFilter::parts_for(std::size_t tiles) const {
    const auto multiprocessors = static_cast<std::size_t>(multiprocessors_);
    const std::size_t most = std::min<std::size_t>(max_parts, plan_.source.size() / chunk_bins);
    std::size_t best = 1;
    const auto rounds = [&](std::size_t parts) {
        return (tiles * parts + multiprocessors - 1) / multiprocessors;
    };
    for (std::size_t parts = 2; parts <= most; ++parts) {
        // A tenth less time is worth another part.
        if (10 * rounds(parts) * best < 9 * rounds(best) * parts) best = parts;
    }
    return static_cast<std::uint32_t>(best);
}

void GpuFilter::approximate(const GpuTileMemory& gallery, const std::uint32_t* prepared, std::size_t count) {
    const GalleryView view = gallery.view();
    const std::size_t packed = plan_.source.size();
    const std::size_t query_stride = align_up(count, similarity_queries);
    const std::size_t vector_bytes = packed * sizeof(uint4);
    const std::size_t max_vectors = std::max<std::size_t>(
        similarity_vectors, max_feature_bytes / vector_bytes / similarity_vectors * similarity_vectors);
    const std::size_t slices = (gallery.size() + max_vectors - 1) / max_vectors;
    const std::size_t vectors = align_up((gallery.size() + slices - 1) / slices, similarity_vectors);
    const std::size_t query_bytes = align_up(query_stride * vector_bytes);
    features_.reserve(query_bytes + vectors * vector_bytes);
    auto* const query_features = features_.at<uint4>();
    auto* const vector_features = features_.at<uint4>(query_bytes);

    constexpr unsigned bins_of_block = feature_threads / warp_lanes;
    launch_kernel(device_, "looking up features",
                  dim3(static_cast<unsigned>(query_stride / warp_lanes),
                       static_cast<unsigned>((packed + bins_of_block - 1) / bins_of_block)),
                  feature_threads, 0, query_features_kernel, prepared, static_cast<std::uint32_t>(count),
                  static_cast<std::uint32_t>(packed), table_of_bin_.data(), tables_.data(), plan_.largest,
                  query_stride, query_features);
    stride_ = align_up(gallery.size(), tile_vectors);
    const std::size_t tiles = query_stride / similarity_queries * (vectors / similarity_vectors);
    parts_ = parts_for(tiles);
    similarities_.reserve(parts_ * count * stride_ * sizeof(float));
    for (std::size_t first = 0; first < gallery.size(); first += vectors) {
        launch_kernel(device_, "looking up features",
                      dim3(static_cast<unsigned>(vectors / tile_vectors),
                           static_cast<unsigned>((view.chunks + feature_chunks - 1) / feature_chunks)),
                      feature_threads, (plan_.largest + 1) * sizeof(uint4), gallery_features_kernel, view,
                      static_cast<std::uint32_t>(first / tile_vectors), tables_.data(), plan_.largest,
                      vectors, vector_features);
        SimilarityTask task;
        task.queries = query_features;
        task.query_stride = query_stride;
        task.vectors = vector_features;
        task.vector_stride = vectors;
        task.chunks = view.chunks;
        task.parts = parts_;
        task.out = similarities_.at<float>() + first;
        task.out_stride = stride_;
        task.query_count = static_cast<std::uint32_t>(count);
        task.vector_count = static_cast<std::uint32_t>(std::min(vectors, stride_ - first));
        launch_kernel(device_, "approximating distances", static_cast<unsigned>(tiles * parts_),
                      similarity_threads, similarity_shared_bytes, similarity_kernel, task);
    }
}

Candidates GpuFilter::find(const GpuTileMemory& gallery, const std::uint32_t* prepared,
                           const std::int64_t* own, std::size_t count, std::uint32_t k) {
    approximate(gallery, prepared, count);
    const std::size_t places = count * room_for_candidates;
    const std::size_t keys = align_up(count * sizeof(std::uint32_t));
    const std::size_t indices = keys + align_up(places * sizeof(unsigned long long));
    candidates_.reserve(indices + places * sizeof(std::uint32_t));
    const Candidates candidates{candidates_.at<std::uint32_t>(), candidates_.at<std::uint32_t>(indices),
                                candidates_.at<unsigned long long>(keys), room_for_candidates};
    const Approximation approximation{
        similarities_.at<float>(), stride_, count * stride_, parts_, own, error_};
    launch_kernel(device_, "choosing candidates", static_cast<unsigned>(count), candidate_threads, 0,
                  candidates_kernel, gallery.view(), approximation, k, candidates);
    launch_kernel(device_, "comparing candidates", dim3(refine_blocks, static_cast<unsigned>(count)),
                  refine_warps * warp_lanes, 0, refine_kernel, gallery.plan_view(), gallery.view(), prepared,
                  own, candidates);
    return candidates;
}

}  // namespace fovea::cuda_backend
