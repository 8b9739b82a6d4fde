#include <memory>
#include <utility>

#include <fovea/library.hpp>
#include <spdlog/details/null_mutex.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include "lib/core/version.hpp"
#include "lib/files/find_model.hpp"

namespace fovea::api {
namespace {

spdlog::level::level_enum inner(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return spdlog::level::debug;
        case LogLevel::information:
            return spdlog::level::info;
        case LogLevel::warning:
            return spdlog::level::warn;
        case LogLevel::error:
            break;
    }
    return spdlog::level::err;
}

LogLevel outer(spdlog::level::level_enum level) {
    if (level <= spdlog::level::debug) return LogLevel::debug;
    if (level == spdlog::level::info) return LogLevel::information;
    return level == spdlog::level::warn ? LogLevel::warning : LogLevel::error;
}

/// It takes no lock, because a receiver may wait for a lock that another thread holds while that logs.
class ReceiverSink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
  public:
    explicit ReceiverSink(LogFunction take) : take_(std::move(take)) {}

  private:
    void sink_it_(const spdlog::details::log_msg& message) override {
        if (take_) take_(outer(message.level), {message.payload.data(), message.payload.size()});
    }
    void flush_() override {}

    LogFunction take_;
};

}  // namespace

std::string version() {
    return fovea_version();
}

void add_model_folder(const std::filesystem::path& folder) {
    fovea::add_model_folder(folder);
}

std::filesystem::path find_model(const std::string& model) {
    return fovea::find_model(model);
}

std::vector<std::string> model_names() {
    return known_models();
}

void set_log(LogFunction take, LogLevel least) {
    auto logger = std::make_shared<spdlog::logger>("fovea", std::make_shared<ReceiverSink>(std::move(take)));
    logger->set_level(inner(least));
    spdlog::set_default_logger(std::move(logger));
}

}  // namespace fovea::api
