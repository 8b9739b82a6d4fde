#pragma once

#include <exception>
#include <filesystem>
#include <optional>

#include "lib/core/error.hpp"

namespace fovea {

/// The report of work that is done. If it cannot be written, the work is shown nevertheless, and the error
/// comes behind it.
struct LateReport {
    /// Its page, once it is written.
    std::optional<std::filesystem::path> page{};
    /// The error of writing it; null if there was none.
    std::exception_ptr failure{};

    /// Writes it, and keeps an error for rethrow(). \param write returns the page.
    template <class Write>
    void write(const Write& write) {
        try {
            page = write();
        } catch (...) {
            failure = std::current_exception();
        }
    }

    /// The exit code that the command ends with: of the work, or of the failure.
    ExitCode code(ExitCode of_work) const {
        try {
            rethrow();
            return of_work;
        } catch (const UsageError&) {
            return ExitCode::usage;
        } catch (...) {
            return ExitCode::failed;
        }
    }
    /// Call it when the work has been shown. \throws what writing threw.
    void rethrow() const {
        if (failure) std::rethrow_exception(failure);
    }
};

}  // namespace fovea
