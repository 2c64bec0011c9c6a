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
    /// The library has the public version now.
    case taken
    /// Both sides had changed different things: the library has both, and the next update publishes them.
    case merged
    /// The library has a new item.
    case created
    /// It was withdrawn elsewhere: here it is private now.
    case withdrawn
    /// The library's version is kept, because both sides changed the same thing, or their base is unknown.
    case conflict(String)
    /// The registry's version cannot be used.
    case rejected(String)
    /// The library does not have it.
    case missing
    /// Left unchanged, with the reason.
    case skipped(String)
  }

  /// One item.
  public struct Entry: Sendable {
    /// Its id in the library; nil when the library does not have it.
    public var id: String?
    /// Its slug.
    public var publicID: String
    /// Its title, as the registry has it.
    public var title: String
    /// The outcome.
    public var outcome: Outcome
  }

  /// The account's items that need a report, in the registry's order.
  public internal(set) var entries: [Entry] = []
  /// The number of items that the account has, or had.
  public internal(set) var owned = 0
  /// The number of items that are equal on both sides, or changed only here.
  public internal(set) var unchanged = 0
  /// The number of these for which nothing waited any more; they are `synced` now.
  public internal(set) var settled = 0
  /// The number of items that were not selected.
  public internal(set) var unselected = 0
  /// The number of items that were withdrawn before, and are not public here either.
  public internal(set) var gone = 0
  /// The number of failed updates that left the queue, because they would have replaced what was pulled.
  public internal(set) var dropped = 0
  /// The number of the run; nil when nothing was changed.
  public internal(set) var run: Int64?
  /// Whether everything was done except the last step.
  public internal(set) var isDryRun = false
  /// The page that shows both sides of every conflict; nil when there was none.
  public internal(set) var conflicts: String?
  /// Where the registry's versions of conflicts are kept.
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
