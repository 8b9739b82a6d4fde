#include "lib/train/samples/sample_split.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/train/counter_random.hpp"

namespace fovea {

std::uint64_t hash_of_name(std::string_view name) {
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const char c : name) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001B3u;
    }
    return hash;
}

std::vector<char> held_out_sources(std::span<const std::string> sources, double share, std::uint64_t seed) {
    if (!(share >= 0 && share <= 1)) {
        throw UsageError("The share of sources that are held out is " + shortest_number(share) +
                         "; it must be from 0 to 1.");
    }
    // The order is that of random numbers; equal ones are ordered by name.
    std::map<std::pair<std::uint64_t, std::string_view>, bool> is_held_out;
    const auto key_of = [seed](std::string_view name) {
        return std::pair(CounterRandom(seed, 's', hash_of_name(name)).next(), name);
    };
    for (const std::string& name : sources) is_held_out.emplace(key_of(name), false);
    auto wanted = static_cast<std::size_t>(std::floor(share * static_cast<double>(is_held_out.size()) + 0.5));
    for (auto source = is_held_out.begin(); source != is_held_out.end() && wanted > 0; ++source, --wanted) {
        source->second = true;
    }
    std::vector<char> held_out;
    for (const std::string& name : sources) held_out.push_back(is_held_out.at(key_of(name)) ? 1 : 0);
    return held_out;
}

SampleSplit split_by_source(const WindowSamples& samples, double share, std::uint64_t seed) {
    std::vector<char> has_samples(samples.sources.size(), 0);
    for (const std::uint32_t of : samples.source) has_samples[of] = 1;
    std::vector<std::string> names;
    std::vector<std::size_t> place(samples.sources.size());
    for (std::size_t i = 0; i < samples.sources.size(); ++i) {
        place[i] = names.size();
        if (has_samples[i] != 0) names.push_back(samples.sources[i]);
    }
    const std::vector<char> held_out = held_out_sources(names, share, seed);
    SampleSplit split{{samples.window, {}, {}, {}}, {samples.window, {}, {}, {}}};
    SourceNumbers of_training(split.training), of_held_out(split.held_out);
    for (std::size_t i = 0; i < samples.count(); ++i) {
        const std::string& name = samples.sources[samples.source[i]];
        if (held_out[place[samples.source[i]]] != 0) {
            split.held_out.add(samples.pixels_of_sample(i), of_held_out.number_of(name));
        } else {
            split.training.add(samples.pixels_of_sample(i), of_training.number_of(name));
        }
    }
    return split;
}

}  // namespace fovea
