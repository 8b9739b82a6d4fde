#include "lib/run/people/image_stamps.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <system_error>

#include "lib/core/error.hpp"
#include "lib/files/block_reader.hpp"
#include "lib/files/file.hpp"
#include "lib/files/packed.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace fs = std::filesystem;

std::string_view stamp_name(const ImageList& images, std::size_t i) {
    const std::string_view video = images.video_name(i);
    return video.empty() ? images.name(i) : video;
}

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

std::vector<ImageStamp> stamps_of(const ImageList& images) {
    std::vector<ImageStamp> stamps(images.size());
    // All images of an archive follow each other, and all frames of a video.
    fs::path last;
    for (std::size_t i = 0; i < images.size();) {
        fs::path file = images.file(i);
        stamps[i] = i > 0 && file == last ? stamps[i - 1] : stamp_of(file);
        stamps[i].frames = 0;
        last = std::move(file);
        const std::size_t first = i++;
        const std::string_view video = images.video_name(first);
        if (video.empty()) continue;
        std::uint32_t frames = crc32_of(images.name(first));
        for (; i < images.size() && images.video_name(i) == video; ++i)
            frames = crc32_of(images.name(i), frames);
        stamps[first].frames = frames;
        std::fill(stamps.begin() + static_cast<std::ptrdiff_t>(first),
                  stamps.begin() + static_cast<std::ptrdiff_t>(i), stamps[first]);
    }
    return stamps;
}

void write_stamps(const fs::path& file, const ImageList& images, const ImageStamps& stamps) {
    std::string text;
    std::string last;  // of a video, whose frames follow each other
    for (std::size_t i = 0; i < images.size(); ++i) {
        const std::string image(stamp_name(images, i));
        if (image == last) continue;
        const ImageStamp& stamp = stamps.at(image);
        Json json{{"image", image}, {"bytes", stamp.bytes}, {"modified", stamp.modified}};
        if (stamp.frames != 0) json["frames"] = stamp.frames;
        text += compact_text(json);
        text += '\n';
        last = image;
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
        ImageStamp& stamp = stamps[place["image"].text()];
        stamp.bytes = static_cast<std::uint64_t>(place["bytes"].spelled_integer(0, most));
        stamp.modified = place["modified"].spelled_integer(-most, most);
        if (const std::optional<JsonPlace> frames = place.find("frames"))
            stamp.frames =
                static_cast<std::uint32_t>(frames->integer(0, std::numeric_limits<std::uint32_t>::max()));
    }
    return stamps;
}

}  // namespace fovea
