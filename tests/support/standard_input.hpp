#pragma once

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#include "tests/support/temp_dir.hpp"

namespace fovea::test {

/// Standard input of this process for as long as it lives: a text, or whatever lies at a path. All that is
/// read of it must be read to its end, as C's stream keeps the rest.
class StandardInput {
  public:
    explicit StandardInput(const std::string& text) { redirect(folder_.write("input", text)); }
    explicit StandardInput(const std::filesystem::path& path) { redirect(path); }
    ~StandardInput() {
        ::dup2(kept_, STDIN_FILENO);
        ::close(kept_);
        std::clearerr(stdin);
    }
    StandardInput(const StandardInput&) = delete;
    StandardInput& operator=(const StandardInput&) = delete;

  private:
    void redirect(const std::filesystem::path& path) {
        const int file = ::open(path.c_str(), O_RDONLY);
        if (file < 0) throw std::runtime_error("cannot open " + path.string());
        kept_ = ::dup(STDIN_FILENO);
        ::dup2(file, STDIN_FILENO);
        ::close(file);
        std::clearerr(stdin);
    }

    TempDir folder_;
    int kept_ = -1;
};

}  // namespace fovea::test
