#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <tbb/task_arena.h>

#include "kernels/vector_search/vector_search.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/simd_targets.hpp"
#include "tests/support/vectors.hpp"

namespace fovea {
namespace {

using test::Components;
using test::VectorKind;
using List = std::vector<Neighbour>;

std::vector<double> distances_of(const VectorGallery& gallery, const Components& queries, std::size_t count) {
    // Nothing behind the results is written.
    std::vector<double> out(count * gallery.size() + 1, -7);
    gallery.distances(queries.data(), count, out.data());
    CHECK(out.back() == -7);
    out.pop_back();
    return out;
}

// Holds a gallery on a device against a plain loop, in all that it is asked.
void check_gallery(const Device& device, std::size_t length, VectorDistance metric, std::size_t size,
                   std::size_t queries, VectorKind kind) {
    CAPTURE(length, static_cast<int>(metric), size, queries, static_cast<int>(kind));
    const Components vectors = test::random_vectors(length, size, kind, 1);
    const Components asked = test::random_vectors(length, queries, kind, 2);
    VectorGallery gallery(device, length, metric);
    // In two parts that share a tile.
    const std::size_t part = size / 3;
    gallery.add(vectors.data(), part);
    gallery.add(vectors.data() + part * length, size - part);
    REQUIRE(gallery.size() == size);
    const auto expected = test::plain_distances(metric, length, vectors, asked);
    REQUIRE(distances_of(gallery, asked, queries) == expected);
    const auto among_themselves = test::plain_distances(metric, length, vectors, vectors);
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}, std::size_t{50}, size, size + 5}) {
        if (k == 0) continue;
        CAPTURE(k);
        REQUIRE(gallery.search(asked.data(), queries, k) == test::plain_nearest(expected, queries, k, false));
        REQUIRE(gallery.neighbours(k) == test::plain_nearest(among_themselves, size, k, true));
    }
}

void check_edges(const Device& device) {
    for (const VectorDistance metric : test::all_vector_distances) {
        for (const VectorKind kind : test::all_vector_kinds) {
            for (const std::size_t length : {1, 2, 3, 63, 64, 65, 127, 128}) {
                check_gallery(device, length, metric, 33, 5, kind);
            }
            for (const std::size_t length : {512, 513, 4096}) {
                check_gallery(device, length, metric, 20, 3, kind);
            }
            for (const std::size_t size : {0, 1, 2, 31, 32, 63, 64, 65, 127, 128, 129, 300}) {
                check_gallery(device, 3, metric, size, 4, kind);
            }
        }
        for (const std::size_t queries : {0, 1, 2, 3, 4, 5, 127, 128, 129, 257}) {
            check_gallery(device, 17, metric, 70, queries, VectorKind::any);
        }
    }
}

// The two devices that are there must give the same bits.
void check_same(const Device& device, std::size_t length, std::size_t size, std::size_t queries,
                std::size_t k, VectorKind kind) {
    const Components vectors = test::random_vectors(length, size, kind, 3);
    const Components asked = test::random_vectors(length, queries, kind, 4);
    for (const VectorDistance metric : test::all_vector_distances) {
        CAPTURE(length, size, queries, k, static_cast<int>(kind), static_cast<int>(metric));
        VectorGallery gallery(device, length, metric);
        VectorGallery expected(Device::cpu(), length, metric);
        for (VectorGallery* each : {&gallery, &expected}) each->add(vectors.data(), size);
        REQUIRE(gallery.search(asked.data(), queries, k) == expected.search(asked.data(), queries, k));
        REQUIRE(gallery.neighbours(k) == expected.neighbours(k));
        const std::size_t some = std::min<std::size_t>(queries, 40);
        REQUIRE(distances_of(gallery, asked, some) == distances_of(expected, asked, some));
    }
}

}  // namespace

