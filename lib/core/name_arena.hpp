#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace fovea {

/// Millions of names with little more memory than their bytes. Views stay valid while the arena lives, also
/// when it is moved.
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
    // Blocks of one size, so that nothing is copied as names are added; only the bytes written to take
    // memory.
    static constexpr std::size_t block_bytes = std::size_t{16} << 20;
    std::vector<std::unique_ptr<char[]>> blocks_;
    std::size_t used_ = block_bytes;  // of the last block
};

/// Finds equal names among many: a hash table of their numbers.
class NameTable {
  public:
    /// \param names of numbers; must outlive the table.
    NameTable(const NameArena& arena, const std::vector<NameArena::Span>& names)
        : arena_(arena), names_(names) {}

    /// Adds a number whose name is there. \return the number already there with the same name, else `number`.
    std::size_t add(std::size_t number);
    /// Puts `number` in the place of one with the same name.
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
