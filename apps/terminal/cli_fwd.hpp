#pragma once

// The parser of command lines, for headers that only name its types; its own header takes long to compile.
namespace CLI {
class App;
class Formatter;
class Option;
class ParseError;
}  // namespace CLI
