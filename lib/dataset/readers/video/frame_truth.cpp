#include "lib/dataset/readers/video/frame_truth.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/dataset/annotated_frames.hpp"
#include "lib/dataset/text_file.hpp"

namespace fovea {
namespace fs = std::filesystem;
namespace {

/// Nothing if a column is no coordinate; see parse_pixels().
std::optional<std::vector<double>> numbers_of(std::span<const std::string_view> columns) {
    std::vector<double> numbers;
    for (const std::string_view column : columns) {
        const std::optional<double> number = parse_pixels(column);
        if (!number) return std::nullopt;
        numbers.push_back(*number);
    }
    return numbers;
}

bool is_nan(std::string_view text) {
    constexpr std::string_view nan = "nan";
    return std::equal(text.begin(), text.end(), nan.begin(), nan.end(),
                      [](char a, char b) { return a == b || a == b - 'a' + 'A'; });
}

/// Nothing if no face is seen.
std::optional<Box> read_frame_box(const TextFile& file, const TextLine& line, BoxNumbers meaning) {
    const std::vector<std::string_view> columns = split_columns(line.text);
    if (columns.size() == 4 && std::all_of(columns.begin(), columns.end(), is_nan)) return std::nullopt;
    const bool are_corners = meaning == BoxNumbers::corners;
    const std::optional<std::vector<double>> numbers = numbers_of(columns);
    if (!numbers || numbers->size() != 4) {
        file.fail(line, std::string("the box of a frame, \"") + (are_corners ? "x1,y1,x2,y2" : "x,y,w,h") +
                            "\", or NaN,NaN,NaN,NaN where no face is seen");
    }
    Box box{(*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3]};
    if (are_corners) {
        box.w -= box.x;
        box.h -= box.y;
    }
    if (box.w < 0 || box.h < 0) {
        file.fail(line, are_corners ? "x1,y1,x2,y2 with x1 <= x2 and y1 <= y2; write corners=no if they are "
                                      "x,y,w,h"
                                    : "x,y,w,h with w and h of 0 or more");
    }
    if (box.w == 0 || box.h == 0) return std::nullopt;
    return box;
}

/// A number without a fraction.
bool is_whole(double number) {
    return number == std::floor(number);
}

/// Faces as they are read, frame by frame.
class TrackedFaces {
  public:
    TrackedFaces(const TextFile& file, std::optional<std::size_t> frames)
        : file_(file), is_length_known_(frames.has_value()), frames_(frames.value_or(0)) {}

    /// Only these frames are annotated. The last one tells the length, if nothing else does.
    void annotate(const FrameNumbers& frames) {
        annotated_ = frames;
        frames_.resize(std::max(frames_.size(), frames.back()));
    }

    /// \param first the number of the first frame in the file; \return the frame counted from 0
    std::size_t frame(const TextLine& line, double number, int first) {
        const std::size_t most = is_length_known_ ? frames_.size() : max_tracked_frames;
        if (!is_whole(number) || number < first || number - first >= static_cast<double>(most)) {
            file_.fail(line, "a frame from " + std::to_string(first) + " to " +
                                 std::to_string(static_cast<std::int64_t>(most) + first - 1) + " first" +
                                 (is_length_known_ ? "; the sequence has no others" : ""));
        }
        const auto frame = static_cast<std::size_t>(number - first);
        if (annotated_ && !std::binary_search(annotated_->begin(), annotated_->end(), frame + 1)) {
            file_.fail(line, "one of the annotated frames first, which a comment lists; add frame " +
                                 std::to_string(frame + 1) + " there");
        }
        if (frame >= frames_.size()) frames_.resize(frame + 1);
        return frame;
    }

