#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>

namespace fovea {

/// Looks, every ten milliseconds while it lives, whether the resident memory of this process has come near to
/// what it may use: the system kills a process that uses more.
class MemoryWatch {
  public:
    /// \param max_bytes the process may use. \param is_near called once, by another thread, when nine tenths
    /// of them are in use. It must not throw.
    MemoryWatch(std::size_t max_bytes, std::function<void()> is_near);
    ~MemoryWatch();
    MemoryWatch(const MemoryWatch&) = delete;
    MemoryWatch& operator=(const MemoryWatch&) = delete;

  private:
    void watch(std::size_t bytes, const std::function<void()>& is_near);

    std::mutex mutex_;
    std::condition_variable end_;
    bool ends_ = false;
    std::thread thread_;
};

/// The memory that this process may use: of its control groups or of Slurm, else the machine's.
std::size_t max_process_memory();

}  // namespace fovea
