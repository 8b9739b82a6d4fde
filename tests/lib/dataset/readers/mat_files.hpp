#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <matio.h>

namespace fovea::test {

// Values of MATLAB files, which write_mat() or what holds them frees.

matvar_t* mat_text(std::string text);
/// Column by column, as MATLAB has them.
matvar_t* mat_matrix(std::size_t columns, std::vector<double> values);
/// A column of cells, or a matrix column by column.
matvar_t* mat_cells(std::vector<matvar_t*> elements, const char* name = nullptr, std::size_t columns = 1);
/// A column of structs. \param elements for each, the values of `fields`.
matvar_t* mat_structs(const char* name, std::vector<const char*> fields,
                      const std::vector<std::vector<matvar_t*>>& elements);

/// Writes and frees them. \return path
std::filesystem::path write_mat(const std::filesystem::path& path, const std::vector<matvar_t*>& variables);

}  // namespace fovea::test
