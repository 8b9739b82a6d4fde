#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>

#include "lib/core/error.hpp"

namespace fovea::fuzz {

/// A check here that fails shows a defect.
inline void require(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
}

/// The result of `read`; nothing if it throws an Error.
template <class Read>
auto if_readable(const Read& read) -> std::optional<decltype(read())> {
    try {
        return read();
    } catch (const Error&) {
        return std::nullopt;
    }
}

/// Does what no bytes, however bad, may make fail: an Error is a defect, too.
template <class Act>
auto must(const Act& act) -> decltype(act()) {
    try {
        return act();
    } catch (const Error& error) {
        throw std::logic_error(error.what());
    }
}

inline std::span<const std::uint8_t> bytes_of(std::string_view input) {
    return {reinterpret_cast<const std::uint8_t*>(input.data()), input.size()};
}

}  // namespace fovea::fuzz
