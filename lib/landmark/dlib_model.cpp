#include <algorithm>
#include <cmath>

#include "lib/core/text.hpp"
#include "lib/files/dlib/packed_reader.hpp"
#include "lib/landmark/landmark_file.hpp"

namespace fovea {
namespace {

// The fewest bytes that dlib writes for each.
constexpr std::size_t min_integer = 2;
constexpr std::size_t min_real = 2 * min_integer;
constexpr std::size_t min_tree = 2 * min_integer + min_integer;
constexpr std::size_t min_split = 2 * min_integer + min_real;

/// The trees of a cascade as the file has them, of any depths.
struct Forest {
    std::vector<int> depths;            // of each tree
    std::vector<LandmarkSplit> splits;  // of all trees, one after the other
    std::vector<float> leaves;          // likewise, rows of leaf_stride
    std::size_t max_pixels = 0;         // largest index in a split, plus 1
    std::size_t offset = 0;             // where in the file that index is
};

/// Pixels' differences are whole numbers: one exceeds the threshold if it exceeds the next whole number
/// below.
std::int16_t whole_threshold(float threshold) {
    if (std::isnan(threshold)) return 255;  // nothing exceeds it
    return static_cast<std::int16_t>(std::clamp(std::floor(threshold), -256.0F, 255.0F));
}

class DlibModelParser {
  public:
    DlibModelParser(std::string_view bytes, std::string_view name)
        : in_(bytes, name, fail_to_read_landmarks) {}

    LandmarkModel parse() {
        const std::int64_t version = in_.integer("the version");
        if (version != 1) {
            in_.fail(0, "is version " + std::to_string(version) + ", where dlib's shape_predictor has 1");
        }
        read_initial_shape();
        const std::size_t cascades = in_.count("the number of cascades", 3 * min_integer);
        std::vector<Forest> forests;
        for (std::size_t i = 0; i < cascades; ++i) forests.push_back(read_forest());
        read_pixels(forests);
        if (in_.left() > 0) {
            in_.fail(in_.offset(),
                     "the model ends, but the file continues for " + counted(in_.left(), "byte"));
        }
        for (const Forest& forest : forests) {
            for (const int depth : forest.depths) model_.depth = std::max(model_.depth, depth);
        }
        for (std::size_t i = 0; i < cascades; ++i) take_trees(forests[i], model_.cascades[i]);
        check_landmark_model(model_);
        return std::move(model_);
    }

  private:
    // A matrix's numbers of rows and columns are written negated.
    std::size_t column_length(const char* what, std::size_t min_bytes) {
        const std::size_t start = in_.offset();
        const std::int64_t rows = -in_.integer(what);
        const std::int64_t columns = -in_.integer(what);
        if (rows < 0 || columns != 1) {
            in_.fail(start, std::string("is a matrix of ") + std::to_string(rows) + " x " +
                                std::to_string(columns) + ", where " + what + " needs one column");
        }
        if (static_cast<std::uint64_t>(rows) > in_.left() / min_bytes) {
            in_.fail(start, std::string(what) + " has " + std::to_string(rows) +
                                " rows, more than the rest of the file can hold");
        }
        return static_cast<std::size_t>(rows);
    }

    float finite(const char* what) {
        const std::size_t start = in_.offset();
        const float value = in_.real(what);
        if (!std::isfinite(value)) in_.fail(start, std::string(what) + " is not a finite number");
        return value;
    }

    void read_initial_shape() {
        const std::size_t start = in_.offset();
        const std::size_t rows = column_length("the initial shape", min_real);
        if (rows == 0 || rows % 2 != 0 || rows > 2 * 4096) {
            in_.fail(start, "the initial shape has " + counted(rows, "coordinate") +
                                ", where 1 to 4096 points of two each are expected");
        }
        model_.points = static_cast<int>(rows / 2);
        for (std::size_t i = 0; i < rows; ++i) model_.initial_shape.push_back(finite("the initial shape"));
    }

    Forest read_forest() {
        Forest forest;
        const std::size_t trees = in_.count("the number of trees", min_tree);
        for (std::size_t t = 0; t < trees; ++t) {
            read_tree(forest);
            // The trees of a cascade are alike, as a rule.
            if (t == 0) {
                forest.splits.reserve(std::min(forest.splits.size() * trees, in_.left() / min_split));
                forest.leaves.reserve(std::min(forest.leaves.size() * trees, 2 * in_.left() / min_real));
            }
        }
        return forest;
    }

    void read_tree(Forest& forest) {
        const std::size_t start = in_.offset();
        const std::size_t splits = in_.count("the number of splits", min_split);
        int depth = 0;
        while ((std::size_t{1} << depth) < splits + 1) ++depth;
        if ((std::size_t{1} << depth) != splits + 1 || depth > 16) {
            in_.fail(start, "a tree has " + counted(splits, "split") +
                                ", where a full tree of depth 0 to 16 has 2^depth - 1");
        }
        for (std::size_t i = 0; i < splits; ++i) {
            const std::size_t first = read_pixel_index(forest);
            const std::size_t second = read_pixel_index(forest);
            const float threshold = in_.real("a threshold");
            forest.splits.push_back({static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(second),
                                     whole_threshold(threshold)});
        }
        const std::size_t place = in_.offset();
        const std::size_t leaves = in_.count("the number of leaves", 2 * min_integer);
        if (leaves != splits + 1) {
            in_.fail(place, "a tree of " + counted(splits, "split") + " has " + std::to_string(leaves) +
                                " leaves, not " + std::to_string(splits + 1));
        }
        for (std::size_t i = 0; i < leaves; ++i) read_leaf(forest);
        forest.depths.push_back(depth);
    }

