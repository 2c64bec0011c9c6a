import FleetKitCore

/// How two records that belong together differ.
public struct RecordChange: Sendable {
  /// What the record is.
  public let kind: RecordKind
  /// Its content type, or its kind for records that have none.
  public let type: String
  /// Its id.
  public let id: String
  /// Its title or name, from whichever side has it.
  public let title: String
  /// What differs, by path: the left value and the right value as JSON, nil where it is not there.
  public let fields: [(pointer: String, left: String?, right: String?)]
}

/// What differs between two sources.
public struct Difference: Sendable {
  /// Records that only the left side has.
  public var onlyLeft: [RecordChange] = []
  /// Records that only the right side has.
  public var onlyRight: [RecordChange] = []
  /// Records that both have and that differ.
  public var changed: [RecordChange] = []
  /// How many of each there are; the lists hold at most `Difference.kept` of each.
  public var counts: (onlyLeft: Int, onlyRight: Int, changed: Int, equal: Int) = (0, 0, 0, 0)
  /// How many records of either side could not be read, so that nobody can say whether they are equal.
  public var unreadable = 0
  /// How many records of each kind are equal.
  public var equalByKind: [RecordKind: Int] = [:]

  /// How many records are kept in full for each list.
  public static let kept = 1000

  /// Whether both sides say the same.
  public var isEmpty: Bool { unreadable == 0 && counts.onlyLeft == 0 && counts.onlyRight == 0 && counts.changed == 0 }
}
