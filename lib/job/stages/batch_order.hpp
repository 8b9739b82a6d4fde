#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "lib/job/stages/batch.hpp"

namespace fovea {

/// Hands finished batches on in the order of their numbers and pieces, and lets no more be in flight than a
/// limit. For any number of threads.
class BatchOrder {
  public:
    explicit BatchOrder(std::size_t max_in_flight) : max_in_flight_(max_in_flight) {}

    /// Waits until another batch may begin. False if there is to be none.
    bool wait_for_turn();
    /// No batch has this number or a higher one.
    void end_at(std::size_t number);
    /// The batch failed by the exception in flight: those before it are handed on, and next() throws. Takes
    /// no memory, which may be what is short.
    void fail(std::size_t number) noexcept;
    void deliver(Batch batch);
    /// The next batch, for which it waits; nothing behind the last, and once stopped. \throws what a batch
    /// failed by.
    std::optional<Batch> next();
    void stop();

  private:
    static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

    const std::size_t max_in_flight_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::pair<std::size_t, std::size_t>, Batch> finished_;  // by number and piece
    std::size_t next_ = 0;
    std::size_t next_piece_ = 0;
    std::size_t end_ = none;
    std::size_t failed_ = none;
    std::exception_ptr failure_;
    std::size_t in_flight_ = 0;
    bool is_stopped_ = false;
};

}  // namespace fovea
