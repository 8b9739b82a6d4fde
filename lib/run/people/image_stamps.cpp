#include "lib/run/people/image_stamps.hpp"

#include <system_error>

#include "lib/core/error.hpp"
#include "lib/files/block_reader.hpp"
#include "lib/files/file.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

ImageStamp stamp_of(const fs::path& file) {
    std::error_code error;
    ImageStamp stamp;
    stamp.bytes = fs::file_size(file, error);
    if (error) return {};
    const fs::file_time_type modified = fs::last_write_time(file, error);
    if (error) return {};
    stamp.modified =
        std::chrono::duration_cast<std::chrono::nanoseconds>(modified.time_since_epoch()).count();
    return stamp;
}

}  // namespace

std::vector<ImageStamp> stamps_of(const ImageList& images) {
    std::vector<ImageStamp> stamps(images.size());
    // All images of an archive follow each other.
    fs::path last;
    for (std::size_t i = 0; i < images.size(); ++i) {
        fs::path file = images.file(i);
        stamps[i] = i > 0 && file == last ? stamps[i - 1] : stamp_of(file);
        last = std::move(file);
    }
    return stamps;
}

void write_stamps(const fs::path& file, const ImageList& images, const ImageStamps& stamps) {
    std::string text;
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::string image(images.name(i));
        const ImageStamp& stamp = stamps.at(image);
        text += compact_text(Json{{"image", image}, {"bytes", stamp.bytes}, {"modified", stamp.modified}});
        text += '\n';
    }
    replace_file(file, text);
}

ImageStamps read_stamps(const fs::path& file) {
    ImageStamps stamps;
    BlockReader lines(file, 0, std::size_t{1} << 20);
    for (std::size_t number = 1; const auto line = lines.next_line(); ++number) {
        const Json json = parse_json_file(file.string(), *line,
                                          "it is a file of 'fovea people': remove its folder, or begin anew "
                                          "with --overwrite");
        const JsonPlace place(json, file.string() + ":" + std::to_string(number));
        constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
        stamps[place["image"].text()] = {static_cast<std::uint64_t>(place["bytes"].spelled_integer(0, most)),
                                         place["modified"].spelled_integer(-most, most)};
    }
    return stamps;
}

}  // namespace fovea
