#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include <sys/types.h>

namespace fovea::test {

/// The threads of this process.
inline std::size_t count_threads() {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

/// True once `holds()`; false if that is not so within 20 s.
template <class Holds>
bool comes_true(const Holds& holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!holds()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

/// True if the thread of this process sleeps. \param thread as gettid() gives it.
inline bool is_asleep(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string status;
    std::getline(file, status);
    const std::size_t name_end = status.rfind(") ");
    return name_end != std::string::npos && status[name_end + 2] == 'S';
}

}  // namespace fovea::test