    /// Every track has one box in a frame, of whatever class.
    std::string track(const TextLine& line, std::size_t frame, double number) {
        if (!is_whole(number) || number < 0)
            file_.fail(line, "a track's number, 0 or more; detections without tracks are no ground truth");
        const auto track = static_cast<std::int64_t>(number);
        const auto [place, is_new] = lines_.try_emplace({frame, track}, line.number);
        if (!is_new) {
            file_.fail(line, "one box for each track in a frame, but line " + std::to_string(place->second) +
                                 " has track " + std::to_string(track) + " in this frame already");
        }
        return std::to_string(track);
    }

    Box box(const TextLine& line, const double* numbers) const {
        const Box box{numbers[0], numbers[1], numbers[2], numbers[3]};
        if (box.w < 0 || box.h < 0) file_.fail(line, "a box whose width and height are 0 or more");
        return box;
    }

    void add(std::size_t frame, Face face) { frames_[frame].push_back(std::move(face)); }

    TrackTruth take() && {
        if (frames_.empty())
            throw Error(file_.name() +
                        ": the file holds no line, so nothing tells how many frames there are.");
        std::vector<bool> is_annotated(frames_.size(), !annotated_);
        if (annotated_) {
            for (const std::size_t frame : *annotated_) is_annotated[frame - 1] = true;
        }
        return {std::move(frames_), std::move(is_annotated)};
    }

