#include "lib/files/media_names.hpp"

#include <algorithm>
#include <array>

namespace fovea {
namespace {

constexpr auto images = std::to_array<std::string_view>(
    {".jpg", ".jpeg", ".jpe", ".jfif", ".jif", ".jfi", ".pjpeg", ".pjpg", ".pjp", ".png", ".tif", ".tiff",
     ".pgm", ".ppm", ".pbm", ".pnm", ".bmp", ".dib", ".webp", ".gif",
     // JPEG of cameras with two lenses or more: the first picture counts.
     ".mpo", ".jps", ".insp",
     // High Efficiency Image File Format, AV1, JPEG XL, JPEG 2000.
     ".heic", ".heif", ".hif", ".avif", ".jxl", ".jp2", ".j2k", ".jpx", ".jpf", ".jpc",
     // Cameras' raw files.
     ".dng", ".cr2", ".cr3", ".crw", ".nef", ".nrw", ".arw", ".srf", ".sr2", ".raf", ".orf", ".rw2", ".pef",
     ".srw", ".x3f", ".3fr", ".iiq", ".erf", ".kdc", ".mrw"});

constexpr auto videos = std::to_array<std::string_view>(
    {".mp4", ".m4v", ".mov", ".qt", ".3gp", ".3g2", ".mkv", ".webm", ".avi", ".divx", ".wmv", ".asf", ".flv",
     ".f4v", ".ogv", ".ogm", ".mxf", ".gxf", ".wtv", ".rm", ".rmvb", ".nut",
     // MPEG's program and transport streams, those of camcorders and recorders among them.
     ".mpg", ".mpeg", ".mpe", ".mod", ".vob", ".m2p", ".ts", ".mts", ".m2ts", ".m2t", ".tod", ".tp", ".trp",
     // MP4 of action cameras: the small copies of GoPro, and pictures of a whole sphere.
     ".lrv", ".360", ".insv",
     // Streams without a container.
     ".mpv", ".m1v", ".m2v", ".h264", ".264", ".hevc", ".h265", ".265", ".ivf", ".obu", ".dv", ".vc1", ".y4m",
     ".mjpeg", ".mjpg"});

constexpr auto archives = std::to_array<std::string_view>(
    {".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tbz", ".tar.xz", ".txz", ".tar.zst", ".tzst", ".zip"});

constexpr auto packed = std::to_array<std::string_view>({".gz", ".bz2"});

bool ends_with_any_case(std::string_view text, std::string_view lower_case_end) {
    if (text.size() < lower_case_end.size()) return false;
    const std::string_view tail = text.substr(text.size() - lower_case_end.size());
    return std::equal(tail.begin(), tail.end(), lower_case_end.begin(), [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
    });
}

}  // namespace

std::span<const std::string_view> image_extensions() {
    return images;
}

std::span<const std::string_view> video_extensions() {
    return videos;
}

std::span<const std::string_view> archive_extensions() {
    return archives;
}

std::span<const std::string_view> packed_extensions() {
    return packed;
}

std::size_t extension_length(std::string_view name, std::span<const std::string_view> extensions) {
    for (const std::string_view extension : extensions) {
        if (name.size() > extension.size() && ends_with_any_case(name, extension)) return extension.size();
    }
    return 0;
}

bool is_image_name(std::string_view file_name) {
    file_name.remove_suffix(extension_length(file_name, packed));
    return extension_length(file_name, images) > 0;
}

bool is_video_name(std::string_view file_name) {
    return extension_length(file_name, videos) > 0;
}

bool is_archive_name(std::string_view file_name) {
    return extension_length(file_name, archives) > 0;
}

}  // namespace fovea
