// Measures group_faces(); it does not run by itself:
//   FOVEA_FACES=1000000 fovea_tests_models '[.bench]' -s

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include <catch2/catch.hpp>
#include <sys/resource.h>

#include "kernels/core/stopwatch.hpp"
#include "lib/recognise/groups/group_faces.hpp"

using namespace fovea;

TEST_CASE("group faces: time of an archive", "[.bench]") {
    const char* const wanted = std::getenv("FOVEA_FACES");
    const std::size_t faces = wanted == nullptr ? 20000 : std::stoul(wanted);
    constexpr std::size_t length = 128, faces_of_person = 20;
    std::mt19937 generator(1);
    std::normal_distribution<float> normal;
    std::vector<float> person(length);
    std::vector<std::int16_t> vectors;
    vectors.reserve(faces * length);
    const float unit = 32767 / std::sqrt(static_cast<float>(length));
    for (std::size_t face = 0; face < faces; ++face) {
        for (float& value : person) {
            if (face % faces_of_person == 0) value = normal(generator);
            // Faces of one person have a cosine of 0.8, strangers one of about 0.
            const float component = unit * (0.894F * value + 0.447F * normal(generator)) / 2;
            vectors.push_back(static_cast<std::int16_t>(std::clamp(component, -32767.0F, 32767.0F)));
        }
    }
    const Device device = cuda_devices().empty() ? Device::cpu() : Device::cuda(0);
    const Stopwatch watch;
    const auto groups = group_faces(device, vectors, length, VectorDistance::cosine, {0.25, 50});
    const double seconds = watch.seconds();
    const std::size_t found = 1 + std::size_t{*std::max_element(groups.begin(), groups.end())};
    rusage usage{};
    REQUIRE(getrusage(RUSAGE_SELF, &usage) == 0);
    WARN(device.name() << ": " << faces << " faces in " << found << " groups: " << seconds << " s, "
                       << usage.ru_maxrss / 1024 << " MiB at most");
    const std::size_t people = (faces + faces_of_person - 1) / faces_of_person;
    // Few faces are farther from their person than the distance.
    CHECK(found >= people);
    CHECK(found <= people + people / 100);
}
