#include "lib/core/sha256.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include <openssl/evp.h>

#include "lib/core/error.hpp"

namespace fovea {

std::string sha256_of_file(const std::filesystem::path& path) {
    const auto fail = [&](const std::string& why) {
        throw Error("The SHA-256 of '" + path.string() + "' cannot be computed: " + why + ".");
    };
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
    if (!file) fail(std::strerror(errno));
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
        fail("OpenSSL does not offer SHA-256");
    }
    std::array<unsigned char, 1 << 16> block;
    std::size_t count = 0;
    errno = 0;
    while ((count = std::fread(block.data(), 1, block.size(), file.get())) > 0) {
        EVP_DigestUpdate(context.get(), block.data(), count);
    }
    // A folder opens but does not read.
    if (std::ferror(file.get()) != 0) fail(std::strerror(errno));

    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    if (EVP_DigestFinal_ex(context.get(), digest.data(), &length) != 1) fail("OpenSSL reported an error");
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (unsigned int i = 0; i < length; ++i) {
        text += digits[digest[i] >> 4];
        text += digits[digest[i] & 15];
    }
    return text;
}

}  // namespace fovea
