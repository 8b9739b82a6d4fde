#pragma once

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/files/staged_files.hpp"

namespace fovea {

/// Writes comparisons of probes with a gallery, row by row, as the CSV matrix that read_scores() reads: the
/// gallery's names in the first row, every probe's name before its scores; names are csv_cell(). The file has
/// another name until finish(), without which nothing remains.
class ScoreMatrixWriter {
  public:
    /// \throws Error if the file cannot be written, or a name occurs twice or holds a quote, a tab or a line
    /// break, which the format does not know.
    ScoreMatrixWriter(const std::filesystem::path& file, const std::vector<std::string>& gallery);

    /// \param scores as many as the gallery has names, finite. \throws Error as the constructor.
    void write(const std::string& probe, std::span<const double> scores);
    /// Gives the file its name. \throws Error as the constructor.
    void finish();

  private:
    void check() const;

    std::filesystem::path file_;
    std::optional<StagedFile> staged_;
    std::ofstream stream_;
};

}  // namespace fovea
