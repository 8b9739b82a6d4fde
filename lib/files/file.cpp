#include "lib/files/file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include "lib/files/shortage.hpp"
#include "lib/files/staged_files.hpp"

namespace fovea {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

[[noreturn]] void throw_failed(const std::string& what, int error) {
    throw_if_short(what, error, ".");
    throw Error(what + ": " + std::strerror(error) + ".");
}

[[noreturn]] void throw_too_long(const std::string& name, std::size_t max_bytes, bool is_regular) {
    throw Error(name + " is longer than " + std::to_string(max_bytes >> 20) +
                " MiB, which is the most that is read" +
                (is_regular ? "; check that it is the right file."
                            : " of a pipe or a device; write its content to a file and name that."));
}

// C's streams, as those of C++ say neither that a read failed nor why: an istreambuf_iterator takes an error
// for the end of the file.
std::string read_to_end(std::FILE* file, const std::string& name, std::size_t max_bytes) {
    std::string bytes;
    struct stat status {};
    const bool is_regular = ::fstat(::fileno(file), &status) == 0 && S_ISREG(status.st_mode);
    if (!is_regular) max_bytes = std::min(max_bytes, max_endless_file);
    if (is_regular && status.st_size > 0) {
        const auto size = static_cast<std::uint64_t>(status.st_size);
        if (size > max_bytes) throw_too_long(name, max_bytes, true);
        // Growing step by step would take a large file's memory twice.
        bytes.reserve(size);
    }
    constexpr std::size_t block = std::size_t{1} << 16;
    std::vector<char> buffer(block);
    while (true) {
        errno = 0;
        const std::size_t count = std::fread(buffer.data(), 1, block, file);
        if (count > max_bytes - bytes.size()) throw_too_long(name, max_bytes, is_regular);
        bytes.append(buffer.data(), count);
        if (count == block) continue;
        if (std::ferror(file) == 0) return bytes;
        if (errno != EINTR) throw_failed(name + " cannot be read to its end", errno);
        std::clearerr(file);
    }
}

/// \param sync also to the disk itself; for regular files.
void write_bytes(const std::filesystem::path& path, std::string_view bytes, bool sync) {
    const auto fail = [&] {
        throw Error("Cannot write " + path.string() + ": " + std::strerror(errno) +
                    "; check that the folder may be written and the disk is not full.");
    };
    File file(std::fopen(path.c_str(), "wbe"), &std::fclose);
    if (!file) fail();
    if (std::fwrite(bytes.data(), 1, bytes.size(), file.get()) != bytes.size()) fail();
    if (sync && (std::fflush(file.get()) != 0 || ::fsync(::fileno(file.get())) != 0)) fail();
    // Network file systems report a full disk only here.
    if (std::fclose(file.release()) != 0) fail();
}

}  // namespace

std::uint64_t size_of_file(const std::filesystem::path& path) {
    std::error_code error;
    const std::uint64_t size = std::filesystem::file_size(path, error);
    if (!error) return size;
    throw_if_short("'" + path.string() + "' cannot be looked at", error.value(), ".");
    throw Error("'" + path.string() + "' cannot be looked at: " + error.message() + ".");
}

std::string read_file(const std::filesystem::path& path, std::string_view what, std::size_t max_bytes) {
    const std::string kind(what);
    const std::string name = "The " + kind + " '" + path.string() + "'";
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        throw UsageError("'" + path.string() + "' is a folder where a " + kind +
                         " is needed; name the file.");
    }
    const File file(std::fopen(path.c_str(), "rbe"), &std::fclose);
    if (!file) {
        if (errno == ENOENT || errno == ENOTDIR) {
            throw UsageError("There is no " + kind + " '" + path.string() + "'; check the path.");
        }
        throw_failed(name + " cannot be opened", errno);
    }
    return read_to_end(file.get(), name, max_bytes);
}

void remove_file(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::remove(path, error) && error)
        throw Error("'" + path.string() + "' cannot be removed: " + error.message() + ".");
}

void remove_tree(const std::filesystem::path& path) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (!error) return;
    const std::string message = "'" + path.string() + "' cannot be removed";
    throw_if_short(message, error.value(), ".");
    throw Error(message + ": " + error.message() + ".");
}

void rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
    std::error_code error;
    std::filesystem::rename(from, to, error);
    if (error) {
        throw Error("Cannot write " + to.string() + ": " + error.message() +
                    "; check that the folder may be written, and move away what has that name.");
    }
}

std::string read_standard_input() {
    return read_to_end(stdin, "Standard input", max_whole_file);
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
    write_bytes(path, bytes, false);
}

bool is_device_path(const std::filesystem::path& path) {
    const std::string folder = path.parent_path().string() + "/";
    // Files in shared memory are files.
    if (folder.rfind("/dev/shm/", 0) == 0) return false;
    return folder.rfind("/dev/", 0) == 0 || folder.rfind("/proc/", 0) == 0;
}

void replace_file(const std::filesystem::path& path, std::string_view bytes, Durability durability) {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::file_type type = fs::status(path, error).type();
    // A rename would put a file in the place of a device or a pipe.
    if (is_device_path(path) || (type != fs::file_type::not_found && type != fs::file_type::regular)) {
        write_file(path, bytes);
        return;
    }
    StagedFile file(path);
    write_bytes(file.part(), bytes, durability == Durability::at_once);
    file.publish(durability);
}

}  // namespace fovea
