#include "lib/landmark/quantised_model.hpp"

#include <bit>
#include <cmath>
#include <stdexcept>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/files/file.hpp"
#include "lib/files/model_file.hpp"
#include "lib/files/sha256.hpp"
#include "lib/json/field_json.hpp"
#include "lib/json/json_text.hpp"
#include "lib/landmark/landmark_file.hpp"

namespace fovea {
namespace {

constexpr std::string_view magic("FVLM\r\n\x1a\n", 8);
/// Files of models that fit no box anew are of the first version.
constexpr std::uint32_t first_version = 1, version = 2;
constexpr std::size_t header_bytes = 24;
constexpr std::size_t hash_bytes = 64;
constexpr std::size_t pixel_bytes = 10;
constexpr std::size_t split_bytes = 6;
constexpr std::size_t min_cascade_bytes = 12;

class ByteWriter {
  public:
    template <class Integer>
    void integer(Integer value) {
        for (std::size_t i = 0; i < sizeof(Integer); ++i) {
            bytes_.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> 8 * i & 0xFF));
        }
    }
    void real(float value) { integer(std::bit_cast<std::uint32_t>(value)); }
    void text(std::string_view value) { bytes_ += value; }
    std::string& bytes() { return bytes_; }

  private:
    std::string bytes_;
};

/// Reads numbers, always within the bytes.
class ByteReader {
  public:
    ByteReader(std::string_view bytes, std::string_view name) : bytes_(bytes), name_(name) {}

    std::size_t offset() const { return at_; }
    std::size_t left() const { return bytes_.size() - at_; }

    [[noreturn]] void fail(std::size_t offset, const std::string& what) const {
        fail_to_read_landmarks(name_, offset, what);
    }

    /// \param count of things that take `each` bytes, read or about to be read.
    void require(std::size_t count, std::size_t each, const std::string& what) const {
        if (count > left() / each) {
            fail(at_, "the rest of the file, " + counted(left(), "byte") + ", cannot hold " + what);
        }
    }

    template <class Integer>
    Integer integer(const char* what) {
        require(1, sizeof(Integer), what);
        std::uint64_t value = 0;
        for (std::size_t i = sizeof(Integer); i > 0; --i) {
            value = value << 8 | static_cast<std::uint8_t>(bytes_[at_ + i - 1]);
        }
        at_ += sizeof(Integer);
        return static_cast<Integer>(value);
    }

    float real(const char* what) {
        const auto value = std::bit_cast<float>(integer<std::uint32_t>(what));
        if (!std::isfinite(value)) fail(at_ - sizeof(float), std::string(what) + " is not a finite number");
        return value;
    }

    std::string_view text(std::size_t count, const char* what) {
        require(count, 1, what);
        at_ += count;
        return bytes_.substr(at_ - count, count);
    }

  private:
    std::string_view bytes_;
    std::string_view name_;
    std::size_t at_ = 0;
};

void write_cascade(const LandmarkModel& model, const LandmarkCascade& cascade, ByteWriter& out) {
    out.integer(static_cast<std::uint32_t>(cascade.pixels.size()));
    out.integer(static_cast<std::uint32_t>(cascade.trees));
    out.real(cascade.leaf_unit);
    for (const LandmarkPixel& pixel : cascade.pixels) {
        out.integer(static_cast<std::uint16_t>(pixel.anchor));
        out.real(pixel.dx);
        out.real(pixel.dy);
    }
    for (const LandmarkSplit& split : cascade.splits) {
        out.integer(split.first);
        out.integer(split.second);
        out.integer(split.threshold);
    }
    const std::size_t stride = model.leaf_stride();
    for (std::size_t at = 0; at < cascade.quantised_leaves.size(); at += stride) {
        for (std::size_t i = 0; i < model.initial_shape.size(); ++i) {
            out.integer(cascade.quantised_leaves[at + i]);
        }
    }
}

