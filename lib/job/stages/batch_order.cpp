#include "lib/job/stages/batch_order.hpp"

#include <algorithm>
#include <utility>

namespace fovea {

bool BatchOrder::wait_for_turn() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_stopped_ || in_flight_ < max_in_flight_; });
    if (is_stopped_) return false;
    ++in_flight_;
    return true;
}

void BatchOrder::end_at(std::size_t number) {
    {
        const std::lock_guard lock(mutex_);
        end_ = std::min(end_, number);
    }
    changed_.notify_all();
}

void BatchOrder::fail(std::size_t number) noexcept {
    {
        const std::lock_guard lock(mutex_);
        if (number >= failed_) return;
        failed_ = number;
        failure_ = std::current_exception();
    }
    changed_.notify_all();
}

void BatchOrder::deliver(Batch batch) {
    {
        const std::lock_guard lock(mutex_);
        const std::pair place(batch.number, batch.piece);
        finished_.emplace(place, std::move(batch));
    }
    changed_.notify_all();
}

std::optional<Batch> BatchOrder::next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
        return is_stopped_ || next_ >= std::min(end_, failed_) || finished_.contains({next_, next_piece_});
    });
    if (is_stopped_) return std::nullopt;
    if (next_ >= failed_) std::rethrow_exception(failure_);
    if (next_ >= end_) return std::nullopt;
    auto node = finished_.extract({next_, next_piece_++});
    if (node.mapped().is_last_piece) {
        ++next_;
        next_piece_ = 0;
        --in_flight_;
    }
    lock.unlock();
    changed_.notify_all();
    return std::move(node.mapped());
}

void BatchOrder::stop() {
    {
        const std::lock_guard lock(mutex_);
        is_stopped_ = true;
    }
    changed_.notify_all();
}

}  // namespace fovea
