#include "tests/faults/fault_outputs.hpp"

#include <array>
#include <fstream>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/recognise/gallery_file.hpp"
#include "tests/support/edge_scene.hpp"

namespace fovea::test {
namespace {

namespace fs = std::filesystem;

// Fields with times, and with counts of this run's own work.
constexpr std::array<const char*, 5> volatile_keys{"timings", "energy", "decoding", "engine", "update"};

void drop_volatile(Json& json) {
    if (json.is_object()) {
        for (const char* key : volatile_keys) json.erase(key);
    }
    if (!json.is_structured()) return;
    for (Json& value : json) drop_volatile(value);
}

// A face that an earlier run has enrolled is counted elsewhere.
void add_faces_up(Json& json) {
    if (!json.is_object() || json.value("command", "") != "enroll") return;
    Json& counts = json["counts"];
    counts["faces"] = counts["faces"].get<int>() + counts["already_there"].get<int>();
    counts.erase("already_there");
}

std::string without_folder(std::string text, const std::string& folder) {
    for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;)
        text.replace(at, folder.size(), "FOLDER");
    return text;
}

// A report says when it was made, and shows the manifest as text.
std::string without_times(std::string html) {
    for (const char* term : {"made at", "made with"}) {
        const std::string origin = "{\"term\":\"" + std::string(term) + "\"";
        if (const std::size_t at = html.find(origin); at != std::string::npos)
            html.erase(at, html.find('}', at) - at);
    }
    const std::string key = "\\\"timings\\\": {";
    for (std::size_t at = 0; (at = html.find(key, at)) != std::string::npos;) {
        std::size_t end = at + key.size();
        for (int open = 1; open > 0 && end < html.size(); ++end)
            open += html[end] == '{' ? 1 : html[end] == '}' ? -1 : 0;
        html.erase(at, end - at);
    }
    return html;
}

std::string comparable_bytes(const fs::path& name, const std::string& bytes, const std::string& folder) {
    if (name.extension() == ".fvg") return without_folder(gallery_faces(bytes), folder);
    if (name.extension() == ".html") return without_folder(without_times(bytes), folder);
    if (name.extension() != ".json") return bytes;
    Json json = Json::parse(bytes, nullptr, false);
    if (json.is_discarded()) return bytes;
    drop_volatile(json);
    add_faces_up(json);
    return without_folder(json.dump(1), folder);
}

}  // namespace

FileSet read_file_set(const fs::path& folder) {
    FileSet files;
    if (!fs::exists(folder)) return files;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file())
            files[entry.path().lexically_relative(folder)] = read_bytes(entry.path());
    }
    return files;
}

void write_file_set(const fs::path& folder, const FileSet& files) {
    fs::remove_all(folder);
    for (const auto& [name, bytes] : files) {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name, std::ios::binary) << bytes;
    }
}

FileSet comparable(const FileSet& files, const fs::path& folder) {
    FileSet result;
    for (const auto& [name, bytes] : files) result[name] = comparable_bytes(name, bytes, folder.string());
    return result;
}

std::string gallery_faces(const std::string& bytes) {
    const TempDir folder;
    std::string text;
    try {
        for (const GalleryFace& face : read_gallery(folder.write("gallery.fvg", bytes)).faces) {
            text +=
                describe_face(face) + " " + face.subject + " " + face.found_by + " " + face.quality.dump();
            for (const std::uint16_t count : face.features) text += " " + std::to_string(count);
            text += "\n";
        }
    } catch (const Error& error) {
        text += error.what();
    }
    return text;
}

std::string difference(const FileSet& expected, const FileSet& found) {
    for (const auto& [name, bytes] : expected) {
        const auto other = found.find(name);
        if (other == found.end()) return name + " is missing";
        if (other->second == bytes) continue;
        const auto [at, there] =
            std::mismatch(bytes.begin(), bytes.end(), other->second.begin(), other->second.end());
        const auto offset = static_cast<std::size_t>(at - bytes.begin());
        const std::size_t begin = offset < 40 ? 0 : offset - 40;
        return name + " differs at byte " + std::to_string(offset) + ": '" + bytes.substr(begin, 120) +
               "' became '" + other->second.substr(begin, 120) + "'";
    }
    for (const auto& [name, bytes] : found) {
        if (!expected.contains(name)) return name + " is left over";
    }
    return "";
}

}  // namespace fovea::test