LandmarkCascade read_cascade(const LandmarkModel& model, ByteReader& in) {
    LandmarkCascade cascade;
    const std::size_t start = in.offset();
    const auto pixels = in.integer<std::uint32_t>("the number of pixels");
    cascade.trees = in.integer<std::uint32_t>("the number of trees");
    cascade.leaf_unit = in.real("the unit of leaves");
    if (pixels == 0 || pixels > 65536) {
        in.fail(start, "a cascade has " + std::to_string(pixels) + " pixels, not 1 to 65536");
    }
    // A cascade without leaves would be taken for one whose leaves are not quantised.
    if (cascade.trees == 0) in.fail(start + 4, "a cascade has no tree");
    in.require(pixels, pixel_bytes, counted(pixels, "pixel"));
    cascade.pixels.reserve(pixels);
    for (std::uint32_t i = 0; i < pixels; ++i) {
        const std::size_t at = in.offset();
        LandmarkPixel pixel;
        pixel.anchor = in.integer<std::uint16_t>("a pixel's landmark");
        pixel.dx = in.real("a pixel's offset");
        pixel.dy = in.real("a pixel's offset");
        if (pixel.anchor >= static_cast<std::uint32_t>(model.points)) {
            in.fail(at, "a pixel lies at landmark " + std::to_string(pixel.anchor) + " of " +
                            std::to_string(model.points));
        }
        cascade.pixels.push_back(pixel);
    }
    const std::size_t values = model.initial_shape.size();
    const std::size_t tree_bytes = model.splits_of_tree() * split_bytes + model.leaves_of_tree() * values;
    in.require(cascade.trees, tree_bytes,
               counted(cascade.trees, "tree") + " of depth " + std::to_string(model.depth));
    cascade.splits.reserve(cascade.trees * model.splits_of_tree());
    for (std::size_t i = 0; i < cascade.trees * model.splits_of_tree(); ++i) {
        const std::size_t at = in.offset();
        LandmarkSplit split;
        split.first = in.integer<std::uint16_t>("a split's first pixel");
        split.second = in.integer<std::uint16_t>("a split's second pixel");
        split.threshold = in.integer<std::int16_t>("a split's threshold");
        if (split.first >= pixels || split.second >= pixels) {
            in.fail(at, "a split compares the pixels " + std::to_string(split.first) + " and " +
                            std::to_string(split.second) + " of " + std::to_string(pixels));
        }
        if (split.threshold < -256 || split.threshold > 255) {
            in.fail(at + 4,
                    "a split has the threshold " + std::to_string(split.threshold) + ", not -256 to 255");
        }
        cascade.splits.push_back(split);
    }
    const std::size_t stride = model.leaf_stride();
    cascade.quantised_leaves.resize(cascade.trees * model.leaves_of_tree() * stride);
    for (std::size_t at = 0; at < cascade.quantised_leaves.size(); at += stride) {
        const std::string_view leaf = in.text(values, "a leaf");
        for (std::size_t i = 0; i < values; ++i) {
            cascade.quantised_leaves[at + i] = static_cast<std::int8_t>(leaf[i]);
        }
    }
    return cascade;
}

/// The JSON part.
struct Description {
    std::string name;
    int points = 0, depth = 0, subpixels = 0;
    std::size_t cascades = 0, refit_after = 0;
    Json training{};
};

void describe(FieldVisitor& visitor, Description& description, std::uint32_t of_version) {
    visitor.value({.key = "name"}, &description.name);
    visitor.value({.key = "points", .range = from_to(1, 4096)}, &description.points);
    visitor.value({.key = "depth", .range = from_to(0, 16)}, &description.depth);
    visitor.value({.key = "subpixels", .range = from_to(1, 256)}, &description.subpixels);
    visitor.value({.key = "cascades", .range = from_to(0, 65536)}, &description.cascades);
    if (of_version > first_version)
        visitor.value({.key = "refit_after", .range = from_to(0, 65536)}, &description.refit_after);
    Json& training = description.training;
    visitor.value({.key = "training"},
                  JsonValue{[&training] { return training; },
                            [&training](const JsonPlace& place) { training = place.json(); }});
}

// \return the number of cascades.
std::size_t read_description(ByteReader& in, std::uint32_t of_version, std::size_t bytes,
                             TrainedLandmarks& landmarks) {
    const std::size_t start = in.offset();
    const std::string_view text = in.text(bytes, "the JSON part");
    const auto fail = [&](const std::exception& error) {
        in.fail(start, std::string("the JSON part is not that of a landmark model (") + error.what() + ")");
    };
    Description found;
    try {
        const Json json = parse_json(text);
        const JsonPlace place(json);
        const auto fields = [&](FieldVisitor& visitor) { describe(visitor, found, of_version); };
        read_fields(place, fields, Absent::is_error);
        check_fields(place, fields);
    } catch (const Json::exception& error) {
        fail(error);
    } catch (const UsageError& error) {
        fail(error);
    }
    landmarks.name = found.name;
    landmarks.training = found.training;
    landmarks.model.points = found.points;
    landmarks.model.depth = found.depth;
    landmarks.model.subpixels = found.subpixels;
    landmarks.model.refit_after = found.refit_after;
    return found.cascades;
}

}  // namespace

