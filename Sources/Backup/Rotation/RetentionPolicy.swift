import Interchange

/// The retention policy for the backups in a folder: the newest backup of each of a number of hours, days, weeks,
/// months and years is kept.
///
/// `7d,4w,12m` keeps the newest backup of each of the last seven days with a backup, of four such weeks, and of twelve
/// such months. Days begin at midnight UTC, and weeks begin on Monday. A period without a backup does not count.
public struct RetentionPolicy: Sendable, Hashable, CustomStringConvertible {
  /// The length of a period.
  public enum Period: String, Sendable, CaseIterable {
    /// An hour of the clock.
    case hour = "h"
    /// A day in UTC.
    case day = "d"
    /// A week from Monday to Sunday in UTC.
    case week = "w"
    /// A calendar month in UTC.
    case month = "m"
    /// A calendar year in UTC.
    case year = "y"
  }

  /// The number of periods of one length for which a backup is kept.
  public struct Rule: Sendable, Hashable {
    /// The length of the periods.
    public let period: Period
    /// The number of periods; at least 1.
    public let count: Int

    /// Creates a rule.
    /// - Parameter count: at least 1; a smaller number counts as 1.
    public init(_ period: Period, _ count: Int) {
      self.period = period
      self.count = max(1, count)
    }
  }

  /// The rules, in the order given.
  public let rules: [Rule]

  /// The maximum number in a rule.
  public static let largest = 100_000

  /// Creates a policy from rules.
  public init(_ rules: [Rule]) { self.rules = rules }

  /// Parses a policy: `7d,4w,12m`.
  /// - Throws: `RunFailure` with status 64 that names the invalid part.
  public init(parsing text: String) throws {
    var rules: [Rule] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let word = part.drop { $0 == " " }
      let rule = try Self.rule(String(word), of: text)
      guard !rules.contains(where: { $0.period == rule.period }) else {
        throw Self.failure(text, "'\(rule.period.rawValue)' is given twice")
      }
      rules.append(rule)
    }
    self.rules = rules
  }

  private static func rule(_ word: String, of text: String) throws -> Rule {
    guard let unit = word.last, let period = Period(rawValue: String(unit)) else {
      throw failure(text, word.isEmpty ? "a part is empty" : "'\(word)' does not end in h, d, w, m or y")
    }
    let digits = word.dropLast()
    guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else {
      throw failure(text, "'\(word)' does not begin with a number")
    }
    guard let count = Int(digits), count <= largest else {
      throw failure(text, "'\(word)' is too large (at most \(largest))")
    }
    guard count > 0 else { throw failure(text, "'\(word)' would keep nothing") }
    return Rule(period, count)
  }

  private static func failure(_ text: String, _ why: String) -> RunFailure {
    RunFailure(
      .usage, "keep '\(text)': \(why)",
      advice: "Give the number of hours, days, weeks, months or years, as in 7d,4w,12m.")
  }

  /// The policy in the form that users write.
  public var description: String { rules.map { "\($0.count)\($0.period.rawValue)" }.joined(separator: ",") }
}
