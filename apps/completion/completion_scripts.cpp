#include <algorithm>

#include <spdlog/fmt/fmt.h>

#include "apps/completion/completion_tree.hpp"

namespace fovea {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& with) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size())) {
        text.replace(at, what.size(), with);
    }
    return text;
}

// In single quotes a shell takes everything literally but the single quote itself.
std::string bash_quoted(const std::string& text) {
    return "'" + replaced(text, "'", "'\\''") + "'";
}

std::string fish_quoted(const std::string& text) {
    return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
    return text;
}

std::string bash_offer(const CompletionValue& value) {
    switch (value.kind) {
        case CompletionValue::Kind::file:
            return "_fovea_files -f" +
                   (value.choices.empty() ? "" : " " + bash_quoted(joined(value.choices)));
        case CompletionValue::Kind::folder:
            return "_fovea_files -d";
        case CompletionValue::Kind::choice:
            return "_fovea_words " + bash_quoted(joined(value.choices));
        case CompletionValue::Kind::none:
            break;
    }
    return ":";
}

// A bare colon would end the action that they stand in.
std::string zsh_words(const std::vector<std::string>& words) {
    return "(" + replaced(joined(words), ":", "\\:") + ")";
}

std::string zsh_action(const CompletionValue& value) {
    switch (value.kind) {
        case CompletionValue::Kind::file:
            if (value.choices.empty()) return "_files";
            return "{_alternative \"words\\:word\\:" + zsh_words(value.choices) +
                   "\" \"files\\:file\\:_files\"}";
        case CompletionValue::Kind::folder:
            return "_files -/";
        case CompletionValue::Kind::choice:
            return zsh_words(value.choices);
        case CompletionValue::Kind::none:
            break;
    }
    return " ";
}

std::string zsh_escaped(const std::string& text) {
    return replaced(replaced(replaced(replaced(text, "\\", "\\\\"), "[", "\\["), "]", "\\]"), ":", "\\:");
}

std::string zsh_function(const CompletionNode& node) {
    std::string name = node.path;
    std::replace(name.begin(), name.end(), ' ', '_');
    return "_" + name;
}

std::string zsh_body(const CompletionNode& node) {
    std::string arguments;
    for (const CompletionFlag& flag : node.flags) {
        for (const std::string& name : flag.names) {
            std::string spec = name + (flag.takes_value ? (name.rfind("--", 0) == 0 ? "=" : "+") : "") + "[" +
                               zsh_escaped(flag.description) + "]";
            if (flag.takes_value) spec += ":value:" + zsh_action(flag.value);
            // '*': a flag may be given again, as --model may.
            arguments += " \\\n        " + bash_quoted((flag.takes_value ? "*" : "") + spec);
        }
    }
    if (node.commands.empty()) {
        if (node.takes_arguments)
            arguments += " \\\n        " + bash_quoted("*:argument:" + zsh_action(node.argument));
        return fmt::format("{}() {{\n    _arguments{}\n}}\n\n", zsh_function(node), arguments);
    }
    std::string commands;
    std::string cases;
    for (const CompletionNode& command : node.commands) {
        commands += "\n        " + bash_quoted(command.name + ":" + zsh_escaped(command.description));
        cases += fmt::format("                {}) {} ;;\n", command.name, zsh_function(command));
    }
    return fmt::format(
        "{}() {{\n"
        "    local curcontext=\"$curcontext\" state\n"
        "    local -a line commands\n"
        "    commands=({}\n    )\n"
        "    _arguments -C{} \\\n        '1: :->command' \\\n        '*:: :->arguments'\n"
        "    case $state in\n"
        "        command) _describe -t commands 'subcommand' commands ;;\n"
        "        arguments)\n"
        "            case $line[1] in\n{}            esac ;;\n"
        "    esac\n"
        "}}\n\n",
        zsh_function(node), commands, arguments, cases);
}

}  // namespace

