#include <algorithm>
#include <cstdint>
#include <map>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/points_file.hpp"
#include "lib/dataset/readers/video/video_readers.hpp"
#include "lib/dataset/video_frames.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

struct SequenceRange {
    int first;
    int last;
    int category;
};

/// The test set: 1 is well lit, 2 has people under other light, 3 everything (Shen et al., ICCV workshops
/// 2015).
constexpr SequenceRange test_sequences[] = {
    {114, 114, 1}, {124, 126, 1}, {150, 150, 1}, {158, 158, 1}, {203, 203, 2}, {208, 208, 2}, {211, 214, 2},
    {218, 218, 2}, {224, 224, 2}, {401, 402, 1}, {403, 409, 2}, {410, 411, 3}, {412, 412, 2}, {505, 511, 1},
    {514, 515, 1}, {516, 517, 3}, {518, 522, 1}, {524, 525, 1}, {526, 526, 3}, {528, 531, 3}, {533, 533, 3},
    {537, 538, 1}, {540, 541, 1}, {546, 548, 1}, {550, 551, 2}, {553, 553, 2}, {557, 559, 3}, {562, 562, 3},
};

/// The attribute of a sequence's images; nothing outside the test set.
std::vector<Attribute> category_of(const fs::path& sequence) {
    const fs::path folder = fs::absolute(sequence).lexically_normal();
    const auto number =
        spelled_whole((folder.has_filename() ? folder : folder.parent_path()).filename().string());
    for (const SequenceRange& range : test_sequences) {
        if (number && *number >= range.first && *number <= range.last)
            return {{"category", std::to_string(range.category)}};
    }
    return {};
}

/// Without those that macOS puts beside files ("._000001.pts").
std::vector<fs::path> points_in(const fs::path& folder) {
    return files_of(folder, [](const std::string& name) {
        return ends_with_any_case(name, ".pts") && !name.starts_with('.');
    });
}

std::vector<fs::path> videos_in(const fs::path& sequence) {
    return files_of(sequence,
                    [](const std::string& name) { return is_video_name(name) && !name.starts_with('.'); });
}

/// The sequence's video: vid.avi, as the set names it, or the only one there is.
fs::path video_in(const fs::path& sequence) {
    const std::vector<fs::path> videos = videos_in(sequence);
    if (videos.empty() || is_file(sequence / "vid.avi")) return sequence / "vid.avi";
    if (videos.size() > 1) {
        throw UsageError(
            "The folder '" + sequence.string() +
            "' holds several videos and none is named vid.avi; leave the one that annot/ is of.");
    }
    return videos.front();
}

/// Files by their frames, from 1.
std::map<std::int64_t, fs::path> points_by_frame(const fs::path& folder) {
    std::map<std::int64_t, fs::path> points;
    for (fs::path& file : points_in(folder)) {
        const auto frame = spelled_whole(file.stem().string(), 1);
        if (!frame) {
            throw Error("'" + file.string() +
                        "' is not named by the number of a frame, as 000001.pts is; rename or remove it.");
        }
        const auto [place, is_new] = points.try_emplace(*frame, file);
        if (!is_new) {
            throw Error("'" + place->second.string() + "' and '" + file.string() +
                        "' are points of the same frame; remove one of them.");
        }
    }
    if (points.empty()) throw Error("'" + folder.string() + "' holds no .pts file; add those of the frames.");
    return points;
}

void add_sequence(Dataset& dataset, const fs::path& sequence, const std::string& prefix) {
    const fs::path video = video_in(sequence);
    const std::vector<Attribute> category = category_of(sequence);
    for (auto& [frame, file] : points_by_frame(sequence / "annot")) {
        Sample& sample = dataset.samples.emplace_back();
        sample.path = video;
        sample.image = frame_name(prefix + video.filename().string(), frame - 1);
        sample.faces.push_back(read_points_file(file));
        sample.eyes = sample.faces.front().eyes;
        sample.annotated = true;
        sample.attributes = category;
        dataset.sources.push_back(file);
    }
}

std::vector<fs::path> sequences_in(const fs::path& folder) {
    std::vector<fs::path> sequences;
    for (fs::path& entry : folders_of(folder)) {
        if (is_folder(entry / "annot")) sequences.push_back(std::move(entry));
    }
    return sequences;
}

bool is_sequence(const fs::path& folder) {
    return is_folder(folder / "annot") && !videos_in(folder).empty() && !points_in(folder / "annot").empty();
}

void warn_of_absent_videos(Dataset& dataset) {
    std::size_t absent = 0;
    const Sample* before = nullptr;
    std::string first;
    for (const Sample& sample : dataset.samples) {
        const bool is_new = before == nullptr || before->path != sample.path;
        before = &sample;
        if (!is_new || is_there(sample.path)) continue;
        if (absent++ == 0) first = sample.path.string();
    }
    if (absent > 0) {
        dataset.warnings.push_back(
            counted(absent, "video is", "videos are") + " not there; " + (absent == 1 ? "its" : "their") +
            " frames have names and annotation, but no images" + (absent == 1 ? ": " : ", first: ") + first);
    }
}

}  // namespace

Dataset read_300vw_dataset(const std::string& path, const DatasetOptions& options) {
    if (!is_folder(path)) {
        throw UsageError("'" + path +
                         "' is not a folder; 300vw: needs that of a sequence, which holds vid.avi and "
                         "annot/000001.pts, or one with such folders.");
    }
    Dataset dataset;
    dataset.format = "300vw";
    dataset.root = path;
    if (is_folder(dataset.root / "annot")) {
        add_sequence(dataset, dataset.root, "");
    } else {
        for (const fs::path& sequence : sequences_in(path))
            add_sequence(dataset, sequence, sequence.filename().string() + "/");
    }
    if (dataset.samples.empty()) {
        throw UsageError("The folder '" + path +
                         "' holds no sequence of 300-VW, neither vid.avi with annot/000001.pts nor folders "
                         "with these.");
    }
    warn_of_absent_videos(dataset);
    expand_annotated_frames(dataset, options.frames);
    if (dataset.samples.empty()) throw_no_frame("300vw:" + path);
    return dataset;
}

Certainty recognise_300vw(const PathFacts& facts) {
    if (!facts.is_folder()) return Certainty::none;
    if (is_sequence(facts.path())) return Certainty::certain;
    const std::vector<fs::path> sequences = sequences_in(facts.path());
    return certain_if(std::any_of(sequences.begin(), sequences.end(), is_sequence));
}

}  // namespace fovea
