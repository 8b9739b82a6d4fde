#include "lib/detect/mct_model.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/detect/model_json.hpp"
#include "lib/files/file.hpp"
#include "lib/files/model_file.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/json/names.hpp"

namespace fovea {
namespace {

constexpr const char* mct_format = "fovea-mct-cascade";
constexpr int mct_format_version = 1;
/// Weights of a table in a file: code 511, every pixel above the mean of all, cannot occur.
constexpr int written_codes = MctCascade::codes - 1;

constexpr NameTable<MctPlane, mct_plane_count> plane_names{
    {"pixel", "block2", "coarse2", "coarse4", "contrast4"}, "is no plane"};

constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();

// The face may reach over the window, or be a part of it.
void describe_face(FieldVisitor& visitor, Box& face) {
    constexpr double window = MctCascade::window;
    constexpr const char* unit = "pixels of the window";
    visitor.value({.key = "x", .range = from_to(-window, window, unit)}, &face.x);
    visitor.value({.key = "y", .range = from_to(-window, window, unit)}, &face.y);
    visitor.value({.key = "width", .range = from_to(1, 3 * window, unit)}, &face.w);
    visitor.value({.key = "height", .range = from_to(1, 3 * window, unit)}, &face.h);
}

std::vector<ConfidenceKnot> knots_at(const JsonPlace& place) {
    std::vector<ConfidenceKnot> knots;
    for (std::size_t i = 0; i < place.array_size(); ++i) {
        const std::vector<double> numbers = place[i].numbers(2, "a knot [margin, odds]");
        const ConfidenceKnot knot{numbers[0], numbers[1]};
        if (!(knot.margin >= 0)) place[i][0].fail("a margin of at least 0");
        if (!(knot.odds > 0)) place[i][1].fail("odds above 0");
        if (i > 0 && !(knot.margin > knots.back().margin && knot.odds > knots.back().odds))
            place[i].fail("a knot of a larger margin and larger odds than the one before");
        knots.push_back(knot);
    }
    // The line from 0 to the only knot has to have a slope.
    if (knots.size() == 1 && knots[0].margin == 0) place[0][0].fail("above 0, as it is the only knot's");
    return knots;
}

JsonValue knots_value(std::vector<ConfidenceKnot>& knots) {
    return {[&knots] {
                Json list = Json::array();
                for (const ConfidenceKnot& knot : knots) list.push_back({knot.margin, knot.odds});
                return list;
            },
            [&knots](const JsonPlace& place) { knots = knots_at(place); }};
}

JsonValue weights_value(MctCascade& cascade, std::size_t lookup) {
    std::int8_t* const table = cascade.weights.data() + lookup * MctCascade::codes;
    return {[table] { return Json(std::vector<int>(table, table + written_codes)); },
            [table](const JsonPlace& place) {
                const std::vector<std::int64_t> weights = place.integers(written_codes, -128, 127);
                std::transform(weights.begin(), weights.end(), table,
                               [](std::int64_t weight) { return static_cast<std::int8_t>(weight); });
            }};
}

void describe_lookup(FieldVisitor& visitor, MctCascade& cascade, std::size_t i) {
    MctLookup& lookup = cascade.lookups[i];
    visitor.value({.key = "plane"}, named(lookup.plane, plane_names));
    visitor.value({.key = "x"}, integer_value(lookup.x, 0, MctCascade::window - 1));
    visitor.value({.key = "y"}, integer_value(lookup.y, 0, MctCascade::window - 1));
    visitor.value({.key = "starts_stage", .presence = Presence::optional}, &lookup.starts_stage);
    visitor.value({.key = "reject_above",
                   .presence = lookup.reject_above == never ? Presence::left_out : Presence::optional},
                  &lookup.reject_above);
    visitor.value({.key = "weights"}, weights_value(cascade, i));

    const bool is_coarse = mct_is_coarse(lookup.plane);
    const int last = MctCascade::window - 3 * mct_block(lookup.plane);
    const std::string range = std::string(is_coarse ? "even and " : "") + "from 0 to " +
                              std::to_string(last) + " on plane " + plane_names.name_of(lookup.plane);
    visitor.rule("x", lookup.x <= last && !(is_coarse && lookup.x % 2 != 0), range);
    visitor.rule("y", lookup.y <= last && !(is_coarse && lookup.y % 2 != 0), range);
    visitor.rule("plane", !is_coarse || i == 0 || mct_is_coarse(cascade.lookups[i - 1].plane),
                 "pixel or block2 behind a look-up of the window's own place");
    visitor.rule("plane", !is_coarse || i < static_cast<std::size_t>(mct_max_coarse_lookups),
                 "pixel or block2, as there can be " + std::to_string(mct_max_coarse_lookups) +
                     " coarse look-ups at most");
}

ObjectList lookup_list(MctCascade& cascade) {
    return {.size = [&cascade] { return cascade.lookups.size(); },
            .clear =
                [&cascade] {
                    cascade.lookups.clear();
                    cascade.weights.clear();
                },
            .add =
                [&cascade] {
                    cascade.lookups.emplace_back();
                    cascade.weights.resize(cascade.lookups.size() * MctCascade::codes);
                },
            .describe = [&cascade](std::size_t i,
                                   FieldVisitor& visitor) { describe_lookup(visitor, cascade, i); }};
}

// \throws Error naming the place of what breaks a rule.
void require_valid(const MctModel& model, const std::string& name) {
    const Json json = json_of(model);
    MctModel back;
    read_struct(JsonPlace(json, name), back);
}

std::string lookup_text(const MctCascade& cascade, std::size_t i) {
    const MctLookup& lookup = cascade.lookups[i];
    std::string text = std::string(R"({"plane": ")") + plane_names.name_of(lookup.plane) + R"(", "x": )" +
                       std::to_string(lookup.x) + R"(, "y": )" + std::to_string(lookup.y);
    if (lookup.starts_stage) text += R"(, "starts_stage": true)";
    if (lookup.reject_above != never) text += R"(, "reject_above": )" + std::to_string(lookup.reject_above);
    text += R"(, "weights": [)";
    const std::int8_t* weights = cascade.table(i);
    for (int code = 0; code < written_codes; ++code) {
        text += (code > 0 ? "," : "") + std::to_string(weights[code]);
    }
    return text + "]}";
}

// One look-up a line, so that files can be compared line by line; nlohmann's own layout has one number a
// line.
std::string text_of(const MctModel& model) {
    const Box& face = model.face;
    Json knots = Json::array();
    for (const ConfidenceKnot& knot : model.confidence) knots.push_back({knot.margin, knot.odds});
    std::string text =
        "{\n  \"format\": \"" + std::string(mct_format) +
        "\",\n  \"version\": " + std::to_string(mct_format_version) +
        ",\n  \"name\": " + compact_text(model.name) +
        ",\n  \"window\": " + std::to_string(MctCascade::window) + ",\n  \"face\": " +
        compact_text(Json{{"x", face.x}, {"y", face.y}, {"width", face.w}, {"height", face.h}}) +
        ",\n  \"confidence\": " + compact_text(knots) + ",\n  \"lookups\": [";
    for (std::size_t i = 0; i < model.cascade.lookups.size(); ++i) {
        text += (i > 0 ? ",\n    " : "\n    ") + lookup_text(model.cascade, i);
    }
    text += "\n  ]";
    text += training_member(model.training);
    return text + "\n}\n";
}

}  // namespace

void describe(FieldVisitor& visitor, MctModel& model) {
    describe_format(visitor, mct_format, mct_format_version);
    visitor.value({.key = "name"}, &model.name);
    visitor.rule("name", !model.name.empty(), "a name");
    int window = MctCascade::window;
    visitor.value({.key = "window"}, integer_value(window, MctCascade::window, MctCascade::window));
    visitor.object("face", [&model](FieldVisitor& members) { describe_face(members, model.face); });
    visitor.value({.key = "confidence"}, knots_value(model.confidence));
    visitor.objects("lookups", lookup_list(model.cascade));
    const std::size_t lookups = model.cascade.lookups.size();
    visitor.rule("lookups", lookups >= 1 && lookups <= mct_max_lookups,
                 "1 to " + std::to_string(mct_max_lookups) + " look-ups");
    visitor.value({.key = "training", .presence = Presence::optional}, kept_object(model.training));
}

double mct_confidence(const std::vector<ConfidenceKnot>& knots, double margin_sum) {
    if (knots.empty()) throw std::invalid_argument("a confidence needs a curve of at least one knot");
    const ConfidenceKnot origin{0, 0};
    ConfidenceKnot low = origin;
    ConfidenceKnot high = knots[0];
    for (std::size_t i = 1; i < knots.size() && margin_sum > high.margin; ++i) {
        low = high;
        high = knots[i];
    }
    // Only a first knot at margin 0 has no width; sums below it are not met.
    const double width = high.margin - low.margin;
    const double odds =
        width > 0 ? low.odds + (high.odds - low.odds) * (margin_sum - low.margin) / width : high.odds;
    const double positive = odds > 0 ? odds : 0;
    return positive / (1 + positive);
}

MctModel parse_mct_model(std::string_view text, const std::string& name) {
    const Json json = parse_json_file(name, text, "the file may be cut off, so fetch or train it again");
    MctModel model;
    read_struct(JsonPlace(json, name), model);
    return model;
}

MctModel read_mct_model(const std::filesystem::path& file) {
    return parse_mct_model(read_model_file(file, "model"), file.string());
}

std::string mct_model_text(const MctModel& model, const std::string& name) {
    const MctCascade& cascade = model.cascade;
    if (cascade.weights.size() != cascade.lookups.size() * MctCascade::codes) {
        throw Error(name + ": cannot write a model of " + counted(cascade.lookups.size(), "look-up") +
                    " and " + counted(cascade.weights.size(), "weight"));
    }
    require_valid(model, name);
    return text_of(model);
}

void write_mct_model(const MctModel& model, const std::filesystem::path& file) {
    replace_file(file, mct_model_text(model, file.string()));
}

bool is_mct_model(const std::filesystem::path& file) {
    return begins_as_json(beginning_of_model(file));
}

}  // namespace fovea
