#include "lib/core/csv_reader.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/core/text.hpp"

namespace fovea {

bool CsvReader::next() {
    cells_.clear();
    while (at_ < bytes_.size() && (bytes_[at_] == '\n' || bytes_[at_] == '\r')) {
        next_line_ += bytes_[at_++] == '\n' ? 1 : 0;
    }
    if (at_ >= bytes_.size()) return false;
    line_ = next_line_;
    const std::size_t begin = at_;
    for (;;) {
        std::size_t quote = at_;
        while (quote < bytes_.size() && bytes_[quote] == ' ') ++quote;
        const bool is_quoted = quote < bytes_.size() && bytes_[quote] == '"';
        text_ = bytes_.substr(begin, std::min(bytes_.find('\n', begin), bytes_.size()) - begin);
        if (is_quoted) at_ = quote + 1;
        cells_.push_back(is_quoted ? quoted_cell() : plain_cell());
        if (at_ >= bytes_.size() || bytes_[at_] != separator_) break;
        ++at_;
    }
    text_ = bytes_.substr(begin, at_ - begin);
    if (at_ < bytes_.size() && bytes_[at_] == '\r') ++at_;
    if (at_ < bytes_.size() && bytes_[at_] == '\n') {
        ++at_;
        ++next_line_;
    }
    return true;
}

std::string CsvReader::quoted_cell() {
    std::string cell;
    for (;; ++at_) {
        if (at_ >= bytes_.size()) throw Error("a quote is not closed");
        if (bytes_[at_] == '\n') ++next_line_;
        if (bytes_[at_] != '"') {
            cell += bytes_[at_];
        } else if (at_ + 1 < bytes_.size() && bytes_[at_ + 1] == '"') {
            cell += bytes_[at_++];
        } else {
            break;
        }
    }
    ++at_;
    while (at_ < bytes_.size() && bytes_[at_] == ' ') ++at_;
    const bool is_end = at_ >= bytes_.size() || bytes_[at_] == separator_ || bytes_[at_] == '\n' ||
                        (bytes_[at_] == '\r' && (at_ + 1 >= bytes_.size() || bytes_[at_ + 1] == '\n'));
    if (!is_end) throw Error("text follows the closing quote of a cell");
    return cell;
}

std::string CsvReader::plain_cell() {
    const std::size_t begin = at_;
    while (at_ < bytes_.size() && bytes_[at_] != separator_ && bytes_[at_] != '\n') ++at_;
    const bool ends_line = at_ >= bytes_.size() || bytes_[at_] == '\n';
    if (ends_line && at_ > begin && bytes_[at_ - 1] == '\r') --at_;
    return std::string(trim(bytes_.substr(begin, at_ - begin)));
}

}  // namespace fovea
