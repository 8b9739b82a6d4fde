// The network row by row: an operation takes a row of its input as soon as it is made, and keeps only the
// rows that it still needs. Maps that are needed again, those of the neck, are the only ones that are stored.

#include "kernels/face_net/run_face_net.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>

#include "kernels/core/align.hpp"
#include "kernels/core/line_vector.hpp"
#include "kernels/face_net/net_rows.hpp"
#include "kernels/face_net/packed_face_net.hpp"

namespace fovea {
namespace {

constexpr std::uint8_t signed_zero = 128;  ///< of bytes that are 128 too large

/// Memory that one image after the other uses. It is not cleared between them.
class RowMemory {
  public:
    /// Takes back all that was handed out.
    void restart() {
        if (blocks_.size() > 1) {
            std::size_t bytes = 0;
            for (const auto& block : blocks_) bytes += block.size();
            blocks_.clear();
            blocks_.emplace_back(bytes);
        }
        used_ = 0;
    }
    /// Hands out memory that begins at a cache line.
    template <class T>
    T* take(std::size_t count) {
        constexpr std::size_t line = 64, least_block = std::size_t{1} << 20;
        const std::size_t bytes = align_up(count * sizeof(T), line);
        if (blocks_.empty() || used_ + bytes > blocks_.back().size()) {
            blocks_.emplace_back(std::max(bytes, least_block));
            used_ = 0;
        }
        used_ += bytes;
        return reinterpret_cast<T*>(blocks_.back().data() + used_ - bytes);
    }
    std::uint8_t* take_row(int width, int channels) {
        return take<std::uint8_t>(net_row_bytes(width, channels));
    }

  private:
    std::vector<LineVector<std::uint8_t>> blocks_;
    std::size_t used_ = 0;  ///< of the last
};

/// Takes the rows of a map from top to bottom. Each is of net_row_bytes(). The rows 2y and 2y + 1 stay as
/// they are until both are taken.
class RowSink {
  public:
    RowSink() = default;
    RowSink(const RowSink&) = delete;
    RowSink& operator=(const RowSink&) = delete;
    virtual ~RowSink() = default;
    virtual void take(const std::uint8_t* row) = 0;
};

/// A whole map.
class StoredMap {
  public:
    StoredMap(RowMemory& memory, int channels, Size size)
        : row_bytes_(net_row_bytes(size.width, channels)),
          // Rows are made in twos.
          map_(memory.take<std::uint8_t>(static_cast<std::size_t>(size.height + 1) * row_bytes_)) {}

    std::uint8_t* row(int y) const { return map_ + static_cast<std::size_t>(y) * row_bytes_; }

  private:
    std::size_t row_bytes_;
    std::uint8_t* map_;
};

using FourRows = const std::uint8_t* const[4];

/// The rows of a pointwise layer from which two rows of a depthwise layer are made at once.
class PointwiseRows {
  public:
    PointwiseRows(RowMemory& memory, const PackedPointwise& layer, Size size) : layer_(layer), size_(size) {
        const std::size_t bytes = mixed_row_bytes(size.width, layer.outputs);
        for (auto& row : rows_) row = memory.take<std::uint8_t>(bytes);
        beyond_ = memory.take<std::uint8_t>(bytes);
        std::memset(beyond_, signed_zero, bytes);
    }

    /// Takes a row of the layer's input, and calls use(y, rows) for each two rows y and y + 1 of the
    /// depthwise layer whose rows have then been taken; `rows` as depthwise_rows() has them. If the height is
    /// odd, the last row comes with one beyond the map.
    template <class Use>
    void take(const std::uint8_t* row, const Use& use) {
        pointwise_row(layer_, row, size_.width, rows_[static_cast<std::size_t>(taken_ % 4)]);
        ++taken_;
        if (taken_ > 2 && taken_ % 2 == 1) use_rows(taken_ - 3, use);
        if (taken_ == size_.height) use_rows((size_.height - 1) / 2 * 2, use);
    }

  private:
    template <class Use>
    void use_rows(int y, const Use& use) const {
        const FourRows rows{row(y - 1), row(y), row(y + 1), row(y + 2)};
        use(y, rows);
    }
    const std::uint8_t* row(int y) const {
        return y < 0 || y >= taken_ ? beyond_ : rows_[static_cast<std::size_t>(y % 4)];
    }

