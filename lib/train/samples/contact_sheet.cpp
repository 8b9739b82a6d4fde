#include "lib/train/samples/contact_sheet.hpp"

#include <algorithm>
#include <string>

#include "lib/core/error.hpp"
#include "lib/files/file.hpp"
#include "lib/landmark/face_crops.hpp"

namespace fovea {
namespace {

constexpr std::uint8_t white = 255;
constexpr double max_sheet_pixels = 1e8;

void check_sheet(const ContactSheetOptions& options, std::size_t samples) {
    const auto require_range = [](const char* name, long long value, long long least, long long most) {
        if (value >= least && value <= most) return;
        throw UsageError("'" + std::string(name) + "' of the contact sheet is " + std::to_string(value) +
                         "; it must be from " + std::to_string(least) + " to " + std::to_string(most) + ".");
    };
    require_range("columns", options.columns, 1, 1000);
    require_range("gap", options.gap, 0, 100);
    require_range("enlargement", options.enlargement, 1, 16);
    if (options.max_samples == 0 || samples == 0) {
        throw UsageError("A contact sheet needs at least one sample.");
    }
}

void place_sample(ImageView<const std::uint8_t> sample, int enlargement, std::uint8_t* to, int stride) {
    for (int y = 0; y < sample.height * enlargement; ++y) {
        for (int x = 0; x < sample.width * enlargement; ++x) {
            to[std::ptrdiff_t{y} * stride + x] = sample(x / enlargement, y / enlargement);
        }
    }
}

}  // namespace

GreyImage contact_sheet(const WindowSamples& samples, const ContactSheetOptions& options) {
    check_sheet(options, samples.count());
    const std::vector<std::size_t> shown = evenly_picked(samples.count(), options.max_samples);
    const auto columns = static_cast<int>(std::min(shown.size(), static_cast<std::size_t>(options.columns)));
    const int pitch_x = samples.window.width * options.enlargement + options.gap;
    const int pitch_y = samples.window.height * options.enlargement + options.gap;
    const std::size_t rows = (shown.size() - 1) / static_cast<std::size_t>(columns) + 1;
    const double width = static_cast<double>(columns) * pitch_x + options.gap;
    const double height = static_cast<double>(rows) * pitch_y + options.gap;
    if (width * height > max_sheet_pixels) {
        throw UsageError("A contact sheet of " + std::to_string(shown.size()) + " samples of " +
                         text_of(samples.window) +
                         " pixels would have more than 100 million pixels; show fewer samples or enlarge "
                         "them less.");
    }
    GreyImage sheet{static_cast<int>(width), static_cast<int>(height), {}};
    sheet.pixels.assign(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), white);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const auto column = static_cast<std::ptrdiff_t>(i % static_cast<std::size_t>(columns));
        const auto row = static_cast<std::ptrdiff_t>(i / static_cast<std::size_t>(columns));
        std::uint8_t* const to = sheet.pixels.data() + (options.gap + row * pitch_y) * sheet.width +
                                 options.gap + column * pitch_x;
        place_sample(samples.view(shown[i]), options.enlargement, to, sheet.width);
    }
    return sheet;
}

void write_contact_sheet(const std::filesystem::path& file, const WindowSamples& samples,
                         const ContactSheetOptions& options) {
    replace_file(file, png_of(contact_sheet(samples, options)));
}

}  // namespace fovea
