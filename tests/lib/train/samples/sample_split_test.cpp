#include "lib/train/samples/sample_split.hpp"

#include <catch2/catch.hpp>

#include "tests/lib/train/samples/support.hpp"

using namespace fovea;
using namespace fovea::test;

namespace {

std::vector<std::string> names(std::size_t count) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < count; ++i) result.push_back("img/" + std::to_string(i) + ".png");
    return result;
}

std::size_t ones(const std::vector<char>& values) {
    return static_cast<std::size_t>(std::count(values.begin(), values.end(), 1));
}

}  // namespace

TEST_CASE("Names have the known hashes of FNV-1a", "[samples][split]") {
    CHECK(hash_of_name("") == 0xCBF29CE484222325u);
    CHECK(hash_of_name("a") == 0xAF63DC4C8601EC8Cu);
    CHECK(hash_of_name("foobar") == 0x85944171F73967E8u);
}

TEST_CASE("A share of the sources is held out, whatever their order", "[samples][split]") {
    const std::vector<std::string> sources = names(63);
    const std::vector<char> held_out = held_out_sources(sources, 11.0 / 63, 1);
    CHECK(ones(held_out) == 11);
    CHECK(held_out_sources(sources, 11.0 / 63, 1) == held_out);
    CHECK(held_out_sources(sources, 11.0 / 63, 2) != held_out);
    std::vector<std::string> reversed(sources.rbegin(), sources.rend());
    const std::vector<char> of_reversed = held_out_sources(reversed, 11.0 / 63, 1);
    CHECK(std::equal(held_out.begin(), held_out.end(), of_reversed.rbegin()));
    CHECK(ones(held_out_sources(sources, 0, 1)) == 0);
    CHECK(ones(held_out_sources(sources, 1, 1)) == 63);
    CHECK(held_out_sources({}, 0.5, 1).empty());
    // Equal names are one source.
    const std::vector<char> twice = held_out_sources(std::vector<std::string>{"a", "b", "a"}, 0.5, 3);
    CHECK(twice[0] == twice[2]);
    CHECK(twice[0] != twice[1]);
    CHECK_THROWS_AS(held_out_sources(sources, 1.1, 1), UsageError);
    CHECK_THROWS_AS(held_out_sources(sources, std::nan(""), 1), UsageError);
}

TEST_CASE("No source is in both parts of a split", "[samples][split]") {
    WindowSamples samples{{1, 1}, {}, {}, names(10)};
    samples.sources.push_back("without samples");
    for (std::uint32_t i = 0; i < 30; ++i) {
        samples.add(std::vector<std::uint8_t>{static_cast<std::uint8_t>(i)}, i * 7 % 10);
    }
    const SampleSplit split = split_by_source(samples, 0.3, 5);
    CHECK(split.training.count() == 21);
    CHECK(split.held_out.count() == 9);
    CHECK(split.training.sources.size() == 7);
    CHECK(split.held_out.sources.size() == 3);
    for (const std::string& name : split.held_out.sources) {
        CHECK(std::count(split.training.sources.begin(), split.training.sources.end(), name) == 0);
    }
    std::size_t found = 0;
    for (const WindowSamples* part : {&split.training, &split.held_out}) {
        CHECK(std::is_sorted(part->pixels.begin(), part->pixels.end()));
        for (std::size_t i = 0; i < part->count(); ++i) {
            const std::size_t before = part->pixels[i];
            CHECK(part->sources[part->source[i]] == samples.sources[samples.source[before]]);
            ++found;
        }
    }
    CHECK(found == 30);
}
