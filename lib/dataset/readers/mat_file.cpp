#include "lib/dataset/readers/mat_file.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include <matio.h>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"
#include "lib/dataset/readers/mat_check.hpp"
#include "lib/files/file.hpp"
#include "lib/files/folder.hpp"

namespace fovea {
namespace {

const matvar_t& variable_of(const void* variable) {
    return *static_cast<const matvar_t*>(variable);
}

template <class Number>
std::vector<double> converted(const void* data, std::size_t count) {
    const auto* const numbers = static_cast<const Number*>(data);
    return {numbers, numbers + count};
}

/// The elements of a matrix, which stand column by column, row by row; no row of one without elements.
template <class Element>
std::vector<std::vector<Element>> in_rows(const std::vector<Element>& elements, const matvar_t& matrix) {
    if (elements.empty()) return {};
    std::vector<std::vector<Element>> rows(matrix.dims[0]);
    for (std::size_t i = 0; i < elements.size(); ++i) rows[i % rows.size()].push_back(elements[i]);
    return rows;
}

struct FreeVariable {
    void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
struct CloseFile {
    void operator()(mat_t* file) const { Mat_Close(file); }
};

}  // namespace

void MatValue::fail(const std::string& expected) const {
    throw Error(place_ + ": expected " + expected + ".");
}

// Checked against the bytes that libmatio read: dimensions in a damaged file say anything.
std::size_t MatValue::size() const {
    const matvar_t& variable = variable_of(variable_);
    if (variable.rank <= 0 || variable.dims == nullptr) return 0;
    const std::span<const std::size_t> dimensions(variable.dims, static_cast<std::size_t>(variable.rank));
    if (std::count(dimensions.begin(), dimensions.end(), std::size_t{0}) > 0) return 0;
    const std::size_t element_bytes = variable.class_type == MAT_C_CELL
                                          ? sizeof(matvar_t*)
                                          : static_cast<std::size_t>(std::max(variable.data_size, 1));
    std::size_t left = variable.data == nullptr ? 0 : variable.nbytes / element_bytes;
    const std::size_t most = left;
    std::size_t size = 1;
    for (const std::size_t dimension : dimensions) {
        left /= dimension;
        if (left == 0) fail("elements for its dimensions, but there are " + std::to_string(most));
        size *= dimension;
    }
    return size;
}

std::vector<MatValue> MatValue::cells() const {
    const matvar_t& variable = variable_of(variable_);
    if (variable.class_type != MAT_C_CELL) fail("a cell array");
    const auto* const* const elements = static_cast<const matvar_t* const*>(variable.data);
    std::vector<MatValue> cells;
    for (std::size_t i = 0; i < size(); ++i) {
        const std::string place = place_ + "{" + std::to_string(i + 1) + "}";
        if (elements == nullptr || elements[i] == nullptr) throw Error(place + ": the cell cannot be read.");
        cells.push_back(MatValue(elements[i], place));
    }
    return cells;
}

std::vector<std::vector<MatValue>> MatValue::cell_rows() const {
    const matvar_t& variable = variable_of(variable_);
    const std::vector<MatValue> elements = cells();
    if (!elements.empty() && variable.rank != 2) fail("a matrix of cells");
    return in_rows(elements, variable);
}

std::string MatValue::text() const {
    const matvar_t& variable = variable_of(variable_);
    constexpr const char* expected = "a row of ASCII characters";
    if (variable.class_type != MAT_C_CHAR || variable.data == nullptr) fail(expected);
    std::string text;
    for (std::size_t i = 0; i < size(); ++i) {
        const unsigned code = variable.data_size == 1   ? static_cast<const std::uint8_t*>(variable.data)[i]
                              : variable.data_size == 2 ? static_cast<const std::uint16_t*>(variable.data)[i]
                                                        : 0;
        if (code == 0 || code > 0x7F) fail(expected);
        text += static_cast<char>(code);
    }
    return text;
}

std::vector<double> MatValue::numbers() const {
    const matvar_t& variable = variable_of(variable_);
    const std::size_t count = size();
    if (count == 0) return {};
    if (variable.isComplex == 0 && variable.data != nullptr) {
        // The class says what it is in MATLAB, and libmatio gives its elements so, however they are stored.
        switch (variable.class_type) {
            case MAT_C_DOUBLE:
                return converted<double>(variable.data, count);
            case MAT_C_SINGLE:
                return converted<float>(variable.data, count);
            case MAT_C_INT8:
                return converted<std::int8_t>(variable.data, count);
            case MAT_C_UINT8:
                return converted<std::uint8_t>(variable.data, count);
            case MAT_C_INT16:
                return converted<std::int16_t>(variable.data, count);
            case MAT_C_UINT16:
                return converted<std::uint16_t>(variable.data, count);
            case MAT_C_INT32:
                return converted<std::int32_t>(variable.data, count);
            case MAT_C_UINT32:
                return converted<std::uint32_t>(variable.data, count);
            default:
                break;
        }
    }
    fail("an array of real numbers");
}

std::vector<double> MatValue::matrix(std::size_t columns) const {
    const matvar_t& variable = variable_of(variable_);
    std::vector<double> values = numbers();
    if (!values.empty() && (variable.rank != 2 || variable.dims[1] != columns)) {
        fail("a matrix of " + counted(columns, "column"));
    }
    return values;
}

std::vector<std::vector<double>> MatValue::rows() const {
    const matvar_t& variable = variable_of(variable_);
    const std::vector<double> values = numbers();
    if (!values.empty() && variable.rank != 2) fail("a matrix");
    return in_rows(values, variable);
}

std::vector<MatValue> MatValue::field(const std::string& name) const {
    const matvar_t& variable = variable_of(variable_);
    if (variable.class_type != MAT_C_STRUCT) fail("a struct array with the field " + name);
    const std::size_t count = size();
    std::vector<MatValue> values;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string place = place_ + "(" + std::to_string(i + 1) + ")." + name;
        const matvar_t* const value =
            Mat_VarGetStructFieldByName(const_cast<matvar_t*>(&variable), name.c_str(), i);
        if (value == nullptr) throw Error(place + ": there is no such field.");
        values.push_back(MatValue(value, place));
    }
    return values;
}

class MatFile::Implementation {
  public:
    explicit Implementation(const std::filesystem::path& path)
        : name_(path.string()), file_(Mat_Open(path.c_str(), MAT_ACC_RDONLY)) {
        if (!file_) throw Error("'" + name_ + "' is no MATLAB file (.mat) that can be read.");
    }

