#include "lib/files/input_files.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <sys/stat.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "lib/core/error.hpp"
#include "lib/core/splitmix.hpp"
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
    return mixed(mixed(id.first) + id.second);
}

struct ManyFiles {
    std::size_t count = 0;
    std::function<fs::path(std::size_t)> file;
    std::optional<std::vector<std::uint64_t>> numbers{};  // sorted, once they are needed

    bool contains(const FileId& id) {
        if (!numbers) {
            numbers.emplace(count);
            // Isolated: another task of this thread could ask the list that is locked.
            tbb::this_task_arena::isolate([&] {
                tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
                    if (const std::optional<FileId> input = id_of(file(i))) (*numbers)[i] = number_of(*input);
                });
            });
            std::sort(numbers->begin(), numbers->end());
        }
        return std::binary_search(numbers->begin(), numbers->end(), number_of(id));
    }
};

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

struct InputFiles::List {
    std::mutex mutex;
    std::map<FileId, fs::path> files;
    std::vector<ManyFiles> many;

    /// How a message names the input that a file is; nothing if it is none.
    std::optional<std::string> name_of(const fs::path& file) {
        const std::optional<FileId> id = id_of(file);
        if (!id) return std::nullopt;
        const std::lock_guard lock(mutex);
        // A file that is gone may have left its number to another one.
        const auto found = files.find(*id);
        if (found != files.end() && id_of(found->second) == id) return found->second.string();
        for (ManyFiles& inputs : many) {
            if (inputs.contains(*id)) return "one of the images";
        }
        return std::nullopt;
    }
};

InputFiles::InputFiles() : list_(std::make_shared<List>()) {}

void InputFiles::add(const fs::path& file) {
    const std::optional<FileId> id = id_of(file);
    if (!id) return;
    const std::lock_guard lock(list_->mutex);
    list_->files.emplace(*id, file);
}

void InputFiles::add(std::vector<fs::path> files) {
    const std::size_t count = files.size();
    add(count, [files = std::move(files)](std::size_t i) { return files[i]; });
}

void InputFiles::add(std::size_t count, std::function<fs::path(std::size_t)> file) {
    const std::lock_guard lock(list_->mutex);
    list_->many.push_back({count, std::move(file)});
}

void InputFiles::refuse(const fs::path& output) const {
    for (const fs::path& file : {output, part_of(output)}) {
        const std::optional<std::string> input = list_->name_of(file);
        if (!input) continue;
        throw UsageError("the output " + file.string() + " is also an input (" + *input +
                         ") and would be overwritten; name another with --out");
    }
}

void InputFiles::refuse_clashes(std::span<const PlannedOutput> outputs) const {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (!is_file(outputs[i])) continue;
        for (std::size_t k = i + 1; k < outputs.size(); ++k) {
            if (!is_file(outputs[k]) || !are_same(outputs[i].file, outputs[k].file)) continue;
            throw UsageError(outputs[i].what + " and " + outputs[k].what + " would both be written to '" +
                             outputs[k].file.string() + "'; name another file for one of them");
        }
        refuse(outputs[i].file);
    }
}

}  // namespace fovea
