// Clips of many cameras and programs: frames, times and pixels are FFmpeg's.

#include <cstdlib>

#include <catch2/catch.hpp>

#include "tests/lib/video/video_checks.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> clips(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file() && is_video_name(entry.path().filename().string()))
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

/// So many frames are looked at that no clip takes long.
std::size_t pixel_step(const VideoIndex& index) {
    constexpr std::size_t most_pixels = 12'000'000;
    const VideoFacts& facts = index.source->facts;
    const std::size_t pixels = static_cast<std::size_t>(facts.width) * static_cast<std::size_t>(facts.height);
    return 1 + pixels * index.time_stamps.size() / most_pixels;
}

}  // namespace

TEST_CASE("clips of others are read as FFmpeg reads them", "[video]") {
    const char* const data = std::getenv("FOVEA_DATA");
    if (data == nullptr || !fs::is_directory(fs::path(data) / "video")) {
        WARN("not run: FOVEA_DATA is not set, or has no videos");
        return;
    }
    const std::vector<fs::path> files = clips(fs::path(data) / "video");
    REQUIRE(files.size() > 10);
    for (const fs::path& file : files) {
        CAPTURE(file);
        const VideoIndex index = index_video(file, {{}, 1, {}});
        constexpr std::uintmax_t small_bytes = 3'000'000;
        const std::size_t step = fs::file_size(file) < small_bytes ? pixel_step(index) : 0;
        const std::vector<ReferenceFrame> reference = reference_frames(file, {}, step);
        REQUIRE(index.time_stamps.size() == reference.size());
        check_times(index, reference);
        if (step > 0)
            CHECK(wrong_frames(index, reference, every(step, reference.size())) ==
                  std::vector<std::size_t>{});
    }
}
