#include "lib/report/browse/browse_data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/report/viewer/viewer_files.hpp"
#include "lib/report/write/page.hpp"

namespace fovea::report {
namespace fs = std::filesystem;
namespace {

std::string encoded(std::string_view text) {
    constexpr std::string_view kept = "-_.!~*'()";
    std::string result;
    for (const char c : text) {
        const bool is_alphanumeric =
            (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        if (is_alphanumeric || kept.find(c) != std::string_view::npos) {
            result += c;
        } else {
            result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return result;
}

/// A name with '/' between its parts.
std::string encoded_path(std::string_view path) {
    std::string result;
    for (std::size_t at = 0; at <= path.size();) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        result += (at > 0 ? "/" : "") + encoded(path.substr(at, end - at));
        at = end + 1;
    }
    return result;
}

int whole_pixel(double value) {
    constexpr double most = 1e9;
    return static_cast<int>(std::lround(std::clamp(value, -most, most)));
}

/// Five digits are enough to sort by, and short.
double short_number(double value) {
    return std::isfinite(value) ? std::strtod(fmt::format("{:.5g}", value).c_str(), nullptr) : 0;
}

std::string script(const char* function, std::size_t number, const Json& data) {
    return fmt::format("{}({},{});\n", function, number, compact_text(data));
}

/// Calls add(i) for the rows of a chunk.
template <class Add>
void for_chunk(std::size_t number, std::size_t rows, const Add& add) {
    for (std::size_t i = number * browse_chunk; i < std::min(rows, (number + 1) * browse_chunk); ++i) add(i);
}

Json person_json(const BrowsePerson& person) {
    Json json;
    if (person.number > 0) json["person"] = person.number;
    if (!person.name.empty()) json["name"] = valid_utf8(person.name);
    json["faces"] = person.faces;
    json["cover"] = person.cover;
    return json;
}

}  // namespace

std::string browse_file(const std::string& folder, std::size_t number, const char* extension) {
    return fmt::format("{}/{:04}.{}", folder, number, extension);
}

std::string browse_address(const fs::path& page, const fs::path& file) {
    const fs::path from = fs::absolute(page).lexically_normal(), to = fs::absolute(file).lexically_normal();
    return encoded_path(to.lexically_relative(from).generic_string());
}

std::string faces_script(const BrowseArchive& archive, std::size_t number) {
    Json columns;
    for (const char* name : {"image", "place", "x", "y", "width", "height", "score", "apart"})
        columns[name] = Json::array();
    for_chunk(number, archive.faces.size(), [&](std::size_t i) {
        const BrowseFace& face = archive.faces[i];
        columns["image"].push_back(face.image);
        columns["place"].push_back(face.place);
        columns["x"].push_back(whole_pixel(face.box.x));
        columns["y"].push_back(whole_pixel(face.box.y));
        columns["width"].push_back(whole_pixel(face.box.w));
        columns["height"].push_back(whole_pixel(face.box.h));
        columns["score"].push_back(short_number(face.score));
        columns["apart"].push_back(face.apart);
    });
    if (!archive.has_times) return script("foveaFaces", number, columns);
    for (const char* name : {"from", "to"}) columns[name] = Json::array();
    for_chunk(number, archive.faces.size(), [&](std::size_t i) {
        columns["from"].push_back(short_number(archive.faces[i].from));
        columns["to"].push_back(short_number(archive.faces[i].to));
    });
    return script("foveaFaces", number, columns);
}

std::string images_script(const BrowseArchive& archive, std::size_t number, const std::string& root) {
    Json columns;
    for (const char* name : {"name", "date", "exif", "width", "height", "file", "time"})
        columns[name] = Json::array();
    for_chunk(number, archive.images.size(), [&](std::size_t i) {
        const BrowseImage& image = archive.images[i];
        columns["name"].push_back(valid_utf8(image.name));
        columns["date"].push_back(image.date);
        columns["exif"].push_back(image.has_camera_date ? 1 : 0);
        columns["width"].push_back(image.width);
        columns["height"].push_back(image.height);
        const bool is_below = !root.empty() && image.address == root + "/" + encoded_path(image.name);
        columns["file"].push_back(is_below ? Json(0) : Json(image.address));
        columns["time"].push_back(image.seconds ? Json(*image.seconds) : Json());
    });
    return script("foveaImages", number, columns);
}

std::string landmarks_script(std::size_t number,
                             const std::vector<std::vector<std::vector<Point>>>& landmarks) {
    Json images = Json::array();
    for (const auto& faces : landmarks) {
        Json of_image = Json::array();
        for (const std::vector<Point>& points : faces) {
            Json flat = Json::array();
            for (const Point& point : points) {
                flat.push_back(whole_pixel(point.x));
                flat.push_back(whole_pixel(point.y));
            }
            of_image.push_back(std::move(flat));
        }
        images.push_back(std::move(of_image));
    }
    return script("foveaLandmarks", number, images);
}

std::string page_root(const BrowseArchive& archive) {
    for (const BrowseImage& image : archive.images) {
        const std::string end = "/" + encoded_path(image.name);
        if (image.address.size() > end.size() && image.address.ends_with(end))
            return image.address.substr(0, image.address.size() - end.size());
    }
    return {};
}

std::string browse_page(const BrowseArchive& archive) {
    Json head{{"title", valid_utf8(archive.title)}, {"images", archive.images.size()},
              {"faces", archive.faces.size()},      {"chunk", browse_chunk},
              {"root", page_root(archive)},         {"people", Json::array()},
              {"reasons", Json::array()},           {"unreadable", Json::array()}};
    if (!archive.id.empty()) head["id"] = valid_utf8(archive.id);
    if (archive.has_landmarks) head["landmarks"] = browse_landmark_images;
    for (const BrowsePerson& person : archive.people) head["people"].push_back(person_json(person));
    for (const std::string& reason : archive.reasons) head["reasons"].push_back(valid_utf8(reason));
    for (const UnreadableImage& image : archive.unreadable)
        head["unreadable"].push_back(
            {{"image", valid_utf8(image.image)}, {"reason", valid_utf8(image.reason)}});
    const std::string style = std::string(viewer_style()) + std::string(browse_style());
    return filled_page(browse_skeleton(), valid_utf8(archive.title), style, head, browse_scripts());
}

}  // namespace fovea::report
