#include "lib/core/bounded_queue.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("a bounded queue hands items on in order and never holds more than its capacity", "[pipeline]") {
    BoundedQueue<int> queue(3);
    std::atomic<int> pushed{0}, popped{0}, most{0};
    // Assertions are for one thread at a time.
    std::thread producer([&] {
        for (int i = 0; i < 500; ++i) pushed += queue.push(i);
        queue.close();
    });
    for (int i = 0; i < 500; ++i) {
        const auto item = queue.pop();
        REQUIRE(item);
        CHECK(*item == i);
        ++popped;
        most = std::max(most.load(), pushed.load() - popped.load());
    }
    CHECK_FALSE(queue.pop());
    producer.join();
    CHECK(pushed == 500);
    CHECK(most <= 4);  // one more may be on its way to being counted
    CHECK_FALSE(queue.push(1));
}

TEST_CASE("whoever waits at a queue is let go when it ends", "[pipeline]") {
    BoundedQueue<int> full(1);
    REQUIRE(full.push(1));
    bool was_pushed = true, was_popped = true;
    std::thread producer([&] { was_pushed = full.push(2); });
    BoundedQueue<int> empty(1);
    std::thread consumer([&] { was_popped = empty.pop().has_value(); });
    full.abandon();
    empty.close();
    producer.join();
    consumer.join();
    CHECK_FALSE(was_pushed);
    CHECK_FALSE(was_popped);
    CHECK_FALSE(full.pop());
    BoundedQueue<int> closed(2);
    REQUIRE(closed.push(7));
    closed.close();
    CHECK(closed.pop() == 7);
    CHECK_FALSE(closed.pop());
}
