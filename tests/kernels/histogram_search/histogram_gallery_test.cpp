#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <tbb/task_arena.h>

#include "kernels/core/buffer.hpp"
#include "kernels/histogram_search/histogram_search.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/histograms.hpp"
#include "tests/support/simd_targets.hpp"

namespace fovea {
namespace {

using Counts = std::vector<std::uint16_t>;

std::vector<double> defined_distances(const HistogramLayout& layout, HistogramDistance metric,
                                      const Counts& gallery, const Counts& queries) {
    std::vector<double> distances;
    for (std::size_t q = 0; q < queries.size(); q += layout.bins) {
        for (std::size_t g = 0; g < gallery.size(); g += layout.bins) {
            distances.push_back(histogram_distance(layout, metric, queries.data() + q, gallery.data() + g));
        }
    }
    return distances;
}

// All distances sorted, by distance and then by index.
std::vector<Neighbour> nearest(const std::vector<double>& distances, std::size_t queries, std::size_t k) {
    const std::size_t size = queries == 0 ? 0 : distances.size() / queries;
    std::vector<Neighbour> result;
    for (std::size_t q = 0; q < queries; ++q) {
        std::vector<std::pair<double, std::uint32_t>> all;
        for (std::size_t i = 0; i < size; ++i) {
            all.emplace_back(distances[q * size + i], static_cast<std::uint32_t>(i));
        }
        std::sort(all.begin(), all.end());
        for (std::size_t i = 0; i < std::min(k, size); ++i) {
            result.push_back({all[i].first, all[i].second});
        }
    }
    return result;
}

std::vector<double> distances_of(const HistogramGallery& gallery, const Counts& queries, std::size_t count) {
    // Nothing behind the results is written.
    std::vector<double> out(count * gallery.size() + 1, -7);
    gallery.distances(queries.data(), count, out.data());
    CHECK(out.back() == -7);
    out.pop_back();
    return out;
}

// Holds a gallery on a device against the definition, in all that it is asked.
void check_gallery(const Device& device, const HistogramLayout& layout, HistogramDistance metric,
                   std::size_t size, std::size_t queries, test::CountKind kind) {
    CAPTURE(static_cast<int>(metric), size, queries, static_cast<int>(kind));
    const Counts vectors = test::random_counts(layout, size, kind, 1);
    const Counts asked = test::random_counts(layout, queries, kind, 2);
    HistogramGallery gallery(device, layout, metric);
    // In two parts that share a tile.
    const std::size_t part = size / 3;
    gallery.add(vectors.data(), part);
    gallery.add(vectors.data() + part * layout.bins, size - part);
    REQUIRE(gallery.size() == size);
    const auto expected = defined_distances(layout, metric, vectors, asked);
    REQUIRE(distances_of(gallery, asked, queries) == expected);
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}, std::size_t{9}, size, size + 5}) {
        if (k == 0) continue;
        CAPTURE(k);
        REQUIRE(gallery.search(asked.data(), queries, k) == nearest(expected, queries, k));
    }
}

// One count of a gallery needs more than 8 bits, that of the last vector; and none, when the gallery begins
// anew.
void check_rare_wide_counts(const Device& device, HistogramDistance metric) {
    CAPTURE(static_cast<int>(metric));
    constexpr std::size_t size = 131;
    const HistogramLayout layout = test::even_layout(1, {41, 600, 256});
    Counts vectors = test::random_counts(test::even_layout(1, {41, 255, 256}), size, test::CountKind::any, 3);
    const Counts narrow = vectors;
    vectors[130 * layout.bins + 17] = 600;
    // A query that holds the same count, one that is empty there, and an empty one.
    Counts queries(vectors.end() - static_cast<std::ptrdiff_t>(layout.bins), vectors.end());
    queries.insert(queries.end(), narrow.begin(), narrow.begin() + static_cast<std::ptrdiff_t>(layout.bins));
    queries[layout.bins + 17] = 0;
    queries.resize(3 * layout.bins);
    HistogramGallery gallery(device, layout, metric);
    gallery.add(vectors.data(), 100);
    gallery.add(vectors.data() + 100 * layout.bins, size - 100);
    for (const Counts* expected : {&std::as_const(vectors), &narrow}) {
        for (std::size_t q = 0; q < 3; ++q) {
            const Counts query(queries.begin() + static_cast<std::ptrdiff_t>(q * layout.bins),
                               queries.begin() + static_cast<std::ptrdiff_t>((q + 1) * layout.bins));
            REQUIRE(distances_of(gallery, query, 1) == defined_distances(layout, metric, *expected, query));
        }
        REQUIRE(distances_of(gallery, queries, 3) == defined_distances(layout, metric, *expected, queries));
        gallery.clear();
        gallery.add(narrow.data(), size);
    }
}

