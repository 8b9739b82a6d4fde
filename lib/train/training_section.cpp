#include "lib/train/training_section.hpp"

#include "lib/report/page/report_part.hpp"

namespace fovea::report {

Section training_section(const Json& data, const Json& settings) {
    Section section{"origin", "Data and settings"};
    section.sections = {listing_section("data", "Data", data),
                        listing_section("settings", "Settings", settings)};
    return section;
}

}  // namespace fovea::report
