#pragma once

#include <cstdlib>
#include <string>

namespace fovea::test {

/// Another PATH until the end of the scope.
class ScopedPath {
  public:
    explicit ScopedPath(const std::string& path) {
        const char* old = std::getenv("PATH");
        old_ = old != nullptr ? old : "";
        ::setenv("PATH", path.c_str(), 1);
    }
    ~ScopedPath() { ::setenv("PATH", old_.c_str(), 1); }
    ScopedPath(const ScopedPath&) = delete;
    ScopedPath& operator=(const ScopedPath&) = delete;

  private:
    std::string old_;
};

}  // namespace fovea::test
