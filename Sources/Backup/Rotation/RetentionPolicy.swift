import Interchange

/// Which backups of a folder are kept: the newest of each of the last so many hours, days, weeks, months and years.
///
/// `7d,4w,12m` keeps the newest backup of each of the last seven days that have one, of four weeks, and of twelve
/// months. Days begin at midnight UTC, weeks on Monday. A period without a backup does not count.
public struct RetentionPolicy: Sendable, Hashable, CustomStringConvertible {
  /// How long a period is.
  public enum Period: String, Sendable, CaseIterable {
    /// An hour of the clock.
    case hour = "h"
    /// A day, UTC.
    case day = "d"
    /// A week from Monday to Sunday, UTC.
    case week = "w"
    /// A month of the calendar, UTC.
    case month = "m"
    /// A year of the calendar, UTC.
    case year = "y"
  }

  /// How many periods of one length have a backup that is kept.
  public struct Rule: Sendable, Hashable {
    /// How long the periods are.
    public let period: Period
    /// How many of them; at least 1.
    public let count: Int

    /// Makes a rule.
    /// - Parameter count: at least 1; less counts as 1.
    public init(_ period: Period, _ count: Int) {
      self.period = period
      self.count = max(1, count)
    }
  }

  /// The rules, in the order in which they were given.
  public let rules: [Rule]

  /// The largest number that a rule may say.
  public static let largest = 100_000

  /// Makes a policy of rules.
  public init(_ rules: [Rule]) { self.rules = rules }

  /// Reads a policy as people write it: `7d,4w,12m`.
  /// - Throws: `RunFailure` with status 64 that says which part cannot be meant.
  public init(parsing text: String) throws {
    var rules: [Rule] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let word = part.drop { $0 == " " }
      let rule = try Self.rule(String(word), of: text)
      guard !rules.contains(where: { $0.period == rule.period }) else {
        throw Self.failure(text, "'\(rule.period.rawValue)' stands there twice")
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
      throw failure(text, "'\(word)' is more than anybody has (at most \(largest))")
    }
    guard count > 0 else { throw failure(text, "'\(word)' would keep nothing") }
    return Rule(period, count)
  }

  private static func failure(_ text: String, _ why: String) -> RunFailure {
    RunFailure(
      .usage, "keep '\(text)': \(why)",
      advice: "Say how many hours, days, weeks, months or years, as in 7d,4w,12m.")
  }

  /// As people write it.
  public var description: String { rules.map { "\($0.count)\($0.period.rawValue)" }.joined(separator: ",") }
}
