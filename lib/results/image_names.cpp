#include "lib/results/image_names.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "lib/core/text.hpp"

namespace fovea {
namespace {

constexpr std::size_t none = no_image;
constexpr std::size_t ambiguous = static_cast<std::size_t>(-2);

using IndexOfName = std::unordered_map<std::string, std::size_t>;

std::string without_extension(std::string name) {
    for (const std::string_view packed : {".gz", ".bz2"}) {
        if (name.size() > packed.size() &&
            name.compare(name.size() - packed.size(), packed.size(), packed) == 0) {
            name.resize(name.size() - packed.size());
        }
    }
    const std::size_t dot = name.rfind('.');
    const std::size_t slash = name.rfind('/');
    const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
    if (dot != std::string::npos && dot > start) name.resize(dot);
    return name;
}

std::string file_stem(const std::string& name) {
    const std::size_t slash = name.rfind('/');
    return without_extension(slash == std::string::npos ? name : name.substr(slash + 1));
}

void add(IndexOfName& names, const std::string& name, std::size_t index) {
    const auto [found, is_new] = names.emplace(name, index);
    if (!is_new && found->second != index) found->second = ambiguous;
}

std::size_t find(const IndexOfName& names, const std::string& name) {
    const auto found = names.find(name);
    return found == names.end() ? none : found->second;
}

// Calls handle("a/b/c"), handle("b/c"), handle("c") until it returns true.
template <class Handle>
void for_each_tail(std::string_view name, Handle&& handle) {
    while (!handle(std::string(name))) {
        const std::size_t slash = name.find('/');
        if (slash == std::string_view::npos) return;
        name.remove_prefix(slash + 1);
    }
}

// For every result the index of its sample or none; nothing at all if one name fits several.
std::optional<std::vector<std::size_t>> unique_pairs(std::vector<std::size_t> sample_of,
                                                     std::size_t samples) {
    std::vector<char> is_taken(samples, 0);
    for (const std::size_t sample : sample_of) {
        if (sample == none) continue;
        if (sample == ambiguous || is_taken[sample] != 0) return std::nullopt;
        is_taken[sample] = 1;
    }
    if (std::count(is_taken.begin(), is_taken.end(), 1) == 0) return std::nullopt;
    return sample_of;
}

std::optional<std::vector<std::size_t>> pair_by_tail(const std::vector<std::string>& samples,
                                                     const std::vector<std::string>& results) {
    IndexOfName tails;  // every tail of every sample's name
    IndexOfName whole;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const std::string name = without_extension(samples[i]);
        add(whole, name, i);
        for_each_tail(name, [&](const std::string& tail) {
            add(tails, tail, i);
            return false;
        });
    }
    std::vector<std::size_t> sample_of;
    for (const std::string& result : results) {
        const std::string name = without_extension(result);
        std::size_t sample = find(tails, name);
        if (sample == none) {
            for_each_tail(name, [&](const std::string& tail) {
                sample = find(whole, tail);
                return sample != none;
            });
        }
        sample_of.push_back(sample);
    }
    return unique_pairs(std::move(sample_of), samples.size());
}

std::optional<std::vector<std::size_t>> pair_by_stem(const std::vector<std::string>& samples,
                                                     const std::vector<std::string>& results) {
    IndexOfName stems;
    for (std::size_t i = 0; i < samples.size(); ++i) add(stems, file_stem(samples[i]), i);
    std::vector<std::size_t> sample_of;
    for (const std::string& result : results) sample_of.push_back(find(stems, file_stem(result)));
    return unique_pairs(std::move(sample_of), samples.size());
}

}  // namespace

std::string normalised_image_name(const std::string& image) {
    std::string name;
    for (char character : valid_utf8(image)) {
        if (character == '\\') character = '/';
        if (character == '/' && !name.empty() && name.back() == '/') continue;
        name += character;
    }
    while (name.compare(0, 2, "./") == 0) name.erase(0, 2);
    return name;
}

std::optional<std::vector<std::size_t>> pair_names_loosely(const std::vector<std::string>& samples,
                                                           const std::vector<std::string>& results) {
    if (auto by_tail = pair_by_tail(samples, results)) return by_tail;
    return pair_by_stem(samples, results);
}

NamePairing pair_names(const std::vector<std::string>& samples, const std::vector<std::string>& results) {
    std::vector<std::string> sample_names;
    std::vector<std::string> result_names;
    IndexOfName by_name;
    for (const std::string& sample : samples) {
        sample_names.push_back(normalised_image_name(sample));
        by_name.emplace(sample_names.back(), sample_names.size() - 1);
    }
    NamePairing pairing;
    bool any_equal = false;
    for (const std::string& result : results) {
        result_names.push_back(normalised_image_name(result));
        pairing.sample_of.push_back(find(by_name, result_names.back()));
        any_equal = any_equal || pairing.sample_of.back() != none;
    }
    if (any_equal || results.empty()) return pairing;
    if (auto loose = pair_names_loosely(sample_names, result_names)) {
        pairing.sample_of = std::move(*loose);
        pairing.is_loose = true;
    }
    return pairing;
}

}  // namespace fovea
