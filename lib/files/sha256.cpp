#include "lib/files/sha256.hpp"

#include <array>
#include <memory>

#include <openssl/evp.h>

#include "lib/core/error.hpp"
#include "lib/files/block_reader.hpp"

namespace fovea {
namespace {

EVP_MD_CTX* context_of(const std::unique_ptr<void, void (*)(void*)>& context) {
    return static_cast<EVP_MD_CTX*>(context.get());
}

}  // namespace

Sha256::Sha256()
    : context_(EVP_MD_CTX_new(), [](void* context) { EVP_MD_CTX_free(static_cast<EVP_MD_CTX*>(context)); }) {
    if (!context_ || EVP_DigestInit_ex(context_of(context_), EVP_sha256(), nullptr) != 1) {
        throw Error("A SHA-256 cannot be computed: OpenSSL does not offer it.");
    }
}

void Sha256::add(std::string_view bytes) {
    EVP_DigestUpdate(context_of(context_), bytes.data(), bytes.size());
}

std::string Sha256::text() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    if (EVP_DigestFinal_ex(context_of(context_), digest.data(), &length) != 1) {
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

std::string sha256_of_file(const std::filesystem::path& path) {
    Sha256 digest;
    for_each_block(path, 0, [&](std::string_view bytes) { digest.add(bytes); });
    return digest.text();
}

std::string sha256_of(std::string_view bytes) {
    Sha256 digest;
    digest.add(bytes);
    return digest.text();
}

}  // namespace fovea
