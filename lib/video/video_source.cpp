#include "lib/video/video_source.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <system_error>

namespace fovea {
namespace {

constexpr std::array<std::string_view, 30> video_extensions{
    ".mp4",  ".m4v", ".mov",  ".mkv",  ".webm", ".avi", ".mpg", ".mpeg", ".ts",  ".mts",
    ".m2ts", ".wmv", ".asf",  ".flv",  ".ogv",  ".3gp", ".3g2", ".mxf",  ".vob", ".m2v",
    ".h264", ".264", ".hevc", ".h265", ".265",  ".ivf", ".obu", ".dv",   ".nut", ".y4m"};

}  // namespace

double VideoSource::seconds(std::int64_t time_stamp) const {
    const auto exact = static_cast<long double>(time_stamp) * static_cast<long double>(time_base_num) /
                       static_cast<long double>(time_base_den);
    return static_cast<double>(std::round(exact * 1e6L) / 1e6L);
}

std::string frame_name(std::string_view video, std::int64_t number) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), "#%06lld", static_cast<long long>(number));
    return std::string(video) + digits.data();
}

std::optional<FrameName> split_frame_name(std::string_view name) {
    const std::size_t hash = name.rfind('#');
    if (hash == std::string_view::npos || !is_video_name(name.substr(0, hash))) return std::nullopt;
    FrameName frame{name.substr(0, hash), 0};
    const char* const end = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + hash + 1, end, frame.number);
    if (error != std::errc() || stop != end || frame.number < 0) return std::nullopt;
    return frame;
}

std::size_t part_of_frame(const VideoSource& video, std::int64_t number) {
    const auto behind = std::upper_bound(video.cuts.begin(), video.cuts.end(), number,
                                         [](std::int64_t n, const VideoCut& cut) { return n < cut.frame; });
    return behind == video.cuts.begin() ? 0 : static_cast<std::size_t>(behind - video.cuts.begin()) - 1;
}

bool is_video_name(std::string_view file_name) {
    const std::size_t dot = file_name.rfind('.');
    if (dot == std::string_view::npos || dot == 0) return false;
    std::string extension(file_name.substr(dot));
    for (char& c : extension) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    return std::find(video_extensions.begin(), video_extensions.end(), extension) != video_extensions.end();
}

}  // namespace fovea