    std::size_t read_pixel_index(Forest& forest) {
        const std::size_t start = in_.offset();
        const std::int64_t index = in_.integer("a split's pixel");
        if (index < 0 || index > 65535) {
            in_.fail(start,
                     "a split looks at pixel " + std::to_string(index) + ", where 0 to 65535 are supported");
        }
        if (static_cast<std::size_t>(index) >= forest.max_pixels) {
            forest.max_pixels = static_cast<std::size_t>(index) + 1;
            forest.offset = start;
        }
        return static_cast<std::size_t>(index);
    }

    void read_leaf(Forest& forest) {
        const std::size_t start = in_.offset();
        const std::size_t rows = column_length("a leaf", min_real);
        if (rows != model_.initial_shape.size()) {
            in_.fail(start, "a leaf has " + counted(rows, "coordinate") + ", not the shape's " +
                                std::to_string(model_.initial_shape.size()));
        }
        const std::size_t at = forest.leaves.size();
        forest.leaves.resize(at + model_.leaf_stride());
        for (std::size_t i = 0; i < rows; ++i) forest.leaves[at + i] = finite("a leaf");
    }

    void read_pixels(const std::vector<Forest>& forests) {
        const auto same_count = [&](const char* what, std::size_t expected, std::size_t min_bytes) {
            const std::size_t start = in_.offset();
            const std::size_t count = in_.count(what, min_bytes);
            if (count != expected) {
                in_.fail(start, std::string("is ") + what + ", " + std::to_string(count) + ", where " +
                                    std::to_string(expected) + " are expected");
            }
        };
        same_count("the number of cascades with pixels", forests.size(), min_integer);
        for (const Forest& forest : forests) {
            LandmarkCascade& cascade = model_.cascades.emplace_back();
            const std::size_t start = in_.offset();
            const std::size_t pixels = in_.count("the number of pixels", min_integer);
            if (pixels > 65536) {
                in_.fail(start, "a cascade has " + std::to_string(pixels) +
                                    " pixels, where at most 65536 are supported");
            }
            if (forest.max_pixels > pixels) {
                in_.fail(forest.offset, "a split looks at pixel " + std::to_string(forest.max_pixels - 1) +
                                            " of " + std::to_string(pixels));
            }
            for (std::size_t i = 0; i < pixels; ++i) {
                const std::size_t place = in_.offset();
                const std::int64_t anchor = in_.integer("a pixel's landmark");
                if (anchor < 0 || anchor >= model_.points) {
                    in_.fail(place, "a pixel lies at landmark " + std::to_string(anchor) + " of " +
                                        std::to_string(model_.points));
                }
                cascade.pixels.push_back({0, 0, static_cast<std::uint32_t>(anchor)});
            }
        }
        same_count("the number of cascades with offsets of pixels", forests.size(), min_integer);
        for (LandmarkCascade& cascade : model_.cascades) {
            same_count("the number of offsets of pixels", cascade.pixels.size(), 2 * min_real);
            for (LandmarkPixel& pixel : cascade.pixels) {
                pixel.dx = finite("a pixel's offset");
                pixel.dy = finite("a pixel's offset");
            }
            // A cascade without splits needs none, but something must be there to look at.
            if (cascade.pixels.empty()) cascade.pixels.emplace_back();
        }
    }

    // All trees get the model's depth.
    void take_trees(Forest& forest, LandmarkCascade& cascade) {
        cascade.trees = forest.depths.size();
        const bool alike = std::all_of(forest.depths.begin(), forest.depths.end(),
                                       [&](int depth) { return depth == model_.depth; });
        if (alike) {
            cascade.splits = std::move(forest.splits);
            cascade.leaves = std::move(forest.leaves);
            return;
        }
        const std::size_t stride = model_.leaf_stride();
        const std::size_t wanted = cascade.trees * model_.leaves_of_tree() * stride;
        // So that a small file takes little memory: 64 times its leaves, and 256 MiB more than all of them.
        constexpr std::size_t max_growth = 64;
        constexpr std::size_t max_copies = std::size_t{64} << 20;
        copies_ += wanted - forest.leaves.size();
        if (wanted > max_growth * forest.leaves.size() || copies_ > max_copies) {
            in_.fail(in_.offset(), "ends a model whose trees differ too much in depth");
        }
        const LandmarkSplit always_right{0, 0, 255};
        cascade.splits.assign(cascade.trees * model_.splits_of_tree(), always_right);
        cascade.leaves.reserve(wanted);
        auto split = forest.splits.begin();
        auto leaf = forest.leaves.begin();
        for (std::size_t t = 0; t < cascade.trees; ++t) {
            const int depth = forest.depths[t];
            const auto splits = (std::ptrdiff_t{1} << depth) - 1;
            std::copy_n(split, splits,
                        cascade.splits.begin() + static_cast<std::ptrdiff_t>(t * model_.splits_of_tree()));
            split += splits;
            for (std::ptrdiff_t i = 0; i <= splits; ++i, leaf += static_cast<std::ptrdiff_t>(stride)) {
                for (int copy = 0; copy < 1 << (model_.depth - depth); ++copy) {
                    cascade.leaves.insert(cascade.leaves.end(), leaf,
                                          leaf + static_cast<std::ptrdiff_t>(stride));
                }
            }
        }
    }

    PackedReader in_;
    LandmarkModel model_;
    std::size_t copies_ = 0;  // values of leaves that the file does not have
};

}  // namespace

LandmarkModel parse_dlib_model(std::string_view bytes, std::string_view name) {
    return DlibModelParser(bytes, name).parse();
}

}  // namespace fovea