    const PackedPointwise& layer_;
    Size size_;
    int taken_ = 0;
    std::array<std::uint8_t*, 4> rows_{};
    std::uint8_t* beyond_;
};

class UnitRows : public RowSink {
  public:
    /// \param map gets the results, if given.
    UnitRows(RowMemory& memory, const PackedUnit& unit, Size size, RowSink& next,
             const StoredMap* map = nullptr)
        : unit_(unit), size_(size), next_(next), map_(map), mixed_(memory, unit.pointwise, size) {
        if (map != nullptr) return;
        for (auto& result : results_) result = memory.take_row(size.width, unit.depthwise.channels);
    }

    void take(const std::uint8_t* row) override {
        mixed_.take(row, [&](int y, const FourRows& rows) {
            std::uint8_t* const results[2]{result(y), result(y + 1)};
            depthwise_rows(unit_.depthwise, rows, size_.width, results);
            next_.take(results[0]);
            if (y + 1 < size_.height) next_.take(results[1]);
        });
    }

  private:
    std::uint8_t* result(int y) {
        return map_ != nullptr ? map_->row(y) : results_[static_cast<std::size_t>(y % 2)];
    }

    const PackedUnit& unit_;
    Size size_;
    RowSink& next_;
    const StoredMap* map_;
    PointwiseRows mixed_;
    std::array<std::uint8_t*, 2> results_{};
};

/// A unit whose results are reduced to the largest of 2×2.
class PooledUnitRows : public RowSink {
  public:
    /// \param size before that.
    PooledUnitRows(RowMemory& memory, const PackedUnit& unit, Size size, RowSink& next)
        : unit_(unit),
          size_(size),
          next_(next),
          mixed_(memory, unit.pointwise, size),
          result_(memory.take_row(size.width / 2, unit.depthwise.channels)) {}

    void take(const std::uint8_t* row) override {
        mixed_.take(row, [&](int /*y*/, const FourRows& rows) {
            pooled_depthwise_rows(unit_.depthwise, rows, size_.width, result_);
            next_.take(result_);
        });
    }

  private:
    const PackedUnit& unit_;
    Size size_;
    RowSink& next_;
    PointwiseRows mixed_;
    std::uint8_t* result_;
};

class PoolRows : public RowSink {
  public:
    /// \param width of the result, pixels.
    PoolRows(RowMemory& memory, int channels, int width, RowSink& next)
        : channels_(channels), width_(width), next_(next), result_(memory.take_row(width, channels)) {}

    void take(const std::uint8_t* row) override {
        if (top_ == nullptr) {
            top_ = row;
            return;
        }
        pool_row(top_, row, channels_, width_, result_);
        top_ = nullptr;
        next_.take(result_);
    }

  private:
    int channels_;
    int width_;
    RowSink& next_;
    const std::uint8_t* top_ = nullptr;  ///< of the two rows that make the next result
    std::uint8_t* result_;
};

/// The second unit of a head: keeps the cells whose logit is high enough.
class CellRows : public RowSink {
  public:
    CellRows(RowMemory& memory, const PackedHead& head, Size size, int level, float min_logit)
        : head_(head),
          size_(size),
          level_(level),
          order_(mixed_order(size.width, head.last.pointwise.outputs)),
          min_logit_(min_logit),
          mixed_(memory, head.last.pointwise, size) {
        const auto count = static_cast<std::size_t>(order_.columns * order_.strips * 4);
        for (auto& sums : sums_) sums = memory.take<std::int32_t>(count);
    }

    void take(const std::uint8_t* row) override {
        mixed_.take(row, [&](int y, const FourRows& rows) {
            cell_sum_rows(head_.last.depthwise, rows, size_.width, sums_);
            for (int i = 0; i < 2 && y + i < size_.height; ++i) {
                add_cells(y + i, sums_[i], rows + i);
            }
        });
    }
    const std::vector<NetCell>& cells() const { return cells_; }

