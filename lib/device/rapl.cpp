#include "lib/device/rapl.hpp"

#include <algorithm>
#include <fstream>

namespace fovea {
namespace {

std::string first_line(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

std::optional<std::uint64_t> read_number(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::uint64_t number = 0;
    if (!(stream >> number)) return std::nullopt;
    return number;
}

// Sorted, so that messages name the same one every time.
std::vector<std::filesystem::path> domains_in(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> found;
    std::error_code ended;
    for (std::filesystem::directory_iterator entry(folder, ended), end; !ended && entry != end;
         entry.increment(ended)) {
        // intel-rapl-mmio counts the same packages once more.
        if (entry->path().filename().string().rfind("intel-rapl:", 0) == 0) found.push_back(entry->path());
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::string cannot_read(const std::filesystem::path& file) {
    return file.string() +
           " cannot be read: most systems let only root do so; 'chmod a+r' of it lets everybody";
}

}  // namespace

Rapl::Rapl(const std::filesystem::path& folder) {
    const std::vector<std::filesystem::path> found = domains_in(folder);
    for (const std::filesystem::path& domain : found) {
        const std::string name = first_line(domain / "name");
        // "package-0", or "package-0-die-1" where a package has several; "core" and "uncore" are parts of it,
        // and "psys" is the whole board.
        Domain* const to = name.rfind("package", 0) == 0 ? &packages_ : name == "dram" ? &dram_ : nullptr;
        if (to == nullptr) continue;
        to->counters.push_back(
            {domain / "energy_uj", read_number(domain / "max_energy_range_uj").value_or(0), {}, 0});
    }
    const std::string none = found.empty()
                                 ? folder.string() +
                                       " has no intel-rapl counters: virtual machines, containers and some "
                                       "processors show none"
                                 : std::string();
    if (packages_.counters.empty())
        packages_.why_none = none.empty() ? folder.string() + " has no counter of a CPU package" : none;
    if (dram_.counters.empty())
        dram_.why_none = none.empty() ? folder.string() + " has no counter of memory" : none;
}

void Rapl::update() {
    update(packages_);
    update(dram_);
}

void Rapl::update(Domain& domain) {
    for (Counter& counter : domain.counters) {
        const std::optional<std::uint64_t> now = read_number(counter.file);
        if (!now) {
            if (domain.why_none.empty()) domain.why_none = cannot_read(counter.file);
            continue;
        }
        if (counter.last_uj) {
            if (*now < *counter.last_uj && counter.range_uj < *counter.last_uj) {
                domain.why_none = counter.file.string() + " fell, and its range is not known";
            } else {
                counter.used_uj += *now < *counter.last_uj ? counter.range_uj - *counter.last_uj + *now
                                                           : *now - *counter.last_uj;
            }
        }
        counter.last_uj = now;
    }
}

std::optional<double> Rapl::sum(const Domain& domain) {
    if (!domain.why_none.empty()) return std::nullopt;
    std::uint64_t used_uj = 0;
    for (const Counter& counter : domain.counters) used_uj += counter.used_uj;
    return static_cast<double>(used_uj) / 1e6;
}

}  // namespace fovea
