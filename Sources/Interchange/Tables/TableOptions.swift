/// How tables are read and written, as the user says it.
public struct TableOptions: Sendable {
  /// Headers and the columns that they stand for, `Шаг` → `item`; before anything that is guessed.
  public var map: [(header: String, column: String)] = []
  /// The header of the column that tells rows apart where there is no column of ids; nil for none.
  public var key: String?
  /// What a row stands for: `steps`, `cards` or `catalogue`; nil to find out.
  public var shape: String?
  /// The sheet of a workbook that is read; nil for all that have something to read.
  public var sheet: String?
  /// Whether CSV is written for Excel: with a byte order mark.
  public var excel = false
  /// What separates the cells of a delimited text that is read; nil to find out.
  public var delimiter: UInt8?
  /// What separates the cells of a delimited text that is written; nil for commas, and for tabs in a `.tsv`.
  public var writtenDelimiter: UInt8?
  /// Where rejected rows are from that are read again, and how that was read; nil for a source of its own.
  ///
  /// Every record of such a source is partial, and its ids are those of the table that the rows were rejected from.
  public var retry: RetryOrigin?

  /// Options as they are when nobody says anything.
  public init() {}
}
