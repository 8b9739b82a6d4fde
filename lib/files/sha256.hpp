#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace fovea {

/// The SHA-256 of bytes that come in pieces.
class Sha256 {
  public:
    Sha256();
    void add(std::string_view bytes);
    /// Ends the sum: 64 hexadecimal digits. Nothing can be added any more.
    std::string text();

  private:
    std::unique_ptr<void, void (*)(void*)> context_;
};

/// The SHA-256 (FIPS 180-4) of a file as 64 hexadecimal digits. \throws Error if it cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

/// The SHA-256 of bytes in memory.
std::string sha256_of(std::string_view bytes);

}  // namespace fovea
