#include "kernels/vector_search/cpu_vector_gallery.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace fovea {
namespace {

constexpr std::size_t queries_of_block = 128;
// So many blocks are searched before their results are put in order.
constexpr std::size_t blocks_of_thread = 4;
// Sums of 256 products of a byte and a component stay below 2^31.
constexpr std::size_t pairs_of_sum = 128;

double squares_of(VectorDistance distance, double own) {
    // A root is rounded by less than the allowance of fits_32_bits().
    return distance == VectorDistance::euclidean ? own : own * own;
}

std::uint32_t word_of(std::int32_t first, std::int32_t second) {
    return static_cast<std::uint16_t>(first) | static_cast<std::uint32_t>(second) << 16;
}

}  // namespace

CpuVectorGallery::CpuVectorGallery(std::size_t length, VectorDistance distance)
    : length_(length), pairs_((length + 1) / 2), distance_(distance) {}

void CpuVectorGallery::add(const std::int16_t* rows, std::size_t count) {
    const std::size_t wanted = (size_ + count + vectors_of_dot_tile - 1) / vectors_of_dot_tile;
    const auto grow = [](auto& values, std::size_t size) {
        if (values.size() < size) values.resize(size);
    };
    grow(components_, wanted * components_of_tile());
    grow(own_, wanted * vectors_of_dot_tile);
    grow(factors_, wanted * vectors_of_dot_tile);
    grow(offsets_, wanted * vectors_of_dot_tile);
    grow(largest_squares_, wanted);
    tbb::parallel_for(size_ / vectors_of_dot_tile, wanted, [&](std::size_t tile) {
        const std::size_t begin = tile * vectors_of_dot_tile, end = begin + vectors_of_dot_tile;
        if (begin >= size_) largest_squares_[tile] = 0;
        std::int16_t* const components = components_.data() + tile * components_of_tile();
        for (std::size_t i = std::max(begin, size_); i < end; ++i) {
            FilterTerm term = no_filter_term();
            if (i < size_ + count) {
                const std::int16_t* const row = rows + (i - size_) * length_;
                std::int64_t squares = 0;
                for (std::size_t c = 0; c < length_; ++c) {
                    components[(c / 2 * vectors_of_dot_tile + i - begin) * 2 + c % 2] = row[c];
                    squares += std::int64_t{row[c]} * row[c];
                }
                own_[i] = vector_own(distance_, squares);
                largest_squares_[tile] = std::max(largest_squares_[tile], static_cast<double>(squares));
                term = filter_term(distance_, own_[i]);
            }
            factors_[i] = term.factor;
            offsets_[i] = term.offset;
        }
    });
    for (std::size_t i = size_; i < size_ + count; ++i) {
        if (own_[i] == 0) continue;
        range_.least = std::min(range_.least, own_[i]);
        range_.largest = std::max(range_.largest, own_[i]);
    }
    size_ += count;
}

std::size_t CpuVectorGallery::bytes() const {
    const std::size_t of_tile = components_of_tile() * sizeof(std::int16_t) +
                                vectors_of_dot_tile * (sizeof(double) + 2 * sizeof(float)) + sizeof(double);
    return tiles() * of_tile;
}

void CpuVectorGallery::clear() {
    size_ = 0;
    range_ = {};
}

CpuVectorGallery::QueryBlock CpuVectorGallery::block_of_rows(const std::int16_t* rows,
                                                             std::size_t count) const {
    QueryBlock block;
    block.count = count;
    for (std::size_t q = 0; q < count; ++q, rows += length_) {
        std::int64_t squares = 0;
        for (std::size_t c = 0; c < length_; c += 2) {
            const std::int64_t first = rows[c], second = c + 1 < length_ ? rows[c + 1] : 0;
            block.words.push_back(
                word_of(static_cast<std::int32_t>(first), static_cast<std::int32_t>(second)));
            squares += first * first + second * second;
        }
        block.own.push_back(vector_own(distance_, squares));
    }
    finish_block(block);
    return block;
}

CpuVectorGallery::QueryBlock CpuVectorGallery::block_of_gallery(std::size_t first, std::size_t count) const {
    QueryBlock block;
    block.count = count;
    block.is_of_gallery = true;
    block.first = first;
    for (std::size_t i = first; i < first + count; ++i) {
        const std::int16_t* components =
            components_.data() + i / vectors_of_dot_tile * components_of_tile() + i % vectors_of_dot_tile * 2;
        for (std::size_t p = 0; p < pairs_; ++p, components += 2 * vectors_of_dot_tile) {
            block.words.push_back(word_of(components[0], components[1]));
        }
        block.own.push_back(own_[i]);
    }
    finish_block(block);
    return block;
}

