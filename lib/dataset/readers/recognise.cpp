#include <algorithm>
#include <array>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/opencv_list.hpp"
#include "lib/dataset/readers/name_blocks.hpp"
#include "lib/dataset/readers/readers.hpp"
#include "lib/dataset/readers/video/video_readers.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"
#include "lib/video/video_source.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

constexpr const char* known_files =
    "a folder, list or archive of images, a list of boxes as opencv_createsamples has it, a video, MIT+CMU "
    "ground truth, FDDB ellipse lists, WIDER FACE annotation (text or .mat), AFW or PASCAL faces (.mat), "
    "PASCAL VOC XML, COCO JSON, YOLO folders, .pts points, dlib imglab XML, FERET lists and coordinates, "
    "UIUC's cars, folders of MOTChallenge or 300-VW or the project's own dataset JSON";

constexpr std::array<std::string_view, 5> coco_keys{"\"images\"", "\"annotations\"", "\"categories\"",
                                                    "\"licenses\"", "\"info\""};

std::string recognise_folder(const fs::path& folder) {
    if (is_mit_cmu_folder(folder)) return "mit-cmu";
    if (is_uiuc_folder(folder)) return "uiuc";
    if (imglab_files(folder).size() == 1) return "dlib";
    if (is_feret_folder(folder)) return "feret";
    if (is_pts_folder(folder)) return "pts";
    if (is_fddb_folder(folder)) return "fddb";
    if (is_voc_folder(folder)) return "voc";
    if (is_yolo_folder(folder)) return "yolo";
    if (is_mot_folder(folder)) return "mot";
    if (is_300vw_folder(folder)) return "300vw";
    return "folder";
}

/// JSON that is not the project's own and has one of COCO's lists near its beginning.
bool is_coco(std::string_view head) {
    if (head.find("\"fovea-dataset\"") != std::string_view::npos) return false;
    return std::any_of(coco_keys.begin(), coco_keys.end(),
                       [&](std::string_view key) { return head.find(key) != std::string_view::npos; });
}

/// The first line that is neither blank nor a comment tells the format: a name and how many numbers?
std::string recognise_text(const fs::path& path, const TextFile& file) {
    const auto lines = file.content_lines();
    if (ends_with_any_case(path.native(), ".srt")) return "feret";
    if (lines.empty()) return "list";
    if (begins_with_uiuc_cars(lines.front().text)) return "uiuc";
    if (begins_with_block(file.text(), 6)) return "fddb";
    if (begins_with_block(file.text(), 10)) return "wider";
    if (is_opencv_line(lines.front().text)) return "opencv";
    const auto fields = split_fields(lines.front().text);
    const bool numbers = std::all_of(fields.begin() + 1, fields.end(),
                                     [](std::string_view field) { return parse_pixels(field).has_value(); });
    if (!numbers) return "list";
    if (fields.size() == 13) return "mit-cmu";
    if (fields.size() == 9) return "feret";
    // Boxes and pairs of eyes look alike, but the set's lists name image files and CSU's name no extension.
    if (fields.size() == 5) return is_image_name(fields.front()) ? "mit-cmu" : "feret";
    return "list";
}

// True if the bytes are the beginning of a .tar or .zip archive, or of something packed by gzip, bzip2, xz or
// Zstandard. There are at least 512 of them, if the file has so many.
bool begins_like_archive(std::string_view head) {
    using namespace std::string_view_literals;
    constexpr std::array magics{"PK\3\4"sv, "PK\5\6"sv, "\x1F\x8B"sv, "\xFD\x37zXZ\0"sv,
                                "\x28\xB5\x2F\xFD"sv};
    constexpr std::size_t place_of_ustar = 257;
    const bool is_bzip2 = head.starts_with("BZh") && head.size() > 4 && head.substr(4).starts_with("1AY&SY");
    return is_bzip2 ||
           std::any_of(magics.begin(), magics.end(),
                       [&](std::string_view magic) { return head.starts_with(magic); }) ||
           (head.size() >= 512 && head.substr(place_of_ustar, 5) == "ustar");
}

bool is_line_of_results(std::string_view head) {
    const std::string_view line = head.substr(0, head.find('\n'));
    return line.starts_with("{\"image\":") && line.find("\"status\":") != std::string_view::npos;
}

}  // namespace

std::string recognise_format(const fs::path& path) {
    if (!is_there(path)) {
        throw UsageError("There is no file or folder '" + path.string() +
                         "'; check the path, or write FORMAT:PATH.");
    }
    if (is_folder(path)) return recognise_folder(path);
    if (is_image_name(path.filename().string())) return "image";
    if (is_video_name(path.filename().string())) return "video";
    if (!is_file(path)) return "list";  // a pipe can be read once only

    const std::string head = head_of(path);
    const bool has_zeros = head.find('\0') != std::string::npos;
    // The oldest kind of .tar has no mark of its own.
    if (begins_like_archive(head) || (has_zeros && is_archive_name(path.filename().string())))
        return "archive";
    if (const std::string element = xml_root_name(head); !element.empty()) {
        if (element == "dataset") return "dlib";
        if (element == "biometric-signature-set") return "feret";
        if (element == "annotation") return "voc";
        throw UsageError("'" + path.string() + "' is XML whose outermost element is <" + excerpt(element) +
                         ">; datasets are " + known_files + ".");
    }
    if (is_line_of_results(head)) {
        throw UsageError("'" + path.string() +
                         "' holds results and is no dataset; name it with --results, and the dataset that "
                         "they are of in its place.");
    }
    if (trim(head).starts_with('{')) return is_coco(head) ? "coco" : "fovea";
    if (head.starts_with("MATLAB 5.0 MAT-file")) return is_face_eval_file(path) ? "face-eval" : "wider";
    if (has_zeros) {
        throw UsageError("'" + path.string() + "' is a binary file; datasets are " + known_files +
                         ". An image whose name has no extension is read as image:" + path.string() + ".");
    }
    return recognise_text(path, TextFile::read(path));
}

}  // namespace fovea
