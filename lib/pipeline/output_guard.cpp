#include "lib/pipeline/output_guard.hpp"

#include <system_error>

#include "lib/core/error.hpp"

namespace fovea {

void refuse_to_overwrite_inputs(const std::filesystem::path& output, const Dataset& dataset,
                                const std::vector<std::filesystem::path>& others) {
    std::error_code error;
    // Devices, pipes and files that are not there yet hold nothing that could be lost.
    if (output == "-" || !std::filesystem::is_regular_file(output, error)) return;
    const auto check = [&](const std::filesystem::path& input) {
        if (!std::filesystem::equivalent(output, input, error)) return;
        throw UsageError("the output " + output.string() + " is also an input (" + input.string() +
                         ") and would be overwritten; name another file with --out");
    };
    for (const auto& source : dataset.sources) check(source);
    for (const auto& other : others) check(other);
    // Asking the file system about each of millions of images would take longer than it protects.
    for (const Sample& sample : dataset.samples) {
        if (sample.path.filename() == output.filename()) check(sample.path);
    }
}

void make_parent_folder(const std::filesystem::path& file) {
    if (!file.has_parent_path()) return;
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    if (error) throw Error("cannot make the folder " + file.parent_path().string() + ": " + error.message());
}

}  // namespace fovea
