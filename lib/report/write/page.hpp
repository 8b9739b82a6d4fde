#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/json/json_fwd.hpp"
#include "lib/report/model/report.hpp"

namespace fovea::report {

/// The report as one HTML file that refers to nothing outside: the viewer with the report's data.
std::string page_of(const Report& report);

/// A page of the viewer with its title (plain text), style, data and scripts put in.
std::string filled_page(std::string_view skeleton, const std::string& title, const std::string& style,
                        const Json& data, const std::vector<std::string_view>& scripts);

}  // namespace fovea::report
