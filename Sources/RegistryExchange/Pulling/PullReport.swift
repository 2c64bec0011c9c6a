import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import SQLiteLibrary
import Validation

/// The result of a pull.
public struct PullReport: Sendable {
  /// The outcome for one of the account's items.
  public enum Outcome: Sendable, Equatable {
    /// The library now has the public version.
    case taken
    /// The sides had changed different fields: the library has both changes, and the next update publishes them.
    case merged
    /// The library has a new item.
    case created
    /// The item was withdrawn elsewhere and is now private here.
    case withdrawn
    /// The library's version is kept, because both sides changed the same field, or their base is unknown.
    case conflict(String)
    /// The registry's version cannot be used.
    case rejected(String)
    /// The library does not have the item.
    case missing
    /// The item was left unchanged, for the given reason.
    case skipped(String)
  }

  /// One item of the account.
  public struct Entry: Sendable {
    /// The item's id in the library; nil when the library does not have the item.
    public var id: String?
    /// The item's slug.
    public var publicID: String
    /// The item's title at the registry.
    public var title: String
    /// The outcome.
    public var outcome: Outcome
  }

  /// The account's items that have to be reported, in the registry's order.
  public internal(set) var entries: [Entry] = []
  /// The number of items that the account has or had.
  public internal(set) var owned = 0
  /// The number of items that are equal on both sides or changed only here.
  public internal(set) var unchanged = 0
  /// The number of unchanged items for which no operation waited any more; their state is now `synced`.
  public internal(set) var settled = 0
  /// The number of items that were not selected.
  public internal(set) var unselected = 0
  /// The number of items that were withdrawn earlier and are not public here either.
  public internal(set) var gone = 0
  /// The number of failed updates that left the queue because they would have replaced the pulled version.
  public internal(set) var dropped = 0
  /// The number of the run; nil when nothing was changed.
  public internal(set) var run: Int64?
  /// Whether the run was a dry run, which does everything except the last step.
  public internal(set) var isDryRun = false
  /// The page that shows both sides of every conflict; nil when there was none.
  public internal(set) var conflicts: String?
  /// The files with the registry's versions of conflicting records.
  public internal(set) var rejects: [String] = []
  /// The bundle of overwritten records; nil when there were none.
  public internal(set) var replaced: String?

  /// The number of items with a given outcome.
  public func count(_ takes: (Outcome) -> Bool) -> Int { entries.count { takes($0.outcome) } }

  /// Whether every item is accounted for.
  public var isBalanced: Bool { owned == entries.count + unchanged + unselected + gone }

  /// The exit status of the run.
  public var status: ExitStatus {
    if !isBalanced { return .internalError }
    let isPartial = entries.contains { entry in
      switch entry.outcome {
      case .conflict, .rejected: true
      default: false
      }
    }
    return isPartial ? .partial : .success
  }
}
