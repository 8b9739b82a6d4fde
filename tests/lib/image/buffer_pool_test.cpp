#include "lib/image/buffer_pool.hpp"

#include <utility>
#include <vector>

#include <catch2/catch.hpp>

using namespace fovea;

namespace {

BufferPool::Buffer buffer_of(std::size_t capacity) {
    BufferPool::Buffer buffer;
    buffer.reserve(capacity);
    return buffer;
}

}  // namespace

TEST_CASE("buffers of about the size wanted are used again, the last one first", "[image][buffers]") {
    BufferPool pool(1'000'000);
    CHECK(pool.take(100'000).capacity() == 0);
    BufferPool::Buffer first = buffer_of(120'000), second = buffer_of(100'000);
    const std::uint8_t* const at_first = first.data();
    const std::uint8_t* const at_second = second.data();
    pool.release(std::move(first));
    pool.release(std::move(second));
    CHECK(pool.take(120'001).capacity() == 0);
    CHECK(pool.take(79'999).capacity() == 0);  // a quarter larger is too large
    CHECK(pool.take(100'000).data() == at_second);
    CHECK(pool.take(100'000).data() == at_first);
    CHECK(pool.take(100'000).capacity() == 0);
}

TEST_CASE("a pool keeps no more than it may, and nothing small", "[image][buffers]") {
    BufferPool pool(300'000);
    pool.release(buffer_of(60'000));
    pool.release(buffer_of(300'001));
    CHECK(pool.take(60'000).capacity() == 0);
    CHECK(pool.take(300'001).capacity() == 0);
    const auto fill = [&] {
        for (const std::size_t bytes : {100'000, 120'000, 80'000}) pool.release(buffer_of(bytes));
    };
    fill();
    for (const std::size_t bytes : {120'000, 100'000, 80'000}) CHECK(pool.take(bytes).capacity() == bytes);
    fill();
    pool.release(buffer_of(150'000));  // the first two go
    CHECK(pool.take(100'000).capacity() == 0);
    CHECK(pool.take(120'000).capacity() == 150'000);
    CHECK(pool.take(80'000).capacity() == 80'000);
    pool.release(buffer_of(300'000));
    CHECK(pool.take(300'000).capacity() == 300'000);
}
