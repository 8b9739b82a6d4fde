// Gives stored inputs to their targets once, without a fuzzer: fovea_fuzz_replay FOLDER (with a folder of
// inputs for each target) or fovea_fuzz_replay TARGET FILE... Says what each target took, and fails if one
// breaks the contract.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <spdlog/spdlog.h>

#include "kernels/core/stopwatch.hpp"
#include "lib/files/file.hpp"
#include "tests/fuzz/targets.hpp"

namespace fs = std::filesystem;
using namespace fovea::fuzz;

namespace {

constexpr double longest_s = 10;

/// False if the target breaks the contract.
bool replay(const Target& target, const fs::path& file) {
    const std::string input = fovea::read_file(file, "input");
    const fovea::Stopwatch watch;
    try {
        run(target, input);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s: not an Error but: %s\n", target.name, file.c_str(), error.what());
        return false;
    }
    const double time_s = watch.seconds();
    if (time_s <= longest_s) return true;
    std::fprintf(stderr, "%s: %s: takes %.1f s\n", target.name, file.c_str(), time_s);
    return false;
}

std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// \return inputs that break the contract, and targets without any.
std::size_t replay_folder(const fs::path& folder) {
    std::size_t failures = 0;
    std::size_t inputs = 0;
    for (const Target& target : targets()) {
        const std::vector<fs::path> files =
            fs::is_directory(folder / target.name) ? files_in(folder / target.name) : std::vector<fs::path>();
        if (files.empty()) {
            std::fprintf(stderr, "%s: there are no inputs in %s\n", target.name,
                         (folder / target.name).c_str());
            ++failures;
        }
        for (const fs::path& file : files) failures += replay(target, file) ? 0 : 1;
        inputs += files.size();
    }
    std::printf("%zu targets, %zu inputs, %zu failures\n", targets().size(), inputs, failures);
    return failures;
}

int replay_all(const std::vector<std::string>& arguments) {
    if (arguments.size() == 1) return replay_folder(arguments[0]) == 0 ? 0 : 1;
    const Target* const target = arguments.size() < 2 ? nullptr : find_target(arguments[0]);
    if (target == nullptr) {
        std::fprintf(stderr, "usage: fovea_fuzz_replay FOLDER, or fovea_fuzz_replay TARGET FILE...\n");
        return 2;
    }
    const auto failures = std::count_if(arguments.begin() + 1, arguments.end(),
                                        [&](const std::string& file) { return !replay(*target, file); });
    return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int count, char** values) {
    spdlog::set_level(spdlog::level::off);
    try {
        return replay_all({values + 1, values + count});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "fovea_fuzz_replay: %s\n", error.what());
        return 1;
    }
}
