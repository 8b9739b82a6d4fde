#include "lib/recognise/gallery_search.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace fovea {

GallerySearch::GallerySearch(Gallery gallery, const DetectionDevice& device)
    : info_(std::move(gallery.info)),
      faces_(std::move(gallery.faces)),
      metric_(info_.recogniser.kind->metric(info_.recogniser)),
      index_(metric_, device) {
    constexpr std::size_t at_once = 1024;
    std::vector<std::uint16_t> rows;
    const auto deliver = [&] {
        if (!rows.empty()) index_.add(rows.data(), rows.size() / metric_.length);
        rows.clear();
    };
    std::unordered_map<std::string, std::size_t> numbers;
    for (GalleryFace& face : faces_) {
        rows.insert(rows.end(), face.features.begin(), face.features.end());
        face.features = {};
        if (rows.size() >= at_once * metric_.length) deliver();
        if (face.subject.empty()) {
            subjects_.push_back(subject_count_++);
            continue;
        }
        const auto [known, is_new] = numbers.emplace(face.subject, subject_count_);
        if (is_new) ++subject_count_;
        subjects_.push_back(known->second);
    }
    deliver();
}

std::vector<std::vector<Neighbour>> GallerySearch::search(const std::uint16_t* queries, std::size_t count,
                                                          std::size_t k, const PassOver& pass_over) {
    if (k == 0) throw std::invalid_argument("a search is for at least one neighbour");
    std::vector<std::vector<Neighbour>> found(count);
    if (faces_.empty()) return found;
    const std::size_t wanted = std::min(k, subject_count_);
    // One is always enough for the nearest; several may be faces of one subject, and more are looked at only
    // then.
    std::size_t depth = wanted == 1 && !pass_over ? 1 : 4 * wanted + 4;
    std::vector<std::size_t> open(count);
    std::iota(open.begin(), open.end(), std::size_t{0});
    for (; !open.empty(); depth *= 4) {
        depth = std::min(depth, faces_.size());
        std::vector<std::uint16_t> vectors;
        vectors.reserve(open.size() * metric_.length);
        for (const std::size_t query : open) {
            vectors.insert(vectors.end(), queries + query * metric_.length,
                           queries + (query + 1) * metric_.length);
        }
        const std::vector<Neighbour> nearest = index_.search(vectors.data(), open.size(), depth);
        std::vector<std::size_t> still_open;
        for (std::size_t i = 0; i < open.size(); ++i) {
            const std::size_t query = open[i];
            found[query] = best_of_subjects(nearest.data() + i * depth, depth, wanted, query, pass_over);
            if (found[query].size() < wanted && depth < faces_.size()) still_open.push_back(query);
        }
        open = std::move(still_open);
    }
    return found;
}

std::vector<Neighbour> GallerySearch::best_of_subjects(const Neighbour* nearest, std::size_t count,
                                                       std::size_t k, std::size_t query,
                                                       const PassOver& pass_over) const {
    std::vector<Neighbour> best;
    for (std::size_t i = 0; i < count && best.size() < k; ++i) {
        const std::size_t face = nearest[i].index;
        if (pass_over && pass_over(query, face)) continue;
        const bool is_there = std::any_of(best.begin(), best.end(), [&](const Neighbour& other) {
            return subjects_[other.index] == subjects_[face];
        });
        if (!is_there) best.push_back(nearest[i]);
    }
    return best;
}

void GallerySearch::distances(const std::uint16_t* queries, std::size_t count, double* out) {
    index_.distances(queries, count, out);
}

}  // namespace fovea
