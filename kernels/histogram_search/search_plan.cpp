#include "kernels/histogram_search/search_plan.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "kernels/histogram_search/histogram_search.hpp"

namespace fovea {
namespace {

std::uint32_t largest_count(const HistogramLayout& layout) {
    std::uint32_t largest = 0;
    for (const HistogramBlock& block : layout.blocks) largest = std::max(largest, block.largest);
    return largest;
}

// How many terms cannot exceed 32 bits; below the alignment for products of counts beyond 15 bits, for which
// a segment has a bin or two and is padded.
std::uint32_t bins_of_sum(HistogramTerm term, std::uint32_t largest, std::uint32_t max_bins) {
    std::uint64_t most = 0;
    switch (term) {
        case HistogramTerm::harmonic:
            most = std::uint64_t{1} << 21;
            break;
        case HistogramTerm::minimum:
            most = largest;
            break;
        case HistogramTerm::product:
            most = std::uint64_t{largest} * largest;
            break;
    }
    constexpr std::uint64_t limit = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>(max_bins, limit / std::max<std::uint64_t>(most, 1)));
}

std::uint16_t largest_of(const std::uint16_t* counts, std::size_t count) {
    std::uint16_t largest = 0;
    for (std::size_t i = 0; i < count; ++i) largest = std::max(largest, counts[i]);
    return largest;
}

// The first block that has a count above its largest, or the number of blocks.
std::size_t wrong_block(const HistogramLayout& layout, const std::uint16_t* counts) {
    for (std::size_t b = 0; b < layout.blocks.size(); ++b) {
        const HistogramBlock& block = layout.blocks[b];
        if (largest_of(counts, block.bins) > block.largest) return b;
        counts += block.bins;
    }
    return layout.blocks.size();
}

}  // namespace

void check_histogram_layout(const HistogramLayout& layout) {
    const auto refuse = [](const std::string& what) { throw std::invalid_argument(what); };
    if (layout.blocks.empty()) refuse("a histogram layout has no block");
    constexpr std::uint32_t most = 65535;
    const int bits = chi_square_bits(std::min(largest_count(layout), most));
    std::size_t bins = 0;
    std::uint64_t left = std::numeric_limits<std::int64_t>::max();
    for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
        const HistogramBlock& block = layout.blocks[i];
        const std::string name = "block " + std::to_string(i) + " of a histogram layout ";
        if (block.bins == 0) refuse(name + "has no bin");
        if (block.largest > most) {
            refuse(name + "has counts up to " + std::to_string(block.largest) + ", not at most 65535");
        }
        if (block.weight > most) {
            refuse(name + "has a weight of " + std::to_string(block.weight) + "/256, not at most 65535/256");
        }
        bins += block.bins;
        // The sum over both vectors of a pair, for whichever distance comes to more; 1 for rounding.
        const std::uint64_t of_bin =
            std::uint64_t{block.weight} * std::max((std::uint64_t{2} * block.largest << bits) + 1,
                                                   std::uint64_t{2} * block.largest * block.largest);
        if (of_bin != 0 && block.bins > left / of_bin) {
            refuse("a histogram layout is too large: its distances could exceed 63 bits at block " +
                   std::to_string(i));
        }
        left -= of_bin * block.bins;
    }
    if (bins != layout.bins) {
        refuse("a histogram layout says that it has " + std::to_string(layout.bins) +
               " bins, but its blocks have " + std::to_string(bins));
    }
    if (bins > std::size_t{1} << 28) refuse("a histogram layout has more than 2^28 bins");
}

SearchPlan make_search_plan(HistogramLayout layout, HistogramDistance distance, std::uint32_t alignment,
                            std::uint32_t max_bins) {
    check_histogram_layout(layout);
    SearchPlan plan;
    plan.distance = distance;
    plan.term = term_of(distance);
    plan.largest = largest_count(layout);
    plan.bits = chi_square_bits(plan.largest);
    plan.narrow = plan.largest <= 255;
    max_bins = bins_of_sum(plan.term, plan.largest, max_bins);

    std::vector<std::uint32_t> first_bins;
    std::uint32_t next = 0;
    for (const HistogramBlock& block : layout.blocks) {
        first_bins.push_back(next);
        next += block.bins;
    }
    std::vector<std::size_t> order(layout.blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return layout.blocks[a].weight < layout.blocks[b].weight;
    });
    std::uint32_t filled = 0;  // bins of the last segment that are not padding
    const auto close_segment = [&] {
        if (plan.segments.empty()) return;
        SearchSegment& segment = plan.segments.back();
        segment.bins = (filled + alignment - 1) / alignment * alignment;
        plan.source.resize(segment.first + segment.bins, SearchPlan::no_bin);
    };
    for (const std::size_t i : order) {
        const HistogramBlock& block = layout.blocks[i];
        if (block.weight == 0) continue;
        for (std::uint32_t bin = 0; bin < block.bins; ++bin) {
            if (plan.segments.empty() || plan.segments.back().weight != block.weight || filled == max_bins) {
                close_segment();
                plan.segments.push_back({static_cast<std::uint32_t>(plan.source.size()), 0, block.weight});
                filled = 0;
            }
            plan.source.push_back(first_bins[i] + bin);
            ++filled;
        }
    }
    close_segment();
    plan.layout = std::move(layout);
    return plan;
}

std::int64_t self_term(const SearchPlan& plan, const std::uint16_t* counts) {
    std::uint64_t sum = 0;
    for (const HistogramBlock& block : plan.layout.blocks) {
        std::uint64_t own = 0;
        for (std::uint32_t bin = 0; bin < block.bins; ++bin) own += own_term(plan.term, *counts++);
        sum += own * block.weight;
    }
    return static_cast<std::int64_t>(sum);
}

void check_counts(const HistogramLayout& layout, const std::uint16_t* counts, std::size_t count,
                  const char* what, std::size_t first) {
    // The first that is wrong is named, whichever thread finds one first.
    std::atomic<std::size_t> wrong{count};
    constexpr std::size_t bins_of_task = std::size_t{1} << 18;
    const std::size_t grain = bins_of_task / layout.bins + 1;
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain), [&](const auto& range) {
        for (std::size_t i = range.begin(); i < range.end() && i < wrong; ++i) {
            if (wrong_block(layout, counts + i * layout.bins) == layout.blocks.size()) continue;
            std::size_t before = wrong;
            while (i < before && !wrong.compare_exchange_weak(before, i)) {
            }
            return;
        }
    });
    if (wrong == count) return;
    const std::uint16_t* vector = counts + wrong * layout.bins;
    const std::size_t block = wrong_block(layout, vector);
    for (std::size_t b = 0; b < block; ++b) vector += layout.blocks[b].bins;
    throw std::invalid_argument(std::string(what) + " " + std::to_string(first + wrong) + " has a count of " +
                                std::to_string(largest_of(vector, layout.blocks[block].bins)) + " in block " +
                                std::to_string(block) + ", whose counts are at most " +
                                std::to_string(layout.blocks[block].largest));
}

}  // namespace fovea
