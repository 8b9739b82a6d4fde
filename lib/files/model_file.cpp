#include "lib/files/model_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <system_error>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/files/file.hpp"
#include "lib/files/unpacker.hpp"

namespace fovea {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t beginning_bytes = 512;

/// Something that lies in a model's place: how it begins, what it is, and what to do.
struct Substitute {
    std::string_view magic;
    const char* is;
    const char* advice;
    std::size_t at = 0;  ///< offset of the magic bytes
};

constexpr const char* pull = "run 'git lfs pull' in its repository";
constexpr const char* unpack = "unpack it, and name the model in it";
constexpr std::array substitutes{
    Substitute{"version https://git-lfs.github.com/spec/", "a Git LFS pointer, not the model itself", pull},
    Substitute{"version https://hawser.github.com/spec/", "a Git LFS pointer, not the model itself", pull},
    Substitute{"/annex/objects/", "a git-annex pointer, not the model itself",
               "run 'git annex get' in its repository"},
    Substitute{"PK\x03\x04", "a zip archive", unpack},
    Substitute{"ustar", "a tar archive", unpack, 257},
    Substitute{"7z\xBC\xAF\x27\x1C", "a 7z archive", unpack},
    Substitute{{"\xFD"
                "7zXZ\0",
                6},
               "packed by xz",
               "unpack it with 'xz -d'"},
    Substitute{"\x28\xB5\x2F\xFD", "packed by zstd", "unpack it with 'zstd -d'"},
};

/// A page begins with a tag, and <html> or its document type comes soon.
bool is_page(std::string_view beginning) {
    const std::string text = lower_case(beginning);
    const std::size_t bom = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    const std::size_t first = text.find_first_not_of(" \t\r\n", bom);
    return first != std::string::npos && text[first] == '<' &&
           (text.find("<html") != std::string::npos || text.find("<!doctype html") != std::string::npos);
}

/// \throws Error if the bytes are those of something else that was saved under the model's name.
void refuse_substitute(std::string_view bytes, const fs::path& file) {
    const std::string_view beginning = bytes.substr(0, beginning_bytes);
    for (const Substitute& substitute : substitutes) {
        if (beginning.size() > substitute.at && beginning.substr(substitute.at).starts_with(substitute.magic))
            throw Error(file.string() + " is " + substitute.is + "; " + substitute.advice);
    }
    if (is_page(beginning)) {
        throw Error(file.string() +
                    " is an HTML page, not the model itself; fetch the file, e.g. by the page's link 'raw'");
    }
}

std::string unpacked(Packing packing, const std::string& bytes, const fs::path& file, std::string_view what,
                     std::size_t max_bytes) {
    constexpr std::size_t step = std::size_t{1} << 20;
    std::size_t at = 0;
    Unpacker unpacker(packing, {}, [&](std::uint8_t* to, std::size_t length) {
        const std::size_t count = std::min(length, bytes.size() - at);
        std::memcpy(to, bytes.data() + at, count);
        at += count;
        return count;
    });
    std::string text;
    try {
        for (std::size_t made = step; made == step;) {
            const std::size_t used = text.size();
            text.resize(used + step);
            made = unpacker.read(reinterpret_cast<std::uint8_t*>(text.data()) + used, step);
            text.resize(used + made);
            if (text.size() > max_bytes) {
                throw UnpackError("it holds more than " + std::to_string(max_bytes) + " bytes");
            }
        }
    } catch (const UnpackError& error) {
        throw Error("the packed " + std::string(what) + " " + file.string() +
                    " cannot be read: " + error.what() + "; fetch it again");
    }
    return text;
}

struct Contents {
    std::string bytes;
    bool were_packed = false;
};

Contents contents_of(const fs::path& file, std::string_view what, std::size_t max_bytes) {
    Contents contents{read_file(file, what)};
    if (const auto packing = packing_of(contents.bytes))
        contents = {unpacked(*packing, contents.bytes, file, what, max_bytes), true};
    refuse_substitute(contents.bytes, file);
    return contents;
}

}  // namespace

std::string read_model_file(const fs::path& file, std::string_view what, std::size_t max_bytes) {
    return contents_of(file, what, max_bytes).bytes;
}

std::string beginning_of_model(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    const auto read = [&](std::uint8_t* to, std::size_t length) {
        stream.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(length));
        return static_cast<std::size_t>(stream.gcount());
    };
    std::vector<std::uint8_t> bytes(beginning_bytes);
    bytes.resize(read(bytes.data(), bytes.size()));
    std::string text(bytes.begin(), bytes.end());
    const auto packing = packing_of(text);
    if (!packing) return text;
    Unpacker unpacker(*packing, std::move(bytes), read);
    text.resize(beginning_bytes);
    try {
        text.resize(unpacker.read(reinterpret_cast<std::uint8_t*>(text.data()), text.size()));
    } catch (const UnpackError&) {
        text.clear();
    }
    return text;
}

fs::path without_packing(const fs::path& file) {
    const fs::path extension = file.extension();
    return extension == ".gz" || extension == ".bz2" ? fs::path(file).replace_extension() : file;
}

std::string model_name(const fs::path& file) {
    return without_packing(file).stem().string();
}

PlainModelFile::PlainModelFile(const fs::path& file, std::string_view what) : path_(file) {
    const Contents contents = contents_of(file, what, max_model_bytes);
    if (!contents.were_packed) return;
    std::string made = (fs::temp_directory_path() / "fovea-model-XXXXXX").string();
    if (::mkdtemp(made.data()) == nullptr) {
        throw Error("cannot make the folder " + made + " to unpack " + file.string() +
                    " into: " + std::error_code(errno, std::generic_category()).message() + "; set TMPDIR");
    }
    folder_ = made;
    path_ = folder_ / without_packing(file).filename();
    try {
        write_file(path_, contents.bytes);
    } catch (...) {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
        throw;
    }
}

PlainModelFile::~PlainModelFile() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

}  // namespace fovea