void CpuVectorGallery::finish_block(QueryBlock& block) const {
    for (const double own : block.own) {
        block.largest_squares = std::max(block.largest_squares, squares_of(distance_, own));
    }
    bool fits = true;
    for (std::size_t tile = 0; tile < tiles() && fits; ++tile) fits = fits_32_bits(block, tile);
    if (fits) return;
    // A component is 256 times its high byte, with its sign, and its low byte.
    for (const std::uint32_t word : block.words) {
        const auto first = static_cast<std::int16_t>(word), second = static_cast<std::int16_t>(word >> 16);
        block.high.push_back(word_of(first >> 8, second >> 8));
        block.low.push_back(word & 0x00FF00FF);
    }
}

bool CpuVectorGallery::fits_32_bits(const QueryBlock& block, std::size_t tile) const {
    return block.largest_squares * largest_squares_[tile] < 0.999 * 0x1p62;
}

void CpuVectorGallery::multiply(const QueryBlock& block, std::size_t tile, DotScratch& scratch) const {
    scratch.dots.resize(block.count * vectors_of_dot_tile);
    dot_products_of_tile(block.words.data(), pairs_, block.count,
                         components_.data() + tile * components_of_tile(), pairs_, scratch.dots.data());
}

void CpuVectorGallery::multiply_wide(const QueryBlock& block, std::size_t tile, DotScratch& scratch) const {
    const std::size_t count = block.count * vectors_of_dot_tile;
    scratch.dots.resize(count);
    scratch.high.resize(count);
    scratch.wide.assign(count, 0);
    for (std::size_t first = 0; first < pairs_; first += pairs_of_sum) {
        const std::size_t pairs = std::min(pairs_of_sum, pairs_ - first);
        const std::int16_t* const components =
            components_.data() + tile * components_of_tile() + first * 2 * vectors_of_dot_tile;
        dot_products_of_tile(block.high.data() + first, pairs_, block.count, components, pairs,
                             scratch.high.data());
        dot_products_of_tile(block.low.data() + first, pairs_, block.count, components, pairs,
                             scratch.dots.data());
        for (std::size_t i = 0; i < count; ++i) {
            scratch.wide[i] += std::int64_t{scratch.high[i]} * 256 + scratch.dots[i];
        }
    }
}

void CpuVectorGallery::search_tiles(const QueryBlock& block, IndexRange tiles,
                                    std::vector<NearestList>& lists) const {
    const double bytes = 255 * std::sqrt(static_cast<double>(length_));
    const auto limit_of = [&](std::size_t query) {
        const NearestList& list = lists[query];
        const double worst =
            list.is_full() ? list.farthest().distance : std::numeric_limits<double>::infinity();
        return filter_limit(distance_, block.own[query], worst, range_, bytes);
    };
    std::vector<float> limits(block.count);
    for (std::size_t q = 0; q < block.count; ++q) limits[q] = limit_of(q);
    std::vector<std::uint32_t> reached(block.count);
    DotScratch scratch;
    for (std::size_t tile = tiles.first; tile < tiles.first + tiles.count; ++tile) {
        const std::size_t first = tile * vectors_of_dot_tile;
        const float* const factors = factors_.data() + first;
        const float* const offsets = offsets_.data() + first;
        const bool fits = fits_32_bits(block, tile);
        if (fits) {
            multiply(block, tile, scratch);
            find_dots_that_reach(scratch.dots.data(), block.count, factors, offsets, limits.data(),
                                 reached.data());
        } else {
            multiply_wide(block, tile, scratch);
            for (std::size_t q = 0; q < block.count; ++q) {
                const std::int64_t* const dots = scratch.wide.data() + q * vectors_of_dot_tile;
                reached[q] = 0;
                for (std::size_t i = 0; i < vectors_of_dot_tile; ++i) {
                    const bool reaches = static_cast<float>(dots[i]) * factors[i] - offsets[i] >= limits[q];
                    reached[q] |= std::uint32_t{reaches} << i;
                }
            }
        }
        for (std::size_t q = 0; q < block.count; ++q) {
            bool changed = false;
            for (std::uint32_t bits = reached[q]; bits != 0; bits &= bits - 1) {
                const auto lane = static_cast<std::size_t>(std::countr_zero(bits));
                const std::size_t index = first + lane;
                if (block.is_of_gallery && index == block.first + q) continue;
                const std::size_t at = q * vectors_of_dot_tile + lane;
                const std::int64_t dot = fits ? scratch.dots[at] : scratch.wide[at];
                const double rank = pair_rank(distance_, dot, block.own[q], own_[index]);
                changed |= lists[q].offer({rank, static_cast<std::uint32_t>(index)});
            }
            if (changed) limits[q] = limit_of(q);
        }
    }
}

