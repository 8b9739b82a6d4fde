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
    /// The numbers() of a matrix of so many columns; one of no element has no rows, whatever its shape.
    std::vector<double> matrix(std::size_t columns) const;
    /// The rows of a real numeric matrix. \throws Error if this is none.
    std::vector<std::vector<double>> rows() const;
    /// The field of that name of each element of a struct array. \throws Error if this is none, or has no
    /// such field.
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

/// A file of MATLAB (level 5; 7.3 where libmatio can), read variable by variable.
class MatFile {
  public:
    /// \throws UsageError if it is not there; Error if it is no such file, or holds what check_mat_bytes()
    /// does not let pass.
    explicit MatFile(const std::filesystem::path& path);
    ~MatFile();
    MatFile(const MatFile&) = delete;
    MatFile& operator=(const MatFile&) = delete;

    bool has(const std::string& variable) const;

    /// \throws Error if it has no such variable, or that is damaged.
    MatValue read(const std::string& variable);

    const std::string& name() const;

  private:
    class Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace fovea
