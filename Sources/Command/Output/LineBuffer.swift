/// Buffers lines for standard output, because a system call for each line would take longer than the rest of the work.
struct LineBuffer {
  /// The maximum number of buffered bytes. On a terminal every line is written immediately.
  private static let size = 1 << 16

  private var text = ""

  /// Adds a line.
  mutating func add(_ line: String) {
    if !text.isEmpty { text += "\n" }
    text += line
    if text.utf8.count >= Self.size || Terminal.isInteractive { flush() }
  }

  /// Writes the buffered lines. Must be called at the end.
  mutating func flush() {
    if text.isEmpty { return }
    Terminal.print(text)
    text.removeAll(keepingCapacity: true)
  }
}