// Sizes about tiles, groups of queries and vectors of all instruction sets.
const std::vector<std::size_t> edge_sizes{0, 1, 2, 31, 32, 33, 64, 127, 128, 129};

}  // namespace

TEST_CASE("histogram gallery: nearest neighbours by hand", "[histogram-search]") {
    const HistogramLayout layout = test::even_layout(1, {2, 9, 256});
    HistogramGallery gallery(Device::cpu(), layout, HistogramDistance::l1);
    const Counts vectors{5, 0, 1, 1, 0, 5, 1, 1, 2, 2};
    gallery.add(vectors.data(), 5);
    const Counts queries{1, 1, 4, 0};
    using List = std::vector<Neighbour>;
    CHECK(gallery.search(queries.data(), 1, 1) == List{{0, 1}});
    // Equal distances in the gallery's order.
    CHECK(gallery.search(queries.data(), 1, 4) == List{{0, 1}, {0, 3}, {2, 4}, {5, 0}});
    CHECK(gallery.search(queries.data(), 2, 2) == List{{0, 1}, {0, 3}, {1, 0}, {4, 1}});
    CHECK(gallery.search(queries.data() + 2, 1, 9) == List{{1, 0}, {4, 1}, {4, 3}, {4, 4}, {9, 2}});
}

TEST_CASE("histogram gallery: every layout and distance, on all instruction sets", "[histogram-search]") {
    for (const test::NamedLayout& named : test::edge_layouts()) {
        INFO(named.name);
        for (const std::string& target : test::all_simd_targets()) {
            INFO("instruction set " << target);
            const test::ForcedSimdTarget forced(target);
            for (const HistogramDistance metric : test::all_histogram_distances) {
                check_gallery(Device::cpu(), named.layout, metric, 40, 5, test::CountKind::any);
                check_gallery(Device::cpu(), named.layout, metric, 33, 2, test::CountKind::extreme);
            }
        }
    }
}

TEST_CASE("histogram gallery: few counts of more than 8 bits", "[histogram-search]") {
    for (const HistogramDistance metric : test::all_histogram_distances) {
        check_rare_wide_counts(Device::cpu(), metric);
    }
}

TEST_CASE("histogram gallery: every size of gallery and batch", "[histogram-search]") {
    const HistogramLayout layout = test::even_layout(2, {13, 300, 256});
    for (const std::size_t size : edge_sizes) {
        for (const std::size_t queries : {0, 1, 2, 3, 8, 63, 65}) {
            check_gallery(Device::cpu(), layout, HistogramDistance::chi_square, size, queries,
                          test::CountKind::sparse);
        }
    }
}

TEST_CASE("histogram gallery: every sum of two counts, term by term", "[histogram-search]") {
    for (const std::string& target : test::all_simd_targets()) {
        INFO("instruction set " << target);
        const test::ForcedSimdTarget forced(target);
        for (const std::uint16_t largest : {255, 378, 1023, 4096, 65535}) {
            const HistogramLayout layout = test::even_layout(1, {1, largest, 256});
            HistogramGallery gallery(Device::cpu(), layout, HistogramDistance::chi_square);
            Counts all;
            for (std::uint32_t count = 0; count <= largest; ++count) {
                all.push_back(static_cast<std::uint16_t>(count));
            }
            gallery.add(all.data(), all.size());
            // Together with all others these come to every sum; one alone and several are converted
            // differently.
            const auto middle = static_cast<std::uint16_t>(largest / 3);
            for (const Counts& queries : {Counts{1}, Counts{largest}, Counts{1, middle, largest}}) {
                REQUIRE(distances_of(gallery, queries, queries.size()) ==
                        defined_distances(layout, HistogramDistance::chi_square, all, queries));
            }
        }
    }
}

