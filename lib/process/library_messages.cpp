#include "lib/process/library_messages.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <iostream>
#include <mutex>
#include <string>

#include <ext/stdio_sync_filebuf.h>
#include <signal.h>
#include <unistd.h>

namespace fovea {
namespace {

std::atomic<std::FILE*> own_stream{nullptr};
std::atomic<void (*)(std::string_view)> taker{nullptr};

std::mutex pending_mutex;
// The text behind the last end of a line. It outlives static objects, as libraries write while they are
// unloaded.
std::string& pending = *new std::string;

// For a signal handler, which may read half of a new line at worst.
std::array<char, 400> last_line{};

void keep_for_abort(std::string_view line) {
    const std::size_t length = std::min(line.size(), last_line.size() - 1);
    std::memcpy(last_line.data(), line.data(), length);
    last_line[length] = '\0';
}

/// The next whole line; empty at the end, as empty ones are of no interest.
std::string take_line() {
    const std::lock_guard lock(pending_mutex);
    pending.erase(0, pending.find_first_not_of("\r\n"));
    const std::size_t end = pending.find('\n');
    if (end == std::string::npos) return {};
    std::string line = pending.substr(0, end);
    pending.erase(0, end + 1);
    keep_for_abort(line);
    return line;
}

ssize_t write_diverted(void*, const char* from, std::size_t count) {
    {
        const std::lock_guard lock(pending_mutex);
        constexpr std::size_t longest = 1 << 16;
        if (pending.size() + count > longest) pending.clear();
        pending.append(from, std::min(count, longest));
    }
    // The lock is released: whoever takes a line may write himself.
    for (std::string line = take_line(); !line.empty(); line = take_line()) {
        if (auto* const take = taker.load()) take(line);
    }
    return static_cast<ssize_t>(count);
}

extern "C" void on_abort(int) {
    constexpr std::string_view before = "fovea: error: a library ended the program: ";
    const std::size_t length = ::strnlen(last_line.data(), last_line.size());
    if (length == 0) return;
    [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, before.data(), before.size());
    written = ::write(STDERR_FILENO, last_line.data(), length);
    written = ::write(STDERR_FILENO, "\n", 1);
}

}  // namespace

void divert_library_messages() {
    std::FILE* const diverted = ::fopencookie(nullptr, "w", {nullptr, write_diverted, nullptr, nullptr});
    if (diverted == nullptr) return;
    std::setvbuf(diverted, nullptr, _IONBF, 0);
    own_stream = stderr;
    // The C library lets the variable be set; every library writes to the stream that it names.
    stderr = diverted;
    // Lives as long as the process: libraries write while they are unloaded, too.
    static auto* const buffer = new __gnu_cxx::stdio_sync_filebuf<char>(diverted);
    std::cerr.rdbuf(buffer);
    std::clog.rdbuf(buffer);
    struct sigaction action {};
    action.sa_handler = on_abort;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    ::sigaction(SIGABRT, &action, nullptr);
}

void take_library_messages(void (*take)(std::string_view line)) {
    taker = take;
}

std::FILE* message_stream() {
    std::FILE* const own = own_stream.load();
    return own != nullptr ? own : stderr;
}

}  // namespace fovea
