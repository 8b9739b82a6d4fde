#include "lib/process/memory_watch.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("a watch tells once that memory is nearly full", "[memory-watch]") {
    std::atomic<int> calls{0};
    {
        const MemoryWatch watch(10, [&] { ++calls; });
        for (int i = 0; i < 500 && calls == 0; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    CHECK(calls == 1);
    {
        const MemoryWatch watch(max_process_memory() * 4, [&] { ++calls; });
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    CHECK(calls == 1);
    CHECK(max_process_memory() > (std::size_t{16} << 20));
}
