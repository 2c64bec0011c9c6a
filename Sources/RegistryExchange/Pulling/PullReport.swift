import Content
import Diagnostics
import Interchange
import JSONText
import Publishing
import SQLiteLibrary
import Validation

/// What came of bringing back what was changed elsewhere.
public struct PullReport: Sendable {
  /// What became of one of the account's items.
  public enum Outcome: Sendable, Equatable {
    /// The library has what is public now.
    case taken
    /// Both had changed different things: the library has both, and the next update publishes them.
    case merged
    /// The library has an item more.
    case created
    /// Somebody took it back elsewhere: here it is private now.
    case withdrawn
    /// The library's stays as it is, because both changed the same thing, or nobody knows what they come from.
    case conflict(String)
    /// What the registry has cannot be used.
    case rejected(String)
    /// The library does not have it.
    case missing
    /// Left alone, and why.
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
    /// What became of it.
    public var outcome: Outcome
  }

  /// The account's items of which there is something to say, in the registry's order.
  public internal(set) var entries: [Entry] = []
  /// How many items the account has, or had.
  public internal(set) var owned = 0
  /// How many are the same here and there, or changed only here.
  public internal(set) var unchanged = 0
  /// How many of these waited for nothing any more, and are `synced` now.
  public internal(set) var settled = 0
  /// How many were not selected.
  public internal(set) var unselected = 0
  /// How many were taken back before, and are not public here either.
  public internal(set) var gone = 0
  /// How many updates that had failed left the queue, because they would have replaced what was pulled.
  public internal(set) var dropped = 0
  /// The number of the run; nil when nothing was changed.
  public internal(set) var run: Int64?
  /// Whether everything was done but the last step.
  public internal(set) var isDryRun = false
  /// The page that shows both sides of every conflict; nil when there was none.
  public internal(set) var conflicts: String?
  /// Where the registry's versions of conflicts are kept.
  public internal(set) var rejects: [String] = []
  /// The bundle of what was written over; nil when nothing was.
  public internal(set) var replaced: String?

  /// How many items came to something.
  public func count(_ takes: (Outcome) -> Bool) -> Int { entries.count { takes($0.outcome) } }

  /// Whether every item is accounted for.
  public var isBalanced: Bool { owned == entries.count + unchanged + unselected + gone }

  /// How the run ends.
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
