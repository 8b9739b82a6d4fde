#include "lib/train/lbp_weights/logistic_weights.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include <tbb/parallel_for.h>

#include "lib/core/error.hpp"

namespace fovea {
namespace {

constexpr double tolerance = 1e-9;
constexpr int max_steps = 500;

// log(1 + exp(-m)) without overflow.
double logistic_loss(double margin) {
    return margin > 0 ? std::log1p(std::exp(-margin)) : -margin + std::log1p(std::exp(margin));
}

double sigmoid(double value) {
    return value >= 0 ? 1 / (1 + std::exp(-value)) : 1 - 1 / (1 + std::exp(value));
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The function that is minimised. Its variables are the weights and, last, b.
class Objective {
  public:
    Objective(const RegionPairs& pairs, double ridge)
        : regions_(pairs.regions),
          sign_(pairs.size()),
          ridge_(ridge / static_cast<double>(pairs.regions)),
          columns_(pairs.regions + 1, std::vector<double>(pairs.size())) {
        const double scale = 1 / deviation_of_sums(pairs);
        const double share = 1 / static_cast<double>(pairs.size());
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            sign_[i] = pairs.same[i] != 0 ? 1 : -1;
            double sum = 0;
            for (std::size_t r = 0; r < regions_; ++r) {
                columns_[r][i] = -scale * pairs.of(i)[r];
                sum -= columns_[r][i];
            }
            columns_[regions_][i] = 1;
            mean_sum_ += share * sum;
        }
    }

    std::size_t size() const { return columns_.size(); }
    bool is_weight(std::size_t variable) const { return variable < regions_; }

    // All weights 1, and b where half of the pairs are accepted.
    std::vector<double> start() const {
        std::vector<double> variables(size(), 1);
        variables.back() = mean_sum_;
        return variables;
    }

    double value(const std::vector<double>& variables) const {
        const std::vector<double> margins = margins_of(variables);
        double sum = 0;
        for (const double margin : margins) sum += logistic_loss(margin);
        double penalty = 0;
        for (std::size_t r = 0; r < regions_; ++r) penalty += variables[r] * variables[r];
        return sum / static_cast<double>(margins.size()) + ridge_ * penalty;
    }

    struct Derivatives {
        std::vector<double> gradient;
        std::vector<std::vector<double>> hessian;  // lower triangle
    };
    Derivatives derivatives(const std::vector<double>& variables) const {
        const std::vector<double> margins = margins_of(variables);
        const double share = 1 / static_cast<double>(margins.size());
        std::vector<double> slopes(margins.size()), curvatures(margins.size());
        for (std::size_t i = 0; i < margins.size(); ++i) {
            const double wrong = sigmoid(-margins[i]);
            slopes[i] = -sign_[i] * wrong * share;
            curvatures[i] = wrong * (1 - wrong) * share;
        }
        Derivatives found{std::vector<double>(size()), std::vector<std::vector<double>>(size())};
        tbb::parallel_for(std::size_t{0}, size(), [&](std::size_t r) {
            const std::vector<double>& column = columns_[r];
            found.gradient[r] = dot(column, slopes);
            std::vector<double> curved(column.size());
            for (std::size_t i = 0; i < column.size(); ++i) curved[i] = column[i] * curvatures[i];
            found.hessian[r].resize(r + 1);
            for (std::size_t c = 0; c <= r; ++c) found.hessian[r][c] = dot(curved, columns_[c]);
            if (!is_weight(r)) return;
            found.gradient[r] += 2 * ridge_ * variables[r];
            found.hessian[r][r] += 2 * ridge_;
        });
        return found;
    }

  private:
    static double deviation_of_sums(const RegionPairs& pairs) {
        const std::vector<double> sums = weighted_distances(pairs, std::vector<double>(pairs.regions, 1));
        const double n = static_cast<double>(sums.size());
        const double mean = std::accumulate(sums.begin(), sums.end(), 0.0) / n;
        double squares = 0;
        for (const double sum : sums) squares += (sum - mean) * (sum - mean);
        if (squares == 0) throw Error("weights cannot be learned from pairs that are all equally far apart");
        return std::sqrt(squares / n);
    }

    // y (b - w·x) of every pair.
    std::vector<double> margins_of(const std::vector<double>& variables) const {
        std::vector<double> margins(sign_.size(), 0);
        for (std::size_t r = 0; r < size(); ++r) {
            if (variables[r] == 0) continue;
            for (std::size_t i = 0; i < margins.size(); ++i) margins[i] += variables[r] * columns_[r][i];
        }
        for (std::size_t i = 0; i < margins.size(); ++i) margins[i] *= sign_[i];
        return margins;
    }

    std::size_t regions_;
    std::vector<double> sign_;
    double ridge_;
    double mean_sum_ = 0;
    std::vector<std::vector<double>> columns_;  // minus the scaled distances of a region; last, for b, 1
};

// Solves the positive definite system whose lower triangle is given, in place of the right side (Cholesky).
void solve(std::vector<std::vector<double>> matrix, std::vector<double>& right) {
    const std::size_t n = right.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = matrix[i][j];
            for (std::size_t k = 0; k < j; ++k) sum -= matrix[i][k] * matrix[j][k];
            // Rounding may leave nothing of the pivot of b where all pairs are judged with certainty.
            matrix[i][j] = i == j ? std::sqrt(std::max(sum, 1e-15)) : sum / matrix[j][j];
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < i; ++k) right[i] -= matrix[i][k] * right[k];
        right[i] /= matrix[i][i];
    }
    for (std::size_t i = n; i-- > 0;) {
        for (std::size_t k = i + 1; k < n; ++k) right[i] -= matrix[k][i] * right[k];
        right[i] /= matrix[i][i];
    }
}

