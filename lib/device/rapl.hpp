#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace fovea {

/// The energy counters of CPU packages and of their memory (RAPL; Intel's, and AMD's since Zen: Linux shows
/// both as intel-rapl). It counts the whole machine: other programs are in them as well.
class Rapl {
  public:
    static constexpr const char* powercap = "/sys/class/powercap";

    /// \param folder  /sys/class/powercap or a folder like it:
    /// intel-rapl:N/{name,energy_uj,max_energy_range_uj} of package N, intel-rapl:N:M/ of its parts
    explicit Rapl(const std::filesystem::path& folder = powercap);

    /// Adds what was used since the last call, the first time nothing. The counters begin anew after
    /// max_energy_range_uj (a minute or more of a busy package): a turn is noticed if it is the only one
    /// between two calls.
    void update();

    /// Joules between the first and the last update(), of all packages together; absent with
    /// why_no_packages().
    std::optional<double> packages_j() const { return sum(packages_); }
    /// Likewise of all memory; many packages have no counter for it.
    std::optional<double> dram_j() const { return sum(dram_); }
    const std::string& why_no_packages() const { return packages_.why_none; }
    const std::string& why_no_dram() const { return dram_.why_none; }

  private:
    struct Counter {
        std::filesystem::path file;
        std::uint64_t range_uj = 0;
        std::optional<std::uint64_t> last_uj;
        std::uint64_t used_uj = 0;
    };
    struct Domain {
        std::vector<Counter> counters;
        std::string why_none;
    };
    static void update(Domain& domain);
    static std::optional<double> sum(const Domain& domain);

    Domain packages_, dram_;
};

}  // namespace fovea
