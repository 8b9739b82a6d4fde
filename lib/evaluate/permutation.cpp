#include "lib/evaluate/permutation.hpp"

#include <algorithm>
#include <map>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/evaluate/random_draw.hpp"

namespace fovea {
namespace {

// One image of every subject for the gallery and one as probe.
struct Draw {
    std::vector<std::uint32_t> gallery;
    std::vector<std::uint32_t> probes;
};

using Replicates = std::vector<std::vector<std::uint32_t>>;  // images by subject

void draw_images(const Replicates& replicates, std::mt19937_64& generator, Draw& draw) {
    for (std::size_t s = 0; s < replicates.size(); ++s) {
        const std::vector<std::uint32_t>& images = replicates[s];
        const std::uint64_t gallery = draw_below(generator, images.size());
        std::uint64_t probe = draw_below(generator, images.size() - 1);
        probe += probe >= gallery ? 1 : 0;
        draw.gallery[s] = images[gallery];
        draw.probes[s] = images[probe];
    }
}

// Adds to rates[k - 1] what every probe brings to rank k.
void add_ranks(const SimilarityMatrix& scores, const Draw& draw, std::span<double> rates) {
    const std::size_t subjects = draw.probes.size();
    for (std::size_t s = 0; s < subjects; ++s) {
        const double* const row = scores.values.data() + draw.probes[s] * scores.columns;
        const double mate = row[draw.gallery[s]];
        if (mate == not_enrolled) continue;
        std::uint32_t greater = 0;
        std::uint32_t equal = 0;  // the mate itself among them
        for (const std::uint32_t image : draw.gallery) {
            greater += row[image] > mate ? 1 : 0;
            equal += row[image] == mate ? 1 : 0;
        }
        ProbeSearch search;
        search.mated = true;
        search.mate_score = mate;
        search.greater = greater;
        search.ties = equal - 1;
        for (std::uint32_t rank = greater + 1; rank <= rates.size(); ++rank)
            rates[rank - 1] += search.within(rank);
    }
    for (double& rate : rates) rate /= static_cast<double>(subjects);
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

PermutationEvaluation evaluate_permutations(const std::vector<int>& subjects,
                                            const std::vector<SimilarityMatrix>& scores,
                                            const PermutationOptions& options) {
    if (options.permutations < 1) throw UsageError("--permutations must be at least 1.");
    std::map<int, std::vector<std::uint32_t>> by_subject;
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        by_subject[subjects[i]].push_back(static_cast<std::uint32_t>(i));
    }
    PermutationEvaluation evaluation;
    evaluation.options = options;
    Replicates replicates;
    for (auto& [subject, images] : by_subject) {
        if (images.size() < 2) {
            ++evaluation.images_left_out;
            continue;
        }
        evaluation.images += images.size();
        replicates.push_back(std::move(images));
    }
    evaluation.subjects = replicates.size();
    if (replicates.size() < 2) {
        throw Error(
            "Permutations of gallery and probes need two or more subjects with two or more images each; "
            "there " +
            std::string(replicates.size() == 1 ? "is " : "are ") +
            counted(replicates.size(), "such subject") + ".");
    }
    const std::size_t ranks =
        std::min(replicates.size(), static_cast<std::size_t>(std::max(options.ranks, 1)));
    const auto repetitions = static_cast<std::size_t>(options.permutations);
    // rates[recogniser][permutation * ranks + rank - 1]
    std::vector<std::vector<double>> rates(scores.size(), std::vector<double>(repetitions * ranks, 0.0));
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, repetitions), [&](const auto& range) {
        Draw draw{std::vector<std::uint32_t>(replicates.size()),
                  std::vector<std::uint32_t>(replicates.size())};
        for (std::size_t i = range.begin(); i < range.end(); ++i) {
            std::mt19937_64 generator = repetition_generator(options.seed, i);
            draw_images(replicates, generator, draw);
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
