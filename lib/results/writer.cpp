#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/results/results.hpp"

namespace fovea {

class ResultsWriter::Implementation {
  public:
    explicit Implementation(const std::filesystem::path& path)
        : is_stdout_(path == "-"), name_(path.string()) {
        if (is_stdout_) {
            name_ = "standard output";
            descriptor_ = STDOUT_FILENO;
            return;
        }
        descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (descriptor_ < 0) {
            throw Error("The results file '" + name_ +
                        "' cannot be opened for writing: " + std::strerror(errno) + ".");
        }
    }

    ~Implementation() {
        if (!is_stdout_ && descriptor_ >= 0) ::close(descriptor_);
    }
    Implementation(const Implementation&) = delete;
    Implementation& operator=(const Implementation&) = delete;

    // Straight to the descriptor, a line at a time: nothing that write() has returned for can be lost by an
    // interruption of the program, and a line is not split between two system calls unless the system does
    // so.
    void write(const std::string& line) {
        if (descriptor_ < 0) throw Error("A result was written to '" + name_ + "' after it had been closed.");
        std::size_t done = 0;
        while (done < line.size()) {
            const ssize_t count = ::write(descriptor_, line.data() + done, line.size() - done);
            if (count > 0) {
                done += static_cast<std::size_t>(count);
            } else if (count == 0 || errno != EINTR) {
                throw Error("A result cannot be written to '" + name_ +
                            "': " + (count == 0 ? "no bytes were accepted" : std::strerror(errno)) +
                            ". The lines before it are complete.");
            }
        }
    }

    void close() {
        const int descriptor = std::exchange(descriptor_, -1);
        if (is_stdout_ || descriptor < 0) return;
        // Network file systems report a full disk only here.
        if (::close(descriptor) != 0 && errno != EINTR) {
            throw Error("The results file '" + name_ + "' cannot be completed: " + std::strerror(errno) +
                        ".");
        }
    }

  private:
    bool is_stdout_;
    std::string name_;
    int descriptor_ = -1;
};

ResultsWriter::ResultsWriter(const std::filesystem::path& path)
    : implementation_(std::make_unique<Implementation>(path)) {}

ResultsWriter::~ResultsWriter() = default;

void ResultsWriter::write(const ImageResult& result) {
    implementation_->write(to_json_line(result) + "\n");
}

void ResultsWriter::close() {
    implementation_->close();
}

}  // namespace fovea
