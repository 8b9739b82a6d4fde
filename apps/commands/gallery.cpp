#include <limits>

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include "apps/commands/commands.hpp"
#include "apps/options/common_options.hpp"
#include "lib/core/text.hpp"
#include "lib/json/json.hpp"
#include "lib/recognise/gallery_edit.hpp"
#include "lib/recognise/gallery_file.hpp"

namespace fovea {
namespace {

constexpr const char* info_footer = R"(Examples:
  fovea gallery info people.fvg
  fovea gallery info people.fvg --subjects
  fovea gallery info people.fvg --faces --json | jq '.face_list[] | select(.subject == "Ann")'

Reads and checks the whole file. Faces are numbered from 1 in the order of their enrolment. Their
numbers stay until the gallery is merged into another.)";

constexpr const char* merge_footer = R"(Examples:
  fovea gallery merge a.fvg b.fvg --out both.fvg
  fovea gallery merge people.fvg --out people.fvg      # drops the bytes of removed faces

The recognisers of the galleries must have the same features. The first gallery decides the distance
and the weights.)";

constexpr const char* remove_footer = R"(Examples:
  fovea gallery remove people.fvg --subject 'Ann Lee'
  fovea gallery remove people.fvg --image ann/3.jpg
  fovea gallery remove people.fvg --number 17

Removes the faces that match all given flags. Their bytes stay in the file until 'fovea gallery merge'
writes a new one.)";

struct InfoFlags {
    std::string gallery;
    bool subjects = false;
    bool faces = false;
};

struct GalleryMergeFlags {
    std::vector<std::string> galleries;
    std::string out;
    bool allow_duplicates = false;
};

struct RemoveFlags {
    std::string gallery;
    GallerySelection selection;
};

std::string subject_name(const std::string& subject) {
    return subject.empty() ? "(unknown)" : excerpt(subject, 200);
}

std::string box_text(const std::optional<Box>& box) {
    if (!box) return "-";
    return fmt::format("{:g} {:g} {:g} {:g}", box->x, box->y, box->w, box->h);
}

std::string info_text(const GalleryInfo& info, const std::string& description) {
    std::string text;
    const auto line = [&](const char* what, const std::string& value) {
        text += fmt::format("{:<12}{}\n", what, value);
    };
    line("gallery", info.file.string());
    line("recogniser", info.recogniser.name + ": " + description);
    line("features", info.fingerprint);
    line("faces", std::to_string(info.faces));
    line("subjects", std::to_string(info.subjects));
    line("removed", std::to_string(info.removed));
    line("bytes", std::to_string(info.bytes));
    line("torn bytes", std::to_string(info.torn_bytes));
    if (!info.finished) {
        text +=
            "the last enrolment was interrupted, or the file was cut off; all that is counted here is "
            "whole\n";
    }
    return text;
}

void add_subjects(const GalleryInfo& info, std::string& text, Json& json) {
    std::vector<std::vector<std::string>> rows{{"subject", "faces"}};
    json["faces_of_subjects"] = Json::object();
    for (const auto& [subject, faces] : info.faces_of_subject) {
        rows.push_back({subject_name(subject), std::to_string(faces)});
        if (!subject.empty()) json["faces_of_subjects"][subject] = faces;
    }
    text += format_table(rows);
}

void add_faces(const std::filesystem::path& file, std::string& text, Json& json) {
    const Gallery gallery = read_gallery(file);
    std::vector<std::vector<std::string>> rows{{"number", "subject", "box", "image", "dataset"}};
    json["face_list"] = Json::array();
    for (std::size_t i = 0; i < gallery.faces.size(); ++i) {
        const GalleryFace& face = gallery.faces[i];
        rows.push_back({std::to_string(gallery.numbers[i]), subject_name(face.subject), box_text(face.box),
                        excerpt(face.image, 200), excerpt(face.dataset, 200)});
        Json entry{{"number", gallery.numbers[i]}};
        if (!face.subject.empty()) entry["subject"] = face.subject;
        entry["image"] = face.image;
        entry["dataset"] = face.dataset;
        if (face.box) entry["box"] = {face.box->x, face.box->y, face.box->w, face.box->h};
        if (!face.quality.is_null()) entry["quality"] = face.quality;
        json["face_list"].push_back(std::move(entry));
    }
    text += format_table(rows);
}

