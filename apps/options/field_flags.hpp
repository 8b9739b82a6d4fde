#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "apps/terminal/cli_fwd.hpp"
#include "lib/json/field.hpp"

namespace fovea {

/// How paths of flags are put into a configuration: escaped if its environment variables are expanded later.
enum class FlagPaths { as_they_are, escaped };

/// The flags of a configuration's fields, as FieldFlag describes them. Flags that are not given leave the
/// configuration as it is (defaults < JSON < flags).
class FieldFlags {
  public:
    /// The value that the parser reads; empty if the flag is not given.
    using Given = std::variant<bool, std::optional<int>, std::optional<std::size_t>, std::optional<double>,
                               std::optional<std::string>, std::vector<std::string>, std::vector<double>,
                               std::vector<int>>;

    /// Adds the flags of all fields that have one, and of fields in members, but not in lists of objects.
    /// This must outlive the subcommand, and must not be moved until the command line is parsed.
    /// \param without the full keys of fields whose flags are left out: "cascade.kind".
    template <class Config>
    void add(CLI::App& app, const std::vector<std::string>& without = {}) {
        Config defaults;
        add_fields(app, fields_of(defaults), without);
    }

    /// Puts the given values into the fields, and checks them. \throws UsageError with the flag as it
    /// was typed.
    template <class Config>
    void apply(Config& config, FlagPaths paths) const {
        apply_to(fields_of(config), paths);
    }

    /// True if any flag was given.
    bool any() const;
    /// True if a field's flag was given. \param key the field's full key: "cascade.kind".
    bool has(const std::string& key) const;

  private:
    void add_fields(CLI::App& app, const DescribeFields& describe, const std::vector<std::string>& without);
    void apply_to(const DescribeFields& describe, FlagPaths paths) const;

    /// A field's flag as typed: "--scale-factor 0.9"; empty if it was not given.
    std::string typed(const std::string& key) const;

    std::map<std::string, Given> given_;                 ///< by the fields' keys
    std::map<std::string, const CLI::Option*> options_;  ///< the parser's, by the fields' keys
};

/// Adds the flag of one field of RunConfig. \param key "threads". \param given gets the parser's value.
void add_run_flag(CLI::App& app, const std::string& key, std::optional<std::string>& given);
void add_run_flag(CLI::App& app, const std::string& key, std::optional<int>& given);

/// Reads "WxH" or "N" (a square). \throws UsageError naming the flag.
Size parse_size(const std::string& text, const std::string& flag);

/// Reads "LX,LY,RX,RY". \throws UsageError naming the flag.
Eyes parse_eyes(const std::string& text, const std::string& flag);

}  // namespace fovea
