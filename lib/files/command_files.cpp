#include "lib/files/command_files.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include <sys/stat.h>
#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/files/staged_files.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

using FileId = std::pair<dev_t, ino_t>;

/// Nothing for what is not there, and for devices and pipes, which hold nothing that could be lost.
std::optional<FileId> id_of(const fs::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return FileId{status.st_dev, status.st_ino};
}

// Eight bytes for each of millions of images: that two files share a number is not to be expected.
std::uint64_t number_of(const FileId& id) {
    std::uint64_t x = id.second + 0x9e3779b97f4a7c15 * (id.first + 1);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

struct ManyInputs {
    std::size_t count = 0;
    std::function<fs::path(std::size_t)> file;
    std::optional<std::vector<std::uint64_t>> numbers;  // sorted, once they are needed

    bool contains(const FileId& id) {
        if (!numbers) {
            numbers.emplace(count);
            tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
                if (const std::optional<FileId> input = id_of(file(i))) (*numbers)[i] = number_of(*input);
            });
            std::sort(numbers->begin(), numbers->end());
        }
        return std::binary_search(numbers->begin(), numbers->end(), number_of(id));
    }
};

struct Inputs {
    std::mutex mutex;
    bool is_active = false;
    std::map<FileId, fs::path> files;
    std::set<FileId> replaceable;
    std::map<std::size_t, ManyInputs> many;
    std::size_t next_number = 0;

    /// How a message names the input that a file is; nothing if it is none.
    std::optional<std::string> name_of(const fs::path& file) {
        const std::lock_guard lock(mutex);
        if (!is_active) return std::nullopt;
        const std::optional<FileId> id = id_of(file);
        if (!id || replaceable.contains(*id)) return std::nullopt;
        // A file that is gone may have left its number to another one.
        const auto found = files.find(*id);
        if (found != files.end() && id_of(found->second) == id) return found->second.string();
        for (auto& [number, inputs] : many) {
            if (inputs.contains(*id)) return "one of the images";
        }
        return std::nullopt;
    }
};

Inputs& inputs() {
    static Inputs one;
    return one;
}

bool is_file(const PlannedOutput& output) {
    return !output.file.empty() && output.file != "-" && !is_device_path(output.file);
}

// The files may be there or not.
bool are_same(const fs::path& a, const fs::path& b) {
    std::error_code error;
    if (fs::equivalent(a, b, error)) return true;
    const auto resolved = [](const fs::path& file) {
        std::error_code ignored;
        const fs::path absolute = fs::absolute(file);
        const fs::path real = fs::weakly_canonical(absolute, ignored);
        return ignored ? absolute.lexically_normal() : real;
    };
    return resolved(a) == resolved(b);
}

}  // namespace

CommandFiles::CommandFiles() {
    const std::lock_guard lock(inputs().mutex);
    inputs().is_active = true;
}

CommandFiles::~CommandFiles() {
    const std::lock_guard lock(inputs().mutex);
    inputs().is_active = false;
    inputs().files.clear();
    inputs().replaceable.clear();
    inputs().many.clear();
}

void note_input(const fs::path& file) {
    const std::lock_guard lock(inputs().mutex);
    if (!inputs().is_active) return;
    if (const std::optional<FileId> id = id_of(file)) inputs().files.emplace(*id, file);
}

void allow_replacing(const fs::path& file) {
    const std::lock_guard lock(inputs().mutex);
    if (!inputs().is_active) return;
    if (const std::optional<FileId> id = id_of(file)) inputs().replaceable.insert(*id);
}

void note_inputs(std::vector<fs::path> files) {
    const std::size_t count = files.size();
    auto shared = std::make_shared<const std::vector<fs::path>>(std::move(files));
    const std::lock_guard lock(inputs().mutex);
    if (!inputs().is_active) return;
    inputs().many[inputs().next_number++] = {count, [shared](std::size_t i) { return (*shared)[i]; }, {}};
}

NotedInputs::NotedInputs(std::size_t count, std::function<fs::path(std::size_t)> file) {
    const std::lock_guard lock(inputs().mutex);
    number_ = inputs().next_number++;
    inputs().many[number_] = {count, std::move(file), {}};
}

NotedInputs::~NotedInputs() {
    const std::lock_guard lock(inputs().mutex);
    inputs().many.erase(number_);
}

void refuse_if_input(const fs::path& file) {
    const std::optional<std::string> input = inputs().name_of(file);
    if (!input) return;
    throw UsageError("the output " + file.string() + " is also an input (" + *input +
                     ") and would be overwritten; name another with --out");
}

void refuse_clashes(std::span<const PlannedOutput> outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!is_file(outputs[i])) continue;
        for (std::size_t k = i + 1; k < outputs.size(); ++k) {
            if (!is_file(outputs[k]) || !are_same(outputs[i].file, outputs[k].file)) continue;
            throw UsageError(outputs[i].what + " and " + outputs[k].what + " would both be written to '" +
                             outputs[k].file.string() + "'; name another file for one of them");
        }
        refuse_if_input(outputs[i].file);
        refuse_if_input(part_of(outputs[i].file));
    }
}

}  // namespace fovea