  private:
    const TextFile& file_;
    bool is_length_known_;
    FramesOfFaces frames_;
    std::optional<FrameNumbers> annotated_;  // from 1; nothing: all
    std::map<std::pair<std::size_t, std::int64_t>, int> lines_;
};

enum class FaceUse { counts, ignored, left_out };

/// TrackEval (MotChallenge2DBox.get_preprocessed_seq_data) removes what is found on a distractor, as an
/// ignored face does, and leaves out all other classes but pedestrians. MOT20 adds class 6, which is left out
/// here. Sets with classes of their own share the numbers, not the meaning.
FaceUse use_of(int category, std::optional<int> wanted) {
    constexpr int pedestrian = 1;
    // On a vehicle, static, a picture of a person, a reflection.
    constexpr std::array distractors{2, 7, 8, 12};
    if (category == wanted.value_or(pedestrian)) return FaceUse::counts;
    const bool is_distractor =
        std::find(distractors.begin(), distractors.end(), category) != distractors.end();
    return wanted.value_or(pedestrian) == pedestrian && is_distractor ? FaceUse::ignored : FaceUse::left_out;
}

/// MOT16 and later have a class in the eighth of eight or nine columns; ten are those of 2D MOT15, without.
FaceUse use_of(const TextFile& file, const TextLine& line, std::span<const std::string_view> columns,
               std::optional<int> wanted) {
    const bool has_category = columns.size() == 8 || columns.size() == 9;
    if (!has_category) {
        if (wanted) file.fail(line, "nine columns, with the class in the eighth, as class= asks for one");
        return FaceUse::counts;
    }
    const auto category =
        spelled_whole(columns[7], std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
    if (!category) file.fail(line, "the number of a class in the eighth column");
    return use_of(static_cast<int>(*category), wanted);
}

void read_mot_line(const TextFile& file, const TextLine& line, std::optional<int> category,
                   TrackedFaces& faces) {
    constexpr std::size_t least = 7, most = 10;
    const std::vector<std::string_view> columns = split_columns(line.text);
    // The columns behind the class decide nothing: visibility, and x, y, z.
    const auto numbers = numbers_of(std::span(columns).first(std::min(columns.size(), least)));
    if (!numbers || columns.size() < least || columns.size() > most) {
        file.fail(line,
                  "7 to 10 numbers, \"frame,id,left,top,w,h,conf[,class,visibility]\" or with x,y,z "
                  "behind conf");
    }
    const std::vector<double>& number = *numbers;
    const std::size_t frame = faces.frame(line, number[0], 1);
    Face face;
    face.attributes.push_back({"track", faces.track(line, frame, number[1])});
    face.box = faces.box(line, &number[2]);
    const FaceUse use = use_of(file, line, columns, category);
    if (number[6] == 0 && use == FaceUse::counts) face.attributes.push_back({"confidence", "0"});
    face.ignore = number[6] == 0 || use == FaceUse::ignored;
    if (use != FaceUse::left_out) faces.add(frame, std::move(face));
}

TrackTruth read_mot_lines(const TextFile& file, const TrackFileOptions& options) {
    TrackedFaces faces(file, options.frames);
    const auto annotated = read_annotated_frames(file, options.frames.value_or(max_tracked_frames));
    if (annotated) faces.annotate(*annotated);
    file.for_each_content_line(
        [&](const TextLine& line) { read_mot_line(file, line, options.category, faces); });
    return std::move(faces).take();
}

std::size_t read_frame_count(const TextFile& file, const TextLine& line) {
    const std::optional<double> count = parse_pixels(line.text);
    if (!count || !is_whole(*count) || *count < 1 || *count > max_tracked_frames)
        file.fail(line, "the number of frames, from 1 to " + std::to_string(max_tracked_frames));
    return static_cast<std::size_t>(*count);
}

/// "face 0" marks what is no face, or several in one box.
void read_ltft_line(const TextFile& file, const TextLine& line, TrackedFaces& faces) {
    constexpr std::size_t of_frame = 2, of_face = 7;
    const std::optional<std::vector<double>> numbers = numbers_of(split_columns(line.text));
    const bool is_complete =
        numbers && numbers->size() >= of_frame &&
        (*numbers)[1] * static_cast<double>(of_face) == static_cast<double>(numbers->size() - of_frame);
    if (!is_complete)
        file.fail(line, "\"frame n\" and n times \"id x y w h face confidence\", as LTFT has them");
    const std::size_t frame = faces.frame(line, (*numbers)[0], 0);
    for (std::size_t i = of_frame; i < numbers->size(); i += of_face) {
        const double* const number = &(*numbers)[i];
        Face face;
        face.attributes.push_back({"track", faces.track(line, frame, number[0])});
        face.box = faces.box(line, number + 1);
        face.ignore = number[5] == 0;
        faces.add(frame, std::move(face));
    }
}

TrackTruth read_ltft_lines(const TextFile& file, const TrackFileOptions& options) {
    std::optional<TrackedFaces> faces;
    file.for_each_content_line([&](const TextLine& line) {
        if (faces) {
            read_ltft_line(file, line, *faces);
            return;
        }
        if (options.category) file.fail(line, "no file of LTFT, which has no classes, with class=");
        faces.emplace(file, read_frame_count(file, line));
    });
    return std::move(*faces).take();
}

bool has_ltft_lines(const TextFile& file) {
    const std::vector<TextLine> lines = file.content_lines();
    return !lines.empty() && split_columns(lines.front().text).size() == 1 &&
           parse_pixels(lines.front().text).has_value();
}

}  // namespace

FramesOfFaces read_frame_boxes(const fs::path& path, BoxNumbers numbers) {
    const TextFile file = TextFile::read(path);
    FramesOfFaces frames;
    file.for_each_content_line([&](const TextLine& line) {
        // A line that is passed over would shift all frames behind it.
        if (static_cast<std::size_t>(line.number) != frames.size() + 1) {
            throw Error(file.name() + ":" + std::to_string(frames.size() + 1) +
                        ": the line holds no box, but there must be a line for each frame; write "
                        "NaN,NaN,NaN,NaN where no face is seen.");
        }
        std::vector<Face>& faces = frames.emplace_back();
        const std::optional<Box> box = read_frame_box(file, line, numbers);
        if (box) faces.emplace_back().box = *box;
    });
    if (frames.empty())
        throw Error(file.name() + ": the file holds no box; expected a line for each frame of the video.");
    return frames;
}

TrackTruth read_track_file(const fs::path& path, const TrackFileOptions& options) {
    const TextFile file = TextFile::read(path);
    return has_ltft_lines(file) ? read_ltft_lines(file, options) : read_mot_lines(file, options);
}

bool is_ltft_file(const fs::path& path) {
    return has_ltft_lines(TextFile::read(path));
}

}  // namespace fovea
