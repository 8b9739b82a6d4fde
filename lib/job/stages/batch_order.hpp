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

    /// Waits until another batch may begin. \return false if no batch is to begin any more.
    bool wait_for_turn();
    /// Says that no batch has this number or a higher one.
    void end_at(std::size_t number);
    /// Says that a batch failed with the current exception: batches before it are handed on, then next()
    /// throws. It allocates no memory, because memory may be what is short.
    void fail(std::size_t number) noexcept;
    void deliver(Batch batch);
    /// Waits for the next batch; nothing after the last one, and once stopped. \throws the exception with
    /// which a batch failed.
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
