#include "lib/pipeline/bounded_queue.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include <catch2/catch.hpp>

using namespace fovea;

TEST_CASE("a bounded queue hands items on in order and never holds more than its capacity", "[pipeline]") {
    BoundedQueue<int> queue(3);
    std::atomic<int> pushed{0}, popped{0}, most{0};
    std::thread producer([&] {
        for (int i = 0; i < 500; ++i) {
            REQUIRE(queue.push(i));
            ++pushed;
        }
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
    CHECK(most <= 4);  // one more may be on its way to being counted
    CHECK_FALSE(queue.push(1));
}

TEST_CASE("whoever waits at a queue is let go when it ends", "[pipeline]") {
    BoundedQueue<int> full(1);
    REQUIRE(full.push(1));
    std::thread producer([&] { CHECK_FALSE(full.push(2)); });
    BoundedQueue<int> empty(1);
    std::thread consumer([&] { CHECK_FALSE(empty.pop()); });
    full.abandon();
    empty.close();
    producer.join();
    consumer.join();
    CHECK_FALSE(full.pop());
    BoundedQueue<int> closed(2);
    REQUIRE(closed.push(7));
    closed.close();
    CHECK(closed.pop() == 7);
    CHECK_FALSE(closed.pop());
}