TEST_CASE("vector distance: values computed by hand", "[vector-search]") {
    using Catch::Matchers::Contains;
    const Components a{3, 0, 4}, b{0, 0, 0}, c{4, 0, -3}, d{-6, 0, -8}, e{300, 0, 400}, f{32767, 0, 0},
        g{-32767, 0, 0};
    const auto euclidean = [](const Components& first, const Components& second) {
        return vector_distance(VectorDistance::euclidean, first.data(), second.data(), first.size());
    };
    const auto cosine = [](const Components& first, const Components& second) {
        return vector_distance(VectorDistance::cosine, first.data(), second.data(), first.size());
    };
    CHECK(euclidean(a, a) == 0);
    CHECK(euclidean(a, b) == 5.0 / 32767);
    CHECK(euclidean(a, d) == 15.0 / 32767);
    CHECK(euclidean(a, c) == std::sqrt(50.0) / 32767);
    CHECK(euclidean(f, b) == 1);
    CHECK(euclidean(f, g) == 2);
    CHECK(cosine(a, a) == 0);
    CHECK(cosine(a, e) == 0);
    CHECK(cosine(a, b) == 1);
    CHECK(cosine(b, b) == 1);
    CHECK(cosine(a, c) == 1);
    CHECK(cosine(a, d) == 2);
    CHECK(cosine(f, a) == 1 - 3.0 / 5.0);
    // The largest sums: 4096 · 65534².
    const Components high(4096, 32767), low(4096, -32767);
    CHECK(euclidean(high, low) == 128);
    CHECK(cosine(high, low) == 2);
    CHECK(cosine(high, high) == 0);
    CHECK_THROWS_AS(euclidean({}, {}), std::invalid_argument);
    CHECK_THROWS_WITH(euclidean({0, -32768}, {0, 0}),
                      Contains("vector 0 has -32768 as component 1") && Contains("from -32767 to 32767"));
}

TEST_CASE("vector distance: ranks order as distances do", "[vector-search]") {
    // The smallest and the largest squares, where neighbouring roots are closest.
    for (const double first : {0.0, 1.0, 1e6, 0x1p43, 0x1p44 - 1000, 0x1p45 - 1001}) {
        for (double squares = first; squares < first + 1000; ++squares) {
            REQUIRE(distance_of_rank(VectorDistance::euclidean, squares) <
                    distance_of_rank(VectorDistance::euclidean, squares + 1));
        }
    }
}

namespace {

// True if the filter lets a pair through, by the sums of its bytes as a GPU makes them.
bool passes_filter(VectorDistance metric, const std::int16_t* a, const std::int16_t* b, std::size_t length,
                   double worst_by_rank) {
    std::int64_t high = 0, middle = 0, low = 0, dot = 0, first = 0, second = 0;
    for (std::size_t i = 0; i < length; ++i) {
        const std::int64_t a_high = a[i] >> 8, b_high = b[i] >> 8, a_low = a[i] & 255, b_low = b[i] & 255;
        high += a_high * b_high;
        middle += a_high * b_low + a_low * b_high;
        low += a_low * b_low;
        dot += std::int64_t{a[i]} * b[i];
        first += std::int64_t{a[i]} * a[i];
        second += std::int64_t{b[i]} * b[i];
    }
    REQUIRE(high * 65536 + middle * 256 + low == dot);
    const double own = vector_own(metric, first), other = vector_own(metric, second);
    // The query is as far from all: there is no other rank than the worst, and nothing needs to pass.
    if (metric == VectorDistance::cosine && own == 0) return true;
    OwnRange range;
    if (other > 0) range = {other, other};
    const double rank = pair_rank(metric, dot, own, other);
    const double worst = worst_by_rank == 1 ? std::nextafter(rank, 1e300) : worst_by_rank * rank;
    const float limit = filter_limit(metric, own, worst, range, 255 * std::sqrt(static_cast<double>(length)));
    const FilterTerm term = filter_term(metric, other);
    const float of_bytes = std::fma(static_cast<float>(high), 65536.0F,
                                    std::fma(static_cast<float>(middle), 256.0F, static_cast<float>(low)));
    const bool passes = std::fma(of_bytes, term.factor, -term.offset) >= limit;
    // The CPU's way, from the dot product itself, must not be stricter.
    const bool passes_on_cpu = static_cast<float>(dot) * term.factor - term.offset >= limit;
    return worst_by_rank == 1 ? passes && passes_on_cpu : passes || passes_on_cpu;
}

}  // namespace

TEST_CASE("vector gallery: the filter lets through what is nearer", "[vector-search]") {
    for (const VectorDistance metric : test::all_vector_distances) {
        for (const VectorKind kind : test::all_vector_kinds) {
            for (const std::size_t length : {1, 3, 128, 512, 4096}) {
                CAPTURE(static_cast<int>(metric), static_cast<int>(kind), length);
                const Components some = test::random_vectors(length, 100, kind, 11);
                Components near = some;
                for (std::size_t i = 0; i < near.size(); i += 7) {
                    near[i] = static_cast<std::int16_t>(near[i] + (near[i] > 0 ? -1 : 1));
                }
                for (std::size_t i = 0; i + 1 < 100; ++i) {
                    const std::int16_t* const a = some.data() + i * length;
                    // A neighbour of a rank that is a little larger would be displaced.
                    REQUIRE(passes_filter(metric, a, a, length, 1));
                    REQUIRE(passes_filter(metric, a, near.data() + i * length, length, 1));
                    REQUIRE(passes_filter(metric, a, a + length, length, 1));
                }
            }
        }
        // It keeps away what is far enough.
        const Components pairs = test::random_vectors(128, 100, VectorKind::embeddings, 12);
        for (std::size_t i = 0; i + 1 < 100; ++i) {
            const std::int16_t* const a = pairs.data() + i * 128;
            REQUIRE_FALSE(passes_filter(metric, a, a + 128, 128, 0.999));
        }
    }
}

