#include "lib/report/model/report_origin.hpp"

#include <array>
#include <ctime>

#include "lib/process/command_line.hpp"

namespace fovea {

ReportOrigin report_origin_now() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    std::array<char, 64> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
    return {text.data(), host_name(), command_line()};
}

}  // namespace fovea
