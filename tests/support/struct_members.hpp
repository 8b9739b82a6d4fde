#pragma once

#include <cstddef>

namespace fovea::test {

/// Stands for a member of any type where members are counted.
struct AnyMember {
    template <class T>
    operator T() const;
};

/// The members of a struct without constructors: as many values as it can be made from at most.
template <class Struct, class... Members>
constexpr std::size_t members_of() {
    if constexpr (requires { Struct{Members{}..., AnyMember{}}; }) {
        return members_of<Struct, Members..., AnyMember>();
    } else {
        return sizeof...(Members);
    }
}

}  // namespace fovea::test
