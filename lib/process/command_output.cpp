#include "lib/process/command_output.hpp"

#include <cerrno>
#include <utility>
#include <vector>

#include <poll.h>
#include <unistd.h>

#include "lib/core/job_hooks.hpp"
#include "lib/core/text.hpp"
#include "lib/process/pipe.hpp"

namespace fovea {
namespace {

/// Soon enough for a person who stops a job.
constexpr int look_every_milliseconds = 100;

/// The last line that a program wrote, without empty ones behind it.
std::string last_words(const std::string& text) {
    constexpr const char* blanks = " \t\r\n";
    const std::size_t end = text.find_last_not_of(blanks);
    if (end == std::string::npos) return {};
    const std::size_t newline = text.find_last_of('\n', end);
    const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
    return text.substr(begin, end + 1 - begin);
}

}  // namespace

CommandOutput::CommandOutput(const std::string& command) {
    Pipe pipe;
    output_ = std::move(pipe.reading);
    process_.emplace(std::vector<std::string>{"/bin/sh", "-c", command}, pipe.writing.get());
}

std::size_t CommandOutput::read(char* to, std::size_t length, const std::atomic<bool>* stop) {
    while (!is_cancelled(stop)) {
        pollfd watched{output_.get(), POLLIN, 0};
        if (::poll(&watched, 1, look_every_milliseconds) <= 0) continue;
        const ssize_t count = ::read(output_.get(), to, length);
        if (count >= 0) return static_cast<std::size_t>(count);
        if (errno != EINTR && errno != EAGAIN) break;
    }
    return 0;
}

std::string CommandOutput::failure(const std::atomic<bool>* stop) {
    const ChildResult result = process_->wait(stop);
    if (is_cancelled(stop)) return "was stopped";
    if (result.exit_code == 0) return {};
    const std::string said = last_words(result.error_text);
    return "ended with exit code " + std::to_string(result.exit_code) +
           (said.empty() ? std::string() : ": " + excerpt(said));
}

}  // namespace fovea
