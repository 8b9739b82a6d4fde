#include "lib/recognise/gallery_index.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <tbb/task_arena.h>

#include "kernels/histogram_search/histogram_search.hpp"
#include "lib/recognise/lbp_recogniser.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/histograms.hpp"

namespace fovea {
namespace {

using Counts = std::vector<std::uint16_t>;

const HistogramLayout layout = test::layout_of({{20, 200, 256}, {13, 300, 512}});
constexpr std::size_t vector_bytes = 33 * sizeof(std::uint16_t) + sizeof(std::int64_t);

// The answer of one gallery of everything.
struct Expected {
    Expected(HistogramDistance metric, const Counts& vectors, const Counts& queries)
        : gallery(cpu, layout, metric), distances(queries.size() / 33 * (vectors.size() / 33)) {
        gallery.add(vectors.data(), vectors.size() / 33);
        gallery.distances(queries.data(), queries.size() / 33, distances.data());
    }
    Device cpu = Device::cpu();
    HistogramGallery gallery;
    std::vector<double> distances;
};

void check_index(GalleryIndex& index, const Expected& expected, const Counts& queries) {
    const std::size_t count = queries.size() / 33;
    REQUIRE(index.size() == expected.gallery.size());
    std::vector<double> distances(expected.distances.size() + 1, -7);
    index.distances(queries.data(), count, distances.data());
    CHECK(distances.back() == -7);
    distances.pop_back();
    CHECK(distances == expected.distances);
    for (const std::size_t k : {std::size_t{1}, std::size_t{3}, std::size_t{40}, index.size() + 1}) {
        CAPTURE(k);
        CHECK(index.search(queries.data(), count, k) == expected.gallery.search(queries.data(), count, k));
    }
}

// Vectors are added in pieces, as images come, and looked for between them.
void check_device(const DetectionDevice& device, std::size_t memory_bytes, std::size_t expected_waiting) {
    CAPTURE(memory_bytes);
    const Counts queries = test::random_counts(layout, 9, test::CountKind::sparse, 3);
    const Counts vectors = test::random_counts(layout, 500, test::CountKind::sparse, 4);
    for (const HistogramDistance metric : {HistogramDistance::chi_square, HistogramDistance::cosine}) {
        // The batch is of no consequence, as is the limit.
        GalleryIndex index(histogram_metric(layout, metric), device,
                           {memory_bytes, metric == HistogramDistance::cosine ? 4U : 4096U});
        std::size_t added = 0;
        for (const std::size_t piece : {1, 1, 0, 37, 64, 200, 1, 196}) {
            index.add(vectors.data() + added * 33, piece);
            added += piece;
            if (piece != 37) continue;
            const Counts some(vectors.begin(), vectors.begin() + static_cast<std::ptrdiff_t>(added * 33));
            check_index(index, Expected(metric, some, queries), queries);
        }
        CHECK(index.waiting() == expected_waiting);
        check_index(index, Expected(metric, vectors, queries), queries);
    }
}

}  // namespace

TEST_CASE("gallery index: any memory limit gives the same", "[gallery-index]") {
    check_device(DetectionDevice::cpu(), 0, 0);
    check_device(DetectionDevice::cpu(), std::size_t{1} << 30, 0);
    // Nothing fits; slices are as short as they get.
    check_device(DetectionDevice::cpu(), 1, 500);
    // A quarter is for slices: 300 vectors stay, 100 go through at once.
    check_device(DetectionDevice::cpu(), 400 * vector_bytes, 200);
    check_device(DetectionDevice::cpu(), 20 * vector_bytes, 485);
}

TEST_CASE("gallery index: threads change nothing", "[gallery-index]") {
    const Counts vectors = test::random_counts(layout, 1000, test::CountKind::sparse, 5);
    for (const int threads : {1, 3}) {
        tbb::task_arena arena(threads);
        arena.execute([&] {
            const Expected expected(HistogramDistance::l2, vectors, vectors);
            GalleryIndex index(histogram_metric(layout, HistogramDistance::l2), DetectionDevice::cpu(),
                               {200 * vector_bytes});
            index.add(vectors.data(), 1000);
            check_index(index, expected, vectors);
        });
    }
}

TEST_CASE("gallery index: empty, and what is wrong", "[gallery-index]") {
    for (const std::size_t memory : {std::size_t{0}, std::size_t{1}}) {
        GalleryIndex index(histogram_metric(layout, HistogramDistance::l1), DetectionDevice::cpu(), {memory});
        const Counts vector(33, 7);
        CHECK(index.search(vector.data(), 1, 5).empty());
        index.distances(vector.data(), 1, nullptr);
        index.add(vector.data(), 1);
        Counts wrong(66, 7);
        wrong[33 + 20] = 301;
        CHECK_THROWS_WITH(index.add(wrong.data(), 2), Catch::Matchers::Contains("gallery vector 2") &&
                                                          Catch::Matchers::Contains("block 1"));
        CHECK_THROWS_AS(index.search(wrong.data(), 2, 1), std::invalid_argument);
        CHECK_THROWS_AS(index.search(vector.data(), 1, 0), std::invalid_argument);
        CHECK_THROWS_AS(index.add(vector.data(), std::size_t{1} << 32), std::length_error);
        CHECK(index.size() == 1);
        CHECK(index.search(vector.data(), 0, 1).empty());
        GalleryIndex moved = std::move(index);
        CHECK(moved.search(vector.data(), 1, 5) == std::vector<Neighbour>{{0, 0}});
    }
    CHECK_THROWS_AS(GalleryIndex(histogram_metric({}, HistogramDistance::l1), DetectionDevice::cpu()),
                    std::invalid_argument);
    // No machine has so many GPUs.
    CHECK_THROWS_AS(GalleryIndex(histogram_metric(layout, HistogramDistance::l1), {{4711}, false}),
                    DeviceError);
}

TEST_CASE("gallery index: GPUs that share give the same", "[gallery-index][cuda][cuda-small]") {
    if (!test::gpu()) return;
    // The same GPU several times is as good as several.
    for (const std::vector<int>& gpus : {std::vector<int>{0}, std::vector<int>{0, 0, 0}}) {
        const std::size_t count = gpus.size();
        check_device({gpus, false}, 0, 0);
        check_device({gpus, false}, 1, 500);
        // A quarter is for slices, of which each GPU has two.
        check_device({gpus, false}, 80 * vector_bytes, 500 - count * 60);
    }
}

}  // namespace fovea
