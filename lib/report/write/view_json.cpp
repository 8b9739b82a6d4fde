#include "lib/report/write/view_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include <openssl/evp.h>

#include "lib/core/text.hpp"
#include "lib/json/json.hpp"

namespace fovea::report {
namespace {

// Members that say nothing are left out: a page holds thousands of cells and points.
void put(Json& json, const char* key, const std::string& text) {
    if (!text.empty()) json[key] = valid_utf8(text);
}
void put(Json& json, const char* key, bool is_so) {
    if (is_so) json[key] = true;
}
void put(Json& json, const char* key, const std::optional<double>& value) {
    if (value && std::isfinite(*value)) json[key] = *value;
}
void put(Json& json, const char* key, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) json[key].push_back(valid_utf8(text));
}

// Six digits are more than a screen can show.
Json plotted(double value) {
    if (!std::isfinite(value)) return nullptr;
    if (value == 0) return 0;
    const double unit = std::pow(10.0, 6 - std::ceil(std::log10(std::abs(value))));
    return std::isfinite(unit) && unit > 0 ? std::round(value * unit) / unit : value;
}

template <class Items, class Value>
Json column_of(const Items& items, Value value) {
    Json column = Json::array();
    for (const auto& item : items) column.push_back(plotted(std::invoke(value, item)));
    return column;
}

Json style_json(const SeriesStyle& style) {
    Json json{{"colour", style.colour}};
    if (!style.dashes.empty()) json["dashes"] = style.dashes;
    put(json, "calibrated", style.is_calibrated);
    return json;
}

Json style_json(const Series& series) {
    switch (series.tone) {
        case Tone::ink:
            return {{"tone", "ink"}};
        case Tone::axis:
            return {{"tone", "axis"}};
        case Tone::muted:
            return {{"tone", "muted"}};
        case Tone::rival:
            break;
    }
    return style_json(series.style);
}

Json cell_json(const Cell& cell, bool is_best) {
    Json json{{"text", valid_utf8(cell.text)}};
    put(json, "value", cell.value);
    put(json, "interval", cell.interval);
    put(json, "notes", cell.notes);
    put(json, "best", is_best);
    put(json, "bar", cell.bar);
    if (cell.style) json["style"] = style_json(*cell.style);
    if (cell.follows) {
        constexpr std::array numbers{"threshold",      "found",  "missed",      "false_positives",
                                     "true_negatives", "errors", "accuracy",    "precision",
                                     "recall",         "f1",     "fp_per_image"};
        const FollowedNumber& follows = *cell.follows;
        json["follows"] = {follows.rival, follows.tally, numbers[static_cast<std::size_t>(follows.number)]};
    }
    return json;
}

Json block_json(const Table& table) {
    Json json{{"type", "table"}};
    put(json, "title", table.title);
    put(json, "note", table.note);
    put(json, "sortable", table.is_sortable);
    put(json, "contest", table.rivals == Rivals::columns);
    for (const Column& column : table.columns) {
        Json entry{{"title", valid_utf8(column.title)}};
        put(entry, "definition", column.definition);
        put(entry, "numeric", column.is_numeric);
        json["columns"].push_back(std::move(entry));
    }
    const std::vector<std::vector<bool>> best = best_cells(table);
    json["rows"] = Json::array();
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        Json row = Json::array();
        for (std::size_t c = 0; c < table.rows[r].size(); ++c)
            row.push_back(cell_json(table.rows[r][c], best[r][c]));
        json["rows"].push_back(std::move(row));
    }
    return json;
}

Json axis_json(const Axis& axis) {
    constexpr std::array scales{"linear", "log", "log1p", "probit"};
    Json json{{"label", axis.label}};
    put(json, "share", axis.is_share);
    if (axis.scale != Scale::linear) json["scale"] = scales[static_cast<std::size_t>(axis.scale)];
    put(json, "min", axis.min);
    put(json, "max", axis.max);
    put(json, "slanted", axis.is_slanted);
    put(json, "reversed", axis.is_reversed);
    for (const AxisMark& mark : axis.marks) {
        Json entry{{"at", mark.at}, {"label", valid_utf8(mark.label)}};
        put(entry, "second", mark.second);
        json["marks"].push_back(std::move(entry));
    }
    return json;
}

