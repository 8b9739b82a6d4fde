#pragma once

#include <array>
#include <string_view>

namespace fovea {

/// A column of WIDER FACE's annotation: the words that 0, 1 and 2 stand for; empty if a number means nothing.
struct WiderAttribute {
    std::string_view name;
    std::array<std::string_view, 3> values;
};

/// The columns of WIDER FACE's annotation, in their order.
inline constexpr std::array wider_attributes{
    WiderAttribute{"blur", {"clear", "normal", "heavy"}},
    WiderAttribute{"expression", {"typical", "exaggerate", ""}},
    WiderAttribute{"illumination", {"normal", "extreme", ""}},
    WiderAttribute{"invalid", {"no", "yes", ""}},
    WiderAttribute{"occlusion", {"none", "partial", "heavy"}},
    WiderAttribute{"pose", {"typical", "atypical", ""}},
};

}  // namespace fovea