    bool has(const std::string& variable) {
        if (find(variable) != nullptr) return true;
        Mat_Rewind(file_.get());
        const std::unique_ptr<matvar_t, FreeVariable> info(Mat_VarReadInfo(file_.get(), variable.c_str()));
        return info != nullptr;
    }

    const matvar_t* read(const std::string& variable) {
        if (const matvar_t* const found = find(variable)) return found;
        Mat_Rewind(file_.get());
        variables_.emplace_back(Mat_VarRead(file_.get(), variable.c_str()));
        return variables_.back().get();
    }

    const std::string& name() const { return name_; }

  private:
    /// Reads on up to a variable: libmatio looks for a name from the file's beginning, cell by cell. Null
    /// where it is not there, or behind a damaged one.
    const matvar_t* find(const std::string& variable) {
        const auto is_it = [&](const auto& known) {
            return known != nullptr && known->name != nullptr && variable == known->name;
        };
        const auto known = std::ranges::find_if(variables_, is_it);
        if (known != variables_.end()) return known->get();
        while (!is_at_end_) {
            variables_.emplace_back(Mat_VarReadNext(file_.get()));
            is_at_end_ = variables_.back() == nullptr;
            if (is_it(variables_.back())) return variables_.back().get();
        }
        return nullptr;
    }

    std::string name_;
    std::unique_ptr<mat_t, CloseFile> file_;
    std::vector<std::unique_ptr<matvar_t, FreeVariable>> variables_;
    bool is_at_end_ = false;
};

MatFile::MatFile(const std::filesystem::path& path) {
    if (!is_file(path)) {
        throw UsageError("There is no file '" + path.string() + "'; check the path.");
    }
    check_mat_bytes(read_file(path, "MATLAB file"), path.string());
    implementation_ = std::make_unique<Implementation>(path);
}

MatFile::~MatFile() = default;

bool MatFile::has(const std::string& variable) const {
    return implementation_->has(variable);
}

MatValue MatFile::read(const std::string& variable) {
    const matvar_t* const read = implementation_->read(variable);
    if (read == nullptr) throw Error(name() + ": there is no variable " + variable + " that can be read.");
    return {read, name() + ": " + variable};
}

const std::string& MatFile::name() const {
    return implementation_->name();
}

}  // namespace fovea
