/// Lines for standard output, handed on many at a time: a call of the system for each would take longer than the work.
struct LineBuffer {
  /// How many bytes are kept at most; a person who watches gets every line at once.
  private static let size = 1 << 16

  private var text = ""

  /// Adds a line.
  mutating func add(_ line: String) {
    if !text.isEmpty { text += "\n" }
    text += line
    if text.utf8.count >= Self.size || Terminal.isInteractive { flush() }
  }

  /// Hands on what is kept. Must be called at the end.
  mutating func flush() {
    if text.isEmpty { return }
    Terminal.print(text)
    text.removeAll(keepingCapacity: true)
  }
}