  private:
    void add_cells(int y, const std::int32_t* sums, const std::uint8_t* const* rows) {
        const float* scale = head_.outputs.scale.data();
        int x = 0;
        for (int strip = 0; strip < order_.strips; ++strip) {
            for (int column = 0; column < order_.columns && x < size_.width; ++column, ++x) {
                const int place = column * order_.strips + strip;
                const std::int32_t* four = sums + std::ptrdiff_t{4} * place;
                const auto output = [&](int i) { return static_cast<float>(four[i]) * scale[i]; };
                if (!(output(0) >= min_logit_)) continue;
                const float last = static_cast<float>(last_sum(rows, place)) * scale[4];
                cells_.push_back({level_, y, x, output(0), output(1), output(2), output(3), last});
            }
        }
    }
    std::int32_t last_sum(const std::uint8_t* const* rows, std::ptrdiff_t place) const {
        constexpr std::size_t last = face_net_outputs - 1;
        const int channels = head_.last.pointwise.outputs;
        const std::int8_t* weights = head_.outputs.weights.data() + 9 * last;
        std::int32_t sum = head_.outputs.bias[last];
        for (int dy = 0; dy < 3; ++dy) {
            const std::uint8_t* from = rows[dy] + place * channels + last;
            for (int dx = 0; dx < 3; ++dx)
                sum += *weights++ * (int{from[dx * order_.strips * channels]} - signed_zero);
        }
        return sum;
    }

    const PackedHead& head_;
    Size size_;
    int level_;
    MixedOrder order_;
    float min_logit_;
    PointwiseRows mixed_;
    std::int32_t* sums_[2]{};
    std::vector<NetCell> cells_;
};

/// A unit of the neck, its map, and the head on it.
class NeckLevel {
  public:
    NeckLevel(RowMemory& memory, const PackedFaceNet& net, Size image, int level, float min_logit)
        : size_(face_net_cells(image, level)),
          cells_(memory, net.heads[static_cast<std::size_t>(level)], size_, level, min_logit),
          head_(memory, net.heads[static_cast<std::size_t>(level)].unit, size_, cells_),
          // No level needs the map of the finest one.
          map_(memory, net.channels, level > 0 ? size_ : Size{}),
          unit_(memory, net.neck[static_cast<std::size_t>(level)], size_, head_, level > 0 ? &map_ : nullptr),
          sum_(memory.take_row(size_.width, net.channels)) {}

    RowSink& unit() { return unit_; }
    const std::vector<NetCell>& cells() const { return cells_.cells(); }

    /// Runs on the sum of a map of the same level and the next coarser level's.
    void run_sum(const FaceNetSum& rule, int channels, const StoredMap& fine, const NeckLevel& coarse) {
        for (int y = 0; y < size_.height; ++y) {
            sum_row(rule, fine.row(y), coarse.map_.row(y / 2), channels, size_.width, sum_);
            unit_.take(sum_);
        }
    }

  private:
    Size size_;
    CellRows cells_;
    UnitRows head_;
    StoredMap map_;
    UnitRows unit_;
    std::uint8_t* sum_;
};

/// The stem on the rows of an image.
class StemRows {
  public:
    /// \param size of the result.
    StemRows(RowMemory& memory, const PackedPointwise& stem, Size size, RowSink& next)
        : stem_(stem), size_(size), next_(next), result_(memory.take_row(size.width, stem.outputs)) {
        // One pixel before the first, and those that stem_row() reads beyond the last.
        const std::size_t bytes = static_cast<std::size_t>(2 * (size.width + net_row_more_pixels)) + 2;
        for (auto& row : rows_) {
            row = memory.take<std::uint8_t>(bytes);
            std::memset(row, face_net_grey, bytes);
        }
    }

    void run(ImageView<const std::uint8_t> image) {
        load(image, -1);
        for (int y = 0; y < size_.height; ++y) {
            load(image, 2 * y);
            load(image, 2 * y + 1);
            stem_row(stem_, {row(2 * y - 1), row(2 * y), row(2 * y + 1)}, size_.width, result_);
            next_.take(result_);
        }
    }

  private:
    std::uint8_t* row(int y) { return rows_[static_cast<std::size_t>((y + 3) % 3)]; }
    void load(ImageView<const std::uint8_t> image, int y) {
        const auto width = static_cast<std::size_t>(image.width);
        if (y >= 0 && y < image.height) {
            std::memcpy(row(y) + 1, image.row(y), width);
        } else {
            std::memset(row(y) + 1, face_net_grey, width);
        }
    }

