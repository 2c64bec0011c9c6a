import Diagnostics
import Interchange

/// What is wrong with a configuration: all of it, with places.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
  /// At least one finding, in the order of the file.
  ///
  /// At most a hundred; `count` is how many there are.
  public let diagnostics: [Diagnostic]
  /// How many mistakes the file has.
  public let count: Int

  package init(_ diagnostics: [Diagnostic], count: Int? = nil) {
    self.diagnostics = diagnostics
    self.count = count ?? diagnostics.count
  }

  /// The first finding in one line: `.fleetkit.yml:3:5: 'selct' is no member; did you mean 'select'?`.
  public var description: String {
    guard let first = diagnostics.first else { return "the configuration is wrong" }
    return "\(TerminalText.escape(first.place.description)): \(TerminalText.escape(first.message))"
  }

  /// The error that ends a run, with status 64.
  public var failure: RunFailure {
    let more = count - 1
    let rest = more > 0 ? " (\(more) more mistake\(more == 1 ? "" : "s") in the configuration)" : ""
    return RunFailure(
      .usage, "read the configuration: \(description)\(rest)", advice: diagnostics.first.map { Self.sentence($0.fix) })
  }

  private static func sentence(_ text: String) -> String {
    let ends = text.last.map { ".?!".contains($0) } ?? true
    return text.prefix(1).uppercased() + text.dropFirst() + (ends ? "" : ".")
  }
}
