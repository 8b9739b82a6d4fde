#include "lib/pipeline/publish.hpp"

#include <iostream>
#include <set>
#include <system_error>

#include "lib/core/error.hpp"
#include "lib/core/file.hpp"
#include "lib/pipeline/output_guard.hpp"
#include "lib/report/staged_files.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

fs::path real_path(const fs::path& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ? fs::path{} : real;
}

/// As refuse_to_overwrite_inputs for every file, but each input is looked at once, not once for each file.
void refuse_to_overwrite(const OutputFiles& files, const fs::path& folder, const Dataset* dataset,
                         const std::vector<fs::path>& others) {
    std::vector<fs::path> present;
    for (const OutputFile& file : files.files) {
        if (const fs::path real = real_path(folder / file.name); !real.empty()) present.push_back(real);
    }
    if (present.empty()) return;
    std::set<fs::path> inputs;
    const auto add = [&](const fs::path& input) { inputs.insert(real_path(input)); };
    for (const fs::path& other : others) add(other);
    if (dataset != nullptr) {
        for (const fs::path& source : dataset->sources) add(source);
        for (const Sample& sample : dataset->samples) add(sample.path);
    }
    for (const fs::path& path : present) {
        if (!inputs.contains(path)) continue;
        throw UsageError("the output " + path.string() +
                         " is also an input and would be overwritten; name another folder with --out");
    }
}

void make_folder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (fs::is_directory(folder)) return;
    throw UsageError("the folder '" + folder.string() + "' cannot be made" +
                     (error ? ": " + error.message() : std::string(": a file has that name")) +
                     "; name another with --out");
}

}  // namespace

void publish(const OutputFiles& files, const fs::path& output, const Dataset* dataset,
             const std::vector<fs::path>& others) {
    if (!files.is_folder) {
        const std::string& bytes = files.files.front().bytes;
        if (output == "-") {
            std::cout << bytes;
            return;
        }
        refuse_to_overwrite_inputs(output, dataset != nullptr ? *dataset : Dataset{}, others);
        if (output.has_parent_path()) make_folder(output.parent_path());
        replace_file(output, bytes);
        return;
    }
    if (output == "-") throw UsageError("the format is a folder of files; name the folder with --out");
    refuse_to_overwrite(files, output, dataset, others);
    make_folder(output);
    report::StagedFiles staged(output);
    fs::path last;
    for (const OutputFile& file : files.files) {
        const fs::path folder = (output / file.name).parent_path();
        if (folder != last) make_folder(folder);
        last = folder;
        staged.add(file.name, file.bytes);
    }
    staged.publish();
}

}  // namespace fovea
