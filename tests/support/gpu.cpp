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

}  // namespace fovea::test
