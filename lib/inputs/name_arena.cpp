#include "lib/inputs/name_arena.hpp"

#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

constexpr int length_bits = 22;

}  // namespace

NameArena::Span NameArena::add(std::string_view name) {
    if (name.size() > longest) {
        throw Error("a name of " + std::to_string(name.size()) + " bytes is longer than any that is read (" +
                    std::to_string(longest) + " bytes)");
    }
    if (blocks_.empty() || block_bytes - used_ < name.size()) {
        blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_bytes));
        used_ = 0;
    }
    if (!name.empty()) std::memcpy(blocks_.back().get() + used_, name.data(), name.size());
    const std::uint64_t place = (blocks_.size() - 1) * block_bytes + used_;
    used_ += name.size();
    return place << length_bits | name.size();
}

std::string_view NameArena::get(Span span) const {
    const std::uint64_t place = span >> length_bits;
    return {blocks_[place / block_bytes].get() + place % block_bytes, span & longest};
}

std::size_t NameIndex::slot_of(std::size_t number) const {
    const std::string_view name = arena_.get(names_[number]);
    std::size_t slot = std::hash<std::string_view>{}(name) & (slots_.size() - 1);
    while (slots_[slot] != 0 && arena_.get(names_[slots_[slot] - 1]) != name) {
        slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
}

void NameIndex::grow() {
    const std::vector<std::uint32_t> before = std::exchange(slots_, {});
    slots_.resize(before.empty() ? 64 : 2 * before.size());
    for (const std::uint32_t held : before) {
        if (held != 0) slots_[slot_of(held - 1)] = held;
    }
}

std::size_t NameIndex::add(std::size_t number) {
    if (number >= std::numeric_limits<std::uint32_t>::max()) {
        throw Error(
            "more than four thousand million images are more than one list holds; give parts of them");
    }
    if (4 * (used_ + 1) > 3 * slots_.size()) grow();
    std::uint32_t& slot = slots_[slot_of(number)];
    if (slot != 0) return slot - 1;
    slot = static_cast<std::uint32_t>(number + 1);
    ++used_;
    return number;
}

void NameIndex::replace(std::size_t number) {
    slots_[slot_of(number)] = static_cast<std::uint32_t>(number + 1);
}

}  // namespace fovea
