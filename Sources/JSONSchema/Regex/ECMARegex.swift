/// Stand-in.
public struct RegexSyntaxError: Error {
  public let message: String
  public let offset: Int
}
public final class ECMARegex: @unchecked Sendable {
  let regex: Regex<AnyRegexOutput>
  public enum Outcome { case match, noMatch, outOfSteps }
  public static let defaultSteps = 1_000_000
  public init(_ pattern: String) throws(RegexSyntaxError) {
    do { regex = try Regex(pattern) } catch { throw RegexSyntaxError(message: "\(error)", offset: 0) }
  }
  public func search(_ text: UnsafeBufferPointer<UInt8>, steps: Int = ECMARegex.defaultSteps) -> Outcome {
    (try? regex.firstMatch(in: String(decoding: text, as: UTF8.self))) ?? nil != nil ? .match : .noMatch
  }
}
