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
        if (name.size() > packed.size() && name.ends_with(packed)) name.resize(name.size() - packed.size());
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

bool has_backslash(std::string_view name) {
    return name.find('\\') != std::string_view::npos;
}

std::string turned_name(std::string name) {
    std::replace(name.begin(), name.end(), '\\', '/');
    return name;
}

// Valid UTF-8, no "./" at the beginning, no doubled '/'.
std::string plain_name(const std::string& image) {
    // Nearly all are so, and there may be many.
    if (is_utf8(image) && !image.starts_with("./") && image.find("//") == std::string::npos) return image;
    std::string name;
    for (const char character : valid_utf8(image)) {
        if (character == '/' && !name.empty() && name.back() == '/') continue;
        name += character;
    }
    while (name.compare(0, 2, "./") == 0) name.erase(0, 2);
    return name;
}

// "c" and "b/c" are tails of "a/b/c".
bool is_tail(std::string_view tail, std::string_view name) {
    return name.ends_with(tail) && (name.size() == tail.size() || name[name.size() - tail.size() - 1] == '/');
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
    return plain_name(turned_name(image));
}

bool ImageNameIndex::add(const std::string& image) {
    const std::size_t index = images_.size();
    images_.push_back(image);
    const bool is_new = as_they_stand_.emplace(plain_name(image), index).second;
    if (is_new && has_backslash(image)) ::fovea::add(turned_, normalised_image_name(image), index);
    return is_new;
}

std::size_t ImageNameIndex::find(const std::string& name) const {
    const std::size_t exact = ::fovea::find(as_they_stand_, plain_name(name));
    if (exact != none) return exact;
    const std::string turned = normalised_image_name(name);
    const std::size_t with_slashes = has_backslash(name) ? ::fovea::find(as_they_stand_, turned) : no_image;
    if (with_slashes != none) return with_slashes;
    const std::size_t with_backslashes = ::fovea::find(turned_, turned);
    return with_backslashes == ambiguous ? none : with_backslashes;
}

std::size_t ImageNameIndex::find_loosely(const std::string& name) const {
    if (const std::size_t found = find(name); found != none) return found;
    if (of_stem_.empty()) {
        for (std::size_t i = 0; i < images_.size(); ++i)
            of_stem_[file_stem(normalised_image_name(images_[i]))].push_back(i);
    }
    const std::string wanted = without_extension(normalised_image_name(name));
    const auto found = of_stem_.find(file_stem(normalised_image_name(name)));
    if (found == of_stem_.end()) return none;
    if (found->second.size() == 1) return found->second.front();
    std::size_t fitting = none;
    for (const std::size_t image : found->second) {
        const std::string other = without_extension(normalised_image_name(images_[image]));
        if (!is_tail(wanted, other) && !is_tail(other, wanted)) continue;
        if (fitting != none) return none;
        fitting = image;
    }
    return fitting;
}

std::optional<std::vector<std::size_t>> pair_names_loosely(const std::vector<std::string>& samples,
                                                           const std::vector<std::string>& results) {
    if (auto by_tail = pair_by_tail(samples, results)) return by_tail;
    return pair_by_stem(samples, results);
}

NamePairing pair_names(const std::vector<std::string>& samples, const std::vector<std::string>& results) {
    std::vector<std::string> sample_names;
    std::vector<std::string> result_names;
    ImageNameIndex images;
    for (const std::string& sample : samples) {
        sample_names.push_back(normalised_image_name(sample));
        images.add(sample);
    }
    NamePairing pairing;
    bool any_equal = false;
    for (const std::string& result : results) {
        result_names.push_back(normalised_image_name(result));
        pairing.sample_of.push_back(images.find(result));
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
