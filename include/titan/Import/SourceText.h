// The text of one graph as the parser sees it, and where each of its characters
// stands in the user's file.
#ifndef TITAN_IMPORT_SOURCETEXT_H
#define TITAN_IMPORT_SOURCETEXT_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace mlir::titan {

/// A graph's text. It is the file's own where nothing had to be removed, else a
/// copy without log prefixes and colours, whose lines remember their origin.
class SourceText {
public:
  /// The whole of \p file, called \p name in messages. Borrows both.
  SourceText(MLIRContext *context, llvm::StringRef file, llvm::StringRef name)
      : context(context), file(file), name(name) {}

  /// Replaces the text by a copy. \p origins holds for each line of \p lines
  /// the place in the file where it starts.
  void setLines(std::string lines, std::vector<const char *> origins) {
    copy = std::move(lines);
    lineOrigins = std::move(origins);
  }

  /// The text is a part of a log: what stands around the graph says nothing.
  bool isFromLog() const { return fromLog; }
  void setFromLog() { fromLog = true; }

  MLIRContext *getContext() const { return context; }
  llvm::StringRef getName() const { return name; }
  llvm::StringRef getFile() const { return file; }
  llvm::StringRef getText() const {
    return lineOrigins.empty() ? file : llvm::StringRef(copy);
  }

  /// The file's line and column of a character of the text (or of the file).
  /// Takes time linear in the file: for messages only.
  Location getLocation(const char *position) const;

  /// A diagnostic at a character of the text. Where the line is too long to be
  /// shown, the message itself begins with the place.
  InFlightDiagnostic emitError(const char *position) const;
  InFlightDiagnostic emitWarning(const char *position) const;

private:
  const char *getOrigin(const char *position) const;
  InFlightDiagnostic emit(const char *position,
                          DiagnosticSeverity severity) const;

  MLIRContext *context;
  llvm::StringRef file;
  llvm::StringRef name;
  std::string copy;
  bool fromLog = false;
  std::vector<const char *> lineOrigins;
};

/// The length of the terminal escape sequence (colour) that \p text starts
/// with, 0 if it starts with none.
size_t getEscapeLength(llvm::StringRef text);

/// \p text, shortened for a message: one line, at most 60 characters.
std::string getExcerpt(llvm::StringRef text);

} // namespace mlir::titan

#endif // TITAN_IMPORT_SOURCETEXT_H
