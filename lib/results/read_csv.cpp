#include <algorithm>
#include <array>
#include <map>
#include <span>

#include "lib/core/csv.hpp"
#include "lib/core/csv_reader.hpp"
#include "lib/core/error.hpp"
#include "lib/core/spelling.hpp"
#include "lib/json/json_text.hpp"
#include "lib/results/detail_numbers.hpp"
#include "lib/results/readers.hpp"

namespace fovea::results_detail {
namespace {

using Names = std::span<const std::string_view>;

// Names of columns without case, blanks and punctuation; an earlier name goes first.
constexpr auto image_names =
    std::to_array<std::string_view>({"image", "imagename", "imagepath", "imagefile", "filename", "filepath",
                                     "file", "path", "img", "imgname", "imgpath", "imageid", "name"});
constexpr auto left_names =
    std::to_array<std::string_view>({"x", "xmin", "left", "x1", "xtl", "bboxx", "boxx", "bboxxmin", "bboxx1",
                                     "bboxleft", "boxx1", "boxleft"});
constexpr auto top_names = std::to_array<std::string_view>(
    {"y", "ymin", "top", "y1", "ytl", "bboxy", "boxy", "bboxymin", "bboxy1", "bboxtop", "boxy1", "boxtop"});
constexpr auto width_names =
    std::to_array<std::string_view>({"w", "boxw", "bboxw", "boxwidth", "bboxwidth", "width"});
constexpr auto height_names =
    std::to_array<std::string_view>({"h", "boxh", "bboxh", "boxheight", "bboxheight", "height"});
constexpr auto right_names = std::to_array<std::string_view>(
    {"x2", "xmax", "right", "xbr", "bboxxmax", "bboxx2", "bboxright", "boxx2", "boxright"});
constexpr auto bottom_names = std::to_array<std::string_view>(
    {"y2", "ymax", "bottom", "ybr", "bboxymax", "bboxy2", "bboxbottom", "boxy2", "boxbottom"});
constexpr auto score_names = std::to_array<std::string_view>(
    {"score", "confidence", "conf", "prob", "probability", "certainty", "detectionscore"});

constexpr const char* looked_for =
    "the image (image, file, filename, path or name), the box (x, y, w, h or width, height; x1, y1, x2, y2; "
    "xmin, ymin, xmax, ymax; left, top, right, bottom) and the score (score, confidence, conf or prob)";

constexpr std::size_t no_column = static_cast<std::size_t>(-1);

std::string plain_name(std::string_view heading) {
    std::string name = lower_case(heading);
    std::erase_if(name, [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')); });
    return name;
}

using Headings = std::vector<std::string>;  // plain names

std::size_t column_of(const Headings& headings, Names names) {
    for (const std::string_view name : names) {
        const auto found = std::ranges::find(headings, name);
        if (found != headings.end()) return static_cast<std::size_t>(found - headings.begin());
    }
    return no_column;
}

bool is_known(const std::string& heading) {
    const std::array<Names, 8> known{image_names,  left_names,  top_names,    width_names,
                                     height_names, right_names, bottom_names, score_names};
    return std::ranges::any_of(known,
                               [&](Names names) { return std::ranges::find(names, heading) != names.end(); });
}

/// The separator that most of the heading's cells stand between.
char separator_of(std::string_view line) {
    char separator = ',';
    std::ptrdiff_t most = 0;
    for (const char candidate : {',', ';', '\t'}) {
        const std::ptrdiff_t count = std::ranges::count(line, candidate);
        if (count > most) separator = candidate;
        most = std::max(most, count);
    }
    return separator;
}

std::string_view first_line(std::string_view bytes) {
    return bytes.substr(0, bytes.find('\n'));
}

/// The line with which Excel says what separates: "sep=;".
bool is_separator_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line.size() == 5 && line.starts_with("sep=");
}

/// The text without such a line.
std::string_view table_of(std::string_view bytes) {
    const std::string_view line = first_line(bytes);
    return is_separator_line(line) ? bytes.substr(std::min(line.size() + 1, bytes.size())) : bytes;
}

Headings headings_of(std::string_view bytes) {
    Headings headings;
    CsvReader row(bytes, separator_of(first_line(bytes)));
    try {
        if (!row.next()) return {};
    } catch (const Error&) {
        return {};
    }
    for (const std::string& cell : row.cells()) headings.push_back(plain_name(cell));
    while (!headings.empty() && row.cells()[headings.size() - 1].empty()) headings.pop_back();
    return headings;
}

bool names_columns(const Headings& headings) {
    return std::ranges::count_if(headings, is_known) >= 2;
}

// Lines of the format text end so.
bool ends_with_numbers(std::string_view line) {
    constexpr int numbers = 5;
    std::string_view rest = trim(line);
    for (int i = 0; i < numbers; ++i) {
        const std::size_t blank = rest.find_last_of(" \t");
        if (blank == std::string_view::npos || !spelled_number(rest.substr(blank + 1))) return false;
        rest = trim(rest.substr(0, blank));
    }
    return true;
}

/// Which columns hold what.
struct Columns {
    std::size_t image = no_column, left = no_column, top = no_column, right = no_column, bottom = no_column,
                score = no_column;
    bool are_corners = false;  ///< right and bottom are edges, else width and height
    bool is_own = false;       ///< a table of `fovea convert`

    explicit Columns(const Headings& headings) {
        const auto find = [&](Names names) { return column_of(headings, names); };
        const auto find_one = [&](std::string_view name) { return column_of(headings, {&name, 1}); };
        image = find(image_names);
        score = find(score_names);
        left = find(left_names);
        top = find(top_names);
        right = find(right_names);
        bottom = find(bottom_names);
        // x0, y0, x1, y1: the second corner has the name that elsewhere is the first one's.
        if (right == no_column && bottom == no_column && find_one("x0") != no_column &&
            find_one("y0") != no_column) {
            left = find_one("x0");
            top = find_one("y0");
            right = find_one("x1");
            bottom = find_one("y1");
        }
        are_corners = right != no_column && bottom != no_column;
        if (!are_corners) {
            right = find(width_names);
            bottom = find(height_names);
        }
        is_own = find_one("imagewidth") != no_column && find_one("imageheight") != no_column &&
                 find_one("status") != no_column && find_one("face") != no_column;
    }

    /// The column furthest to the right of those that every row needs.
    std::size_t last() const {
        std::size_t last = std::max({image, left, top, right, bottom});
        return score == no_column ? last : std::max(last, score);
    }

    std::string lacking() const {
        std::string names;
        const auto lacks = [&](std::size_t column, const char* name) {
            if (column == no_column) names += (names.empty() ? "" : ", ") + std::string(name);
        };
        lacks(image, "the image's name");
        lacks(left, "the box's left edge");
        lacks(top, "the box's upper edge");
        lacks(right, "the box's width or right edge");
        lacks(bottom, "the box's height or lower edge");
        return names;
    }
};

/// Texts that pandas, R and spreadsheets leave in a cell that has nothing.
bool is_blank(std::string_view cell) {
    constexpr std::array<std::string_view, 6> spellings{"nan", "na", "n/a", "null", "none", "<na>"};
    return cell.empty() || std::ranges::any_of(spellings, [&](std::string_view spelling) {
               return cell.size() == spelling.size() && ends_with_any_case(cell, spelling);
           });
}

/// The columns of own tables that hold more than boxes, scores and detail_numbers: JSON, but for texts.
struct DetailColumn {
    const char* member;  ///< of a detection in results.jsonl
    std::string_view heading;
    bool is_text = false;
};
constexpr std::array details{
    DetailColumn{"landmarks", "landmarks"},     DetailColumn{"ellipse", "ellipse"},
    DetailColumn{"person", "person"},           DetailColumn{"apart", "apart", true},
    DetailColumn{"identity", "identity", true}, DetailColumn{"distance", "distance"},
    DetailColumn{"candidates", "candidates"},   DetailColumn{"crop", "crop", true},
};

class CsvTable {
  public:
    CsvTable(const std::string& file, std::string_view bytes, ResultsCollector& collector)
        : file_(file),
          lines_before_(is_separator_line(first_line(bytes)) ? 1 : 0),
          separator_(separator_of(first_line(table_of(bytes)))),
          rows_(table_of(bytes), separator_),
          headings_(headings_of(table_of(bytes))),
          columns_(headings_),
          collector_(collector) {}

    void read() {
        if (!next_row()) return;
        if (!names_columns(headings_)) {
            fail(std::string("expected a first line that names the columns: ") + looked_for);
        }
        if (const std::string lacking = columns_.lacking(); !lacking.empty())
            fail("no column is named as " + lacking + "; looked for " + looked_for);
        if (columns_.score == no_column) {
            collector_.warn("'" + file_ +
                            "' has no column of scores (score, confidence, conf or prob): each detection "
                            "counts with the score 1.");
        }
        if (columns_.are_corners) collector_.note_corner_columns();
        if (!columns_.is_own) collector_.expect_detections_only();
        while (next_row()) read_row();
        if (negative_sizes_ > 0) {
            collector_.warn("'" + file_ + "': " + counted(negative_sizes_, "box has", "boxes have") +
                            " a width or height below 0; nothing overlaps such a box.");
        }
        for (OwnImage& image : own_) {
            collector_.add_record(std::move(image.result), file_ + ":" + std::to_string(image.line));
        }
    }

  private:
    struct OwnImage {
        ImageResult result;
        std::size_t line = 0;
    };

    [[noreturn]] void fail(const std::string& what) const { fail_at_line(file_, line(), rows_.text(), what); }

    std::size_t line() const { return rows_.line() + lines_before_; }

    bool next_row() {
        try {
            return rows_.next();
        } catch (const Error& error) {
            fail(error.what());
        }
    }

    void read_row() {
        if (std::ranges::all_of(rows_.cells(), &std::string::empty)) return;
        const bool fits = rows_.cells().size() == headings_.size();
        const std::vector<std::string>& cells = fits ? rows_.cells() : fitted_cells();
        if (cells.size() != headings_.size()) {
            fail("the first line names " + counted(headings_.size(), "column") + ", and here are " +
                 counted(cells.size(), "cell"));
        }
        const std::string image(csv_text(cells[columns_.image]));
        if (image.empty()) fail("the image's name is empty");
        const std::array<std::size_t, 4> box{columns_.left, columns_.top, columns_.right, columns_.bottom};
        const bool has_face =
            !std::ranges::all_of(box, [&](std::size_t column) { return is_blank(cells[column]); });
        if (columns_.is_own) {
            read_own(image, cells, has_face);
            return;
        }
        const std::size_t number = collector_.number_of(image);
        if (has_face) collector_.add(number, detection(cells));
    }

    /// Spreadsheets end rows with empty cells of their own, or leave out those at the end. An own table's row
    /// that is too short was cut off.
    const std::vector<std::string>& fitted_cells() {
        fitted_ = rows_.cells();
        while (fitted_.size() > headings_.size() && fitted_.back().empty()) fitted_.pop_back();
        if (!columns_.is_own && fitted_.size() > columns_.last() && fitted_.size() < headings_.size())
            fitted_.resize(headings_.size());
        return fitted_;
    }

    double number(const std::string& cell, const std::string& name) const {
        std::string digits = cell;
        // Spreadsheets of many countries: 0,5 between semicolons or tabs.
        if (separator_ != ',' && digits.find('.') == std::string::npos)
            std::ranges::replace(digits, ',', '.');
        const std::optional<double> value = spelled_number(digits);
        if (!value) fail(name + " is '" + excerpt(cell) + "', expected a finite number");
        return *value;
    }

    Detection detection(const std::vector<std::string>& cells) {
        Detection found;
        Box& box = found.box;
        box.x = number(cells[columns_.left], "the left edge");
        box.y = number(cells[columns_.top], "the upper edge");
        if (columns_.are_corners) {
            box.w = number(cells[columns_.right], "the right edge") - box.x;
            box.h = number(cells[columns_.bottom], "the lower edge") - box.y;
            if (box.w < 0 || box.h < 0) fail("the right or lower edge lies before its opposite");
        } else {
            box.w = number(cells[columns_.right], "the width");
            box.h = number(cells[columns_.bottom], "the height");
            // Other programs evaluate them, and so own tables may have them.
            negative_sizes_ += box.w < 0 || box.h < 0 ? 1 : 0;
        }
        found.score = columns_.score == no_column ? 1 : number(cells[columns_.score], "the score");
        return found;
    }

    const std::string& own_cell(const std::vector<std::string>& cells, std::string_view heading) const {
        static const std::string empty;
        const std::size_t column = column_of(headings_, {&heading, 1});
        return column == no_column ? empty : cells[column];
    }

    // JSON of the cells, so that what they may hold is judged as in results.jsonl.
    Json own_json(const std::vector<std::string>& cells, std::string_view heading, bool is_text) const {
        const std::string& cell = own_cell(cells, heading);
        if (is_text) return std::string(csv_text(cell));
        try {
            return parse_json(cell);
        } catch (const Json::exception&) {
            fail(std::string(heading) + " is '" + excerpt(cell) + "', expected a number or a list");
        }
    }

    void read_own(const std::string& image, const std::vector<std::string>& cells, bool has_face) {
        const auto [place, is_new] = place_of_.emplace(image, own_.size());
        try {
            if (is_new) own_.push_back({own_image(image, cells), line()});
            if (!has_face) return;
            Json json = Json::object();
            for (const DetailNumber& detail : detail_numbers) {
                const std::string heading = plain_name(detail.name);
                if (!own_cell(cells, heading).empty()) json[detail.name] = own_json(cells, heading, false);
            }
            for (const DetailColumn& detail : details) {
                if (own_cell(cells, detail.heading).empty()) continue;
                json[detail.member] = own_json(cells, detail.heading, detail.is_text);
            }
            add_own(own_[place->second].result, detection(cells), std::move(json));
        } catch (const UsageError& error) {
            fail(error.what());
        }
    }

    ImageResult own_image(const std::string& image, const std::vector<std::string>& cells) const {
        Json json{{"image", image}, {"detections", Json::array()}};
        for (const auto& [member, heading] : {std::pair{"frame", "frame"},
                                              {"time", "time"},
                                              {"width", "imagewidth"},
                                              {"height", "imageheight"},
                                              {"pages", "pages"}}) {
            if (!own_cell(cells, heading).empty()) json[member] = own_json(cells, heading, false);
        }
        json["status"] = std::string(csv_text(own_cell(cells, "status")));
        json["damaged"] = spelled_mark(own_cell(cells, "damaged")).value_or(false);
        return result_from_json(JsonPlace(json));
    }

    static void add_own(ImageResult& result, Detection found, Json json) {
        if (!result.ok()) throw UsageError(unreadable_with_detections);
        if (!json.empty()) {
            json["box"] = {found.box.x, found.box.y, found.box.w, found.box.h};
            json["score"] = found.score;
            const Json line{{"image", result.image}, {"detections", Json::array({std::move(json)})}};
            ImageResult one = result_from_json(JsonPlace(line));
            found = std::move(one.detections.front());
            if (!one.crops.empty()) {
                result.crops.resize(result.detections.size());
                result.crops.push_back(std::move(one.crops.front()));
            }
        }
        result.detections.push_back(std::move(found));
        if (!result.crops.empty()) result.crops.resize(result.detections.size());
    }

    const std::string& file_;
    std::size_t lines_before_;
    char separator_;
    CsvReader rows_;
    Headings headings_;
    Columns columns_;
    ResultsCollector& collector_;
    std::vector<std::string> fitted_;
    std::size_t negative_sizes_ = 0;
    std::vector<OwnImage> own_;
    std::map<std::string, std::size_t> place_of_;
};

}  // namespace

/// The first line is the heading of a table, or cells that no other format has.
Certainty recognise_csv(const ResultsSource& source) {
    const std::string_view bytes = source.begin();
    constexpr std::size_t fewest_cells = 5;
    if (is_separator_line(first_line(bytes))) return Certainty::shaped;
    const std::string_view line = first_line(bytes);
    if (line.find_first_of(",;\t") == std::string_view::npos || ends_with_numbers(line))
        return Certainty::none;
    const Headings headings = headings_of(bytes);
    return shaped_if(names_columns(headings) || headings.size() >= fewest_cells);
}

/// A table with a heading and a row per detection, as pandas and spreadsheets write it. The separator
/// is a comma, a semicolon or a tab; cells may be in quotes and hold line breaks (RFC 4180). Columns
/// are found by their usual names, in any order; others are passed over. Right and lower edges instead
/// of sizes are taken as such. Without a column of scores each is 1, with a warning. A row with an
/// image and no box is an image without detections. The tables of `fovea convert --to csv` are read
/// with all that they hold.
void read_csv(ResultsSource& source, KnownImages&, ResultsCollector& collector) {
    CsvTable(source.path(), source.bytes(), collector).read();
}

}  // namespace fovea::results_detail
