#include "lib/dataset/unnamed_format.hpp"

#include <array>
#include <cerrno>
#include <cstdint>

#include "lib/files/disk.hpp"
#include "lib/files/open_file.hpp"
#include "lib/files/shortage.hpp"
#include "lib/image/formats/format.hpp"

namespace fovea {
namespace {

/// After "P5": blanks, then the width or a comment.
bool goes_on_as_pnm(codec::Bytes head) {
    constexpr std::string_view blanks_of_pnm = " \t\n\v\f\r";
    std::size_t at = 2;
    while (at < head.size() && blanks_of_pnm.find(static_cast<char>(head[at])) != std::string_view::npos)
        ++at;
    return at < head.size() && (head[at] == '#' || (head[at] >= '0' && head[at] <= '9'));
}

/// The header of a BMP file has four reserved bytes, which are 0, and then the size of the next one.
bool goes_on_as_bmp(codec::Bytes head) {
    constexpr std::size_t reserved_at = 6, next_size_at = 14, max_next_size = 124;
    if (head.size() < next_size_at + 4) return false;
    for (std::size_t i = reserved_at; i < reserved_at + 4; ++i) {
        if (head[i] != 0) return false;
    }
    return head[next_size_at] >= 12 && head[next_size_at] <= max_next_size && head[next_size_at + 1] == 0 &&
           head[next_size_at + 2] == 0 && head[next_size_at + 3] == 0;
}

}  // namespace

bool has_no_extension(std::string_view name) {
    return name.substr(name.rfind('/') + 1).find('.') == std::string_view::npos;
}

bool begins_as_image(codec::Bytes head) {
    switch (codec::sniff(head)) {
        case codec::ImageFormat::unknown:
        case codec::ImageFormat::gzip:
        case codec::ImageFormat::bzip2:
            return false;
        case codec::ImageFormat::pnm:
            return goes_on_as_pnm(head);
        case codec::ImageFormat::bmp:
            return goes_on_as_bmp(head);
        default:
            return true;
    }
}

bool is_unnamed_image(const std::filesystem::path& folder, const std::string& name) {
    if (!has_no_extension(name)) return false;
    const std::filesystem::path file = folder / name;
    const auto refused = [&] {
        throw_if_short("'" + file.string() + "' cannot be read", errno);
        return false;
    };
    const std::optional<OpenFile> opened = open_to_read(file);
    if (!opened) return refused();
    if (!opened->is_regular()) return false;
    std::array<std::uint8_t, image_head_bytes> head{};
    const std::ptrdiff_t count =
        read_at(opened->descriptor.get(), reinterpret_cast<char*>(head.data()), head.size(), 0);
    if (count < 0) return refused();
    return begins_as_image(codec::Bytes(head).first(static_cast<std::size_t>(count)));
}

}  // namespace fovea