Json series_json(const Series& series) {
    constexpr std::array marks{"line", "steps", "dots", "line_dots", "bars", "area", "rects", "boxes"};
    Json json{{"name", valid_utf8(series.name)},
              {"style", style_json(series)},
              {"mark", marks[static_cast<std::size_t>(series.mark)]}};
    put(json, "detail", series.detail);
    put(json, "reference", series.is_reference);
    if (series.width > 0) json["width"] = series.width;
    if (series.mark == Mark::rects) {
        const std::pair<const char*, double PlotRect::*> members[] = {
            {"x", &PlotRect::x}, {"x2", &PlotRect::x2}, {"y", &PlotRect::y}, {"y2", &PlotRect::y2}};
        for (const auto& [key, member] : members) json[key] = column_of(series.rects, member);
        const auto is_full = [](const PlotRect& rect) { return rect.strength == 1; };
        if (!std::all_of(series.rects.begin(), series.rects.end(), is_full))
            json["strength"] = column_of(series.rects, &PlotRect::strength);
        for (const PlotRect& rect : series.rects) json["notes"].push_back(valid_utf8(rect.note));
        return json;
    }
    if (series.mark == Mark::boxes) {
        const std::pair<const char*, double PlotBox::*> members[] = {
            {"x", &PlotBox::x},           {"low", &PlotBox::low},           {"q1", &PlotBox::lower_quartile},
            {"median", &PlotBox::median}, {"q3", &PlotBox::upper_quartile}, {"high", &PlotBox::high},
            {"mean", &PlotBox::mean}};
        for (const auto& [key, member] : members) json[key] = column_of(series.boxes, member);
        return json;
    }
    json["x"] = column_of(series.points, &PlotPoint::x);
    json["y"] = column_of(series.points, &PlotPoint::y);
    const auto any = [&](auto&& says) {
        return std::any_of(series.points.begin(), series.points.end(), says);
    };
    if (any([](const PlotPoint& point) { return std::isfinite(point.low); })) {
        json["low"] = column_of(series.points, &PlotPoint::low);
        json["high"] = column_of(series.points, &PlotPoint::high);
    }
    if (any([](const PlotPoint& point) { return !point.note.empty(); })) {
        for (const PlotPoint& point : series.points) json["notes"].push_back(valid_utf8(point.note));
    }
    if (!series.tallies.empty()) json["follows"] = {{"rival", series.rival}, {"tallies", series.tallies}};
    if (!series.band.empty()) {
        json["band"] = {{"x", column_of(series.band, &BandPlace::x)},
                        {"low", column_of(series.band, &BandPlace::low)},
                        {"high", column_of(series.band, &BandPlace::high)}};
    }
    return json;
}

Json block_json(const Plot& plot) {
    Json json{{"type", "plot"},         {"stem", plot.stem},      {"title", valid_utf8(plot.title)},
              {"x", axis_json(plot.x)}, {"y", axis_json(plot.y)}, {"series", Json::array()}};
    put(json, "caption", plot.caption);
    put(json, "wide", plot.is_wide);
    put(json, "square", plot.is_square);
    put(json, "empty", plot.empty_note);
    for (const Series& series : plot.series) json["series"].push_back(series_json(series));
    for (const ReferenceLine& line : plot.lines) {
        Json entry = Json::object();
        put(entry, "x", line.x);
        put(entry, "y", line.y);
        if (line.from) entry["from"] = *line.from;
        if (line.to) entry["to"] = *line.to;
        json["lines"].push_back(std::move(entry));
    }
    for (const PlotLabel& label : plot.labels)
        json["labels"].push_back({{"x", label.x}, {"y", label.y}, {"text", valid_utf8(label.text)}});
    if (plot.operating_x != OperatingAxis::none) {
        constexpr std::array meanings{"", "false_positives", "recall", "precision", "threshold"};
        json["operating"] = {{"x", meanings[static_cast<std::size_t>(plot.operating_x)]},
                             {"y", meanings[static_cast<std::size_t>(plot.operating_y)]}};
    }
    return json;
}

