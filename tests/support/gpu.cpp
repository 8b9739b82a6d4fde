#include "tests/support/gpu.hpp"

#include <cstdlib>

#include <catch2/catch.hpp>

namespace fovea::test {

std::optional<Device> gpu() {
    std::string why;
    if (!cuda_devices(&why).empty()) return Device::cuda(0);
    if (std::getenv("FOVEA_REQUIRE_GPU") != nullptr) FAIL("a GPU is required: " << why);
    WARN("not run: " << why);
    return std::nullopt;
}

std::vector<std::vector<int>> sharing_gpus() {
    std::vector<std::vector<int>> lists{{0, 0}, {0, 0, 0}};
    const std::size_t count = cuda_devices().size();
    if (count < 2) return lists;
    std::vector<int>& all = lists.emplace_back();
    for (std::size_t i = 0; i < count; ++i) all.push_back(static_cast<int>(i));
    lists.insert(lists.end(), {{1}, {1, 0}});
    return lists;
}

}  // namespace fovea::test