TEST_CASE("vector gallery: hand-made lists, ties by index", "[vector-search]") {
    const Components vectors{0, 0, 3, 4, 0, 0, 6, 8, -3, -4};
    VectorGallery gallery(Device::cpu(), 2, VectorDistance::euclidean);
    gallery.add(vectors.data(), 5);
    const double five = 5.0 / 32767, ten = 10.0 / 32767, fifteen = 15.0 / 32767;
    const Components queries{0, 0, 6, 8};
    CHECK(gallery.search(queries.data(), 2, 3) ==
          List{{0, 0}, {0, 2}, {five, 1}, {0, 3}, {five, 1}, {ten, 0}});
    CHECK(gallery.search(queries.data() + 2, 1, 9) ==
          List{{0, 3}, {five, 1}, {ten, 0}, {ten, 2}, {fifteen, 4}});
    CHECK(gallery.neighbours(2) == List{{0, 2},
                                        {five, 1},
                                        {five, 0},
                                        {five, 2},
                                        {0, 0},
                                        {five, 1},
                                        {five, 1},
                                        {ten, 0},
                                        {five, 0},
                                        {five, 2}});
    VectorGallery cosine(Device::cpu(), 2, VectorDistance::cosine);
    cosine.add(vectors.data(), 5);
    CHECK(cosine.search(queries.data() + 2, 1, 5) == List{{0, 1}, {0, 3}, {1, 0}, {1, 2}, {2, 4}});
    CHECK(cosine.search(queries.data(), 1, 3) == List{{1, 0}, {1, 1}, {1, 2}});
    CHECK(cosine.neighbours(1) == List{{1, 1}, {0, 3}, {1, 0}, {0, 1}, {1, 0}});
}

TEST_CASE("vector gallery: every length, size and kind, on all instruction sets", "[vector-search]") {
    for (const std::string& target : test::all_simd_targets()) {
        INFO("instruction set " << target);
        const test::ForcedSimdTarget forced(target);
        check_edges(Device::cpu());
    }
}

TEST_CASE("vector gallery: many vectors against a plain loop", "[vector-search]") {
    for (const VectorDistance metric : test::all_vector_distances) {
        check_gallery(Device::cpu(), 3, metric, 1500, 300, VectorKind::any);
        check_gallery(Device::cpu(), 128, metric, 700, 10, VectorKind::embeddings);
        check_gallery(Device::cpu(), 20, metric, 700, 10, VectorKind::few);
    }
}

TEST_CASE("vector gallery: one long vector among short ones", "[vector-search]") {
    // Its products do not fit 32 bits, those of the others do.
    Components vectors = test::random_vectors(600, 100, VectorKind::embeddings, 5);
    std::fill_n(vectors.begin() + 40 * 600, 600, std::int16_t{32767});
    for (const VectorDistance metric : test::all_vector_distances) {
        VectorGallery gallery(Device::cpu(), 600, metric);
        gallery.add(vectors.data(), 100);
        const auto expected = test::plain_distances(metric, 600, vectors, vectors);
        REQUIRE(distances_of(gallery, vectors, 100) == expected);
        REQUIRE(gallery.neighbours(7) == test::plain_nearest(expected, 100, 7, true));
    }
}

TEST_CASE("vector gallery: threads change nothing", "[vector-search]") {
    const Components vectors = test::random_vectors(24, 3000, VectorKind::embeddings, 6);
    std::vector<List> found, neighbours;
    for (const int threads : {1, 2, 7}) {
        tbb::task_arena arena(threads);
        arena.execute([&] {
            VectorGallery gallery(Device::cpu(), 24, VectorDistance::cosine);
            gallery.add(vectors.data(), 3000);
            found.push_back(gallery.search(vectors.data(), 70, 20));
            neighbours.push_back(gallery.neighbours(20));
        });
    }
    CHECK(found[0] == found[1]);
    CHECK(found[0] == found[2]);
    CHECK(neighbours[0] == neighbours[1]);
    CHECK(neighbours[0] == neighbours[2]);
    const Components queries(vectors.begin(), vectors.begin() + 70 * 24);
    CHECK(found[0] == test::plain_nearest(test::plain_distances(VectorDistance::cosine, 24, vectors, queries),
                                          70, 20, false));
}

