#include "tests/lib/dataset/readers/mat_files.hpp"

#include <catch2/catch.hpp>

namespace fovea::test {

matvar_t* mat_text(std::string text) {
    std::size_t dims[2] = {text.empty() ? 0U : 1U, text.size()};
    return Mat_VarCreate(nullptr, MAT_C_CHAR, MAT_T_UTF8, 2, dims, text.data(), 0);
}

matvar_t* mat_matrix(std::size_t columns, std::vector<double> values) {
    std::size_t dims[2] = {values.size() / columns, columns};
    return Mat_VarCreate(nullptr, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, values.data(), 0);
}

matvar_t* mat_cells(std::vector<matvar_t*> elements, const char* name, std::size_t columns) {
    std::size_t dims[2] = {elements.size() / columns, columns};
    return Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims, elements.data(), 0);
}

matvar_t* mat_structs(const char* name, std::vector<const char*> fields,
                      const std::vector<std::vector<matvar_t*>>& elements) {
    std::size_t dims[2] = {elements.size(), 1};
    matvar_t* const structs =
        Mat_VarCreateStruct(name, 2, dims, fields.data(), static_cast<unsigned>(fields.size()));
    for (std::size_t i = 0; i < elements.size(); ++i) {
        for (std::size_t f = 0; f < fields.size(); ++f) {
            Mat_VarSetStructFieldByName(structs, fields[f], i, elements[i][f]);
        }
    }
    return structs;
}

std::filesystem::path write_mat(const std::filesystem::path& path, const std::vector<matvar_t*>& variables) {
    mat_t* const file = Mat_CreateVer(path.c_str(), nullptr, MAT_FT_MAT5);
    REQUIRE(file != nullptr);
    for (matvar_t* variable : variables) {
        REQUIRE(Mat_VarWrite(file, variable, MAT_COMPRESSION_ZLIB) == 0);
        Mat_VarFree(variable);
    }
    Mat_Close(file);
    return path;
}

}  // namespace fovea::test
