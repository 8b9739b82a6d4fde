#include "lib/core/sha256.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <openssl/evp.h>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

class Digest {
  public:
    Digest() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
        if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
            throw Error("A SHA-256 cannot be computed: OpenSSL does not offer it.");
        }
    }
    void add(const void* bytes, std::size_t count) { EVP_DigestUpdate(context_.get(), bytes, count); }

    std::string text() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        unsigned int length = 0;
        if (EVP_DigestFinal_ex(context_.get(), digest.data(), &length) != 1) {
            throw Error("A SHA-256 cannot be computed: OpenSSL reported an error.");
        }
        static constexpr char digits[] = "0123456789abcdef";
        std::string text;
        for (unsigned int i = 0; i < length; ++i) {
            text += digits[digest[i] >> 4];
            text += digits[digest[i] & 15];
        }
        return text;
    }

  private:
    std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context_;
};

}  // namespace

std::string sha256_of_file(const std::filesystem::path& path) {
    const auto fail = [&](const std::string& why) {
        throw Error("The SHA-256 of '" + path.string() + "' cannot be computed: " + why + ".");
    };
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) fail(std::strerror(errno));
    Digest digest;
    std::array<unsigned char, 1 << 16> block;
    std::size_t count = 0;
    errno = 0;
    while ((count = std::fread(block.data(), 1, block.size(), file.get())) > 0)
        digest.add(block.data(), count);
    // A folder opens but does not read.
    if (std::ferror(file.get()) != 0) fail(std::strerror(errno));
    return digest.text();
}

std::string sha256_of(std::string_view bytes) {
    Digest digest;
    digest.add(bytes.data(), bytes.size());
    return digest.text();
}

}  // namespace fovea
