#include "lib/detect/mct_model.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/detect/model_json.hpp"
#include "lib/files/file.hpp"
#include "lib/files/model_file.hpp"
#include "lib/json/json_place.hpp"
#include "lib/json/json_text.hpp"

namespace fovea {
namespace {

constexpr const char* format_name = "fovea-mct-cascade";
constexpr int format_version = 1;
/// Weights of a table in a file: code 511, every pixel above the mean of all, cannot occur.
constexpr int written_codes = MctCascade::codes - 1;

constexpr std::array<const char*, mct_plane_count> plane_names{"pixel", "block2", "coarse2", "coarse4",
                                                               "contrast4"};

constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();

/// The place where a model breaks a rule, and the rule.
struct Fault {
    std::string place;  ///< as a JSON pointer
    std::string rule;   ///< e.g. "must be at least 0, but is -1"
};

std::optional<Fault> find_face_fault(const Box& face) {
    const double window = MctCascade::window;
    const auto outside = [](double value, double least, double most) {
        return !(value >= least && value <= most);
    };
    const auto fault = [](const char* key, double value, const std::string& range) {
        return Fault{std::string("/face/") + key,
                     "must be " + range + " pixels of the window, but is " + shortest_number(value)};
    };
    // Not a number is outside too. The face may reach over the window, or be a part of it.
    if (outside(face.x, -window, window)) return fault("x", face.x, "-24 to 24");
    if (outside(face.y, -window, window)) return fault("y", face.y, "-24 to 24");
    if (outside(face.w, 1, 3 * window)) return fault("width", face.w, "1 to 72");
    if (outside(face.h, 1, 3 * window)) return fault("height", face.h, "1 to 72");
    return std::nullopt;
}

std::optional<Fault> find_confidence_fault(const std::vector<ConfidenceKnot>& knots) {
    for (std::size_t i = 0; i < knots.size(); ++i) {
        const ConfidenceKnot& knot = knots[i];
        const std::string place = "/confidence/" + std::to_string(i);
        if (!(std::isfinite(knot.margin) && knot.margin >= 0)) {
            return Fault{place + "/0", "a margin must be at least 0, but is " + shortest_number(knot.margin)};
        }
        if (!(std::isfinite(knot.odds) && knot.odds > 0)) {
            return Fault{place + "/1", "odds must be above 0, but are " + shortest_number(knot.odds)};
        }
        if (i > 0 && !(knot.margin > knots[i - 1].margin && knot.odds > knots[i - 1].odds)) {
            return Fault{place, "margin and odds must both be above those of the knot before"};
        }
    }
    // The line from 0 to the only knot has to have a slope.
    if (knots.size() == 1 && knots[0].margin == 0) {
        return Fault{"/confidence/0/0", "the margin of the only knot must be above 0"};
    }
    return std::nullopt;
}

std::optional<Fault> find_lookup_fault(const MctLookup& lookup, const std::string& place) {
    const int last = MctCascade::window - 3 * mct_block(lookup.plane);
    const bool coarse = mct_is_coarse(lookup.plane);
    const std::string plane = plane_names[static_cast<std::size_t>(lookup.plane)];
    for (const auto& [key, value] : {std::pair{"/x", int{lookup.x}}, std::pair{"/y", int{lookup.y}}}) {
        if (value > last || (coarse && value % 2 != 0)) {
            return Fault{place + key, "on plane " + plane + " must be " + (coarse ? "even and " : "") +
                                          "from 0 to " + std::to_string(last) + ", but is " +
                                          std::to_string(value)};
        }
    }
    return std::nullopt;
}

std::optional<Fault> find_cascade_fault(const MctCascade& cascade) {
    const std::size_t count = cascade.lookups.size();
    if (count < 1 || count > mct_max_lookups) {
        return Fault{"/lookups", "must be 1 to " + std::to_string(mct_max_lookups) + " look-ups, but are " +
                                     std::to_string(count)};
    }
    bool fine = false;
    for (std::size_t i = 0; i < count; ++i) {
        const MctLookup& lookup = cascade.lookups[i];
        const std::string place = "/lookups/" + std::to_string(i);
        if (auto fault = find_lookup_fault(lookup, place)) return fault;
        const bool coarse = mct_is_coarse(lookup.plane);
        if (coarse && fine) {
            return Fault{place + "/plane",
                         "a coarse look-up cannot come after one of the window's own place"};
        }
        if (coarse && i >= static_cast<std::size_t>(mct_max_coarse_lookups)) {
            return Fault{place + "/plane", "there can be " + std::to_string(mct_max_coarse_lookups) +
                                               " coarse look-ups at most"};
        }
        fine = fine || !coarse;
    }
    return std::nullopt;
}

std::optional<Fault> find_fault(const MctModel& model) {
    if (model.name.empty()) return Fault{"/name", "must not be empty"};
    if (auto fault = find_face_fault(model.face)) return fault;
    if (auto fault = find_confidence_fault(model.confidence)) return fault;
    return find_cascade_fault(model.cascade);
}

void require_valid(const MctModel& model, const std::string& name) {
    if (const auto fault = find_fault(model)) throw Error(name + ": " + fault->place + ": " + fault->rule);
}

MctPlane plane_from(const JsonPlace& place) {
    const std::string name = place.text();
    for (std::size_t i = 0; i < plane_names.size(); ++i) {
        if (name == plane_names[i]) return static_cast<MctPlane>(i);
    }
    place.fail("pixel, block2, coarse2, coarse4 or contrast4");
}

void read_lookup(const JsonPlace& place, MctCascade& cascade) {
    place.require_keys({"plane", "x", "y", "weights"}, {"starts_stage", "reject_above"});
    MctLookup& lookup = cascade.lookups.emplace_back();
    lookup.plane = plane_from(place["plane"]);
    lookup.x = static_cast<std::uint8_t>(place["x"].integer(0, MctCascade::window - 1));
    lookup.y = static_cast<std::uint8_t>(place["y"].integer(0, MctCascade::window - 1));
    if (place.has("starts_stage")) lookup.starts_stage = place["starts_stage"].truth();
    if (place.has("reject_above")) {
        lookup.reject_above = static_cast<std::int32_t>(
            place["reject_above"].integer(std::numeric_limits<std::int32_t>::min(), never));
    }
    for (const std::int64_t weight : place["weights"].integers(written_codes, -128, 127)) {
        cascade.weights.push_back(static_cast<std::int8_t>(weight));
    }
    cascade.weights.push_back(0);
}

MctModel model_from(const JsonPlace& place) {
    require_model_format(place, format_name, format_version);
    place.require_keys({"format", "version", "name", "window", "face", "confidence", "lookups"},
                       {"training"});
    MctModel model;
    model.name = place["name"].text();
    place["window"].integer(MctCascade::window, MctCascade::window);
    const JsonPlace face = place["face"];
    face.require_keys({"x", "y", "width", "height"}, {});
    model.face = {face["x"].number(), face["y"].number(), face["width"].number(), face["height"].number()};
    const JsonPlace confidence = place["confidence"];
    for (std::size_t i = 0; i < confidence.array_size(); ++i) {
        const auto knot = confidence[i].numbers(2, "a knot [margin, odds]");
        model.confidence.push_back({knot[0], knot[1]});
    }
    const JsonPlace lookups = place["lookups"];
    for (std::size_t i = 0; i < lookups.array_size(); ++i) read_lookup(lookups[i], model.cascade);
    model.training = read_training(place);
    return model;
}

std::string lookup_text(const MctCascade& cascade, std::size_t i) {
    const MctLookup& lookup = cascade.lookups[i];
    std::string text = std::string(R"({"plane": ")") + plane_names[static_cast<std::size_t>(lookup.plane)] +
                       R"(", "x": )" + std::to_string(lookup.x) + R"(, "y": )" + std::to_string(lookup.y);
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
        "{\n  \"format\": \"" + std::string(format_name) +
        "\",\n  \"version\": " + std::to_string(format_version) +
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
    MctModel model = model_from({json, name});
    require_valid(model, name);
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
