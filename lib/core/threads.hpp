#pragma once

#include <functional>

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace fovea {

/// The number of threads to use: `requested`, or one per core that this process may use if that is 0, by its
/// affinity and host_limits().
int resolve_threads(int requested);

/// While it lives, TBB's and OpenCV's loops of this process use at most so many threads, and work given to
/// run() uses exactly so many.
class ThreadLimit {
  public:
    /// \param threads 0 = one per core that this process may use.
    explicit ThreadLimit(int threads);
    ~ThreadLimit();
    ThreadLimit(const ThreadLimit&) = delete;
    ThreadLimit& operator=(const ThreadLimit&) = delete;

    int threads() const { return threads_; }
    void run(const std::function<void()>& work) { arena_.execute(work); }

  private:
    int threads_;
    int opencv_threads_before_;
    tbb::global_control control_;
    tbb::task_arena arena_;
};

}  // namespace fovea