std::string bash_completion(const CompletionNode& root) {
    std::string paths;
    std::string values;
    std::string offers;
    for (const CompletionNode* node : all_nodes(root)) {
        if (node != &root) paths += (paths.empty() ? "" : " | ") + bash_quoted(node->path);
        std::vector<std::string> words;
        for (const CompletionFlag& flag : node->flags) {
            words.insert(words.end(), flag.names.begin(), flag.names.end());
            if (!flag.takes_value) continue;
            std::string pattern;
            for (const std::string& name : flag.names) {
                pattern += (pattern.empty() ? "" : " | ") + bash_quoted(node->path + " " + name);
            }
            values += fmt::format("        {}) {}; return ;;\n", pattern, bash_offer(flag.value));
        }
        std::vector<std::string> commands;
        for (const CompletionNode& command : node->commands) commands.push_back(command.name);
        std::string rest = commands.empty() ? ":" : "_fovea_words " + bash_quoted(joined(commands));
        if (node->takes_arguments) rest = bash_offer(node->argument);
        offers += fmt::format(
            "        {})\n            if [[ $cur == -* ]]; then _fovea_words {}; else {}; fi ;;\n",
            bash_quoted(node->path), bash_quoted(joined(words)), rest);
    }
    return fmt::format(
        "# bash completion for fovea, made by: fovea completion bash\n"
        "# Use it now with: source <(fovea completion bash)\n"
        "_fovea_words() {{\n"
        "    if [[ ! $behind_colon ]]; then mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); fi\n"
        "}}\n"
        "_fovea_files() {{\n"
        "    _fovea_words \"${{2-}}\"\n"
        "    # A path follows a format at once.\n"
        "    if [[ $COMPREPLY == *: ]]; then compopt -o nospace 2>/dev/null; "
        "else compopt -o filenames 2>/dev/null; fi\n"
        "    mapfile -t -O ${{#COMPREPLY[@]}} COMPREPLY < <(compgen \"$1\" -- \"$cur\")\n"
        "}}\n"
        "_fovea() {{\n"
        "    local cur=${{COMP_WORDS[COMP_CWORD]}} flag=$((COMP_CWORD - 1)) behind_colon=\n"
        "    local command=fovea i\n"
        "    COMPREPLY=()\n"
        "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
        "        case \"$command ${{COMP_WORDS[i]}}\" in\n"
        "            {}) command=\"$command ${{COMP_WORDS[i]}}\" ;;\n"
        "        esac\n"
        "    done\n"
        "    # Readline takes --flag=value, FORMAT:PATH and cuda:0 apart at '=' and ':'.\n"
        "    if [[ ${{COMP_WORDS[flag]}} == ':' && flag -ge 2 ]]; then behind_colon=1; ((flag -= 2)); fi\n"
        "    if [[ $cur == ':' ]]; then behind_colon=1; ((flag -= 1)); fi\n"
        "    if [[ $cur == '=' || $cur == ':' ]]; then cur=; fi\n"
        "    if [[ ${{COMP_WORDS[flag]}} == '=' && flag -ge 1 ]]; then ((flag -= 1)); fi\n"
        "    case \"$command ${{COMP_WORDS[flag]}}\" in\n{}    esac\n"
        "    case \"$command\" in\n{}    esac\n"
        "}}\n"
        "complete -F _fovea fovea\n",
        paths, values, offers);
}

std::string zsh_completion(const CompletionNode& root) {
    std::string text =
        "#compdef fovea\n"
        "# zsh completion for fovea, made by: fovea completion zsh > \"${fpath[1]}/_fovea\"\n\n";
    std::vector<const CompletionNode*> nodes = all_nodes(root);
    // Inner functions first; the outermost one is called when zsh loads the file on first use.
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) text += zsh_body(**node);
    return text + "if [[ $funcstack[1] == _fovea ]]; then _fovea \"$@\"; else compdef _fovea fovea; fi\n";
}

std::string fish_completion(const CompletionNode& root) {
    std::string paths;
    std::string lines;
    for (const CompletionNode* node : all_nodes(root)) {
        if (node != &root) paths += " " + fish_quoted(node->path);
        const std::string prefix = "complete -c fovea -n " + fish_quoted("__fovea_command " + node->path);
        for (const CompletionNode& command : node->commands) {
            lines += prefix + " -a " + fish_quoted(command.name) + " -d " + fish_quoted(command.description) +
                     "\n";
        }
        for (const CompletionFlag& flag : node->flags) {
            std::string line = prefix;
            for (const std::string& name : flag.names) {
                line += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
            }
            if (flag.takes_value) {
                switch (flag.value.kind) {
                    case CompletionValue::Kind::choice:
                        line += " -x -a " + fish_quoted(joined(flag.value.choices));
                        break;
                    case CompletionValue::Kind::folder:
                        line += " -x -a '(__fish_complete_directories)'";
                        break;
                    case CompletionValue::Kind::file:
                        line += " -r -F";
                        if (!flag.value.choices.empty())
                            line += " -a " + fish_quoted(joined(flag.value.choices));
                        break;
                    case CompletionValue::Kind::none:
                        line += " -x";
                        break;
                }
            }
            lines += line + " -d " + fish_quoted(flag.description) + "\n";
        }
        if (!node->takes_arguments) continue;
        lines += prefix +
                 (node->argument.kind == CompletionValue::Kind::choice
                      ? " -a " + fish_quoted(joined(node->argument.choices))
                      : " -F") +
                 "\n";
    }
    return fmt::format(
        "# fish completion for fovea, made by: fovea completion fish > "
        "~/.config/fish/completions/fovea.fish\n"
        "function __fovea_command --description 'true if the words so far name this subcommand'\n"
        "    set -l command fovea\n"
        "    set -l words (commandline -opc)\n"
        "    for word in $words[2..-1]\n"
        "        switch \"$command $word\"\n"
        "            case{}\n"
        "                set command \"$command $word\"\n"
        "        end\n"
        "    end\n"
        "    test \"$command\" = \"$argv\"\n"
        "end\n"
        "complete -c fovea -f\n{}",
        paths, lines);
}

}  // namespace fovea