TEST_CASE("histogram gallery: threads change nothing", "[histogram-search]") {
    const HistogramLayout layout = test::even_layout(4, {20, 200, 256});
    const Counts vectors = test::random_counts(layout, 3000, test::CountKind::sparse, 5);
    const Counts queries = test::random_counts(layout, 70, test::CountKind::sparse, 6);
    std::vector<std::vector<Neighbour>> found;
    for (const int threads : {1, 2, 7}) {
        tbb::task_arena arena(threads);
        arena.execute([&] {
            HistogramGallery gallery(Device::cpu(), layout, HistogramDistance::chi_square);
            gallery.add(vectors.data(), 3000);
            found.push_back(gallery.search(queries.data(), 70, 20));
        });
    }
    CHECK(found[0] == found[1]);
    CHECK(found[0] == found[2]);
    CHECK(found[0] ==
          nearest(defined_distances(layout, HistogramDistance::chi_square, vectors, queries), 70, 20));
}

TEST_CASE("histogram gallery: counts of 8 bits take half the memory", "[histogram-search]") {
    const auto bytes = [](const HistogramLayout& layout) {
        HistogramGallery gallery(Device::cpu(), layout, HistogramDistance::l1);
        gallery.add(Counts(64 * layout.bins).data(), 64);
        return gallery.bytes();
    };
    const std::size_t own = 64 * sizeof(std::int64_t);
    CHECK(bytes(test::even_layout(2, {50, 255, 256})) - own == 64 * 100);
    CHECK(bytes(test::even_layout(2, {50, 256, 256})) - own == 64 * 200);
    CHECK(bytes(test::layout_of({{50, 255, 256}, {50, 256, 256}})) - own == 64 * 200);
    // Bins that are not compared are not kept.
    CHECK(bytes(test::layout_of({{50, 255, 256}, {50, 255, 0}})) - own == 64 * 50);
}

namespace {

void check_refusals(const Device& device) {
    using Catch::Matchers::Contains;
    const HistogramLayout layout = test::layout_of({{2, 9, 256}, {3, 300, 256}});
    HistogramGallery gallery(device, layout, HistogramDistance::l1);
    CHECK(gallery.search(Counts(5).data(), 1, 3).empty());
    Counts counts{9, 9, 300, 300, 300, 1, 2, 3, 4, 5};
    gallery.add(counts.data(), 2);
    Counts wrong = counts;
    wrong[6] = 10;
    CHECK_THROWS_WITH(gallery.add(wrong.data(), 2), Contains("gallery vector 3") &&
                                                        Contains("a count of 10 in block 0") &&
                                                        Contains("at most 9"));
    wrong[1] = 400;
    CHECK_THROWS_WITH(gallery.search(wrong.data(), 2, 1), Contains("query 0") && Contains("400"));
    double out[4] = {-1, -1, -1, -1};
    CHECK_THROWS_AS(gallery.distances(wrong.data(), 2, out), std::invalid_argument);
    CHECK(out[0] == -1);
    CHECK_THROWS_AS(gallery.search(counts.data(), 1, 0), std::invalid_argument);
    CHECK_THROWS_AS(gallery.add(counts.data(), std::size_t{1} << 32), std::length_error);
    // It is as it was.
    CHECK(gallery.size() == 2);
    CHECK(gallery.search(counts.data() + 5, 1, 2)[0] == Neighbour{0, 1});
    gallery.add(counts.data(), 0);
    CHECK(gallery.search(counts.data(), 0, 1).empty());
    // Vectors added after clear() begin anew.
    gallery.clear();
    CHECK(gallery.size() == 0);
    CHECK(gallery.bytes() == 0);
    gallery.add(counts.data() + 5, 1);
    HistogramGallery moved = std::move(gallery);
    CHECK(moved.search(counts.data() + 5, 1, 9) == std::vector<Neighbour>{{0, 0}});
}

}  // namespace

TEST_CASE("histogram gallery: what is wrong is refused and changes nothing", "[histogram-search]") {
    check_refusals(Device::cpu());
}

TEST_CASE("histogram gallery: CUDA refuses what the CPU refuses", "[histogram-search][cuda][cuda-small]") {
    if (const auto device = test::gpu()) check_refusals(*device);
}

