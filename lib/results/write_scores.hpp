#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace fovea {

/// Writes comparisons of probes with a gallery as the CSV matrix that read_scores() reads: the gallery's names in the first
/// row, every probe's name before its scores; names as csv_cell() writes them. Row by row, under another name until finish().
class ScoreMatrixWriter {
  public:
    /// \throws Error if the file cannot be written, or a name occurs twice or holds a quote, a tab or a line break, which
    ///         the format does not know.
    ScoreMatrixWriter(const std::filesystem::path& file, const std::vector<std::string>& gallery);
    /// Without finish() nothing remains.
    ~ScoreMatrixWriter();
    ScoreMatrixWriter(const ScoreMatrixWriter&) = delete;
    ScoreMatrixWriter& operator=(const ScoreMatrixWriter&) = delete;

    /// \param scores as many as the gallery has names, finite. \throws Error as the constructor.
    void write(const std::string& probe, std::span<const double> scores);
    /// Gives the file its name. \throws Error as the constructor.
    void finish();

  private:
    void check() const;

    std::filesystem::path file_;
    std::filesystem::path temporary_;
    std::ofstream stream_;
};

}  // namespace fovea