ExitCode info(const InfoFlags& flags, Console& console) {
    const GalleryInfo info = gallery_info(flags.gallery);
    const std::string description = info.recogniser.kind->description(info.recogniser);
    Json json;
    json["command"] = "gallery info";
    json["exit_code"] = 0;
    json["gallery"] = flags.gallery;
    json["version"] = info.version;
    json["description"] = description;
    json["recogniser"] = recogniser_config_to_json(info.recogniser);
    json["feature_fingerprint"] = info.fingerprint;
    json["faces"] = info.faces;
    json["subjects"] = info.subjects;
    const auto unknown = info.faces_of_subject.find("");
    json["unknown_subject"] = unknown == info.faces_of_subject.end() ? 0 : unknown->second;
    json["removed"] = info.removed;
    json["bytes"] = info.bytes;
    json["torn_bytes"] = info.torn_bytes;
    json["finished"] = info.finished;
    std::string text = info_text(info, description);
    if (flags.subjects) add_subjects(info, text, json);
    if (flags.faces) add_faces(flags.gallery, text, json);
    console.print_summary(text);
    console.print_json(json);
    return ExitCode::done;
}

ExitCode merge_into_one(const GalleryMergeFlags& flags, Console& console) {
    console.stage("merging");
    const GalleryMerge merge =
        merge_galleries({flags.galleries.begin(), flags.galleries.end()}, flags.out, flags.allow_duplicates);
    if (merge.recognisers_differ) {
        spdlog::warn("the galleries' recognisers differ in name, distance or weights: those of {} are kept",
                     flags.galleries.front());
    }
    if (merge.duplicates > 0) {
        spdlog::warn("{} there twice, and both are kept", counted(merge.duplicates, "face is", "faces are"));
    }
    console.print_summary(fmt::format("{} of {} in {}", counted(merge.faces, "face"),
                                      counted(merge.subjects, "subject"), flags.out) +
                          (merge.removed > 0
                               ? fmt::format("; {} that had been removed left out", merge.removed)
                               : std::string()) +
                          "\n");
    console.print_json({{"command", "gallery merge"},
                        {"exit_code", 0},
                        {"gallery", flags.out},
                        {"faces", merge.faces},
                        {"subjects", merge.subjects},
                        {"removed", merge.removed},
                        {"duplicates", merge.duplicates}});
    return ExitCode::done;
}

ExitCode remove(const RemoveFlags& flags, Console& console) {
    const GalleryRemoval removal = remove_faces(flags.gallery, flags.selection);
    console.print_summary(fmt::format("{} removed; {} left in {}", counted(removal.faces, "face"),
                                      counted(removal.left, "face"), flags.gallery) +
                          "\n");
    console.print_json({{"command", "gallery remove"},
                        {"exit_code", 0},
                        {"gallery", flags.gallery},
                        {"removed", removal.faces},
                        {"subjects_removed", removal.subjects},
                        {"faces", removal.left}});
    return ExitCode::done;
}

}  // namespace

Command add_gallery_info_command(CLI::App& gallery) {
    CLI::App* app =
        gallery.add_subcommand("info", "Show the contents of a gallery, and check every byte of it");
    auto flags = std::make_shared<InfoFlags>();
    app->footer(info_footer);
    app->add_option("GALLERY", flags->gallery, "Gallery file")->type_name("")->required();
    app->add_flag("--subjects", flags->subjects, "How many faces every subject has");
    app->add_flag("--faces", flags->faces, "Every face with its number");
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return info(*flags, console); }};
}

Command add_gallery_merge_command(CLI::App& gallery) {
    CLI::App* app = gallery.add_subcommand("merge", "Join galleries, or drop the bytes of removed faces");
    auto flags = std::make_shared<GalleryMergeFlags>();
    app->footer(merge_footer);
    app->add_option("GALLERIES", flags->galleries, "Gallery files")->type_name("")->required();
    app->add_option("--out,-o", flags->out, "Gallery file that is made; may be one of those merged")
        ->type_name("GALLERY")
        ->required()
        ->group("Output");
    app->add_flag("--allow-duplicates", flags->allow_duplicates,
                  "Keep faces of the same dataset, image and box; without this flag they are refused");
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return merge_into_one(*flags, console); }};
}

Command add_gallery_remove_command(CLI::App& gallery) {
    CLI::App* app = gallery.add_subcommand("remove", "Remove faces from a gallery");
    auto flags = std::make_shared<RemoveFlags>();
    app->footer(remove_footer);
    app->add_option("GALLERY", flags->gallery, "Gallery file")->type_name("")->required();
    app->add_option("--subject", flags->selection.subject, "Faces of this subject")->type_name("NAME");
    app->add_option("--image", flags->selection.image, "Faces of the image of this name")->type_name("NAME");
    app->add_option("--number", flags->selection.number, "The face of this number")
        ->check(CLI::Range(1, std::numeric_limits<int>::max()))
        ->type_name("N");
    auto output = add_output_flags(*app);
    return {app, output, [flags](Console& console) { return remove(*flags, console); }};
}

}  // namespace fovea
