// Regional histograms on a GPU: the tables of features in its memory, and the launches.

#include <algorithm>
#include <string>

#include "kernels/core/buffer.hpp"
#include "kernels/core/gpu_launch.cuh"
#include "kernels/lbp/gpu_lbp.hpp"
#include "kernels/lbp/gpu_lbp_kernels.cuh"

namespace fovea::cuda_backend {
namespace {

using StagedKernel = void (*)(GpuFeature);

constexpr std::size_t table_bytes = 256;
constexpr std::size_t direct_bytes = 48 << 10;
constexpr int direct_threads = 256;

StagedKernel kernel_of(const LbpPlan& plan) {
    using namespace lbp_kernels;
    const bool uniform = plan.lbp.uniform;
    if (plan.lbp.points == 8) {
        return uniform ? staged_kernel<8, Labels::from_table> : staged_kernel<8, Labels::of_code>;
    }
    if (plan.lbp.points == 16 && uniform) return staged_kernel<16, Labels::arithmetic>;
    return staged_kernel<0, Labels::from_memory>;
}

std::size_t shared_bytes(const StagedJob& job, std::size_t bins) {
    return staged_bytes(job, bins) + sizeof(std::uint32_t) * static_cast<std::size_t>(job.coded.height) +
           table_bytes;
}

/// One feature's tables and how it is launched.
class Feature {
  public:
    Feature(const Device& device, Size face, const GpuLbpFeature& from, std::size_t bins_of_face,
            std::size_t max_shared)
        : index_(device.index()), device_(device), regions_(uploaded(device, from.regions)) {
        gpu_.face = face;
        gpu_.points = from.plan.lbp.points;
        gpu_.margin = from.plan.margin;
        gpu_.bins = static_cast<int>(from.plan.bins);
        gpu_.uniform = from.plan.lbp.uniform;
        gpu_.first_bin = from.first_bin;
        gpu_.bins_of_face = bins_of_face;
        gpu_.regions = static_cast<std::uint32_t>(from.regions.size());
        gpu_.region = regions_.data();
        for (std::size_t p = 0; p < from.plan.samples.size(); ++p) {
            const LbpSample& sample = from.plan.samples[p];
            gpu_.face_offsets[p] = sample.y * face.width + sample.x;
            for (std::size_t i = 0; i < 4; ++i) {
                gpu_.weights[p] |= std::uint32_t{sample.weights[i]} << (8 * i);
            }
        }
        const std::size_t fixed = table_bytes + sizeof(std::uint32_t) * static_cast<std::size_t>(face.height);
        std::vector<StagedJob> jobs;
        if (max_shared > fixed) {
            jobs = staged_jobs(face, from.regions, from.plan.margin, from.plan.bins, max_shared - fixed);
        }
        if (!jobs.empty()) stage(device, from.plan, jobs);
        // The host's vectors are read until then.
        device.synchronize();
    }

    void launch(const std::uint8_t* faces, std::size_t count, std::uint16_t* counts) const {
        const std::size_t pixels = static_cast<std::size_t>(gpu_.face.width) * gpu_.face.height;
        const std::size_t blocks_of_face = kernel_ != nullptr ? gpu_.jobs : gpu_.regions;
        const std::size_t most = std::max<std::size_t>(1, (std::size_t{1} << 30) / blocks_of_face);
        GpuFeature feature = gpu_;
        feature.faces = faces;
        feature.faces_end = faces + count * pixels;
        for (std::size_t first = 0; first < count; first += most) {
            const std::size_t now = std::min(most, count - first);
            feature.faces = faces + first * pixels;
            feature.counts = counts + first * gpu_.bins_of_face;
            launch_blocks(feature, static_cast<unsigned>(now * blocks_of_face));
        }
    }