const char* kind_name(DrawnKind kind) {
    switch (kind) {
        case DrawnKind::ignored_face:
            return "ignored";
        case DrawnKind::detection:
            return "detection";
        case DrawnKind::face:
            break;
    }
    return "face";
}

Json picture_json(const Picture& picture) {
    Json json{{"name", valid_utf8(picture.name)}, {"width", picture.width}, {"height", picture.height}};
    put(json, "facts", picture.facts);
    put(json, "unreadable", picture.unreadable);
    if (picture.rival) json["rival"] = *picture.rival;
    if (!picture.jpeg.empty()) json["jpeg"] = base64(picture.jpeg);
    for (const PictureBox& drawn : picture.boxes) {
        Json entry{{"kind", kind_name(drawn.kind)},
                   {"x", plotted(drawn.box.x)},
                   {"y", plotted(drawn.box.y)},
                   {"width", plotted(drawn.box.w)},
                   {"height", plotted(drawn.box.h)}};
        put(entry, "subject", drawn.is_subject);
        put(entry, "note", drawn.note);
        put(entry, "score", drawn.score);
        put(entry, "alarm", drawn.is_alarm);
        json["boxes"].push_back(std::move(entry));
    }
    for (const PicturePoints& drawn : picture.points) {
        Json entry{{"kind", kind_name(drawn.kind)}, {"points", Json::array()}};
        for (const Point& point : drawn.points)
            entry["points"].push_back({plotted(point.x), plotted(point.y)});
        json["points"].push_back(std::move(entry));
    }
    return json;
}

Json block_json(const Gallery& gallery) {
    Json json{{"type", "gallery"}, {"id", gallery.id}, {"pictures", Json::array()}};
    put(json, "title", gallery.title);
    put(json, "note", gallery.note);
    for (const Picture& picture : gallery.pictures) json["pictures"].push_back(picture_json(picture));
    return json;
}

Json block_json(const TimelineRows& timeline) {
    // Milliseconds of an hour are seven digits.
    const auto time = [](double value) { return std::round(value * 1e3) / 1e3; };
    const auto spans_json = [&](const std::vector<TimelineRow::Span>& spans) {
        Json json = Json::array();
        for (const TimelineRow::Span& span : spans) json.push_back({time(span.from), time(span.to)});
        return json;
    };
    Json json{{"type", "timeline"},
              {"id", timeline.id},
              {"title", valid_utf8(timeline.title)},
              {"from", time(timeline.from)},
              {"to", time(timeline.to)},
              {"strong_name", timeline.strong_name},
              {"weak_name", timeline.weak_name},
              {"rows", Json::array()}};
    put(json, "note", timeline.note);
    put(json, "clock", timeline.is_clock);
    for (const TimelineRow& row : timeline.rows) {
        Json entry{{"name", valid_utf8(row.name)}, {"colour", row.colour}, {"spans", spans_json(row.spans)}};
        put(entry, "note", row.note);
        if (!row.strong.empty()) entry["strong"] = spans_json(row.strong);
        for (const Picture& picture : row.pictures) entry["pictures"].push_back(picture_json(picture));
        json["rows"].push_back(std::move(entry));
    }
    return json;
}

Json block_json(const Paragraph& paragraph) {
    Json json{{"type", "text"}, {"text", valid_utf8(paragraph.text)}};
    put(json, "note", paragraph.is_note);
    return json;
}

Json block_json(const List& list) {
    Json json{{"type", "list"}};
    put(json, "items", list.items);
    return json;
}

Json block_json(const Listing& listing) {
    return {{"type", "code"}, {"text", valid_utf8(listing.text)}};
}

Json block_json(const Definitions& definitions) {
    Json json{{"type", "definitions"}, {"items", Json::array()}};
    for (const Definition& item : definitions.items)
        json["items"].push_back({{"term", valid_utf8(item.term)}, {"text", valid_utf8(item.text)}});
    return json;
}

