#include <algorithm>
#include <cstdio>
#include <limits>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/image_files.hpp"
#include "lib/dataset/readers/video/frame_truth.hpp"
#include "lib/dataset/readers/video/video_readers.hpp"
#include "lib/dataset/specification.hpp"
#include "lib/dataset/text_file.hpp"
#include "lib/dataset/video_frames.hpp"
#include "lib/dataset/video_sequences.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

const fs::path truth_in_sequence = fs::path("gt") / "gt.txt";

struct TrackSequence {
    fs::path truth;
    std::optional<fs::path> folder;  ///< the sequence's own; nothing: the file stands alone
    std::string prefix;              ///< of the names of its images
};

/// The facts of a seqinfo.ini.
struct SequenceInfo {
    std::string image_folder = "img1";
    std::string extension;  ///< ".jpg"
    std::optional<std::size_t> frames;
    int width = 0;
    int height = 0;
};

/// Pixels of a side; 0, for unknown, where the text is no number of pixels.
int side_of(std::string_view value) {
    constexpr int max_side = 1'000'000;
    return static_cast<int>(spelled_whole(value, 1, max_side).value_or(0));
}

void read_info_line(const TextFile& file, const TextLine& line, const fs::path& folder, SequenceInfo& info) {
    if (line.text.front() == '[' || line.text.front() == ';') return;
    const std::size_t equals = line.text.find('=');
    if (equals == std::string_view::npos) file.fail(line, "a key and its value, e.g. \"seqLength=600\"");
    const std::string key = lower_case(trim(line.text.substr(0, equals)));
    const std::string_view value = trim(line.text.substr(equals + 1));
    if (key == "imdir" && !value.empty()) info.image_folder = listed_name(value, folder);
    if (key == "imext") info.extension = value;
    if (key == "seqlength") {
        info.frames = spelled_whole(value, 1, max_tracked_frames);
        if (!info.frames) file.fail(line, "a whole number from 1 to " + std::to_string(max_tracked_frames));
    }
    if (key == "imwidth") info.width = side_of(value);
    if (key == "imheight") info.height = side_of(value);
}

/// The names of a folder's images, in natural order; those with the extension alone, if one has it.
std::vector<std::string> images_in(const fs::path& folder, const std::string& extension) {
    std::vector<std::string> all, stated;
    for (const fs::path& file : files_of(
             folder, [](const std::string& name) { return is_image_name(name) && !name.starts_with('.'); })) {
        all.push_back(file.filename().string());
        if (!extension.empty() && ends_with_any_case(all.back(), lower_case(extension)))
            stated.push_back(all.back());
    }
    return stated.empty() ? all : stated;
}

SequenceInfo read_sequence_info(const TrackSequence& sequence, std::vector<fs::path>& sources) {
    SequenceInfo info;
    if (!sequence.folder) return info;
    const fs::path path = *sequence.folder / "seqinfo.ini";
    if (is_file(path)) {
        const TextFile file = TextFile::read(path);
        file.for_each_content_line(
            [&](const TextLine& line) { read_info_line(file, line, *sequence.folder, info); });
        sources.push_back(path);
    }
    return info;
}

/// The names of the images of a sequence's frames: of those that are there (frames_of_names()), or as
/// MOTChallenge names them, "000001.jpg" for the first.
std::vector<std::string> image_names(const TrackSequence& sequence, const SequenceInfo& info,
                                     std::size_t frames) {
    const std::vector<std::string> there = images_in(*sequence.folder / info.image_folder, info.extension);
    const std::string extension = !info.extension.empty() ? info.extension
                                  : there.empty()         ? ".jpg"
                                                          : fs::path(there.front()).extension().string();
    std::vector<std::string> names(frames);
    for (std::size_t i = 0; i < frames; ++i) {
        char digits[24];
        std::snprintf(digits, sizeof digits, "%06zu", i + 1);
        names[i] = digits + extension;
    }
    const std::vector<std::int64_t> frames_there = frames_of_names(there, info.frames);
    for (std::size_t i = 0; i < there.size(); ++i) {
        const auto frame = static_cast<std::size_t>(frames_there[i]);
        if (frame < frames) names[frame] = there[i];
    }
    return names;
}

struct TrackOptions {
    fs::path video;  ///< whose frames are annotated; empty: the sequence has images
    std::optional<int> category;
};

void add_sequence(Dataset& dataset, const TrackSequence& sequence, const TrackOptions& options) {
    const SequenceInfo info = read_sequence_info(sequence, dataset.sources);
    TrackTruth truth = read_track_file(sequence.truth, {info.frames, options.category});
    dataset.sources.push_back(sequence.truth);
    std::vector<std::string> names;
    if (options.video.empty()) names = image_names(sequence, info, truth.faces.size());
    for (std::size_t i = 0; i < truth.faces.size(); ++i) {
        Sample& sample = dataset.samples.emplace_back();
        if (options.video.empty()) {
            const fs::path image = fs::path(info.image_folder) / names[i];
            sample.path = *sequence.folder / image;
            sample.image = sequence.prefix + image.generic_string();
            sample.sequence_frame = static_cast<std::int64_t>(i);
        } else {
            sample.path = options.video;
            sample.image = frame_name(options.video.filename().string(), static_cast<std::int64_t>(i));
        }
        if (info.width > 0 && info.height > 0) sample.size = ImageSize{info.width, info.height};
        sample.faces = std::move(truth.faces[i]);
        sample.annotated = truth.is_annotated[i];
    }
}

