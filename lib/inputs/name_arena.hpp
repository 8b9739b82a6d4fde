#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace fovea {

/// Holds millions of names in little more memory than their bytes. Views of names stay valid while the arena
/// lives, even if it is moved.
class NameArena {
  public:
    /// A name's place in 40 bits, its length in 22. The two bits above them are 0 and free for the caller.
    using Span = std::uint64_t;
    static constexpr std::size_t longest = (std::size_t{1} << 22) - 1;
    static constexpr int span_bits = 62;

    /// \throws Error if the name is longer than `longest`.
    Span add(std::string_view name);
    std::string_view get(Span span) const;

  private:
    // Blocks of one size: adding a name copies no other, and only bytes that are written take memory.
    static constexpr std::size_t block_bytes = std::size_t{16} << 20;
    std::vector<std::unique_ptr<char[]>> blocks_;
    std::size_t used_ = block_bytes;  // of the last block
};

/// Finds equal names among many: a hash table of the names' numbers.
class NameIndex {
  public:
    /// \param names the name of each number; arena and names must outlive the table.
    NameIndex(const NameArena& arena, const std::vector<NameArena::Span>& names)
        : arena_(arena), names_(names) {}

    /// Adds a number; names[number] must be set. \return the table's number of the same name, else `number`.
    std::size_t add(std::size_t number);
    /// Replaces the table's number of the same name by `number`.
    void replace(std::size_t number);

  private:
    std::size_t slot_of(std::size_t number) const;
    void grow();

    const NameArena& arena_;
    const std::vector<NameArena::Span>& names_;
    std::vector<std::uint32_t> slots_;  // number + 1; 0: free
    std::size_t used_ = 0;
};

}  // namespace fovea