template <class BlockAt>
std::vector<Neighbour> CpuVectorGallery::search_blocks(std::size_t count, std::size_t k,
                                                       const BlockAt& block_at) const {
    std::vector<Neighbour> found(count * k);
    const auto threads = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
    const std::size_t blocks = (count + queries_of_block - 1) / queries_of_block;
    const std::size_t at_once = std::min(blocks, blocks_of_thread * threads);
    // Few blocks are divided by their tiles.
    const std::size_t wanted = std::min((2 * threads + at_once - 1) / at_once, tiles());
    const std::size_t tiles_of_range = (tiles() + wanted - 1) / wanted;
    const std::size_t ranges = (tiles() + tiles_of_range - 1) / tiles_of_range;
    for (std::size_t done = 0; done < blocks; done += at_once) {
        const std::size_t now = std::min(at_once, blocks - done);
        std::vector<std::vector<NearestList>> lists(now * ranges);
        tbb::parallel_for(std::size_t{0}, now * ranges, [&](std::size_t task) {
            const QueryBlock block = block_at((done + task / ranges) * queries_of_block);
            const std::size_t first = task % ranges * tiles_of_range;
            std::vector<NearestList> mine(block.count, NearestList(k));
            search_tiles(block, {first, std::min(tiles_of_range, tiles() - first)}, mine);
            lists[task] = std::move(mine);
        });
        const std::size_t first_query = done * queries_of_block;
        const std::size_t queries = std::min(count, (done + now) * queries_of_block) - first_query;
        tbb::parallel_for(std::size_t{0}, queries, [&](std::size_t q) {
            std::vector<Neighbour> all;
            for (std::size_t range = 0; range < ranges; ++range) {
                const NearestList& list = lists[q / queries_of_block * ranges + range][q % queries_of_block];
                all.insert(all.end(), list.list().begin(), list.list().end());
            }
            keep_nearest(all, k);
            for (Neighbour& each : all) each.distance = distance_of_rank(distance_, each.distance);
            std::copy(all.begin(), all.end(),
                      found.begin() + static_cast<std::ptrdiff_t>((first_query + q) * k));
        });
    }
    return found;
}

std::vector<Neighbour> CpuVectorGallery::search(const std::int16_t* queries, std::size_t count,
                                                std::size_t k) const {
    return search_blocks(count, k, [&](std::size_t first) {
        return block_of_rows(queries + first * length_, std::min(queries_of_block, count - first));
    });
}

std::vector<Neighbour> CpuVectorGallery::neighbours(std::size_t k) const {
    return search_blocks(size_, k, [&](std::size_t first) {
        return block_of_gallery(first, std::min(queries_of_block, size_ - first));
    });
}

void CpuVectorGallery::distances(const std::int16_t* queries, std::size_t count, double* out) const {
    for (std::size_t done = 0; done < count; done += queries_of_block) {
        const QueryBlock block =
            block_of_rows(queries + done * length_, std::min(queries_of_block, count - done));
        tbb::parallel_for(std::size_t{0}, tiles(), [&](std::size_t tile) {
            DotScratch scratch;
            const bool fits = fits_32_bits(block, tile);
            fits ? multiply(block, tile, scratch) : multiply_wide(block, tile, scratch);
            const std::size_t first = tile * vectors_of_dot_tile;
            const std::size_t vectors = std::min(vectors_of_dot_tile, size_ - first);
            for (std::size_t q = 0; q < block.count; ++q) {
                double* const to = out + (done + q) * size_ + first;
                for (std::size_t i = 0; i < vectors; ++i) {
                    const std::size_t at = q * vectors_of_dot_tile + i;
                    const std::int64_t dot = fits ? scratch.dots[at] : scratch.wide[at];
                    to[i] =
                        distance_of_rank(distance_, pair_rank(distance_, dot, block.own[q], own_[first + i]));
                }
            }
        });
    }
}

}  // namespace fovea
