#include "kernels/lbp/lbp_histograms.hpp"

#include <algorithm>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "kernels/lbp/gpu_lbp.hpp"
#include "kernels/lbp/lbp_simd.hpp"

namespace fovea {
namespace {

// The part of a region in a row of pixels with codes.
struct RegionSpan {
    std::size_t region = 0;
    int begin = 0;  // column of the face
    int end = 0;    // behind the last one
};

// Rows of a face through which the same regions go.
struct RegionBand {
    int top = 0;
    int bottom = 0;  // behind the last row
    int begin = 0;   // of the columns that belong to any region
    int end = 0;
    std::vector<RegionSpan> spans;
};

// The bands from top to bottom that have pixels both of a region and with a code, that is at least `margin`
// from every border of the face. \param regions inside the face, may overlap.
std::vector<RegionBand> region_bands(Size face, const std::vector<Rect>& regions, int margin) {
    std::vector<RegionBand> bands;
    const int last_row = face.height - margin, last_column = face.width - margin;
    std::vector<int> edges;
    for (const Rect& region : regions) {
        for (const int y : {region.y, region.y + region.height}) {
            edges.push_back(std::clamp(y, margin, std::max(margin, last_row)));
        }
    }
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        RegionBand band{edges[i], edges[i + 1], last_column, margin, {}};
        for (std::size_t r = 0; r < regions.size(); ++r) {
            const Rect& region = regions[r];
            if (region.y > band.top || region.y + region.height < band.bottom) continue;
            const int begin = std::max(region.x, margin);
            const int end = std::min(region.x + region.width, last_column);
            if (begin >= end) continue;
            band.spans.push_back({r, begin, end});
            band.begin = std::min(band.begin, begin);
            band.end = std::max(band.end, end);
        }
        if (!band.spans.empty()) bands.push_back(std::move(band));
    }
    return bands;
}

// Neighbouring pixels often have the same label, and the processor cannot add to a count again before it has
// stored it: pixels take turns with several histograms, where these are small.
constexpr std::size_t max_copies = 4;
constexpr std::size_t max_bins_of_copies = 1024;

struct CpuFeature {
    LbpPlan plan;
    std::vector<LbpRowSample> samples;
    std::vector<RegionBand> bands;
    std::size_t regions = 0;
    std::size_t first_bin = 0;

    std::size_t copies() const { return plan.bins <= max_bins_of_copies ? max_copies : 1; }
};

/// Memory that a thread needs besides a face.
struct Scratch {
    std::vector<std::uint8_t> face;
    std::vector<std::uint16_t> codes;
    std::vector<std::uint16_t> histograms;  // [region][copy][bin]
};

// Counts the labels of a span in a region's copies, [copy][bin].
template <std::size_t Copies>
void count_span(const std::uint16_t* codes, std::size_t count, const std::uint16_t* labels, std::size_t bins,
                std::uint16_t* histograms) {
    std::size_t i = 0;
    for (; i + Copies <= count; i += Copies) {
        for (std::size_t copy = 0; copy < Copies; ++copy) {
            ++histograms[copy * bins + labels[codes[i + copy]]];
        }
    }
    for (; i < count; ++i) ++histograms[labels[codes[i]]];
}

void count_labels(const CpuFeature& feature, Size size, Scratch& scratch, std::uint16_t* counts) {
    const std::size_t bins = feature.plan.bins, copies = feature.copies();
    const std::uint16_t* const labels = feature.plan.labels.data();
    scratch.histograms.assign(feature.regions * copies * bins, 0);
    for (const RegionBand& band : feature.bands) {
        for (int y = band.top; y < band.bottom; ++y) {
            codes_of_row(feature.samples, scratch.face.data() + std::ptrdiff_t{y} * size.width + band.begin,
                         static_cast<std::size_t>(band.end - band.begin), scratch.codes.data());
            for (const RegionSpan& span : band.spans) {
                const std::uint16_t* const codes = scratch.codes.data() + (span.begin - band.begin);
                std::uint16_t* const histograms = scratch.histograms.data() + span.region * copies * bins;
                const auto count = static_cast<std::size_t>(span.end - span.begin);
                if (copies == 1) {
                    count_span<1>(codes, count, labels, bins, histograms);
                } else {
                    count_span<max_copies>(codes, count, labels, bins, histograms);
                }
            }
        }
    }
    for (std::size_t region = 0; region < feature.regions; ++region) {
        const std::uint16_t* const from = scratch.histograms.data() + region * copies * bins;
        std::uint16_t* const to = counts + region * bins;
        std::copy_n(from, bins, to);
        for (std::size_t copy = 1; copy < copies; ++copy) {
            for (std::size_t bin = 0; bin < bins; ++bin) {
                to[bin] = static_cast<std::uint16_t>(to[bin] + from[copy * bins + bin]);
            }
        }
    }
}

}  // namespace

