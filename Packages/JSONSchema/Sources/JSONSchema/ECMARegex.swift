/// An ECMA-262 regular expression with the flag `u`: it matches code points and has strict syntax and no other flags.
///
/// This implements the 2024 edition: modifiers such as `(?i:…)` and two groups with the same name are errors. An
/// expression is immutable, so many threads can use it at the same time. The nesting of a pattern and the steps and
/// memory of a search are limited, so that neither a hostile pattern nor a hostile text can exhaust resources.
/// - Source: ECMA-262, 15th edition, section 22.2.
public final class ECMARegex: Sendable {
  /// The step limit of a search in a short text, which takes less than a tenth of a second.
  public static let defaultSteps: Int = 10_000_000
  /// The number of steps that each byte of the text adds to `defaultSteps`.
  private static let stepsPerByte = 64
  /// The length of the longest pattern that is compiled, in bytes of UTF-8. Each byte takes about fifty bytes of
  /// memory.
  private static let longestPattern = 1 << 18

  /// Returns the step limit of one search in a text of `count` bytes.
  static func allowance(_ count: Int) -> Int { defaultSteps + stepsPerByte * count }

  /// The pattern as it was passed to `init`.
  public let pattern: String
  private let program: RegexProgram

  /// The result of a search.
  public enum Outcome: Sendable {
    /// The expression matches somewhere in the text.
    case match
    /// The expression does not match anywhere.
    case noMatch
    /// The search was stopped because it would have exceeded the limit of steps or memory.
    case outOfSteps
  }

  /// Compiles a pattern.
  /// - Throws: `RegexSyntaxError` for the first error, with an offset in Unicode scalars. A pattern of more than 256
  ///   KiB is also an error.
  public init(_ pattern: String) throws(RegexSyntaxError) {
    guard pattern.utf8.count <= Self.longestPattern else {
      throw RegexSyntaxError(message: "it is longer than \(Self.longestPattern) bytes", offset: 0)
    }
    self.pattern = pattern
    program = RegexCompiler.compile(try RegexParser.parse(pattern))
  }

  /// Searches for a match anywhere in `text`, which is UTF-8.
  ///
  /// The search allocates memory only if more than a hundred choices are open at the same time.
  /// - Parameter steps: the limit of steps, each of which takes a few nanoseconds. If it is nil, the limit depends on
  ///   the length of the text.
  public func search(_ text: Span<UInt8>, steps: Int? = nil) -> Outcome {
    var budget = steps ?? Self.allowance(text.count)
    return search(text, budget: &budget)
  }

  /// Searches for a match anywhere in `text`, which is UTF-8, and subtracts the steps from `budget`.
  ///
  /// Many searches can share a budget, so that a thousand slow searches do not add up to an hour. One search uses at
  /// most ten million steps, plus 64 steps for each byte of the text.
  public func search(_ text: Span<UInt8>, budget: inout Int) -> Outcome {
    // Positions are stored in 32 bits.
    guard text.count < Int(Int32.max) else { return .outOfSteps }
    let share = min(budget, Self.allowance(text.count))
    return withUnsafeTemporaryAllocation(of: BacktrackStack.Entry.self, capacity: 60) { stack in
      withUnsafeTemporaryAllocation(of: Int32.self, capacity: max(1, program.registerCount)) { registers in
        text.withUnsafeBufferPointer { bytes in
          var matcher = RegexMatcher(program, text: bytes, steps: share, registers: registers, stack: stack)
          defer { budget -= share - matcher.steps }
          return search(text, &matcher)
        }
      }
    }
  }

  /// Searches for a match anywhere in `text`.
  public func search(_ text: String, steps: Int? = nil) -> Outcome { search(text.utf8.span, steps: steps) }

  /// Tries the positions at which a match can begin.
  private func search(_ text: Span<UInt8>, _ matcher: inout RegexMatcher) -> Outcome {
    var position = 0
    while true {
      let from = position
      if let byte = program.firstByte {
        while position < text.count, text[position] != byte { position += 1 }
      } else if let bytes = program.firstBytes {
        while position < text.count, !bytes.contains(text[position]) { position += 1 }
      }
      matcher.spend(position - from)
      // The whole text was searched, so the answer is certain regardless of the remaining steps.
      if position == text.count, program.firstByte != nil || program.firstBytes != nil { return .noMatch }
      if program.isAnchored, position > 0 { return .noMatch }
      let outcome = matcher.run(from: position)
      guard case .noMatch = outcome, position < text.count, !program.isAnchored else { return outcome }
      // A match that begins later in the text of a leading loop would fail for the same reason.
      if program.beginsWithRun, matcher.passRun(&position) { continue }
      position += 1
      while position < text.count, text[position] & 0xC0 == 0x80 { position += 1 }
    }
  }
}

/// The reason why a pattern is not an ECMA-262 regular expression.
public struct RegexSyntaxError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A message in one sentence without a full stop.
  public let message: String
  /// The offset in Unicode scalars from the start of the pattern.
  public let offset: Int

  /// Creates an error at an offset in Unicode scalars.
  public init(message: String, offset: Int) {
    self.message = message
    self.offset = offset
  }

  /// The message with its position.
  public var description: String { "\(message) (at character \(offset + 1))" }
}