Json block_json(const Tiles& tiles) {
    Json json{{"type", "tiles"}, {"tiles", Json::array()}};
    for (const Tile& tile : tiles.tiles) {
        Json entry{{"label", valid_utf8(tile.label)}, {"value", valid_utf8(tile.value)}};
        put(entry, "interval", tile.interval);
        put(entry, "detail", tile.detail);
        json["tiles"].push_back(std::move(entry));
    }
    return json;
}

Json sections_json(const std::vector<Section>& sections) {
    constexpr std::array folds{"", "open", "closed", "screen"};
    Json json = Json::array();
    for (const Section& section : sections) {
        if (section.is_empty()) continue;
        Json entry{{"id", section.id}, {"title", valid_utf8(section.title)}, {"blocks", Json::array()}};
        if (section.fold != Fold::none) entry["fold"] = folds[static_cast<std::size_t>(section.fold)];
        put(entry, "beside", section.is_beside);
        for (const Block& block : section.blocks)
            entry["blocks"].push_back(std::visit([](const auto& kind) { return block_json(kind); }, block));
        if (!section.sections.empty()) entry["sections"] = sections_json(section.sections);
        json.push_back(std::move(entry));
    }
    return json;
}

Json lead_json(const std::vector<Text>& lead) {
    constexpr std::array looks{"", "strong", "code"};
    Json json = Json::array();
    for (const Text& paragraph : lead) {
        Json runs = Json::array();
        for (const Run& run : paragraph) {
            Json entry{{"text", valid_utf8(run.text)}};
            if (run.look != Run::Look::plain) entry["style"] = looks[static_cast<std::size_t>(run.look)];
            runs.push_back(std::move(entry));
        }
        json.push_back(std::move(runs));
    }
    return json;
}

/// The places of scores among falling thresholds as pairs: how far from the last place, how many there.
Json steps_json(const std::vector<double>& thresholds, std::vector<double> scores) {
    std::sort(scores.begin(), scores.end(), std::greater<>());
    Json json = Json::array();
    std::size_t last = 0;
    auto score = scores.begin();
    for (std::size_t i = 0; i < thresholds.size(); ++i) {
        const auto begin = score;
        while (score != scores.end() && *score >= thresholds[i]) ++score;
        if (score == begin) continue;
        json.push_back(i - std::exchange(last, i));
        json.push_back(score - begin);
    }
    return json;
}

Json tallies_json(const OperatingCurve& curve) {
    Json json = Json::array();
    for (const OperatingTally& tally : curve.tallies) {
        Json entry{{"faces", tally.faces}, {"found", steps_json(curve.thresholds, tally.found)}};
        if (tally.images > 0) {
            entry["images"] = tally.images;
            entry["false_positives"] = steps_json(curve.thresholds, tally.false_positives);
        }
        json.push_back(std::move(entry));
    }
    return json;
}

}  // namespace

std::string base64(const std::string& bytes) {
    std::string text(4 * ((bytes.size() + 2) / 3) + 1, '\0');
    const int length = ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                         reinterpret_cast<const unsigned char*>(bytes.data()),
                                         static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

Json view_json(const Report& report) {
    Json json{{"title", valid_utf8(report.title)},
              {"lead", lead_json(report.lead)},
              {"headline", sections_json(report.headline)},
              {"sections", sections_json(report.sections)}};
    put(json, "protocol", report.protocol);
    put(json, "footer", report.footer);
    for (const OperatingCurve& curve : report.operating) {
        Json entry{{"name", valid_utf8(curve.name)},
                   {"style", style_json(curve.style)},
                   {"faces", curve.faces},
                   {"images", curve.images},
                   {"thresholds", curve.thresholds},
                   {"true_positives", curve.true_positives},
                   {"false_positives", curve.false_positives},
                   {"tallies", tallies_json(curve)}};
        put(entry, "threshold", curve.threshold);
        json["operating"].push_back(std::move(entry));
    }
    if (!report.samples.empty()) json["samples"] = {{"address", report.samples}};
    for (const RelatedReport& related : report.related)
        json["related"].push_back({{"title", valid_utf8(related.title)}, {"address", related.address}});
    return json;
}

}  // namespace fovea::report
