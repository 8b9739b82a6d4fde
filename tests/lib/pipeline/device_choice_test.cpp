#include "lib/pipeline/device_choice.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"

using namespace fovea;

TEST_CASE("devices are parsed strictly", "[device]") {
    using Kind = DeviceChoice::Kind;
    CHECK(parse_device("auto") == DeviceChoice{Kind::automatic, {}});
    CHECK(parse_device("cpu") == DeviceChoice{Kind::cpu, {}});
    CHECK(parse_device("cuda") == DeviceChoice{Kind::cuda, {}});
    CHECK(parse_device("cuda:0") == DeviceChoice{Kind::cuda, {0}});
    CHECK(parse_device("cuda:3,0,12") == DeviceChoice{Kind::cuda, {3, 0, 12}});
    for (const char* wrong : {"", "CPU", "gpu", "cuda:", "cuda:-1", "cuda:1,", "cuda:,1", "cuda:1 ", "cuda:x",
                              "cuda:1x", "cuda:1,1", "cuda:99999999999", "cpu:0", "cuda0"}) {
        CAPTURE(wrong);
        CHECK_THROWS_AS(parse_device(wrong), UsageError);
    }
}

TEST_CASE("detection on CUDA is refused, never moved to the CPU", "[device]") {
    CHECK_FALSE(open_detection_device("auto").is_cuda());
    CHECK_FALSE(open_detection_device("cpu").is_cuda());
    CHECK_THROWS_AS(open_detection_device("cuda"), UsageError);
    CHECK_THROWS_AS(open_detection_device("cuda:0"), UsageError);
}
