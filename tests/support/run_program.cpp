#include "tests/support/run_program.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/process/pipe.hpp"

namespace fovea::test {

class StartedProgram::Implementation {
  public:
    Implementation(const std::vector<std::string>& command, const ProgramOptions& options)
        : input_(options.input),
          input_stays_open_(options.input_stays_open),
          deadline_(std::chrono::steady_clock::now() + options.timeout) {
        std::vector<char*> arguments;
        for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
        arguments.push_back(nullptr);
        pid_ = ::fork();
        if (pid_ < 0) throw std::runtime_error("fork failed");
        if (pid_ == 0) {
            ::dup2(in_.reading.get(), STDIN_FILENO);
            ::dup2(out_.writing.get(), STDOUT_FILENO);
            ::dup2(err_.writing.get(), STDERR_FILENO);
            for (const auto& [name, value] : options.environment) {
                value.empty() ? ::unsetenv(name.c_str()) : ::setenv(name.c_str(), value.c_str(), 1);
            }
            if (!options.folder.empty() && ::chdir(options.folder.c_str()) != 0) ::_exit(126);
            ::execvp(arguments[0], arguments.data());
            ::_exit(127);
        }
        in_.reading.reset();
        out_.writing.reset();
        err_.writing.reset();
        pump_ = std::thread([this] { pump(); });
    }

    ~Implementation() {
        if (!reaped_) ::kill(pid_, SIGKILL);
        if (pump_.joinable()) pump_.join();
        if (!reaped_) ::waitpid(pid_, nullptr, 0);
    }

    void send_signal(int signal) { ::kill(pid_, signal); }

    bool wait_for_error_text(const std::string& text) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return ended_ || result_.err.find(text) != std::string::npos; });
        return result_.err.find(text) != std::string::npos;
    }

    ProgramResult wait() {
        pump_.join();
        int status = 0;
        ::waitpid(pid_, &status, 0);
        reaped_ = true;
        result_.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        return result_;
    }

  private:
    void pump() {
        // Writing to a program that has ended must not end the test.
        sigset_t pipe_signal;
        sigemptyset(&pipe_signal);
        sigaddset(&pipe_signal, SIGPIPE);
        ::pthread_sigmask(SIG_BLOCK, &pipe_signal, nullptr);
        if (input_.empty() && !input_stays_open_) in_.writing.reset();
        std::size_t written = 0;
        std::array<char, 65536> buffer;
        while (out_.reading || err_.reading) {
            // poll() passes over negative descriptors.
            std::array<pollfd, 3> waiting{{{out_.reading.get(), POLLIN, 0},
                                           {err_.reading.get(), POLLIN, 0},
                                           {written < input_.size() ? in_.writing.get() : -1, POLLOUT, 0}}};
            ::poll(waiting.data(), waiting.size(), 100);
            if (std::chrono::steady_clock::now() > deadline_) ::kill(pid_, SIGKILL);
            read_some(out_, waiting[0].revents, buffer, result_.out);
            read_some(err_, waiting[1].revents, buffer, result_.err);
            if (waiting[2].revents != 0 && in_.writing) {
                const std::size_t piece = std::min<std::size_t>(4096, input_.size() - written);
                const ssize_t done = ::write(in_.writing.get(), input_.data() + written, piece);
                if (done > 0) written += static_cast<std::size_t>(done);
                if (done < 0 || (written == input_.size() && !input_stays_open_)) in_.writing.reset();
            }
        }
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }

    void read_some(Pipe& pipe, short events, std::array<char, 65536>& buffer, std::string& text) {
        if (events == 0 || !pipe.reading) return;
        const ssize_t count = ::read(pipe.reading.get(), buffer.data(), buffer.size());
        const std::lock_guard lock(mutex_);
        if (count > 0) {
            text.append(buffer.data(), static_cast<std::size_t>(count));
        } else {
            pipe.reading.reset();
        }
        changed_.notify_all();
    }

    Pipe in_;
    Pipe out_;
    Pipe err_;
    std::string input_;
    bool input_stays_open_;
    std::chrono::steady_clock::time_point deadline_;
    pid_t pid_ = -1;
    bool reaped_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool ended_ = false;
    ProgramResult result_;
    std::thread pump_;
};

StartedProgram::StartedProgram(const std::vector<std::string>& command, const ProgramOptions& options)
    : implementation_(std::make_unique<Implementation>(command, options)) {}
StartedProgram::~StartedProgram() = default;
void StartedProgram::send_signal(int signal) {
    implementation_->send_signal(signal);
}
bool StartedProgram::wait_for_error_text(const std::string& text) {
    return implementation_->wait_for_error_text(text);
}
ProgramResult StartedProgram::wait() {
    return implementation_->wait();
}

ProgramResult run_program(const std::vector<std::string>& command, const ProgramOptions& options) {
    return StartedProgram(command, options).wait();
}

}  // namespace fovea::test