    const PackedPointwise& stem_;
    Size size_;
    RowSink& next_;
    std::array<std::uint8_t*, 3> rows_{};
    std::uint8_t* result_;
};

Size half_of(Size image) {
    const Size eighth = face_net_cells(image, 0);
    return {4 * eighth.width, 4 * eighth.height};
}

Size quarter_of(Size image) {
    const Size eighth = face_net_cells(image, 0);
    return {2 * eighth.width, 2 * eighth.height};
}

/// The network on one image. Operations stand from the last to the first.
class FaceNetPass {
  public:
    FaceNetPass(RowMemory& memory, const PackedFaceNet& net, Size image, float min_logit)
        : net_(net),
          necks_{{{memory, net, image, 0, min_logit},
                  {memory, net, image, 1, min_logit},
                  {memory, net, image, 2, min_logit}}},
          unit8_(memory, net.backbone[8], face_net_cells(image, 2), necks_[2].unit()),
          unit7_(memory, net.backbone[7], face_net_cells(image, 2), unit8_),
          pool3_(memory, net.channels, face_net_cells(image, 2).width, unit7_),
          b_(memory, net.channels, face_net_cells(image, 1)),
          unit6_(memory, net.backbone[6], face_net_cells(image, 1), pool3_, &b_),
          unit5_(memory, net.backbone[5], face_net_cells(image, 1), unit6_),
          pool2_(memory, net.channels, face_net_cells(image, 1).width, unit5_),
          a_(memory, net.channels, face_net_cells(image, 0)),
          unit4_(memory, net.backbone[4], face_net_cells(image, 0), pool2_, &a_),
          unit3_(memory, net.backbone[3], face_net_cells(image, 0), unit4_),
          unit2_(memory, net.backbone[2], quarter_of(image), unit3_),
          unit1_(memory, net.backbone[1], quarter_of(image), unit2_),
          unit0_(memory, net.backbone[0], half_of(image), unit1_),
          stem_(memory, net.stem, half_of(image), unit0_) {}

    std::vector<NetCell> run(ImageView<const std::uint8_t> image) {
        stem_.run(image);
        necks_[1].run_sum(net_.sums[1], net_.channels, b_, necks_[2]);
        necks_[0].run_sum(net_.sums[0], net_.channels, a_, necks_[1]);
        std::vector<NetCell> cells;
        for (const NeckLevel& level : necks_) {
            cells.insert(cells.end(), level.cells().begin(), level.cells().end());
        }
        return cells;
    }

  private:
    const PackedFaceNet& net_;
    std::array<NeckLevel, face_net_levels> necks_;
    UnitRows unit8_, unit7_;
    PoolRows pool3_;
    StoredMap b_;
    UnitRows unit6_, unit5_;
    PoolRows pool2_;
    StoredMap a_;
    UnitRows unit4_, unit3_;
    PooledUnitRows unit2_;
    UnitRows unit1_;
    PooledUnitRows unit0_;
    StemRows stem_;
};

}  // namespace

/// The packed network, and memory that no thread uses.
struct FaceNetRunner::State {
    PackedFaceNet net;
    std::mutex mutex;
    std::vector<std::unique_ptr<RowMemory>> idle;

    std::unique_ptr<RowMemory> borrow() {
        const std::lock_guard lock(mutex);
        if (idle.empty()) return std::make_unique<RowMemory>();
        auto memory = std::move(idle.back());
        idle.pop_back();
        return memory;
    }
    void give_back(std::unique_ptr<RowMemory> memory) {
        const std::lock_guard lock(mutex);
        idle.push_back(std::move(memory));
    }
};

FaceNetRunner::FaceNetRunner(const FaceNet& net) : state_(std::make_unique<State>()) {
    if (const auto fault = find_fault(net)) {
        throw std::invalid_argument("the face network cannot be run: " + fault->pointer + " " + fault->rule);
    }
    state_->net = pack_face_net(net);
}
FaceNetRunner::~FaceNetRunner() = default;
FaceNetRunner::FaceNetRunner(FaceNetRunner&&) noexcept = default;
FaceNetRunner& FaceNetRunner::operator=(FaceNetRunner&&) noexcept = default;

std::vector<NetCell> FaceNetRunner::run(ImageView<const std::uint8_t> image, float min_logit) const {
    if (image.empty()) throw std::invalid_argument("a face network needs an image of at least one pixel");
    auto memory = state_->borrow();
    memory->restart();
    FaceNetPass pass(*memory, state_->net, {image.width, image.height}, min_logit);
    std::vector<NetCell> cells = pass.run(image);
    state_->give_back(std::move(memory));
    return cells;
}

std::vector<NetCell> run_face_net(const FaceNet& net, ImageView<const std::uint8_t> image, float min_logit) {
    return FaceNetRunner(net).run(image, min_logit);
}

}  // namespace fovea
