#define CATCH_CONFIG_MAIN
#include <iostream>

#include <catch2/catch.hpp>

namespace {

/// Ends a run with one line that scripts can read: "N passed, N failed, N skipped". A test case that reports
/// "not run: ..." for lack of data, a GPU or a package, and fails nothing, counts as skipped.
class ClosingLine : public Catch::TestEventListenerBase {
  public:
    using TestEventListenerBase::TestEventListenerBase;

    void testCaseStarting(const Catch::TestCaseInfo&) override { skipped_here_ = false; }

    bool assertionEnded(const Catch::AssertionStats& stats) override {
        for (const auto& message : stats.infoMessages) {
            if (message.type == Catch::ResultWas::Warning && message.message.rfind("not run:", 0) == 0) {
                skipped_here_ = true;
            }
        }
        return false;
    }

    void testCaseEnded(const Catch::TestCaseStats& stats) override {
        if (stats.totals.assertions.failed > 0) {
            ++failed_;
        } else if (skipped_here_) {
            ++skipped_;
        } else {
            ++passed_;
        }
    }

    void testRunEnded(const Catch::TestRunStats&) override {
        std::cout << std::flush;
        closing_ = std::to_string(passed_) + " passed, " + std::to_string(failed_) + " failed, " +
                   std::to_string(skipped_) + " skipped";
    }

    ~ClosingLine() override {
        if (!closing_.empty()) std::cout << closing_ << std::endl;
    }

  private:
    int passed_ = 0;
    int failed_ = 0;
    int skipped_ = 0;
    bool skipped_here_ = false;
    std::string closing_;
};

}  // namespace

CATCH_REGISTER_LISTENER(ClosingLine)
