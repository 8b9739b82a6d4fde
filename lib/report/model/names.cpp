#include "lib/report/model/names.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <spdlog/fmt/fmt.h>

#include "lib/core/text.hpp"

namespace fovea::report {
namespace {

// "mit-cmu:/data/mit-cmu/" -> "mit-cmu": a dataset's specification as a title names it.
std::string short_dataset_name(std::string specification) {
    while (!specification.empty() && specification.back() == '/') specification.pop_back();
    const std::size_t last = specification.find_last_of("/:");
    if (last != std::string::npos && last + 1 < specification.size()) specification.erase(0, last + 1);
    return specification;
}

}  // namespace

std::string shortened(std::string_view text, std::size_t length) {
    const std::string valid = valid_utf8(text);
    std::vector<std::size_t> starts;
    for (std::size_t i = 0; i < valid.size(); ++i) {
        if ((static_cast<unsigned char>(valid[i]) & 0xC0) != 0x80) starts.push_back(i);
    }
    if (starts.size() <= length || length == 0) return valid;
    const std::size_t head = length / 2;
    const std::size_t tail = length - head - 1;
    const std::size_t tail_start = tail == 0 ? valid.size() : starts[starts.size() - tail];
    return valid.substr(0, starts[head]) + "…" + valid.substr(tail_start);
}

std::string default_title(const std::string& what, const std::string& dataset) {
    const std::string name = short_dataset_name(dataset);
    return name.empty() ? what : what + " on " + name;
}

std::vector<std::string> unique_names(const std::vector<std::string>& given, const std::string& noun) {
    std::vector<std::string> names;
    std::set<std::string> used;
    for (std::size_t i = 0; i < given.size(); ++i) {
        const std::string wanted =
            given[i].empty() ? fmt::format("{} {}", noun, i + 1) : valid_utf8(given[i]);
        std::string name = wanted;
        for (int n = 2; !used.insert(name).second; ++n) name = fmt::format("{} ({})", wanted, n);
        names.push_back(name);
    }
    return names;
}

}  // namespace fovea::report
