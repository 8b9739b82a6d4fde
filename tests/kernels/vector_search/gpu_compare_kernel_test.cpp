// The kernels of a gallery of vectors, run on the CPU by blocks whose threads take turns:
// tests/support/host_cuda.

#include "kernels/vector_search/gpu_compare_kernel.cuh"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

#include "kernels/vector_search/gpu_pack_vectors.cuh"
#include "tests/support/host_cuda/block_of_threads.hpp"
#include "tests/support/vectors.hpp"

namespace fovea::cuda_backend {

/// The shared memory of a block.
alignas(16) uint4 pieces[1 << 14];

}  // namespace fovea::cuda_backend

using namespace fovea;
using namespace fovea::cuda_backend;
using test::Components;
using test::VectorKind;

namespace {

/// Vectors as the kernels want them.
struct PackedVectors {
    PackedVectors(VectorDistance distance, std::size_t length, const Components& rows)
        : count(rows.size() / length),
          chunks((length + chunk_components - 1) / chunk_components),
          words(capacity() / tile_rows * chunks * chunk_pieces, make_uint4(7, 7, 7, 7)),
          terms(capacity()) {
        const auto rows32 = static_cast<std::uint32_t>(count), length32 = static_cast<std::uint32_t>(length);
        const auto padded = static_cast<std::uint32_t>(capacity());
        for (unsigned piece = 0; piece < chunks * chunk_components / piece_components; ++piece) {
            blockIdx.y = piece;
            test::BlockOfThreads::run((rows32 + pack_threads - 1) / pack_threads, pack_threads, pieces,
                                      [&] { pack_vectors_kernel(view(), rows.data(), length32, 0, rows32); });
        }
        blockIdx.y = 0;
        test::BlockOfThreads::run((padded * 32 + pack_threads - 1) / pack_threads, pack_threads, pieces, [&] {
            vector_terms_kernel(view(), distance, rows.data(), length32, 0, rows32, padded, &range);
        });
    }

    std::size_t capacity() const { return (count + block_queries - 1) / block_queries * block_queries; }
    VectorTiles view() {
        return {words.data(), terms.data(), static_cast<std::uint32_t>(chunks),
                static_cast<std::uint32_t>(count)};
    }

    std::size_t count, chunks;
    std::vector<uint4> words;
    std::vector<VectorTerms> terms;
    OwnRangeBits range{std::bit_cast<unsigned long long>(OwnRange().least), 0};
};

/// Runs the kernel that finds the nearest, or all distances. \return [query][k] or [query][vector].
template <bool queries_stay, int stages, bool all>
std::vector<Neighbour> run_kernel(VectorDistance distance, std::size_t length, PackedVectors& gallery,
                                  PackedVectors& queries, std::uint32_t k, std::uint32_t parts,
                                  unsigned blocks, std::uint32_t first_query) {
    const bool is_of_gallery = &gallery == &queries;
    const std::size_t count = queries.count - first_query;
    CompareTask task;
    task.queries = queries.view();
    task.gallery = gallery.view();
    task.first_query = first_query;
    task.end_query = static_cast<std::uint32_t>(queries.count);
    task.is_of_gallery = is_of_gallery;
    const auto tiles = static_cast<std::uint32_t>((gallery.count + tile_rows - 1) / tile_rows);
    task.tiles_of_part = (tiles + parts - 1) / parts;
    task.parts = (tiles + task.tiles_of_part - 1) / task.tiles_of_part;
    task.distance = distance;
    task.bytes = 255 * std::sqrt(static_cast<double>(length));
    task.range = &gallery.range;
    task.k = k;
    const std::size_t of_parts = static_cast<std::size_t>(task.parts) * k;
    std::vector<unsigned long long> keys(count * of_parts, 5);
    std::vector<std::uint32_t> indices(count * of_parts, 5);
    task.nearest = {keys.data(), indices.data(), of_parts};
    // For even k no more than is needed, so that lists are shortened often.
    task.lists.room = k % 2 == 0 ? k + tile_rows : 2 * k + 2 * tile_rows;
    std::vector<double> ranks(blocks * block_queries * task.lists.room + 1, -3);
    std::vector<std::uint32_t> listed(ranks.size(), 3);
    task.lists.ranks = ranks.data();
    task.lists.indices = listed.data();
    std::vector<double> distances(all ? count * gallery.count + 1 : 0, -3);
    task.distances = distances.data();
    REQUIRE(CompareLayout<queries_stay>::bytes(task.gallery.chunks, stages) <= sizeof(pieces));
    std::fill(std::begin(pieces), std::end(pieces), make_uint4(0x81828384, 7, 0xFFFFFFFF, 9));
    test::BlockOfThreads::run(blocks, compare_threads, pieces,
                              [&] { compare_kernel<queries_stay, stages, all>(task); });
    std::vector<Neighbour> found;
    if (all) {
        CHECK(distances.back() == -3);
        for (std::size_t i = 0; i + 1 < distances.size(); ++i) {
            found.push_back({distances[i], static_cast<std::uint32_t>(i % gallery.count)});
        }
        return found;
    }
    CHECK(ranks.back() == -3);
    CHECK(listed.back() == 3);
    for (std::size_t q = 0; q < count; ++q) {
        std::vector<NearestPair> pairs;
        for (std::size_t i = q * of_parts; i < (q + 1) * of_parts; ++i)
            pairs.push_back({keys[i], indices[i]});
        std::sort(pairs.begin(), pairs.end(), is_before);
        for (std::size_t i = 0; i < k; ++i) {
            found.push_back({std::bit_cast<double>(pairs[i].key), pairs[i].index});
        }
    }
    return found;
}

template <bool queries_stay, int stages>
void check_nearest(VectorDistance distance, std::size_t length, std::size_t size, std::size_t queries,
                   std::uint32_t k, std::uint32_t parts, unsigned blocks, VectorKind kind) {
    CAPTURE(queries_stay, stages, static_cast<int>(distance), length, size, queries, k, parts, blocks,
            static_cast<int>(kind));
    const Components rows = test::random_vectors(length, size, kind, 7);
    const Components asked = test::random_vectors(length, queries, kind, 8);
    PackedVectors gallery(distance, length, rows), others(distance, length, asked);
    const auto expected = test::plain_distances(distance, length, rows, asked);
    REQUIRE(run_kernel<queries_stay, stages, false>(distance, length, gallery, others, k, parts, blocks, 0) ==
            test::plain_nearest(expected, queries, k, false));
}

}  // namespace

