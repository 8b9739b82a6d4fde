// The network row by row: an operation takes a row of its input as soon as it is made, and keeps only the
// rows that it still needs. Maps that are needed again, those of the neck, are the only ones that are stored.

#include "kernels/face_net/run_face_net.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>

#include <tbb/parallel_for.h>

#include "kernels/core/line_vector.hpp"
#include "kernels/face_net/net_rows.hpp"
#include "kernels/face_net/packed_face_net.hpp"

namespace fovea {
namespace {

constexpr std::uint8_t signed_zero = 128;  ///< of bytes that are 128 too large

/// Takes the rows of a map from top to bottom. Each is of net_row_bytes() and may be changed after the call.
class RowSink {
  public:
    RowSink() = default;
    RowSink(const RowSink&) = delete;
    RowSink& operator=(const RowSink&) = delete;
    virtual ~RowSink() = default;
    virtual void take(const std::uint8_t* row) = 0;
};

/// The rows of a pointwise layer that a depthwise layer needs at once, with the pixels beyond the border.
class PointwiseRows {
  public:
    PointwiseRows(const PackedPointwise& layer, int width) : layer_(layer), width_(width) {
        for (Row& row : rows_) row.assign(net_row_bytes(width + 2, layer.outputs), signed_zero);
        beyond_ = rows_[0];
    }

    void take(const std::uint8_t* row) {
        const auto channels = static_cast<std::size_t>(layer_.outputs);
        std::uint8_t* to = rows_[static_cast<std::size_t>(taken_ % 3)].data();
        pointwise_row(layer_, row, width_, to + channels);
        std::memset(to + (static_cast<std::size_t>(width_) + 1) * channels, signed_zero, channels);
        ++taken_;
    }
    int taken() const { return taken_; }
    /// Row y, of the last three that were taken, or what is beyond the border.
    const std::uint8_t* row(int y) const {
        return y < 0 || y >= taken_ ? beyond_.data() : rows_[static_cast<std::size_t>(y % 3)].data();
    }

  private:
    using Row = LineVector<std::uint8_t>;

    const PackedPointwise& layer_;
    int width_;
    int taken_ = 0;
    std::array<Row, 3> rows_;
    Row beyond_;
};

/// Calls use(y) for every row of a depthwise layer whose rows of the pointwise layer have been taken.
template <class Use>
void use_depthwise_rows(const PointwiseRows& rows, int height, const Use& use) {
    if (rows.taken() > 1) use(rows.taken() - 2);
    if (rows.taken() == height) use(height - 1);
}

class UnitRows : public RowSink {
  public:
    UnitRows(const PackedUnit& unit, Size size, RowSink& next)
        : unit_(unit),
          size_(size),
          next_(next),
          mixed_(unit.pointwise, size.width),
          result_(net_row_bytes(size.width, unit.depthwise.channels)) {}

    void take(const std::uint8_t* row) override {
        mixed_.take(row);
        use_depthwise_rows(mixed_, size_.height, [&](int y) {
            depthwise_row(unit_.depthwise, {mixed_.row(y - 1), mixed_.row(y), mixed_.row(y + 1)}, size_.width,
                          result_.data());
            next_.take(result_.data());
        });
    }

  private:
    const PackedUnit& unit_;
    Size size_;
    RowSink& next_;
    PointwiseRows mixed_;
    LineVector<std::uint8_t> result_;
};

class PoolRows : public RowSink {
  public:
    /// \param width of the result, pixels.
    PoolRows(int channels, int width, RowSink& next)
        : channels_(channels),
          width_(width),
          next_(next),
          top_(static_cast<std::size_t>(2 * width) * static_cast<std::size_t>(channels)),
          result_(net_row_bytes(width, channels)) {}

    void take(const std::uint8_t* row) override {
        is_second_ = !is_second_;
        if (is_second_) {
            std::memcpy(top_.data(), row, top_.size());
            return;
        }
        pool_row(top_.data(), row, channels_, width_, result_.data());
        next_.take(result_.data());
    }

  private:
    int channels_;
    int width_;
    RowSink& next_;
    bool is_second_ = false;
    LineVector<std::uint8_t> top_;
    LineVector<std::uint8_t> result_;
};

/// Keeps a whole map, and passes its rows on.
class StoredRows : public RowSink {
  public:
    StoredRows(int channels, Size size, RowSink* next = nullptr)
        : next_(next), row_bytes_(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(channels)) {
        const auto height = static_cast<std::size_t>(size.height);
        map_.resize(height * row_bytes_ + net_row_bytes(0, channels));
    }

