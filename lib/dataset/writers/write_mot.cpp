#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/annotated_frames.hpp"
#include "lib/dataset/video_sequences.hpp"
#include "lib/dataset/writers/writers.hpp"

namespace fovea {
namespace {

const std::string* mot_track_of(const Face& face) {
    return find_attribute(face.attributes, "track");
}

std::optional<std::int64_t> whole_track_number(const std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc() && end == text.data() + text.size() && number >= 0;
    // Readers take numbers for doubles.
    return is_number && number < (std::int64_t{1} << 53) ? std::optional(number) : std::nullopt;
}

/// The numbers of the tracks of a sequence: their own where all have some, else by their names.
class MotTracks {
  public:
    MotTracks(const Dataset& dataset, const VideoSequence& sequence) {
        std::set<std::string> names;
        bool are_numbers = true;
        for (const std::size_t sample : sequence.samples) {
            const std::vector<Face>& faces = dataset.samples[sample].faces;
            for (const Face& face : faces) {
                const std::string* const track = mot_track_of(face);
                if (track == nullptr && faces.size() > 1) {
                    throw Error(
                        "A face of '" + excerpt(dataset.samples[sample].image) +
                        "' has no track, which each line of the format mot states; give the faces the "
                        "attribute \"track\".");
                }
                names.insert(track != nullptr ? *track : "1");
                are_numbers = are_numbers && whole_track_number(track != nullptr ? *track : "1").has_value();
            }
        }
        std::int64_t next = 1;
        for (const std::string& name : names)
            numbers_[name] = are_numbers ? *whole_track_number(name) : next++;
        is_renumbered = !are_numbers;
    }

    std::int64_t number(const Face& face) const {
        const std::string* const track = mot_track_of(face);
        return numbers_.at(track != nullptr ? *track : "1");
    }

    bool is_renumbered = false;

  private:
    std::map<std::string, std::int64_t> numbers_;
};

std::string mot_line(std::int64_t frame, std::int64_t track, const Face& face, const std::string& image) {
    const bool is_left_out = find_attribute(face.attributes, "confidence") != nullptr;
    std::string line = std::to_string(frame + 1) + "," + std::to_string(track);
    for (const double value : {face.box.x, face.box.y, face.box.w, face.box.h})
        line += "," + coordinate(value, image);
    if (!is_ignored(face)) return line + ",1,1,1\n";
    return line + (is_left_out ? ",0,1,1\n" : ",0,8,1\n");
}

/// The line that names the annotated frames; empty if no frame is known to be none.
std::string mot_head(const VideoSequence& sequence, const Dataset& dataset) {
    FrameNumbers annotated;
    for (std::size_t i = 0; i < sequence.samples.size(); ++i) {
        if (dataset.samples[sequence.samples[i]].annotated)
            annotated.push_back(static_cast<std::size_t>(sequence.frames[i]) + 1);
    }
    if (annotated.empty() || annotated.size() == sequence.samples.size()) return {};
    std::sort(annotated.begin(), annotated.end());
    return annotated_frames_comment(annotated) + "\n";
}

std::string mot_info(const VideoSequence& sequence, const Dataset& dataset) {
    std::string text = "[Sequence]\nname=" + sequence.name + "\nimDir=img1\n";
    std::int64_t last = 0;
    for (const std::int64_t frame : sequence.frames) last = std::max(last, frame);
    text += "seqLength=" + std::to_string(last + 1) + "\n";
    const std::optional<ImageSize>& size = dataset.samples[sequence.samples.front()].size;
    if (size) {
        text +=
            "imWidth=" + std::to_string(size->width) + "\nimHeight=" + std::to_string(size->height) + "\n";
    }
    return text + "imExt=.jpg\n";
}

}  // namespace

/// The files SEQUENCE/gt/gt.txt and SEQUENCE/seqinfo.ini of each sequence (video_sequences), as
/// MOTChallenge has them. Ignored faces have the class of distractors (8). The length of a sequence is up
/// to its last image. If some images are not annotated, a comment names the others.
WrittenDataset write_mot(const Dataset& dataset, const ImageSizeLookup&, Losses& losses) {
    OutputFiles files{true, {}};
    LossCounter renamed, renumbered;
    for (const VideoSequence& sequence : video_sequences(dataset)) {
        const MotTracks tracks(dataset, sequence);
        renumbered.add(tracks.is_renumbered);
        std::string text = mot_head(sequence, dataset);
        for (std::size_t i = 0; i < sequence.samples.size(); ++i) {
            const Sample& sample = dataset.samples[sequence.samples[i]];
            if (!sample.annotated) continue;
            renamed.add(true);
            for (const Face& face : sample.faces)
                text += mot_line(sequence.frames[i], tracks.number(face), face, sample.image);
        }
        const std::string& folder = line_name(sequence.name, "mot");
        files.files.push_back({folder + "/gt/gt.txt", std::move(text)});
        files.files.push_back({folder + "/seqinfo.ini", mot_info(sequence, dataset)});
    }
    renamed.report(losses, "image is", "images are", "numbered, as img1/000001.jpg and so on.");
    renumbered.report(losses, "sequence has", "sequences have",
                      "tracks that are no numbers; they are numbered by their names.");
    return counted_dataset(std::move(files), dataset);
}

}  // namespace fovea
