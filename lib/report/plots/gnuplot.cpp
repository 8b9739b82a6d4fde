#include "lib/report/plots/gnuplot.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/process/spawn.hpp"
#include "lib/report/model/names.hpp"
#include "lib/report/plots/plot_script.hpp"

namespace fovea::report {
namespace {

/// An unnamed file in memory: never blocks as a pipe would, and needs no place on disk.
class MemoryFile {
  public:
    explicit MemoryFile(const char* name) : descriptor_(::memfd_create(name, MFD_CLOEXEC)) {
        if (descriptor_ < 0) {
            throw Error(std::string("Cannot make a memory file for gnuplot: ") + std::strerror(errno) + ".");
        }
    }
    ~MemoryFile() { ::close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;

    int descriptor() const { return descriptor_; }

    void write(const std::string& text) {
        for (std::size_t done = 0; done < text.size();) {
            const ssize_t n = ::write(descriptor_, text.data() + done, text.size() - done);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0)
                throw Error(std::string("Cannot pass the plot to gnuplot: ") + std::strerror(errno) + ".");
            done += static_cast<std::size_t>(n);
        }
        ::lseek(descriptor_, 0, SEEK_SET);
    }

    std::string read_all() const {
        std::string text;
        std::array<char, 65536> block;
        off_t offset = 0;
        while (true) {
            const ssize_t n = ::pread(descriptor_, block.data(), block.size(), offset);
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return text;
            text.append(block.data(), static_cast<std::size_t>(n));
            offset += n;
        }
    }

  private:
    int descriptor_;
};

/// gnuplot prints the line, a caret and then its message: the last non-empty line says what is wrong.
std::string last_line(const std::string& text) {
    const std::size_t end = text.find_last_not_of(" \t\r\n");
    if (end == std::string::npos) return {};
    const std::size_t begin = text.find_last_of('\n', end);
    const std::string line = text.substr(begin == std::string::npos ? 0 : begin + 1,
                                         end - (begin == std::string::npos ? 0 : begin + 1) + 1);
    return line.substr(line.find_first_not_of(" \t\r"));
}

pid_t start(MemoryFile& in, MemoryFile& out, MemoryFile& err) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);

    // A group of its own: Ctrl-C at the terminal is this program's to handle, which waits for gnuplot or
    // kills it.
    posix_spawnattr_t attributes;
    ::posix_spawnattr_init(&attributes);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    ::posix_spawnattr_setpgroup(&attributes, 0);

    const char* path = std::getenv("PATH");
    std::string path_variable = "PATH=" + std::string(path != nullptr ? path : "");
    std::string locale = "LC_ALL=C";
    std::array<char*, 3> environment{path_variable.data(), locale.data(), nullptr};
    std::string program = "gnuplot";
    std::string defaults = "--default-settings";
    std::array<char*, 3> arguments{program.data(), defaults.data(), nullptr};

    pid_t child = 0;
    const int failure = spawn_child(child, arguments.data(), actions, &attributes, environment.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
    if (failure == ENOENT || failure == EACCES || failure == ENOTDIR) {
        throw Error(
            "The report's plots need gnuplot, which was not found on PATH; install it with "
            "\"apt-get install gnuplot-nox\".");
    }
    if (failure != 0) throw Error(std::string("Cannot start gnuplot: ") + std::strerror(failure) + ".");
    return child;
}

/// Waits for the child's end; kills it when the time is over.
int wait_for(pid_t child, std::chrono::milliseconds timeout) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    auto pause = std::chrono::microseconds(500);
    while (true) {
        int status = 0;
        const pid_t ended = ::waitpid(child, &status, WNOHANG);
        if (ended == child) {
            forget_child(child);
            return status;
        }
        if (ended < 0 && errno != EINTR) {
            forget_child(child);
            throw Error(std::string("Cannot wait for gnuplot: ") + std::strerror(errno) + ".");
        }
        if (std::chrono::steady_clock::now() >= deadline) {
            ::kill(child, SIGKILL);
            while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
            }
            forget_child(child);
            throw Error("gnuplot was not done after " +
                        fixed(static_cast<double>(timeout.count()) / 1000.0, 1) +
                        " s and was stopped; run it once by hand to see whether it works on this machine.");
        }
        std::this_thread::sleep_for(pause);
        if (pause < std::chrono::milliseconds(10)) pause *= 2;
    }
}

}  // namespace

void require_gnuplot() {
    run_gnuplot(plot_script("set print '-'\nprint 'ready'\n"));
}

std::string run_gnuplot(const PlotScript& script, std::chrono::milliseconds timeout) {
    MemoryFile in("fovea-plot-script");
    MemoryFile out("fovea-plot-output");
    MemoryFile err("fovea-plot-errors");
    in.write(script.text());

    const int status = wait_for(start(in, out, err), timeout);
    if (WIFSIGNALED(status)) {
        throw Error("gnuplot was ended by signal " + std::to_string(WTERMSIG(status)) +
                    " while drawing a plot.");
    }
    const int code = WEXITSTATUS(status);
    const std::string message = last_line(err.read_all());
    if (code != 0) {
        throw Error("gnuplot could not draw a plot (exit code " + std::to_string(code) + ")" +
                    (message.empty() ? "." : ": " + message));
    }
    std::string output = out.read_all();
    if (output.empty()) throw Error("gnuplot drew nothing" + (message.empty() ? "." : ": " + message));
    return output;
}

}  // namespace fovea::report