  private:
    void stage(const Device& device, const LbpPlan& plan, const std::vector<StagedJob>& jobs) {
        std::vector<GpuJob> gpu_jobs;
        std::vector<RegionCells> region_cells;
        std::vector<std::uint16_t> cells;
        int width = 1, height = 1;
        for (const StagedJob& job : jobs) {
            GpuJob to;
            to.window = job.window;
            to.coded = {job.coded.width, job.coded.height};
            to.cell_columns = job.cell_columns;
            to.cells = static_cast<int>(job.cells());
            to.column_cells = static_cast<std::uint32_t>(cells.size());
            cells.insert(cells.end(), job.column_cells.begin(), job.column_cells.end());
            to.row_cells = static_cast<std::uint32_t>(cells.size());
            cells.insert(cells.end(), job.row_cells.begin(), job.row_cells.end());
            to.first_region = static_cast<std::uint32_t>(job.first_region);
            to.regions = static_cast<std::uint32_t>(job.regions.size());
            region_cells.insert(region_cells.end(), job.regions.begin(), job.regions.end());
            gpu_jobs.push_back(to);
            gpu_.stride = std::max(gpu_.stride, staged_stride(job.window));
            width = std::max(width, job.coded.width);
            height = std::max(height, job.coded.height);
        }
        for (std::size_t p = 0; p < plan.samples.size(); ++p) {
            gpu_.offsets[p] = plan.samples[p].y * gpu_.stride + plan.samples[p].x;
        }
        // All rows are as long as the longest, which may be more than each job was planned with.
        for (StagedJob job : jobs) {
            job.window.width = gpu_.stride;
            shared_bytes_ = std::max(shared_bytes_, shared_bytes(job, plan.bins));
        }
        int most = 0;
        check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, index_), index_,
              "reading an attribute");
        if (shared_bytes_ > static_cast<std::size_t>(most)) return;
        jobs_ = uploaded(device, gpu_jobs);
        region_cells_ = uploaded(device, region_cells);
        cells_ = uploaded(device, cells);
        labels_ = uploaded(device, plan.labels);
        gpu_.jobs = static_cast<std::uint32_t>(jobs.size());
        gpu_.job = jobs_.data();
        gpu_.region_cells = region_cells_.data();
        gpu_.cells = cells_.data();
        gpu_.labels = labels_.data();
        kernel_ = kernel_of(plan);
        // The attribute is the kernel's, not the feature's: never less than another feature needs.
        check(cudaSetDevice(index_), index_, "selecting the device");
        check(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, most), index_,
              "asking for shared memory");
        choose_threads(width, height);
        // Vectors made here are read until then.
        device.synchronize();
    }

    // A thread goes down a column of pixels: a block is as wide as wastes the fewest threads, and as high as
    // gives each about sixteen pixels.
    void choose_threads(int width, int height) {
        const auto padded = [&](int threads) { return (width + threads - 1) / threads * threads; };
        int best = 32;
        for (int threads = 64; threads <= 256; threads += 32) {
            if (padded(threads) <= padded(best)) best = threads;
        }
        const int pixels = width * height;
        const int wanted = pixels >= 6000 ? max_threads : max_threads / 2;
        threads_ = dim3(static_cast<unsigned>(best), static_cast<unsigned>(std::max(1, wanted / best)));
    }

    template <class T>
    static Buffer<T> uploaded(const Device& device, const std::vector<T>& values) {
        Buffer<T> buffer(device, values.size());
        buffer.upload(values.data(), values.size());
        return buffer;
    }

    void launch_blocks(const GpuFeature& feature, unsigned blocks) const {
        constexpr const char* doing = "counting local binary patterns";
        if (kernel_ != nullptr) {
            launch_kernel(device_, doing, blocks, threads_, shared_bytes_, kernel_, feature);
            return;
        }
        const auto most = static_cast<int>(direct_bytes / sizeof(std::uint32_t));
        const int at_once = std::min(feature.bins, most);
        const int copies = std::min(direct_threads / 32, most / at_once);
        launch_kernel(device_, doing, blocks, direct_threads, sizeof(std::uint32_t) * at_once * copies,
                      lbp_kernels::direct_kernel, feature, copies, at_once);
    }

    int index_;
    const Device& device_;
    GpuFeature gpu_;
    StagedKernel kernel_ = nullptr;  // none: regions are counted where they lie
    dim3 threads_;
    std::size_t shared_bytes_ = 0;
    Buffer<GpuJob> jobs_;
    Buffer<RegionCells> region_cells_;
    Buffer<std::uint16_t> cells_;
    Buffer<std::uint16_t> labels_;
    Buffer<Rect> regions_;
};

}  // namespace

class GpuLbp::Implementation {
  public:
    Implementation(const Device& device, Size face, const std::vector<GpuLbpFeature>& features,
                   std::size_t bins, std::size_t max_shared)
        : index_(device.index()) {
        check(cudaSetDevice(index_), index_, "selecting the device");
        if (max_shared == 0) max_shared = best_shared();
        for (const GpuLbpFeature& feature : features) {
            features_.push_back(std::make_unique<Feature>(device, face, feature, bins, max_shared));
        }
    }

    void compute(const std::uint8_t* faces, std::size_t count, std::uint16_t* counts) const {
        for (const auto& feature : features_) feature->launch(faces, count, counts);
    }

  private:
    // Three blocks to a multiprocessor, so that some count while others stage, or one where it has room for
    // no more.
    std::size_t best_shared() const {
        int of_block = 0, of_processor = 0;
        check(cudaDeviceGetAttribute(&of_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, index_), index_,
              "reading an attribute");
        check(cudaDeviceGetAttribute(&of_processor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, index_),
              index_, "reading an attribute");
        constexpr int least = 48 << 10;
        return static_cast<std::size_t>(
            std::clamp(of_processor / 3 - 1024, std::min(least, of_block), of_block));
    }

    int index_;
    std::vector<std::unique_ptr<Feature>> features_;
};

GpuLbp::GpuLbp(const Device& device, Size face, const std::vector<GpuLbpFeature>& features, std::size_t bins,
               std::size_t max_shared)
    : implementation_(std::make_unique<Implementation>(device, face, features, bins, max_shared)) {}
GpuLbp::~GpuLbp() = default;

void GpuLbp::compute(const std::uint8_t* faces, std::size_t count, std::uint16_t* counts) const {
    if (count > 0) implementation_->compute(faces, count, counts);
}

}  // namespace fovea::cuda_backend
