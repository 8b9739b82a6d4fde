#include "lib/evaluate/recognition/permutation.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/statistics/random_draw.hpp"

namespace fovea {
namespace {

using Images = std::vector<std::uint32_t>;
using Replicates = std::vector<Images>;  // images by subject

// Images for the gallery and as probes, by subject.
struct Draw {
    Replicates gallery;
    Replicates probes;
};

// Different images in random order, `count` of them, at the beginning.
void shuffle_first(Images& images, std::size_t count, std::mt19937_64& generator) {
    for (std::size_t i = 0; i < count; ++i) {
        std::swap(images[i], images[i + draw_below(generator, images.size() - i)]);
    }
}

void draw_one_of_each(const Replicates& replicates, std::mt19937_64& generator, Draw& draw) {
    for (std::size_t s = 0; s < replicates.size(); ++s) {
        const Images& images = replicates[s];
        const std::uint64_t gallery = draw_below(generator, images.size());
        std::uint64_t probe = draw_below(generator, images.size() - 1);
        probe += probe >= gallery ? 1 : 0;
        draw.gallery[s] = {images[gallery]};
        draw.probes[s] = {images[probe]};
    }
}

void draw_enrolled(const Replicates& replicates, std::size_t enrolled, std::mt19937_64& generator,
                   Draw& draw) {
    for (std::size_t s = 0; s < replicates.size(); ++s) {
        Images images = replicates[s];
        shuffle_first(images, enrolled, generator);
        const auto probes = images.begin() + static_cast<std::ptrdiff_t>(enrolled);
        draw.gallery[s].assign(images.begin(), probes);
        draw.probes[s].assign(probes, images.end());
    }
}

void draw_fold(const Replicates& replicates, std::size_t folds, std::size_t fold, std::mt19937_64& generator,
               Draw& draw) {
    for (std::size_t s = 0; s < replicates.size(); ++s) {
        Images images = replicates[s];
        shuffle_first(images, images.size(), generator);
        draw.gallery[s].clear();
        draw.probes[s].clear();
        for (std::size_t i = 0; i < images.size(); ++i) {
            (i % folds == fold ? draw.probes : draw.gallery)[s].push_back(images[i]);
        }
    }
}

// Permutation i; the folds of one dealing share their random numbers.
void draw_images(const Replicates& replicates, const PermutationOptions& options, std::size_t i, Draw& draw) {
    const auto folds = static_cast<std::size_t>(options.folds);
    if (folds > 0) {
        std::mt19937_64 generator = repetition_generator(options.seed, i / folds);
        draw_fold(replicates, folds, i % folds, generator, draw);
        return;
    }
    std::mt19937_64 generator = repetition_generator(options.seed, i);
    if (options.enrolled == 1) {
        draw_one_of_each(replicates, generator, draw);
    } else {
        draw_enrolled(replicates, static_cast<std::size_t>(options.enrolled), generator, draw);
    }
}

// The score of a subject's best image in a probe's row.
double best_of(const double* row, const Images& images) {
    double best = not_enrolled;
    for (const std::uint32_t image : images) best = std::max(best, row[image]);
    return best;
}

void add_probe(const double* row, const Replicates& gallery, std::size_t subject, std::span<double> rates) {
    const double mate = best_of(row, gallery[subject]);
    if (mate == not_enrolled) return;
    ProbeSearch search;
    search.mated = true;
    search.mate_score = mate;
    for (std::size_t other = 0; other < gallery.size(); ++other) {
        if (other == subject) continue;
        const double score = best_of(row, gallery[other]);
        search.greater += score > mate ? 1 : 0;
        search.ties += score == mate ? 1 : 0;
    }
    for (std::uint32_t rank = search.greater + 1; rank <= rates.size(); ++rank) {
        rates[rank - 1] += search.within(rank);
    }
}

// Adds to rates[k - 1] what every probe brings to rank k.
void add_ranks(const SimilarityMatrix& scores, const Draw& draw, std::span<double> rates) {
    std::size_t probes = 0;
    for (std::size_t s = 0; s < draw.probes.size(); ++s) {
        for (const std::uint32_t probe : draw.probes[s]) {
            add_probe(scores.values.data() + probe * scores.columns, draw.gallery, s, rates);
        }
        probes += draw.probes[s].size();
    }
    for (double& rate : rates) rate /= static_cast<double>(probes);
}

// Images that a subject must have to take part.
std::size_t min_images(const PermutationOptions& options) {
    return options.folds > 0 ? 2 : static_cast<std::size_t>(options.enrolled) + 1;
}

PermutationPoint summary(int rank, std::vector<double> values) {
    double sum = 0;
    for (const double value : values) sum += value;
    const double mean = sum / static_cast<double>(values.size());
    return {rank, mean, *central_95_percent(std::move(values))};
}

PermutationComparison comparison(std::size_t first, std::size_t second, const std::vector<double>& a,
                                 const std::vector<double>& b) {
    PermutationComparison result{first, second};
    std::vector<double> differences(a.size());
    std::size_t counts[3] = {0, 0, 0};
    for (std::size_t i = 0; i < a.size(); ++i) {
        differences[i] = b[i] - a[i];
        ++counts[a[i] > b[i] ? 0 : a[i] == b[i] ? 1 : 2];
    }
    const auto all = static_cast<double>(a.size());
    result.first_better = static_cast<double>(counts[0]) / all;
    result.equal = static_cast<double>(counts[1]) / all;
    result.second_better = static_cast<double>(counts[2]) / all;
    const PermutationPoint difference = summary(0, std::move(differences));
    result.mean_difference = difference.mean;
    result.central95 = difference.central95;
    return result;
}

}  // namespace

std::string drawing_text(const PermutationOptions& options) {
    if (options.folds > 0) {
        return "the images were dealt to " + std::to_string(options.folds) +
               " folds, each of which is the probes once and the others the gallery, of each of";
    }
    if (options.enrolled == 1) return "a gallery image and another as probe were drawn of each of";
    return std::to_string(options.enrolled) +
           " gallery images were drawn, all others being probes, of each of";
}

PermutationEvaluation evaluate_permutations(const std::vector<int>& subjects,
                                            const std::vector<SimilarityMatrix>& scores,
                                            const PermutationOptions& options) {
    if (options.permutations < 1) throw UsageError("--permutations must be at least 1.");
    if (options.enrolled < 1) throw UsageError("--enrolled must be at least 1.");
    if (options.folds != 0 && options.folds < 2) throw UsageError("--folds must be at least 2.");
    if (options.folds != 0 && options.permutations % options.folds != 0) {
        throw UsageError("with folds, permutations must be a multiple of them: each dealing gives " +
                         std::to_string(options.folds));
    }
    std::map<int, std::vector<std::uint32_t>> by_subject;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        by_subject[subjects[i]].push_back(static_cast<std::uint32_t>(i));
    }
    PermutationEvaluation evaluation;
    evaluation.options = options;
    Replicates replicates;
    for (auto& [subject, images] : by_subject) {
        if (images.size() < min_images(options)) {
            evaluation.images_left_out += images.size();
            continue;
        }
        evaluation.images += images.size();
        replicates.push_back(std::move(images));
    }
    evaluation.subjects = replicates.size();
    std::size_t most = 0;
    for (const Images& images : replicates) most = std::max(most, images.size());
    if (options.folds > 0 && static_cast<std::size_t>(options.folds) > most) {
        throw UsageError("no subject has " + std::to_string(options.folds) +
                         " images, one for each fold; use at most " + std::to_string(most) + " folds");
    }
    if (replicates.size() < 2) {
        throw Error("Permutations of gallery and probes need two or more subjects with " +
                    std::to_string(min_images(options)) + " or more images each; there " +
                    std::string(replicates.size() == 1 ? "is " : "are ") +
                    counted(replicates.size(), "such subject") + ".");
    }
    const std::size_t ranks =
        std::min(replicates.size(), static_cast<std::size_t>(std::max(options.ranks, 1)));
    const auto repetitions = static_cast<std::size_t>(options.permutations);
    // rates[recogniser][permutation * ranks + rank - 1]
    std::vector<std::vector<double>> rates(scores.size(), std::vector<double>(repetitions * ranks, 0.0));
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, repetitions), [&](const auto& range) {
        Draw draw{Replicates(replicates.size()), Replicates(replicates.size())};
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
            draw_images(replicates, options, i, draw);
            for (std::size_t r = 0; r < scores.size(); ++r) {
                add_ranks(scores[r], draw, std::span(rates[r]).subspan(i * ranks, ranks));
            }
        }
    });
    const auto at_rank = [&](std::size_t recogniser, std::size_t rank) {
        std::vector<double> values(repetitions);
        for (std::size_t i = 0; i < repetitions; ++i) values[i] = rates[recogniser][i * ranks + rank - 1];
        return values;
    };
    for (std::size_t r = 0; r < scores.size(); ++r) {
        std::vector<PermutationPoint> curve;
        for (std::size_t rank = 1; rank <= ranks; ++rank) {
            curve.push_back(summary(static_cast<int>(rank), at_rank(r, rank)));
        }
        evaluation.curves.push_back(std::move(curve));
        for (std::size_t other = r + 1; other < scores.size(); ++other) {
            evaluation.comparisons.push_back(comparison(r, other, at_rank(r, 1), at_rank(other, 1)));
        }
    }
    return evaluation;
}

}  // namespace fovea
