#include "tests/lab/large_tiff.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <string>

#include <opencv2/imgproc.hpp>

#include "lib/core/error.hpp"

namespace fovea {

void write_large_tiff(const std::filesystem::path& file, Size size, const cv::Mat& picture) {
    constexpr int strip_rows = 64;
    const auto width = static_cast<std::uint32_t>(size.width);
    const auto height = static_cast<std::uint32_t>(size.height);
    const std::uint32_t row_bytes = width * 3;
    const std::uint32_t strips = (height + strip_rows - 1) / strip_rows;
    constexpr std::uint32_t short_type = 3, long_type = 4;
    constexpr std::uint32_t entries = 10;
    const std::uint32_t bits_at = 8 + 2 + entries * 12 + 4;
    const std::uint32_t offsets_at = bits_at + 8;
    const std::uint32_t counts_at = offsets_at + 4 * strips;
    const std::uint32_t pixels_at = counts_at + 4 * strips;
    std::string head = "II*";
    const auto add = [&head](auto value) {
        static_assert(std::endian::native == std::endian::little);
        head.append(reinterpret_cast<const char*>(&value), sizeof(value));
    };
    head += '\0';
    add(std::uint32_t{8});
    add(std::uint16_t{entries});
    const auto entry = [&](std::uint16_t tag, std::uint32_t type, std::uint32_t count, std::uint32_t value) {
        add(tag);
        add(static_cast<std::uint16_t>(type));
        add(count);
        add(value);
    };
    entry(256, long_type, 1, width);
    entry(257, long_type, 1, height);
    entry(258, short_type, 3, bits_at);
    entry(259, short_type, 1, 1);  // not compressed
    entry(262, short_type, 1, 2);  // RGB
    entry(273, long_type, strips, strips == 1 ? pixels_at : offsets_at);
    entry(277, short_type, 1, 3);
    entry(278, long_type, 1, strip_rows);
    entry(279, long_type, strips, strips == 1 ? row_bytes * height : counts_at);
    entry(284, short_type, 1, 1);  // the channels of a pixel together
    add(std::uint32_t{0});
    for (int channel = 0; channel < 4; ++channel) add(std::uint16_t{8});
    for (std::uint32_t strip = 0; strip < strips; ++strip) add(pixels_at + strip * strip_rows * row_bytes);
    for (std::uint32_t strip = 0; strip < strips; ++strip)
        add(std::min<std::uint32_t>(strip_rows, height - strip * strip_rows) * row_bytes);

    cv::Mat rgb;
    cv::cvtColor(picture, rgb, cv::COLOR_BGR2RGB);
    std::ofstream stream(file, std::ios::binary);
    stream << head;
    std::string row(row_bytes, '\0');
    for (int y = 0; y < size.height; ++y) {
        const auto* const pixels = rgb.ptr<char>(y % rgb.rows);
        const auto period = static_cast<std::size_t>(rgb.cols) * 3;
        for (std::size_t at = 0; at < row.size(); at += period)
            std::copy_n(pixels, std::min(period, row.size() - at),
                        row.begin() + static_cast<std::ptrdiff_t>(at));
        stream << row;
    }
    if (!stream.flush()) throw Error("cannot write " + file.string() + ": is there room for it?");
}

}  // namespace fovea