TEST_CASE("vector kernels: products of bytes, all distances", "[vector-search]") {
    for (const VectorDistance distance : test::all_vector_distances) {
        for (const VectorKind kind : {VectorKind::any, VectorKind::extreme, VectorKind::few}) {
            for (const std::size_t length : {1, 130}) {
                CAPTURE(static_cast<int>(distance), static_cast<int>(kind), length);
                const Components rows = test::random_vectors(length, 100, kind, 1);
                const Components asked = test::random_vectors(length, 131, kind, 2);
                PackedVectors gallery(distance, length, rows), queries(distance, length, asked);
                const auto expected = test::plain_distances(distance, length, rows, asked);
                const auto stayed = run_kernel<true, 4, true>(distance, length, gallery, queries, 1, 1, 1, 0);
                const auto moved = run_kernel<false, 2, true>(distance, length, gallery, queries, 1, 2, 3, 0);
                REQUIRE(stayed.size() == expected.size());
                REQUIRE(moved == stayed);
                for (std::size_t i = 0; i < expected.size(); ++i) REQUIRE(stayed[i].distance == expected[i]);
            }
        }
    }
}

TEST_CASE("vector kernels: lists of the nearest", "[vector-search]") {
    for (const VectorDistance distance : test::all_vector_distances) {
        for (const VectorKind kind : test::all_vector_kinds) {
            check_nearest<true, 4>(distance, 128, 260, 20, 9, 1, 1, kind);
            check_nearest<false, 3>(distance, 70, 150, 129, 5, 2, 3, kind);
            check_nearest<false, 2>(distance, 3, 200, 4, 40, 3, 2, kind);
        }
    }
    // A part has fewer vectors than are wanted.
    check_nearest<true, 4>(VectorDistance::euclidean, 5, 65, 3, 60, 2, 2, VectorKind::any);
}

TEST_CASE("vector kernels: neighbours in the gallery", "[vector-search]") {
    for (const VectorDistance distance : test::all_vector_distances) {
        for (const VectorKind kind : {VectorKind::embeddings, VectorKind::few}) {
            CAPTURE(static_cast<int>(distance), static_cast<int>(kind));
            const Components rows = test::random_vectors(20, 300, kind, 9);
            PackedVectors gallery(distance, 20, rows);
            const auto all = test::plain_distances(distance, 20, rows, rows);
            auto expected = test::plain_nearest(all, 300, 10, true);
            REQUIRE(run_kernel<true, 4, false>(distance, 20, gallery, gallery, 10, 1, 2, 0) == expected);
            // From the second block of queries on.
            expected.erase(expected.begin(), expected.begin() + 128 * 10);
            REQUIRE(run_kernel<true, 4, false>(distance, 20, gallery, gallery, 10, 1, 2, 128) == expected);
            // Distances that are left out are no numbers.
            const auto found = run_kernel<true, 4, true>(distance, 20, gallery, gallery, 10, 1, 2, 128);
            for (std::size_t i = 0; i < found.size(); ++i) {
                const std::size_t query = 128 + i / 300;
                REQUIRE(std::isnan(found[i].distance) == (i % 300 == query));
                if (i % 300 != query) REQUIRE(found[i].distance == all[128 * 300 + i]);
            }
        }
    }
}

TEST_CASE("vector kernels: every vector is nearer than those before", "[vector-search]") {
    Components rows;
    for (int i = 0; i < 700; ++i) rows.push_back(static_cast<std::int16_t>(30000 + i));
    const Components asked{32767, 30350};
    PackedVectors gallery(VectorDistance::euclidean, 1, rows), queries(VectorDistance::euclidean, 1, asked);
    const auto expected = test::plain_distances(VectorDistance::euclidean, 1, rows, asked);
    REQUIRE(run_kernel<true, 4, false>(VectorDistance::euclidean, 1, gallery, queries, 20, 1, 1, 0) ==
            test::plain_nearest(expected, 2, 20, false));
}
