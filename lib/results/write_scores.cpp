#include "lib/results/write_scores.hpp"

#include <cerrno>
#include <cmath>
#include <cstring>
#include <set>
#include <stdexcept>

#include "lib/core/csv.hpp"
#include "lib/core/error.hpp"
#include "lib/core/text.hpp"

namespace fovea {
namespace {

// In quotes also where a blank at an end would be lost, or where the line would be a comment.
std::string field(const std::string& name) {
    if (name.find_first_of("\"\t\r\n") != std::string::npos) {
        throw Error("The image '" + excerpt(name) +
                    "' cannot stand in a matrix of scores: its name holds a quote, a tab or a line break. "
                    "Rename it.");
    }
    const std::string cell = csv_cell(name);
    const bool as_it_is = trim(cell) == cell && !cell.empty() && cell.front() != '#';
    return as_it_is ? cell : '"' + cell + '"';
}

}  // namespace

ScoreMatrixWriter::ScoreMatrixWriter(const std::filesystem::path& file,
                                     const std::vector<std::string>& gallery)
    : file_(file) {
    std::string line;  // begins with an empty corner: "probe,A,1" would be a comparison
    std::set<std::string> names;
    for (const std::string& name : gallery) {
        if (!names.insert(name).second) {
            throw Error(
                "The scores of the image '" + excerpt(name) +
                "' cannot be written: two images of the gallery have that name, and a matrix of scores "
                "would not tell them apart.");
        }
        line += ',' + field(name);
    }
    staged_.emplace(file_);
    stream_.open(staged_->part(), std::ios::binary | std::ios::trunc);
    stream_ << line << '\n';
    check();
}

void ScoreMatrixWriter::write(const std::string& probe, std::span<const double> scores) {
    std::string line = field(probe);
    for (const double score : scores) {
        if (!std::isfinite(score)) throw std::invalid_argument("a score of " + probe + " is not finite");
        line += ',' + shortest_number(score);
    }
    stream_ << line << '\n';
    check();
}

void ScoreMatrixWriter::finish() {
    stream_.close();
    check();
    staged_->publish(Durability::whenever);
}

void ScoreMatrixWriter::check() const {
    if (stream_) return;
    throw Error("The scores cannot be written to " + file_.string() + ": " + std::strerror(errno) +
                "; check that the folder may be written and the disk is not full.");
}

}  // namespace fovea
