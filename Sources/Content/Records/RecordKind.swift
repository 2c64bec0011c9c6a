/// What a record of a bundle is. Kinds that FleetKit does not know pass through bundles untouched.
public struct RecordKind: Hashable, Sendable, CustomStringConvertible {
  /// The word in the record's `kind` member.
  public let name: String

  /// Names a kind.
  public init(_ name: String) { self.name = name }

  /// A checklist, practice guide or flashcard deck with its envelope.
  public static let item = RecordKind("item")
  /// A trip on a boat.
  public static let charter = RecordKind("charter")
  /// The ticks of one checklist on one charter.
  public static let execution = RecordKind("execution")
  /// One row of the queue.
  public static let syncOperation = RecordKind("sync_operation")
  /// A file that belongs to content.
  public static let attachment = RecordKind("attachment")
  /// One practice of a guide or deck.
  public static let practiceSession = RecordKind("practice_session")
  /// A record of another system, kept as it came.
  public static let foreign = RecordKind("foreign")

  /// The kinds that FleetKit knows, in the order in which bundles list them.
  public static let known: [RecordKind] = [
    .charter, .item, .execution, .syncOperation, .attachment, .practiceSession, .foreign,
  ]

  /// Place in a bundle's order; unknown kinds come last.
  public var rank: Int { Self.known.firstIndex(of: self) ?? Self.known.count }

  /// Whether FleetKit knows what such a record means.
  public var isKnown: Bool { rank < Self.known.count }

  /// The member of a `.json` bundle that lists records of this kind; nil for unknown kinds.
  public var listName: String? { !isKnown ? nil : self == .foreign ? name : name + "s" }

  /// The plural that people read, `sync operations`.
  public var plural: String {
    if self == .foreign || !isKnown { return name.replacing("_", with: " ") + " records" }
    return name.replacing("_", with: " ") + "s"
  }

  /// The word itself.
  public var description: String { name }
}