class LbpHistograms::Implementation {
  public:
    Implementation(const Device& device, Size face, std::vector<RegionalLbp> features)
        : face_(face), layout_(lbp_layout(face, features)) {
        std::size_t first_bin = 0;
        std::vector<cuda_backend::GpuLbpFeature> on_gpu;
        for (RegionalLbp& feature : features) {
            LbpPlan plan = make_lbp_plan(feature.lbp);
            const std::size_t bins = plan.bins * feature.regions.size();
            if (device.is_cuda()) {
                on_gpu.push_back({std::move(plan), std::move(feature.regions), first_bin});
            } else {
                std::vector<LbpRowSample> samples = make_row_samples(plan, face.width);
                std::vector<RegionBand> bands = region_bands(face, feature.regions, plan.margin);
                features_.push_back({std::move(plan), std::move(samples), std::move(bands),
                                     feature.regions.size(), first_bin});
            }
            first_bin += bins;
        }
        if (device.is_cuda()) {
            gpu_ = std::make_unique<cuda_backend::GpuLbp>(device, face, on_gpu, layout_.bins);
        }
    }

    Size face() const { return face_; }
    const HistogramLayout& layout() const { return layout_; }

    void compute(const std::uint8_t* faces, std::size_t count, std::uint16_t* counts) const {
        if (gpu_) return gpu_->compute(faces, count, counts);
        const std::size_t pixels = static_cast<std::size_t>(face_.width) * face_.height;
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count), [&](const auto& range) {
            Scratch scratch;
            scratch.face.resize(pixels + lbp_row_slack);
            scratch.codes.resize(static_cast<std::size_t>(face_.width) + lbp_row_slack);
            for (std::size_t i = range.begin(); i < range.end(); ++i) {
                // Behind the last face there may be nothing to read.
                std::copy_n(faces + i * pixels, pixels, scratch.face.begin());
                for (const CpuFeature& feature : features_) {
                    count_labels(feature, face_, scratch, counts + i * layout_.bins + feature.first_bin);
                }
            }
        });
    }

  private:
    Size face_;
    HistogramLayout layout_;
    std::vector<CpuFeature> features_;  // on the CPU
    std::unique_ptr<cuda_backend::GpuLbp> gpu_;
};

LbpHistograms::LbpHistograms(const Device& device, Size face, std::vector<RegionalLbp> features)
    : implementation_(std::make_unique<Implementation>(device, face, std::move(features))) {}
LbpHistograms::~LbpHistograms() = default;
LbpHistograms::LbpHistograms(LbpHistograms&&) noexcept = default;
LbpHistograms& LbpHistograms::operator=(LbpHistograms&&) noexcept = default;

Size LbpHistograms::face() const {
    return implementation_->face();
}
const HistogramLayout& LbpHistograms::layout() const {
    return implementation_->layout();
}

void LbpHistograms::compute(const std::uint8_t* faces, std::size_t count, std::uint16_t* counts) const {
    implementation_->compute(faces, count, counts);
}

}  // namespace fovea