class ProjectedNewton {
  public:
    explicit ProjectedNewton(const Objective& objective)
        : objective_(objective), variables_(objective.start()), value_(objective.value(variables_)) {}

    std::vector<double> minimise() {
        for (int step = 0; step < max_steps; ++step) {
            const Objective::Derivatives derivatives = objective_.derivatives(variables_);
            const double distance = projected_gradient(derivatives.gradient);
            if (distance < tolerance || !descend(derivatives, std::min(distance, 1e-3))) break;
        }
        return variables_;
    }

  private:
    double projected(std::size_t variable, double value) const {
        return objective_.is_weight(variable) ? std::max(value, 0.0) : value;
    }

    // The largest change that a step along the gradient would make.
    double projected_gradient(const std::vector<double>& gradient) const {
        double largest = 0;
        for (std::size_t i = 0; i < variables_.size(); ++i) {
            largest = std::max(largest, std::abs(variables_[i] - projected(i, variables_[i] - gradient[i])));
        }
        return largest;
    }

    // One step of decreasing value; false if rounding allows none. Weights up to `near` of 0 that the
    // gradient pushes towards it follow the gradient, all other variables Newton's direction.
    bool descend(const Objective::Derivatives& derivatives, double near) {
        const std::vector<double>& gradient = derivatives.gradient;
        std::vector<std::size_t> free;
        std::vector<double> direction(variables_.size());
        for (std::size_t i = 0; i < variables_.size(); ++i) {
            if (objective_.is_weight(i) && variables_[i] <= near && gradient[i] > 0) {
                direction[i] = -gradient[i] / derivatives.hessian[i][i];
            } else {
                free.push_back(i);
            }
        }
        std::vector<std::vector<double>> matrix(free.size());
        std::vector<double> newton(free.size());
        for (std::size_t i = 0; i < free.size(); ++i) {
            for (std::size_t j = 0; j <= i; ++j) matrix[i].push_back(derivatives.hessian[free[i]][free[j]]);
            newton[i] = -gradient[free[i]];
        }
        solve(std::move(matrix), newton);
        for (std::size_t i = 0; i < free.size(); ++i) direction[free[i]] = newton[i];
        return search(gradient, direction);
    }

    // Halves the step until the value falls by a share of what the gradient promises (Armijo's rule).
    bool search(const std::vector<double>& gradient, const std::vector<double>& direction) {
        constexpr double share = 1e-4;
        for (double length = 1; length > 1e-12; length /= 2) {
            std::vector<double> moved(variables_.size());
            double promised = 0;
            for (std::size_t i = 0; i < moved.size(); ++i) {
                moved[i] = projected(i, variables_[i] + length * direction[i]);
                promised += gradient[i] * (variables_[i] - moved[i]);
            }
            const double value = objective_.value(moved);
            if (!(value < value_) || value > value_ - share * promised) continue;
            variables_ = std::move(moved);
            value_ = value;
            return true;
        }
        return false;
    }

    const Objective& objective_;
    std::vector<double> variables_;
    double value_;
};

}  // namespace

std::vector<double> logistic_weights(const RegionPairs& pairs, double ridge) {
    if (!(ridge > 0) || !std::isfinite(ridge)) throw std::invalid_argument("the ridge must be above 0");
    const auto same =
        static_cast<std::size_t>(std::count(pairs.same.begin(), pairs.same.end(), std::uint8_t{1}));
    if (same == 0 || same == pairs.size()) {
        throw Error(
            "weights are learned from pairs of one subject and pairs of two; there are only pairs of " +
            std::string(same == 0 ? "two" : "one"));
    }
    const Objective objective(pairs, ridge);
    std::vector<double> weights = ProjectedNewton(objective).minimise();
    weights.pop_back();
    const double mean =
        std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
    if (!(mean > 0)) {
        throw Error(
            "no region is nearer in pairs of one subject than in pairs of two; the faces may be badly found");
    }
    for (double& weight : weights) weight /= mean;
    return weights;
}

}  // namespace fovea