    void take(const std::uint8_t* row) override {
        std::memcpy(map_.data() + taken_++ * row_bytes_, row, row_bytes_);
        if (next_ != nullptr) next_->take(row);
    }
    const std::uint8_t* row(int y) const { return map_.data() + static_cast<std::size_t>(y) * row_bytes_; }

  private:
    RowSink* next_;
    std::size_t row_bytes_;
    std::size_t taken_ = 0;
    LineVector<std::uint8_t> map_;
};

/// The second unit of a head: keeps the cells whose logit is high enough.
class CellRows : public RowSink {
  public:
    CellRows(const PackedHead& head, Size size, int level, float min_logit)
        : outputs_(head.outputs),
          channels_(head.last.outputs),
          size_(size),
          level_(level),
          min_logit_(min_logit),
          mixed_(head.last, size.width) {}

    void take(const std::uint8_t* row) override {
        mixed_.take(row);
        use_depthwise_rows(mixed_, size_.height, [&](int y) { add_cells(y); });
    }
    const std::vector<NetCell>& cells() const { return cells_; }

  private:
    void add_cells(int y) {
        const std::uint8_t* rows[3]{mixed_.row(y - 1), mixed_.row(y), mixed_.row(y + 1)};
        for (int x = 0; x < size_.width; ++x) {
            const float logit = output(rows, x, 0);
            if (!(logit >= min_logit_)) continue;
            cells_.push_back({level_, y, x, logit, output(rows, x, 1), output(rows, x, 2), output(rows, x, 3),
                              output(rows, x, 4)});
        }
    }
    float output(const std::uint8_t* const (&rows)[3], int x, int channel) const {
        const auto at = static_cast<std::size_t>(channel);
        const std::int8_t* weights = outputs_.weights.data() + 9 * at;
        std::int32_t sum = outputs_.bias[at];
        for (const std::uint8_t* row : rows) {
            const std::uint8_t* from = row + static_cast<std::ptrdiff_t>(x) * channels_ + channel;
            for (int dx = 0; dx < 3; ++dx) sum += *weights++ * (int{from[dx * channels_]} - signed_zero);
        }
        return static_cast<float>(sum) * outputs_.scale[at];
    }

    const FaceNetLayer& outputs_;
    int channels_;
    Size size_;
    int level_;
    float min_logit_;
    PointwiseRows mixed_;
    std::vector<NetCell> cells_;
};

/// A unit of the neck, its map, and the head on it.
class NeckLevel {
  public:
    NeckLevel(const PackedFaceNet& net, Size size, int level, float min_logit)
        : cells_(net.heads[static_cast<std::size_t>(level)], size, level, min_logit),
          head_(net.heads[static_cast<std::size_t>(level)].unit, size, cells_),
          map_(net.channels, size, &head_),
          unit_(net.neck[static_cast<std::size_t>(level)], size, map_) {}

    RowSink& unit() { return unit_; }
    const StoredRows& map() const { return map_; }
    const std::vector<NetCell>& cells() const { return cells_.cells(); }

