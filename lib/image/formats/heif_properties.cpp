#include "lib/image/formats/heif_properties.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace fovea::codec {
namespace {

// The contents of a box of ISO/IEC 14496-12.
struct HeifBox {
    std::string_view type;
    std::size_t begin = 0, end = 0;
};

class HeifBoxes {
  public:
    explicit HeifBoxes(Bytes file) : file_(file), reader_(file, ByteOrder::big, "HEIF") {}

    bool has_size_of_before_its_turn() const {
        const std::optional<HeifBox> meta = find({"", 0, file_.size()}, 0, "meta");
        if (!meta) return false;
        const std::optional<HeifBox> primary = find(*meta, version_bytes, "pitm");
        const std::optional<HeifBox> properties = find(*meta, version_bytes, "iprp");
        if (!primary || !properties) return false;
        const std::optional<HeifBox> container = find(*properties, 0, "ipco");
        if (!container) return false;
        const std::vector<HeifBox> all = boxes_in(*container, 0);
        const std::uint32_t item = number(primary->begin + version_bytes, is_version_0(*primary) ? 2 : 4);
        bool is_turned = false;
        for (const std::size_t place : properties_of(item, *properties)) {
            if (place == 0 || place > all.size()) continue;
            const HeifBox& property = all[place - 1];
            if (property.type == "ispe") return is_turned && is_size_of_grid(property, *meta);
            // The angle in quarters.
            if (property.type == "irot" && (reader_.u8(property.begin) & 1) != 0) is_turned = !is_turned;
        }
        return false;
    }

  private:
    static constexpr std::size_t version_bytes = 4;  // of a "full box": version and flags

    // Grids stand in the box "idat".
    bool is_size_of_grid(const HeifBox& size, const HeifBox& meta) const {
        const std::optional<HeifBox> grid = find(meta, version_bytes, "idat");
        if (!grid) return false;
        // Version, flags, rows and columns.
        constexpr std::size_t head = 4;
        const int bytes = (reader_.u8(grid->begin + 1) & 1) != 0 ? 4 : 2;
        const std::size_t sides = grid->begin + head;
        return reader_.u32(size.begin + version_bytes) == number(sides, bytes) &&
               reader_.u32(size.begin + version_bytes + 4) ==
                   number(sides + static_cast<std::size_t>(bytes), bytes);
    }

    bool is_version_0(const HeifBox& box) const { return reader_.u8(box.begin) == 0; }

    std::uint32_t number(std::size_t at, int bytes) const {
        return bytes == 1 ? reader_.u8(at) : bytes == 2 ? reader_.u16(at) : reader_.u32(at);
    }

    std::vector<HeifBox> boxes_in(const HeifBox& outer, std::size_t skipped) const {
        std::vector<HeifBox> boxes;
        for (std::size_t at = outer.begin + skipped; at + 8 <= outer.end;) {
            std::uint64_t size = reader_.u32(at);
            std::size_t head = 8;
            if (size == 1) {
                size = std::uint64_t{reader_.u32(at + 8)} << 32 | reader_.u32(at + 12);
                head = 16;
            }
            if (size == 0) size = outer.end - at;
            if (size < head || size > outer.end - at) break;
            const auto* const type = reinterpret_cast<const char*>(file_.data() + at + 4);
            boxes.push_back({{type, 4}, at + head, at + static_cast<std::size_t>(size)});
            at += static_cast<std::size_t>(size);
        }
        return boxes;
    }

    std::optional<HeifBox> find(const HeifBox& outer, std::size_t skipped, std::string_view type) const {
        for (const HeifBox& box : boxes_in(outer, skipped)) {
            if (box.type == type) return box;
        }
        return std::nullopt;
    }

    // Places in "ipco", from 1, in the order in which they are applied.
    std::vector<std::size_t> properties_of(std::uint32_t wanted, const HeifBox& properties) const {
        std::vector<std::size_t> places;
        const std::optional<HeifBox> list = find(properties, 0, "ipma");
        if (!list) return places;
        const int item_bytes = is_version_0(*list) ? 2 : 4;
        const bool has_wide_places = (reader_.u8(list->begin + 3) & 1) != 0;
        const std::uint32_t items = reader_.u32(list->begin + version_bytes);
        std::size_t at = list->begin + version_bytes + 4;
        for (std::uint32_t i = 0; i < items && at < list->end; ++i) {
            const std::uint32_t item = number(at, item_bytes);
            at += static_cast<std::size_t>(item_bytes);
            const std::uint32_t count = reader_.u8(at++);
            for (std::uint32_t p = 0; p < count; ++p) {
                // The highest bit says whether the property is essential.
                const std::uint32_t place =
                    has_wide_places ? reader_.u16(at) & 0x7fff : reader_.u8(at) & 0x7f;
                at += has_wide_places ? 2 : 1;
                if (item == wanted) places.push_back(place);
            }
        }
        return places;
    }

    Bytes file_;
    HeaderReader reader_;
};

}  // namespace

bool has_size_of_before_its_turn(Bytes file) {
    return HeifBoxes(file).has_size_of_before_its_turn();
}

}  // namespace fovea::codec
