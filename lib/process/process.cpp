#include "lib/process/process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>
#include <new>
#include <string_view>
#include <system_error>

#include <dlfcn.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/files/shortage.hpp"
#include "lib/files/thread_shortage.hpp"
#include "lib/process/library_messages.hpp"
#include "lib/process/spawn.hpp"

namespace fovea {
namespace {

void write_error(std::string_view text) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

[[noreturn]] void end_short(const char* message) {
    write_error("fovea: error: ");
    write_error(message);
    write_error("\n");
    kill_children();
    ::_exit(static_cast<int>(ExitCode::failed));
}

// Destructors of nlohmann/json take memory: a lack of it there cannot be caught anywhere. Nor can it where
// TBB's threads start further threads.
[[noreturn]] void end_for_good() {
    try {
        if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
        end_short(not_enough_memory);
    } catch (const std::exception& error) {
        if (is_lack_of_threads(error)) end_short(no_thread);
    } catch (...) {
    }
    std::abort();
}

void secure_standard_descriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
        // The lowest free number is this one. Opened the wrong way round, it refuses what it is used for.
        const int mode = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", mode) != descriptor) ::_exit(1);
    }
}

void raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

void prepare_process() {
    secure_standard_descriptors();
    raise_descriptor_limit();
    divert_library_messages();
    std::set_terminate(end_for_good);
    constexpr int mapped_bytes = 128 << 10;
    ::mallopt(M_MMAP_THRESHOLD, mapped_bytes);
}

void keep_freed_memory() {
    constexpr int mapped_bytes = 32 << 20, more_at_once = 16 << 20;
    ::mallopt(M_MMAP_THRESHOLD, mapped_bytes);
    ::mallopt(M_TOP_PAD, more_at_once);
    ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
}

void end_process(int exit_code) {
    // Asks whether it is loaded, and loads nothing.
    if (::dlopen("libnvcuvid.so.1", RTLD_LAZY | RTLD_NOLOAD) == nullptr) std::exit(exit_code);
    std::cout.flush();
    std::cerr.flush();
    std::fflush(nullptr);
    ::_exit(exit_code);
}

std::size_t descriptors_left() {
    constexpr std::size_t unknown = std::size_t{1} << 20;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unknown;
    std::error_code error;
    std::size_t open = 0;
    for (std::filesystem::directory_iterator entry("/proc/self/fd", error), end; !error && entry != end;
         entry.increment(error)) {
        ++open;
    }
    // The folder itself cannot be opened if no descriptor is left.
    if (error == std::errc::too_many_files_open) return 0;
    if (error) return unknown;
    return static_cast<std::size_t>(limit.rlim_cur) - std::min<std::size_t>(open, limit.rlim_cur);
}

}  // namespace fovea
