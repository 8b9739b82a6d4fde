#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lib/core/types.hpp"
#include "lib/report/model/plot.hpp"
#include "lib/report/model/report_origin.hpp"
#include "lib/report/model/table.hpp"

namespace fovea::report {

// A report as data: what it says and shows, but not how it looks. Writers make files of it. All text
// is plain.

/// Words of one look.
struct Run {
    enum class Look { plain, strong, code } look = Look::plain;
    std::string text;

    static Run plain(std::string text) { return {Look::plain, std::move(text)}; }
    static Run strong(std::string text) { return {Look::strong, std::move(text)}; }
    static Run code(std::string text) { return {Look::code, std::move(text)}; }
};
/// A paragraph.
using Text = std::vector<Run>;

/// A paragraph of a section.
struct Paragraph {
    std::string text;
    /// In small, soft type.
    bool is_note = false;
};

struct List {
    std::vector<std::string> items;
};

/// Text whose line breaks and blanks are kept.
struct Listing {
    std::string text;
};

struct Definition {
    std::string term;
    std::string text;
};
struct Definitions {
    std::vector<Definition> items;
};
/// The meaning of numbers.
Definitions definitions_of(const Numbers& numbers);

/// A number that stands out.
struct Tile {
    std::string label;
    std::string value;
    std::string interval{};
    /// Its meaning, in a sentence or two.
    std::string detail{};
};
/// A number as a tile; its quantity's definition is the detail.
Tile number_tile(const Number& number, const Decimals& decimals = {});
struct Tiles {
    std::vector<Tile> tiles;
};

/// A box or points drawn over a picture.
enum class DrawnKind { face, ignored_face, detection };
struct PictureBox {
    DrawnKind kind = DrawnKind::face;
    /// In pixels of the picture.
    Box box;
    /// The picture is about it.
    bool is_subject = false;
    /// A description, for the pointer that rests on it.
    std::string note{};
    /// A detection's score, or the score from which on a face is found.
    std::optional<double> score{};
    /// A detection that is a false positive.
    bool is_alarm = false;
};
struct PicturePoints {
    DrawnKind kind = DrawnKind::face;
    /// In pixels of the picture.
    std::vector<Point> points;
};
struct Picture {
    /// The image's name.
    std::string name;
    std::vector<std::string> facts;
    /// Bytes of a JPEG; empty where the image could not be read.
    std::string jpeg;
    /// Size of the JPEG in pixels.
    int width = 0;
    int height = 0;
    /// Why there is no JPEG.
    std::string unreadable{};
    std::vector<PictureBox> boxes{};
    std::vector<PicturePoints> points{};
    /// The rival whose threshold moves its boxes: its place in Report::operating.
    std::optional<std::size_t> rival{};
};
struct Gallery {
    /// Unique in its report.
    std::string id;
    /// Above the pictures; may be empty.
    std::string title;
    /// How many pictures of how many are shown, and in which order.
    std::string note{};
    std::vector<Picture> pictures{};
};

/// Bars under an axis of time, in rows that scroll, each with a strip of pictures.
struct TimelineRow {
    struct Span {
        double from = 0;
        double to = 0;
    };

    /// Readers search by it.
    std::string name;
    std::string note{};
    /// One of the palette's.
    std::size_t colour = 0;
    /// Rising; the pale bars.
    std::vector<Span> spans{};
    /// The parts of them that are drawn in full colour.
    std::vector<Span> strong{};
    std::vector<Picture> pictures{};
};
struct TimelineRows {
    /// Unique in its report.
    std::string id;
    std::string title;
    std::string note{};
    /// Times are in seconds; else they are numbers of frames.
    bool is_clock = true;
    /// The ends of the axis.
    double from = 0;
    double to = 0;
    /// The state in full colour, and the other, for the pointer that rests on a bar.
    std::string strong_name{};
    std::string weak_name{};
    std::vector<TimelineRow> rows{};
};

using Block = std::variant<Paragraph, List, Listing, Definitions, Tiles, Table, Plot, Gallery, TimelineRows>;

enum class Fold {
    none,
    open,
    closed,
    /// Closed, and not in print.
    screen,
};

struct Section {
    /// Unique in its report; made of lower-case letters, digits and '-'.
    std::string id;
    std::string title;
    std::vector<Block> blocks{};
    std::vector<Section> sections{};
    Fold fold = Fold::none;
    /// It stands side by side with neighbours that have this flag, too.
    bool is_beside = false;
    /// For the page alone: files that are equal for equal work leave it out.
    bool is_of_page = false;

    bool is_empty() const { return blocks.empty() && sections.empty(); }
    /// Adds a block, or nothing where it is empty.
    void add(Table table);
    void add(std::vector<Plot> plots);
    void add(Block block) { blocks.push_back(std::move(block)); }
};

/// Counts of a part of the faces and images, by the scores from which on they count; scores are in no order.
/// In counts of whole images, `faces` are images with faces, and `images` the others.
struct OperatingTally {
    int faces = 0;
    int images = 0;
    std::vector<double> found{};
    std::vector<double> false_positives{};
};

/// The counts of a detector by threshold, for a reader who moves it.
struct OperatingCurve {
    std::string name;
    SeriesStyle style{};
    int faces = 0;
    int images = 0;
    /// The threshold shown at first; absent = nothing is kept.
    std::optional<double> threshold{};
    /// Falling; the counts are those of detections with at least this score.
    std::vector<double> thresholds{};
    std::vector<int> true_positives{};
    std::vector<int> false_positives{};
    /// The first counts whole images; slices and single images follow.
    std::vector<OperatingTally> tallies{};
};

/// Adds a section of each rival. The section of a single rival becomes part of `section`. Sections of several
/// are folded under their names; the first one that shows something is open.
void add_by_rival(Section& section, const std::vector<std::string>& names, std::vector<Section> of_each);

struct Report {
    std::string title;
    /// The subject and the outcome, in a paragraph or a few.
    std::vector<Text> lead;
    /// The rule by which a hit counts, in a sentence or two; may be empty.
    std::string protocol{};
    std::vector<RelatedReport> related{};
    /// The numbers that stand out.
    std::vector<Section> headline{};
    std::vector<Section> sections{};
    std::vector<OperatingCurve> operating{};
    /// Address of the file beside the page with all images and their detections; empty = none.
    std::string samples{};
    /// The content of the other files.
    std::string footer{};
};

/// Every plot of a report, in the order of its sections.
std::vector<const Plot*> plots_of(const Report& report);

}  // namespace fovea::report
