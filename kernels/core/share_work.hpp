#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <vector>

namespace fovea {

/// Elements [first, first + count) of a list.
struct IndexRange {
    std::size_t first = 0;
    std::size_t count = 0;

    friend bool operator==(const IndexRange&, const IndexRange&) = default;
};

/// Runs work(0), ..., work(count - 1) side by side: work(0) on the calling thread, each other on a new
/// thread. Waits for all. \throws the exception of the lowest number that failed.
template <class Work>
void side_by_side(std::size_t count, const Work& work) {
    std::vector<std::future<void>> others;
    for (std::size_t i = 1; i < count; ++i)
        others.push_back(std::async(std::launch::async, [&work, i] { work(i); }));
    std::exception_ptr failure;
    const auto run = [&](const auto& part) {
        try {
            part();
        } catch (...) {
            if (!failure) failure = std::current_exception();
        }
    };
    if (count > 0) run([&] { work(0); });
    for (std::future<void>& other : others) run([&] { other.get(); });
    if (failure) std::rethrow_exception(failure);
}

/// Divides a list into one range for each worker, in order and of about the same weight; some may be empty.
/// \param workers at least 1. \param weight_of gives the weight of element i, 0 or more, as a whole number.
template <class WeightOf>
std::vector<IndexRange> divide_by_weight(std::size_t count, std::size_t workers, const WeightOf& weight_of) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < count; ++i) total += static_cast<std::int64_t>(weight_of(i));
    std::vector<IndexRange> ranges{IndexRange{}};
    std::int64_t before = 0;
    for (std::size_t i = 0; i < count; ++i) {
        ++ranges.back().count;
        before += static_cast<std::int64_t>(weight_of(i));
        while (ranges.size() < workers && before * static_cast<std::int64_t>(workers) >=
                                              total * static_cast<std::int64_t>(ranges.size())) {
            ranges.push_back({i + 1, 0});
        }
    }
    ranges.resize(workers, {count, 0});
    return ranges;
}

/// Shares work among several GPUs or other workers: calls work(worker, range), side by side, for each range
/// of divide_by_weight() that is not empty. Errors as side_by_side.
template <class WeightOf, class Work>
void share_work(std::size_t count, std::size_t workers, const WeightOf& weight_of, const Work& work) {
    const std::vector<IndexRange> ranges = divide_by_weight(count, workers, weight_of);
    std::vector<std::size_t> busy;
    for (std::size_t w = 0; w < workers; ++w) {
        if (ranges[w].count > 0) busy.push_back(w);
    }
    side_by_side(busy.size(), [&](std::size_t i) { work(busy[i], ranges[busy[i]]); });
}

/// Shares work whose elements all have the same weight.
template <class Work>
void share_work(std::size_t count, std::size_t workers, const Work& work) {
    share_work(
        count, workers, [](std::size_t) { return 1; }, work);
}

}  // namespace fovea