TEST_CASE("histogram gallery: CUDA, every layout and distance", "[histogram-search][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    for (const test::NamedLayout& named : test::edge_layouts()) {
        INFO(named.name);
        for (const HistogramDistance metric : test::all_histogram_distances) {
            check_gallery(*device, named.layout, metric, 40, 5, test::CountKind::any);
            check_gallery(*device, named.layout, metric, 130, 17, test::CountKind::sparse);
            check_gallery(*device, named.layout, metric, 33, 1, test::CountKind::extreme);
        }
    }
}

TEST_CASE("histogram gallery: CUDA, few counts of more than 8 bits", "[histogram-search][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    for (const HistogramDistance metric : test::all_histogram_distances) {
        check_rare_wide_counts(*device, metric);
    }
}

TEST_CASE("histogram gallery: CUDA, every size of gallery and batch",
          "[histogram-search][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    const HistogramLayout layout = test::even_layout(2, {13, 300, 256});
    for (const std::size_t size : edge_sizes) {
        for (const std::size_t queries : edge_sizes) {
            check_gallery(*device, layout, HistogramDistance::chi_square, size, queries,
                          test::CountKind::sparse);
        }
    }
    // Several turns of selection.
    check_gallery(*device, layout, HistogramDistance::l2, 5000, 2, test::CountKind::sparse);
}

TEST_CASE("histogram gallery: CUDA, every sum of two counts, term by term",
          "[histogram-search][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    for (const std::uint16_t largest : {255, 378, 1023, 4096, 65535}) {
        const HistogramLayout layout = test::even_layout(1, {1, largest, 256});
        HistogramGallery gallery(*device, layout, HistogramDistance::chi_square);
        Counts all;
        for (std::uint32_t count = 0; count <= largest; ++count) {
            all.push_back(static_cast<std::uint16_t>(count));
        }
        gallery.add(all.data(), all.size());
        const Counts queries{1, static_cast<std::uint16_t>(largest / 3), largest};
        REQUIRE(distances_of(gallery, queries, 3) ==
                defined_distances(layout, HistogramDistance::chi_square, all, queries));
    }
}

TEST_CASE("histogram gallery: CUDA, batches that are filtered first",
          "[histogram-search][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    const std::vector<HistogramLayout> layouts{
        test::even_layout(3, {59, 378, 256}), test::even_layout(1, {40, 255, 65535}),
        test::even_layout(1, {9, 1, 256}), test::layout_of({{30, 1023, 77}, {20, 9, 1}, {7, 500, 0}})};
    for (const HistogramLayout& layout : layouts) {
        // All alike: more candidates than there is room for.
        for (const test::CountKind kind :
             {test::CountKind::any, test::CountKind::sparse, test::CountKind::extreme}) {
            const Counts vectors = test::random_counts(layout, 2200, kind, 11);
            const Counts queries = test::random_counts(layout, 130, kind, 12);
            HistogramGallery gallery(*device, layout, HistogramDistance::chi_square);
            HistogramGallery expected(Device::cpu(), layout, HistogramDistance::chi_square);
            for (HistogramGallery* each : {&gallery, &expected}) each->add(vectors.data(), 2200);
            for (const std::size_t count : {40, 128, 129}) {
                for (const std::size_t k : {1, 8, 9, 128, 129}) {
                    CAPTURE(layout.bins, static_cast<int>(kind), count, k);
                    REQUIRE(gallery.search(queries.data(), count, k) ==
                            expected.search(queries.data(), count, k));
                }
            }
        }
    }
}

TEST_CASE("histogram gallery: CUDA takes queries from its own memory",
          "[histogram-search][cuda][cuda-small]") {
    const auto device = test::gpu();
    if (!device) return;
    const HistogramLayout layout = test::even_layout(3, {59, 378, 256});
    const Counts vectors = test::random_counts(layout, 300, test::CountKind::any, 8);
    Buffer<std::uint16_t> on_device(*device, vectors.size());
    on_device.upload(vectors.data(), vectors.size());
    HistogramGallery gallery(*device, layout, HistogramDistance::chi_square);
    gallery.add(vectors.data(), 130);
    gallery.add(vectors.data() + 130 * layout.bins, 170);
    const auto expected = defined_distances(layout, HistogramDistance::chi_square, vectors, vectors);
    CHECK(gallery.search_from_device(on_device.data(), 300, 4) == nearest(expected, 300, 4));
}

}  // namespace fovea