namespace {

void check_refusals(const Device& device) {
    using Catch::Matchers::Contains;
    CHECK_THROWS_WITH(VectorGallery(device, 0, VectorDistance::cosine),
                      Contains("length 0") && Contains("1 to 4096"));
    CHECK_THROWS_AS(VectorGallery(device, 4097, VectorDistance::cosine), std::invalid_argument);
    VectorGallery gallery(device, 3, VectorDistance::euclidean);
    const Components rows{1, 2, 3, 4, 5, 6};
    CHECK(gallery.search(rows.data(), 1, 3).empty());
    CHECK(gallery.neighbours(3).empty());
    gallery.add(rows.data(), 2);
    Components wrong = rows;
    wrong[4] = -32768;
    CHECK_THROWS_WITH(gallery.add(wrong.data(), 2), Contains("gallery vector 3 has -32768 as component 1") &&
                                                        Contains("from -32767 to 32767"));
    CHECK_THROWS_WITH(gallery.search(wrong.data(), 2, 1), Contains("query 1 has -32768"));
    double out[4] = {-1, -1, -1, -1};
    CHECK_THROWS_AS(gallery.distances(wrong.data(), 2, out), std::invalid_argument);
    CHECK(out[0] == -1);
    CHECK_THROWS_AS(gallery.search(rows.data(), 1, 0), std::invalid_argument);
    CHECK_THROWS_AS(gallery.neighbours(0), std::invalid_argument);
    CHECK_THROWS_AS(gallery.add(rows.data(), std::size_t{1} << 32), std::length_error);
    // It is as it was.
    CHECK(gallery.size() == 2);
    CHECK(gallery.search(rows.data() + 3, 1, 2)[0] == Neighbour{0, 1});
    gallery.add(rows.data(), 0);
    CHECK(gallery.search(rows.data(), 0, 1).empty());
    // Vectors added after clear() begin anew.
    gallery.clear();
    CHECK(gallery.size() == 0);
    CHECK(gallery.bytes() == 0);
    gallery.add(rows.data() + 3, 1);
    CHECK(gallery.neighbours(1).empty());
    VectorGallery moved = std::move(gallery);
    CHECK(moved.search(rows.data() + 3, 1, 9) == List{{0, 0}});
}

}  // namespace

TEST_CASE("vector gallery: what is wrong is refused and changes nothing", "[vector-search]") {
    check_refusals(Device::cpu());
}

TEST_CASE("vector gallery: CUDA refuses what the CPU refuses", "[vector-search][cuda][cuda-small]") {
    if (const auto device = test::gpu()) check_refusals(*device);
}

TEST_CASE("vector gallery: CUDA, every length, size and kind", "[vector-search][cuda][cuda-small]") {
    if (const auto device = test::gpu()) check_edges(*device);
}

TEST_CASE("vector gallery: CUDA, many vectors", "[vector-search][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    for (const VectorKind kind : test::all_vector_kinds) {
        for (const std::size_t length : {1, 3, 127, 128, 512}) {
            for (const std::size_t size : {1, 33, 5000}) {
                check_same(*device, length, size, 33, 50, kind);
            }
        }
        check_same(*device, 128, 5000, 5000, 50, kind);
        check_same(*device, 4096, 700, 130, 50, kind);
        // Lists of the longest kind, then all distances.
        check_same(*device, 16, 5000, 200, 1024, kind);
        check_same(*device, 16, 5000, 200, 1025, kind);
        check_same(*device, 16, 2000, 200, 3000, kind);
    }
    // Several batches of neighbours, and more blocks of queries than a GPU has multiprocessors.
    check_same(*device, 20, 100000, 1, 5, VectorKind::embeddings);
}

TEST_CASE("vector gallery: CUDA, order of the gallery", "[vector-search][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    // Each vector is nearer to the last than the one before, so that every one is among the nearest so far.
    Components vectors;
    for (int i = 0; i < 20000; ++i) vectors.push_back(static_cast<std::int16_t>(i));
    VectorGallery gallery(*device, 1, VectorDistance::euclidean);
    VectorGallery expected(Device::cpu(), 1, VectorDistance::euclidean);
    gallery.add(vectors.data(), vectors.size());
    expected.add(vectors.data(), vectors.size());
    const Components last{19999, 32767};
    for (const std::size_t k : {1, 50, 1000}) {
        CAPTURE(k);
        CHECK(gallery.search(last.data(), 2, k) == expected.search(last.data(), 2, k));
    }
    CHECK(gallery.neighbours(50) == expected.neighbours(50));
}

}  // namespace fovea
