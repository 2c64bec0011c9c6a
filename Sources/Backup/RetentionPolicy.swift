import Content
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

/// Decides which of some backups are kept. The decision uses only times and parents, and touches no files.
///
/// The newest backup is always kept, whatever the policy, and so is every backup needed to restore a kept one. A backup
/// that is damaged or lacks its parent does not count towards the number to keep, because it could not be restored; it
/// is left alone. If the plan is applied again to the backups that it keeps, it keeps all of them.
package struct RetentionPlan {
  /// The data of a backup that the decision needs.
  package struct Backup: Hashable {
    /// The identity of the backup, which is its file.
    package let file: String
    /// The name by which the backup's children refer to it.
    package let identity: String
    /// The time when the backup was taken.
    package let taken: Timestamp
    /// The identity of the backup's parent; nil for a full backup.
    package let parent: String?

    package init(file: String, identity: String, taken: Timestamp, parent: String?) {
      self.file = file
      self.identity = identity
      self.taken = taken
      self.parent = parent
    }
  }

  /// The reason why a backup is kept.
  package enum Reason: Hashable {
    /// The backup is the newest of all.
    case newest
    /// The backup is the newest of a period: `2026-01`.
    case period(RetentionPolicy.Period, String)
    /// Another kept backup needs it.
    case needed
    /// A backup that this one needs is missing.
    case broken
    /// The caller reports that the backup cannot be restored.
    case damaged
    /// The caller requests the backup.
    case wanted
  }

  /// The reason for each kept backup, by its file.
  package private(set) var kept: [String: Reason] = [:]
  /// The files that may be removed, oldest first.
  package private(set) var removed: [String] = []

  /// Whether a kept file is the reason why others may be removed, so that it must be sound.
  package func reliesOn(_ file: String) -> Bool {
    switch kept[file] {
    case .newest, .period, .wanted: true
    case .needed, .broken, .damaged, nil: false
    }
  }

  /// Makes the decision.
  /// - Parameters:
  ///   - wanted: files that are kept in any case.
  ///   - damaged: files that cannot be restored although all files that they need exist.
  package init(
    _ backups: [Backup], policy: RetentionPolicy, wanted: Set<String> = [], damaged: Set<String> = []
  ) {
    // Later backups come first. Of two backups taken at the same time, the one with the later name counts as later.
    let sorted = backups.sorted {
      $0.taken != $1.taken
        ? $0.taken > $1.taken : $1.file.utf8.lexicographicallyPrecedes($0.file.utf8)
    }
    let chains = BackupChains(sorted.map { ($0.file, $0.identity, $0.parent) })
    for backup in sorted where damaged.contains(backup.file) { kept[backup.file] = .damaged }
    if let newest = sorted.first(where: { kept[$0.file] == nil }) { kept[newest.file] = .newest }
    for backup in sorted where chains.isBroken(backup.file) && kept[backup.file] != .damaged {
      kept[backup.file] = .broken
    }
    for backup in sorted where wanted.contains(backup.file) && kept[backup.file] == nil {
      kept[backup.file] = .wanted
    }
    for rule in policy.rules {
      var count = 0
      var last: String?
      for backup in sorted where !chains.isBroken(backup.file) && !damaged.contains(backup.file) {
        let period = rule.period.name(of: backup.taken)
        if period == last { continue }
        last = period
        count += 1
        if count > rule.count { break }
        if kept[backup.file] == nil { kept[backup.file] = .period(rule.period, period) }
      }
    }
    for file in Array(kept.keys) {
      for parent in chains.ancestors(of: file) where kept[parent] == nil { kept[parent] = .needed }
    }
    removed = sorted.reversed().map(\.file).filter { kept[$0] == nil }
  }
}

extension RetentionPolicy.Period {
  /// Returns the name of the period that contains an instant: `2026-01-05T10`, `2026-01-05`, `week of 2026-01-05`,
  /// `2026-01`, `2026`.
  func name(of instant: Timestamp) -> String {
    func prefix(_ count: Int) -> String { String(instant.iso8601.prefix(count)) }
    switch self {
    case .hour: return prefix(13)
    case .day: return prefix(10)
    case .month: return prefix(7)
    case .year: return prefix(4)
    case .week:
      // 1970-01-01 was a Thursday, so its week began three days before.
      let day: Int64 = 86_400_000
      let shifted = instant.milliseconds + 3 * day
      let week = shifted >= 0 ? shifted / (7 * day) : (shifted - 7 * day + 1) / (7 * day)
      let monday = Timestamp(milliseconds: week * 7 * day - 3 * day)
      return "week of " + String(monday.iso8601.prefix(10))
    }
  }
}
