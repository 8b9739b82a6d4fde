#include "lib/core/bounded_queue.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include <catch2/catch.hpp>
#include <unistd.h>

#include "tests/support/threads.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

// Runs work on a thread of its own that is expected to wait.
class Waiter {
  public:
    template <class Work>
    explicit Waiter(Work work)
        : thread_([this, work] {
              id_ = ::gettid();
              work();
              is_done_ = true;
          }) {}
    ~Waiter() { thread_.join(); }
    Waiter(const Waiter&) = delete;
    Waiter& operator=(const Waiter&) = delete;

    bool waits() {
        return comes_true([&] { return is_done_ || (id_ != 0 && is_asleep(id_)); }) && !is_done_;
    }

  private:
    std::atomic<pid_t> id_{0};
    std::atomic<bool> is_done_{false};
    std::thread thread_;  // the last, as it uses the others
};

}  // namespace

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

TEST_CASE("whoever finds a queue full or empty waits for the other side", "[pipeline]") {
    BoundedQueue<int> full(2);
    std::atomic<int> pushed{0};
    {
        Waiter producer([&] {
            for (int i = 0; i < 4; ++i) pushed += full.push(i);
        });
        CHECK(producer.waits());
        CHECK(pushed == 2);
        CHECK(full.pop() == 0);
        CHECK(comes_true([&] { return pushed == 3; }));
        CHECK(producer.waits());
        CHECK(full.pop() == 1);
    }
    CHECK(pushed == 4);
    BoundedQueue<int> empty(1);
    std::optional<int> popped;
    {
        Waiter consumer([&] { popped = empty.pop(); });
        CHECK(consumer.waits());
        CHECK(empty.push(7));
    }
    CHECK(popped == 7);
}

TEST_CASE("whoever waits at a queue is let go when it ends", "[pipeline]") {
    BoundedQueue<int> full(1);
    REQUIRE(full.push(1));
    BoundedQueue<int> empty(1);
    bool was_pushed = true, was_popped = true;
    {
        Waiter producer([&] { was_pushed = full.push(2); });
        Waiter consumer([&] { was_popped = empty.pop().has_value(); });
        CHECK(producer.waits());
        CHECK(consumer.waits());
        full.abandon();
        empty.close();
    }
    CHECK_FALSE(was_pushed);
    CHECK_FALSE(was_popped);
    CHECK_FALSE(full.pop());
    BoundedQueue<int> closed(2);
    REQUIRE(closed.push(7));
    closed.close();
    CHECK(closed.pop() == 7);
    CHECK_FALSE(closed.pop());
}