bool is_quantised_model(std::string_view bytes) {
    return bytes.starts_with(magic);
}

std::string quantised_model_bytes(const TrainedLandmarks& landmarks) {
    const LandmarkModel& model = landmarks.model;
    check_landmark_model(model);
    for (const LandmarkCascade& cascade : model.cascades) {
        if (!cascade.is_quantised()) throw std::invalid_argument("a cascade's leaves are not quantised");
    }
    Description description{landmarks.name,        model.points,      model.depth,       model.subpixels,
                            model.cascades.size(), model.refit_after, landmarks.training};
    const std::uint32_t of_version = model.refit_after > 0 ? version : first_version;
    const std::string json =
        write_fields([&](FieldVisitor& visitor) { describe(visitor, description, of_version); }).dump();
    ByteWriter body;
    body.text(json);
    for (const float value : model.initial_shape) body.real(value);
    for (const LandmarkCascade& cascade : model.cascades) write_cascade(model, cascade, body);
    ByteWriter file;
    file.text(magic);
    file.integer(of_version);
    file.integer(static_cast<std::uint32_t>(json.size()));
    file.integer(static_cast<std::uint64_t>(header_bytes + body.bytes().size() + hash_bytes));
    file.text(body.bytes());
    file.text(sha256_of(file.bytes()));
    return std::move(file.bytes());
}

TrainedLandmarks parse_quantised_model(std::string_view bytes, std::string_view name) {
    ByteReader in(bytes, name);
    if (!is_quantised_model(bytes)) in.fail(0, "a model of the program's own would begin with FVLM");
    in.text(magic.size(), "the beginning");
    const auto found_version = in.integer<std::uint32_t>("the version");
    if (found_version < first_version || found_version > version) {
        in.fail(8, "is version " + std::to_string(found_version) + ", where this program reads " +
                       std::to_string(first_version) + " and " + std::to_string(version));
    }
    const auto json_bytes = in.integer<std::uint32_t>("the length of the JSON part");
    const auto file_bytes = in.integer<std::uint64_t>("the length of the file");
    if (file_bytes != bytes.size() || bytes.size() < header_bytes + hash_bytes) {
        in.fail(16, "the length of the file is stated as " + std::to_string(file_bytes) + ", but it has " +
                        counted(bytes.size(), "byte"));
    }
    const std::size_t content = bytes.size() - hash_bytes;
    if (sha256_of(bytes.substr(0, content)) != bytes.substr(content)) {
        in.fail(content,
                "stands another SHA-256 than that of the bytes before, so that the file was altered");
    }
    // From here on the file is as it was written, but nobody knows by whom.
    ByteReader parts(bytes.substr(0, content), name);
    parts.text(header_bytes, "the header");
    TrainedLandmarks landmarks;
    LandmarkModel& model = landmarks.model;
    const std::size_t cascades = read_description(parts, found_version, json_bytes, landmarks);
    const std::size_t values = 2 * static_cast<std::size_t>(model.points);
    parts.require(values, sizeof(float), "the initial shape");
    for (std::size_t i = 0; i < values; ++i) model.initial_shape.push_back(parts.real("the initial shape"));
    parts.require(cascades, min_cascade_bytes, counted(cascades, "cascade"));
    for (std::size_t i = 0; i < cascades; ++i) model.cascades.push_back(read_cascade(model, parts));
    if (parts.left() > 0) {
        parts.fail(parts.offset(), "the model ends, but " + counted(parts.left(), "byte") + " follow");
    }
    return landmarks;
}

void write_quantised_model(const TrainedLandmarks& landmarks, const std::filesystem::path& file) {
    replace_file(file, quantised_model_bytes(landmarks));
}

TrainedLandmarks read_quantised_model(const std::filesystem::path& file) {
    return parse_quantised_model(read_model_file(file, "landmark model"), file.string());
}

}  // namespace fovea
