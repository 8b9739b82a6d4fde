#include "lib/image/exif_date.hpp"

#include <charconv>
#include <chrono>
#include <string>
#include <string_view>

#include "lib/image/formats/decode.hpp"
#include "lib/image/formats/jpeg_segments.hpp"
#include "lib/image/formats/random_access.hpp"
#include "lib/image/formats/tiff_directory.hpp"

namespace fovea::codec {
namespace {

constexpr std::uint32_t exif_directory_tag = 34665;
constexpr std::uint32_t original_date_tag = 36867;
constexpr std::size_t date_length = 19;

/// The seconds of "2019:03:31 23:59:58".
std::optional<std::int64_t> seconds_of(std::string_view text) {
    constexpr std::string_view form = "dddd:dd:dd dd:dd:dd";
    for (std::size_t i = 0; i < form.size(); ++i) {
        const bool is_digit = text[i] >= '0' && text[i] <= '9';
        if (form[i] == 'd' ? !is_digit : text[i] != form[i]) return std::nullopt;
    }
    const auto number = [&](std::size_t at, std::size_t length) {
        int value = 0;
        std::from_chars(text.data() + at, text.data() + at + length, value);
        return value;
    };
    namespace chrono = std::chrono;
    const chrono::year_month_day day(chrono::year(number(0, 4)),
                                     chrono::month(static_cast<unsigned>(number(5, 2))),
                                     chrono::day(static_cast<unsigned>(number(8, 2))));
    const int hour = number(11, 2), minute = number(14, 2), second = number(17, 2);
    if (!day.ok() || number(0, 4) == 0 || hour > 23 || minute > 59 || second > 60) return std::nullopt;
    const std::int64_t days = chrono::sys_days(day).time_since_epoch().count();
    return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

std::optional<std::int64_t> date_in(Bytes tiff) {
    try {
        const MemoryAccess stream(tiff);
        const std::optional<std::uint32_t> at = TiffDirectory(stream).value(exif_directory_tag);
        if (!at) return std::nullopt;
        const std::optional<std::string> text =
            TiffDirectory(stream, *at).text(original_date_tag, date_length);
        return text && text->size() == date_length ? seconds_of(*text) : std::nullopt;
    } catch (const ImageError&) {
        return std::nullopt;
    }
}

}  // namespace

std::optional<std::int64_t> exif_date(Bytes file) {
    if (has_magic(file, 0, "II*\0", 4) || has_magic(file, 0, "MM\0*", 4)) return date_in(file);
    if (!has_magic(file, 0, "\xff\xd8", 2)) return std::nullopt;
    std::optional<std::int64_t> date;
    walk_jpeg_segments(file, [&](std::uint8_t marker, Bytes payload) {
        if (marker == jpeg_app1 && has_magic(payload, 0, "Exif\0\0", 6)) date = date_in(payload.subspan(6));
        return !date && marker != jpeg_sos;
    });
    return date;
}

}  // namespace fovea::codec
