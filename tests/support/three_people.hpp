#pragma once

#include "lib/evaluate/recognition/identification.hpp"

namespace fovea::test {

/// Three people in the gallery; a probe of two of them and of a stranger.
inline IdentificationSet three_people() {
    IdentificationSet set;
    set.gallery = {"a", "b", "c"};
    set.probes = {"pa", "pb", "pd"};
    set.gallery_subjects = {0, 1, 2};
    set.probe_subjects = {0, 1, 3};
    set.subjects = 4;
    set.same_image.resize(3);
    return set;
}

}  // namespace fovea::test
