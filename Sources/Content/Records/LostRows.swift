import Diagnostics

/// Rows of a table that could not be used, as the checklist or deck remembers them that goes on without them.
public struct LostRows: Sendable {
  /// Where the first of them stands.
  public let first: Place
  /// How many there are, or may be: a row that nobody can take apart may belong to any item beside it.
  public let count: Int
  /// The ids of the steps or cards that they were to be, as far as anybody knows.
  public let ids: Set<[UInt8]>
  /// Their titles, as far as anybody knows.
  public let titles: Set<[UInt8]>

  /// Describes lost rows.
  public init(first: Place, count: Int, ids: Set<[UInt8]>, titles: Set<[UInt8]>) {
    self.first = first
    self.count = count
    self.ids = ids
    self.titles = titles
  }
}
