#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "lib/inputs/image_list_data.hpp"
#include "lib/inputs/ordered_walk.hpp"

namespace fovea {

/// Lists the images of a request, some at a time where they are the files of a folder: millions take no more
/// memory than a part of them.
class ImageListing {
  public:
    /// \throws as read_image_list().
    explicit ImageListing(const ImageListRequest& request);

    /// Adds about `count` images in their order, or all where they are not the files of a folder. Names are
    /// UTF-8 and selected then. \param data the list so far, without images.
    /// \return false if nothing was left. \throws as read_image_list().
    bool next(std::size_t count, ImageListData& data);

    /// Tells in the list what was left out. \param images the number of all that were added.
    /// \throws UsageError if there are none.
    void finish(ImageListData& data, std::size_t images);

  private:
    const ImageListRequest request_;
    std::string format_;
    std::filesystem::path root_;
    std::string note_;
    std::optional<OrderedWalk> walk_;
    std::optional<ImageListData> pending_;
    bool is_complete_ = false;
    std::size_t listed_ = 0;  // files of a folder
    std::size_t rest_;        // of the limit; 0 at the beginning: there is none
    SelectedNames names_;
};

}  // namespace fovea
