#include "kernels/core/share_work.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

using Ranges = std::vector<IndexRange>;

Ranges divided(const std::vector<int>& weights, std::size_t workers) {
    return divide_by_weight(weights.size(), workers, [&](std::size_t i) { return weights[i]; });
}

}  // namespace

TEST_CASE("shared work: elements are divided by their weights", "[share-work]") {
    const std::vector<int> even{5, 5, 5, 5};
    CHECK(divided(even, 1) == Ranges{{0, 4}});
    CHECK(divided(even, 2) == Ranges{{0, 2}, {2, 2}});
    CHECK(divided(even, 3) == Ranges{{0, 2}, {2, 1}, {3, 1}});
    // The first alone has half of all.
    const std::vector<int> uneven{10, 4, 6};
    CHECK(divided(uneven, 2) == Ranges{{0, 1}, {1, 2}});
    // It is more than the share of two workers: the second has nothing to do.
    CHECK(divided(uneven, 4) == Ranges{{0, 1}, {1, 0}, {1, 2}, {3, 0}});
    // More workers than elements, elements without a weight, no elements.
    CHECK(divided({1}, 3) == Ranges{{0, 1}, {1, 0}, {1, 0}});
    CHECK(divided({0, 0}, 2) == Ranges{{0, 1}, {1, 1}});
    CHECK(divided({}, 2) == Ranges{{0, 0}, {0, 0}});
}

TEST_CASE("shared work: every element is worked on once, by workers that have some", "[share-work]") {
    for (const std::size_t workers : {1, 2, 3, 7}) {
        for (const std::size_t count : {0, 1, 2, 6, 50}) {
            CAPTURE(workers, count);
            std::vector<int> done(count, 0);
            std::mutex mutex;
            std::set<std::size_t> busy;
            share_work(count, workers, [&](std::size_t worker, IndexRange range) {
                for (std::size_t i = 0; i < range.count; ++i) ++done[range.first + i];
                const std::lock_guard lock(mutex);
                CHECK(range.count > 0);
                CHECK(busy.insert(worker).second);
            });
            CHECK(done == std::vector<int>(count, 1));
            CHECK(busy.size() == std::min(workers, count));
        }
    }
    std::vector<std::size_t> busy;
    std::mutex mutex;
    const std::vector<int> weights{10, 4, 6};
    share_work(
        3, 4, [&](std::size_t i) { return weights[i]; },
        [&](std::size_t worker, IndexRange) {
            const std::lock_guard lock(mutex);
            busy.push_back(worker);
        });
    CHECK(std::set(busy.begin(), busy.end()) == std::set<std::size_t>{0, 2});
}

TEST_CASE("shared work: all at once, the first on the calling thread", "[share-work]") {
    std::vector<std::thread::id> threads(3);
    // Each waits for the others, which would not begin if one came after the other.
    std::atomic<int> begun{0}, met{0};
    const auto last_moment = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    side_by_side(threads.size(), [&](std::size_t i) {
        threads[i] = std::this_thread::get_id();
        ++begun;
        while (begun < 3 && std::chrono::steady_clock::now() < last_moment) std::this_thread::yield();
        met += begun == 3;
    });
    CHECK(met == 3);
    CHECK(threads[0] == std::this_thread::get_id());
    CHECK(std::set(threads.begin(), threads.end()).size() == 3);
    side_by_side(0, [](std::size_t) { FAIL("there is nothing to do"); });
}

TEST_CASE("shared work: what the first worker that failed threw is thrown when all are done",
          "[share-work]") {
    std::atomic<int> done{0};
    const auto failing_from = [&](std::size_t first) {
        side_by_side(4, [&](std::size_t i) {
            if (i >= first) throw std::runtime_error("worker " + std::to_string(i));
            ++done;
        });
    };
    CHECK_THROWS_WITH(failing_from(2), "worker 2");
    CHECK(done == 2);
    CHECK_THROWS_WITH(failing_from(0), "worker 0");
    CHECK_NOTHROW(failing_from(4));
}
