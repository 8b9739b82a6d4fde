#include "tests/apps/shell_words.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace fovea::test {
namespace {

using Words = std::vector<std::string>;

class Splitter {
  public:
    Splitter(const std::string& text, Bars bars) : text_(text), bars_(bars) {}

    std::vector<Words> commands() {
        while (at_ < text_.size()) step();
        end_command();
        return std::move(commands_);
    }

  private:
    void step() {
        const char c = text_[at_];
        if (c == '\\' && at_ + 1 < text_.size()) {
            if (text_[at_ + 1] != '\n') word_ += text_[at_ + 1];
            at_ += 2;
        } else if (c == '\'' || c == '"') {
            const std::size_t close = std::min(text_.find(c, at_ + 1), text_.size());
            word_ += text_.substr(at_ + 1, close - at_ - 1);
            is_quoted_ = true;
            at_ = close + 1;
        } else if (c == '#' && word_.empty()) {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (c == ' ' || c == '\t') {
            end_word();
            ++at_;
        } else if (c == '>' || c == '<') {
            end_word();
            // A process in brackets is a command; the name of a file is not.
            skips_word_ = at_ + 1 >= text_.size() || text_[at_ + 1] != '(';
            ++at_;
        } else if (c == '\n' || c == ';' || c == '&' || c == '(' || c == ')' ||
                   (c == '|' && bars_ == Bars::pipe)) {
            end_command();
            ++at_;
        } else {
            word_ += c;
            ++at_;
        }
    }

    void end_word() {
        if (word_.empty() && !is_quoted_) return;
        if (!skips_word_) words_.push_back(word_);
        skips_word_ = false;
        is_quoted_ = false;
        word_.clear();
    }

    void end_command() {
        end_word();
        skips_word_ = false;
        if (!words_.empty()) commands_.push_back(std::move(words_));
        words_.clear();
    }

    const std::string& text_;
    const Bars bars_;
    std::size_t at_ = 0;
    std::string word_;
    bool is_quoted_ = false;
    bool skips_word_ = false;
    Words words_;
    std::vector<Words> commands_;
};

bool is_assignment(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == 0 || equals == std::string::npos) return false;
    for (std::size_t i = 0; i < equals; ++i) {
        if (std::isalnum(static_cast<unsigned char>(word[i])) == 0 && word[i] != '_') return false;
    }
    return true;
}

}  // namespace

std::vector<std::vector<std::string>> commands_of(const std::string& text, const std::string& program,
                                                  Bars bars) {
    const std::set<std::string> before{"$", "do", "then", "time"};
    std::vector<Words> found;
    for (Words words : Splitter(text, bars).commands()) {
        while (!words.empty() && (before.contains(words[0]) || is_assignment(words[0])))
            words.erase(words.begin());
        if (words.empty()) continue;
        const std::string name = words[0].substr(words[0].find_last_of('/') + 1);
        if (name != program) continue;
        words.erase(words.begin());
        found.push_back(std::move(words));
    }
    return found;
}

}  // namespace fovea::test
