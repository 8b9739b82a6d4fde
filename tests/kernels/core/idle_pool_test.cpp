#include "kernels/core/idle_pool.hpp"

#include <stdexcept>

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("idle pool: as many objects are made as are in use at once", "[idle-pool]") {
    int made = 0;
    IdlePool<int> pool;
    const auto take = [&] { return pool.take([&] { return std::make_unique<int>(++made); }); };
    auto first = take(), second = take();
    CHECK(made == 2);
    const int* const last = second.get();
    pool.give_back(std::move(first));
    pool.give_back(std::move(second));
    // The last one to come back goes first: what it holds is still in caches.
    CHECK(take().get() == last);
    for (int i = 0; i < 5; ++i) pool.give_back(take());
    CHECK(made == 2);
}

TEST_CASE("idle pool: an object that is not to be kept is dropped", "[idle-pool]") {
    int made = 0;
    IdlePool<int> pool;
    const auto take = [&] { return pool.take([&] { return std::make_unique<int>(++made); }); };
    auto first = take(), second = take();
    const auto at_most_one = [](const auto& idle) { return idle.size() <= 1; };
    pool.give_back(std::move(first), at_most_one);
    pool.give_back(std::move(second), at_most_one);
    CHECK(*take() == 1);
    CHECK(*take() == 3);
}

TEST_CASE("idle pool: an object that cannot be made leaves the pool as it was", "[idle-pool]") {
    IdlePool<int> pool;
    const auto fail = []() -> std::unique_ptr<int> { throw std::runtime_error("no memory"); };
    CHECK_THROWS_WITH(pool.take(fail), "no memory");
    pool.give_back(pool.take([] { return std::make_unique<int>(7); }));
    CHECK(*pool.take(fail) == 7);
}
