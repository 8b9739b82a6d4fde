#pragma once

// Declares the types of the command line's parser, whose own header takes long to compile.
namespace CLI {
class App;
class Formatter;
class Option;
class ParseError;
}  // namespace CLI