std::vector<TrackSequence> sequences_of(const fs::path& folder) {
    if (is_file(folder / truth_in_sequence)) return {{folder / truth_in_sequence, folder, ""}};
    std::vector<TrackSequence> sequences;
    for (const fs::path& entry : folders_of(folder)) {
        if (is_file(entry / truth_in_sequence))
            sequences.push_back({entry / truth_in_sequence, entry, entry.filename().string() + "/"});
    }
    return sequences;
}

/// A file at its usual place, SEQUENCE/gt/gt.txt, is that of the sequence.
TrackSequence sequence_of_file(const fs::path& file) {
    TrackSequence sequence{file, std::nullopt, ""};
    if (fs::absolute(file).lexically_normal().parent_path().filename() == "gt")
        sequence.folder = (folder_of(file) / "..").lexically_normal();
    return sequence;
}

/// A video that is not there is no error: evaluations need names, not images.
fs::path video_of(const DatasetSpecification& specification, Dataset& dataset) {
    const fs::path given = specification.option("video");
    if (given.empty()) return {};
    if (!is_video_name(given.filename().string())) {
        specification.fail("names the video '" + given.string() +
                           "', which does not end as the names of videos do, e.g. in .mp4.");
    }
    if (is_there(given)) return given;
    if (is_there(specification.folder() / given)) return specification.folder() / given;
    dataset.warnings.push_back("the video '" + given.string() +
                               "' is not there; its frames have names and annotation, but no images");
    return given;
}

TrackOptions options_of(const DatasetSpecification& specification, Dataset& dataset) {
    TrackOptions options{video_of(specification, dataset), std::nullopt};
    const std::string category = specification.option("class");
    if (category.empty()) return options;
    options.category = spelled_whole(category, 0, std::numeric_limits<int>::max());
    if (!options.category) specification.fail("has class=" + category + ", expected the number of a class.");
    return options;
}

std::vector<TrackSequence> sequences_of(const DatasetSpecification& specification) {
    if (specification.paths().size() > 1)
        specification.fail("names several paths; tracks are read from one folder or file.");
    const fs::path& path = specification.paths().front();
    if (!is_folder(path)) return {sequence_of_file(path)};
    std::vector<TrackSequence> sequences = sequences_of(path);
    if (sequences.empty())
        specification.fail(
            "is a folder without gt/gt.txt, and no folder in it has one; name a sequence of "
            "MOTChallenge, a folder of sequences or a file of tracks.");
    return sequences;
}

void require_names(const DatasetSpecification& specification, const std::vector<TrackSequence>& sequences,
                   const fs::path& video) {
    if (!video.empty() && sequences.size() > 1)
        specification.fail("has several sequences, but video= names the video of one; name that sequence.");
    const TrackSequence& first = sequences.front();
    if (video.empty() && (!first.folder || is_ltft_file(first.truth)))
        specification.fail("is a file of tracks alone; name the video that it annotates with ,video=FILE.");
}

}  // namespace

Dataset read_mot_dataset(const std::string& path, const DatasetOptions& options) {
    const DatasetSpecification specification("mot", path, {"PATH", "video=FILE", "class=NUMBER"});
    Dataset dataset;
    dataset.format = "mot";
    const TrackOptions tracks = options_of(specification, dataset);
    const std::vector<TrackSequence> sequences = sequences_of(specification);
    require_names(specification, sequences, tracks.video);
    const bool is_file_alone = !is_folder(specification.paths().front());
    dataset.root = !tracks.video.empty() ? folder_of(tracks.video)
                   : is_file_alone       ? *sequences.front().folder
                                         : specification.folder();
    for (const TrackSequence& sequence : sequences) add_sequence(dataset, sequence, tracks);
    if (std::all_of(dataset.samples.begin(), dataset.samples.end(),
                    [](const Sample& sample) { return sample.faces.empty(); })) {
        dataset.warnings.push_back("no frame has a box of class " +
                                   std::to_string(tracks.category.value_or(1)) +
                                   "; class=NUMBER names another one");
    }
    expand_annotated_frames(dataset, options.frames);
    if (dataset.samples.empty()) throw_no_frame("mot:" + path);
    return dataset;
}

Certainty recognise_mot(const PathFacts& facts) {
    return certain_if(facts.is_folder() && !sequences_of(facts.path()).empty());
}

}  // namespace fovea
