#include "lib/pipeline/output_guard.hpp"

#include <system_error>

#include "lib/core/error.hpp"

namespace fovea {

namespace {

/// Holds an output against inputs.
class InputCheck {
  public:
    explicit InputCheck(const std::filesystem::path& output) : output_(output) {
        std::error_code error;
        // Devices, pipes and files that are not there yet hold nothing that could be lost.
        has_contents_ = output != "-" && std::filesystem::is_regular_file(output, error);
    }

    bool is_needed() const { return has_contents_; }

    void refuse(const std::filesystem::path& input) const {
        std::error_code error;
        if (!std::filesystem::equivalent(output_, input, error)) return;
        throw UsageError("the output " + output_.string() + " is also an input (" + input.string() +
                         ") and would be overwritten; name another file with --out");
    }

    /// Asking the file system about each of millions of images would take longer than it protects.
    void refuse_image(const std::filesystem::path& image) const {
        if (image.filename() == output_.filename()) refuse(image);
    }

  private:
    const std::filesystem::path& output_;
    bool has_contents_ = false;
};

}  // namespace

void refuse_to_overwrite_inputs(const std::filesystem::path& output, const Dataset& dataset,
                                const std::vector<std::filesystem::path>& others) {
    const InputCheck check(output);
    if (!check.is_needed()) return;
    for (const auto& source : dataset.sources) check.refuse(source);
    for (const auto& other : others) check.refuse(other);
    for (const Sample& sample : dataset.samples) check.refuse_image(sample.path);
}

void refuse_to_overwrite_inputs(const std::filesystem::path& output, const ImageList& images,
                                const std::vector<std::filesystem::path>& others) {
    const InputCheck check(output);
    if (!check.is_needed()) return;
    for (const auto& source : images.sources()) check.refuse(source);
    for (const auto& other : others) check.refuse(other);
    for (std::size_t i = 0; i < images.size(); ++i) check.refuse_image(images.file(i));
}

void make_parent_folder(const std::filesystem::path& file) {
    if (!file.has_parent_path()) return;
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    if (error) throw Error("cannot make the folder " + file.parent_path().string() + ": " + error.message());
}

}  // namespace fovea
