#pragma once

#include <array>
#include <string_view>

namespace fovea {

/// A column of WIDER FACE's annotation: the words that 0, 1 and 2 stand for; empty where there is none.
struct WiderAttribute {
    std::string_view name;
    std::array<std::string_view, 3> values;
};

/// In the order of the columns.
inline constexpr std::array wider_attributes{
    WiderAttribute{"blur", {"clear", "normal", "heavy"}},
    WiderAttribute{"expression", {"typical", "exaggerate", ""}},
    WiderAttribute{"illumination", {"normal", "extreme", ""}},
    WiderAttribute{"invalid", {"no", "yes", ""}},
    WiderAttribute{"occlusion", {"none", "partial", "heavy"}},
    WiderAttribute{"pose", {"typical", "atypical", ""}},
};

}  // namespace fovea
