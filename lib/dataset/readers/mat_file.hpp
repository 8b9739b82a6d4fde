#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace fovea {

/// A value in a MATLAB file, with its place for messages: "wider_face_val.mat: face_bbx_list{3}{17}" (from 1,
/// as MATLAB counts). Valid as long as the MatFile.
class MatValue {
  public:
    /// The elements of a cell array. \throws Error if this is none.
    std::vector<MatValue> cells() const;
    /// The elements of a cell matrix, row by row. \throws Error if this is none.
    std::vector<std::vector<MatValue>> cell_rows() const;
    /// A row of characters. \throws Error if this is none, or not of ASCII.
    std::string text() const;
    /// The elements of a real numeric array, column by column. \throws Error if this is none.
    std::vector<double> numbers() const;
    /// The numbers() of a matrix with so many columns; an empty one may have any shape.
    std::vector<double> matrix(std::size_t columns) const;
    /// The rows of a real numeric matrix. \throws Error if this is none.
    std::vector<std::vector<double>> rows() const;
    /// A field of each element of a struct array. \throws Error if this is none, or has no such field.
    std::vector<MatValue> field(const std::string& name) const;

    /// Throws Error "FILE: PLACE: expected WHAT".
    [[noreturn]] void fail(const std::string& expected) const;

  private:
    friend class MatFile;
    MatValue(const void* variable, std::string place) : variable_(variable), place_(std::move(place)) {}
    std::size_t size() const;

    const void* variable_;
    std::string place_;
};

/// A file of MATLAB (level 5; 7.3 if libmatio reads it), read variable by variable.
class MatFile {
  public:
    /// \throws UsageError if it is not there; Error if it is no MATLAB file, or check_mat_bytes() refuses it.
    explicit MatFile(const std::filesystem::path& path);
    ~MatFile();
    MatFile(const MatFile&) = delete;
    MatFile& operator=(const MatFile&) = delete;

    bool has(const std::string& variable) const;

    /// Reads a variable. \throws Error if it is not there or damaged.
    MatValue read(const std::string& variable);

    const std::string& name() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
