#include "lib/process/memory_watch.hpp"

#include <chrono>
#include <fstream>
#include <utility>

#include <unistd.h>

#include "lib/core/host_limits.hpp"

namespace fovea {
namespace {

constexpr std::chrono::milliseconds interval{10};

std::size_t resident_bytes() {
    std::ifstream file("/proc/self/statm");
    std::size_t size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

MemoryWatch::MemoryWatch(std::size_t max_bytes, std::function<void()> is_near)
    : thread_([this, max_bytes, is_near = std::move(is_near)] { watch(max_bytes / 10 * 9, is_near); }) {}

MemoryWatch::~MemoryWatch() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    end_.notify_all();
    thread_.join();
}

void MemoryWatch::watch(std::size_t bytes, const std::function<void()>& is_near) {
    std::unique_lock lock(mutex_);
    while (!end_.wait_for(lock, interval, [&] { return ends_; })) {
        if (resident_bytes() < bytes) continue;
        is_near();
        return;
    }
}

std::size_t max_process_memory() {
    const auto machine = static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    return host_limits().memory.value_or(machine);
}

}  // namespace fovea