  private:
    CellRows cells_;
    UnitRows head_;
    StoredRows map_;
    UnitRows unit_;
};

void run_stem(const PackedPointwise& stem, ImageView<const std::uint8_t> image, Size size, RowSink& next) {
    // One pixel before the first, and those that stem_row() reads beyond the last.
    const std::size_t bytes = static_cast<std::size_t>(2 * (size.width + net_row_more_pixels)) + 2;
    std::array<LineVector<std::uint8_t>, 3> rows;
    for (auto& row : rows) row.assign(bytes, face_net_grey);
    const auto row_of = [&](int y) -> std::uint8_t* {
        return rows[static_cast<std::size_t>((y + 3) % 3)].data();
    };
    const auto load = [&](int y) {
        if (y < image.height) {
            std::memcpy(row_of(y) + 1, image.row(y), static_cast<std::size_t>(image.width));
        } else {
            std::memset(row_of(y) + 1, face_net_grey, static_cast<std::size_t>(image.width));
        }
    };
    LineVector<std::uint8_t> result(net_row_bytes(size.width, stem.outputs));
    for (int y = 0; y < size.height; ++y) {
        load(2 * y);
        load(2 * y + 1);
        stem_row(stem, {row_of(2 * y - 1), row_of(2 * y), row_of(2 * y + 1)}, size.width, result.data());
        next.take(result.data());
    }
}

void run_neck_level(const FaceNetSum& rule, int channels, Size size, const StoredRows& fine,
                    const StoredRows& coarse, NeckLevel& level) {
    LineVector<std::uint8_t> row(net_row_bytes(size.width, channels));
    for (int y = 0; y < size.height; ++y) {
        sum_row(rule, fine.row(y), coarse.row(y / 2), channels, size.width, row.data());
        level.unit().take(row.data());
    }
}

}  // namespace

FaceNetRunner::FaceNetRunner(const FaceNet& net) {
    if (const auto fault = find_fault(net)) {
        throw std::invalid_argument("the face network cannot be run: " + fault->pointer + " " + fault->rule);
    }
    net_ = std::make_unique<const PackedFaceNet>(pack_face_net(net));
}
FaceNetRunner::~FaceNetRunner() = default;
FaceNetRunner::FaceNetRunner(FaceNetRunner&&) noexcept = default;
FaceNetRunner& FaceNetRunner::operator=(FaceNetRunner&&) noexcept = default;

std::vector<NetCell> FaceNetRunner::run(ImageView<const std::uint8_t> image, float min_logit) const {
    if (image.empty()) throw std::invalid_argument("a face network needs an image of at least one pixel");
    const PackedFaceNet& net = *net_;
    const int c = net.stem_channels, channels = net.channels;
    std::array<Size, face_net_levels> sizes;
    for (int level = 0; level < face_net_levels; ++level) {
        sizes[static_cast<std::size_t>(level)] = face_net_cells({image.width, image.height}, level);
    }
    const auto [eighth, sixteenth, last] = sizes;
    const Size quarter{2 * eighth.width, 2 * eighth.height}, half{4 * eighth.width, 4 * eighth.height};

    NeckLevel neck0(net, eighth, 0, min_logit), neck1(net, sixteenth, 1, min_logit),
        neck2(net, last, 2, min_logit);
    // From the last operation to the first.
    UnitRows unit8(net.backbone[8], last, neck2.unit());
    UnitRows unit7(net.backbone[7], last, unit8);
    PoolRows pool3(channels, last.width, unit7);
    StoredRows b(channels, sixteenth, &pool3);
    UnitRows unit6(net.backbone[6], sixteenth, b);
    UnitRows unit5(net.backbone[5], sixteenth, unit6);
    PoolRows pool2(channels, sixteenth.width, unit5);
    StoredRows a(channels, eighth, &pool2);
    UnitRows unit4(net.backbone[4], eighth, a);
    UnitRows unit3(net.backbone[3], eighth, unit4);
    PoolRows pool1(channels, eighth.width, unit3);
    UnitRows unit2(net.backbone[2], quarter, pool1);
    UnitRows unit1(net.backbone[1], quarter, unit2);
    PoolRows pool0(c, quarter.width, unit1);
    UnitRows unit0(net.backbone[0], half, pool0);
    run_stem(net.stem, image, half, unit0);
    run_neck_level(net.sums[1], channels, sixteenth, b, neck2.map(), neck1);
    run_neck_level(net.sums[0], channels, eighth, a, neck1.map(), neck0);

    std::vector<NetCell> cells = neck0.cells();
    cells.insert(cells.end(), neck1.cells().begin(), neck1.cells().end());
    cells.insert(cells.end(), neck2.cells().begin(), neck2.cells().end());
    return cells;
}

std::vector<std::vector<NetCell>> FaceNetRunner::run_all(
    std::span<const ImageView<const std::uint8_t>> images, float min_logit) const {
    std::vector<std::vector<NetCell>> cells(images.size());
    tbb::parallel_for(std::size_t{0}, images.size(),
                      [&](std::size_t i) { cells[i] = run(images[i], min_logit); });
    return cells;
}

std::vector<NetCell> run_face_net(const FaceNet& net, ImageView<const std::uint8_t> image, float min_logit) {
    return FaceNetRunner(net).run(image, min_logit);
}

}  // namespace fovea
