#include "lib/track/detector_rhythm.hpp"

namespace fovea::test {

TEST_CASE("a detector runs in every so-many-th frame and where frames change size", "[track]") {
    DetectorRhythm rhythm(3);
    const Size size{10, 8}, other{20, 8}, none{};
    std::string runs;
    for (const Size& next : {size, size, size, none, size, size, other, other, other, size})
        runs += rhythm.runs_in_next(next) ? '1' : '0';
    // The fourth cannot be read, and the fifth takes its turn; the seventh is due and has another size.
    CHECK(runs == "1000101001");
}

}  // namespace fovea::test
