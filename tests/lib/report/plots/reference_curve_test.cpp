#include "lib/report/plots/reference_curve.hpp"

#include <catch2/catch.hpp>

#include "lib/core/error.hpp"
#include "tests/support/temp_dir.hpp"

using namespace fovea;
using namespace fovea::report;
using Catch::Matchers::Contains;

TEST_CASE("published curves are read", "[report]") {
    const test::TempDir folder;
    folder.write("Published.txt", "0.9 249 0.505806\n0.8 100 0.6\n0 0 1.79769e+308\n");
    const ReferenceCurve curve = read_reference_curve((folder.path() / "Published.txt").string(), false);
    CHECK(curve.name == "Published");
    CHECK(curve.rates == std::vector<double>{0.9, 0.8, 0});
    CHECK(curve.false_positives == std::vector<double>{249, 100, 0});
    folder.write("a.csv", "rate,false_positives\n# ours\n0.5,3\n");
    const ReferenceCurve named =
        read_reference_curve("Best paper=" + (folder.path() / "a.csv").string(), true);
    CHECK(named.name == "Best paper");
    CHECK(named.continuous);
    CHECK(named.rates.size() == 1);
}

TEST_CASE("broken published curves are refused with their line", "[report]") {
    const test::TempDir folder;
    const auto error_of = [&](const std::string& text) -> std::string {
        folder.write("c.txt", text);
        try {
            read_reference_curve((folder.path() / "c.txt").string(), false);
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    };
    CHECK_THAT(error_of("0.5 1\n1.5 2\n"), Contains("c.txt:2"));
    CHECK_THAT(error_of("0.5\n0.5\n"), Contains("c.txt:1"));
    CHECK_THAT(error_of("0.5 -1\n"), Contains("c.txt:1"));
    CHECK_THAT(error_of("rate fp\n"), Contains("there is none"));
    CHECK_THROWS_AS(read_reference_curve((folder.path() / "missing.txt").string(), false), UsageError);
}
