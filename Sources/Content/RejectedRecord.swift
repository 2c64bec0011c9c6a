import JSONText

/// A record that could not be used: its own bytes and the reasons.
package struct RejectedRecord: Sendable {
  package let kind: RecordKind
  /// The record's bytes in the rejects file, identical to those in the source.
  package let bytes: [UInt8]
  package let place: String
  package let reasons: [RejectReason]
  /// The line and column at which the record begins; nil if the source has no positions.
  package let position: TextPosition?
  /// The number of its file in a source of many files, as its locator counts them; 0 for a single file.
  package let file: Int32
  /// The number of its table rows: 1 for a row that is only a step or card of a record, more for a record of several
  /// rows, and 0 for records that are not rows.
  package let rows: Int32
  /// Whether this is a row of a record that is imported without it. Such a row is not counted as a record.
  package let isPart: Bool
  /// The table of a row, which determines the rejects file; nil if the record is not a row.
  package let table: RejectTable?
  /// The position of the row's step: after the last accepted step of its checklist.
  package let after: StepAnchor
  /// The values that the row takes from the rows above it, by column. Those rows are missing when the rejects file is
  /// read.
  package let above: [String: String]
  /// The record's id if it was read but could not be written; otherwise empty.
  package var id = ""
  /// Whether the run's selection includes the record. Other records are counted as skipped.
  package var isSelected = true

  /// The approximate size in bytes of the record, its reasons and the values from the rows above it.
  package var size: Int {
    reasons.reduce(bytes.count) { $0 + $1.message.utf8.count } + above.reduce(0) { $0 + $1.value.utf8.count }
  }

  package init(
    kind: RecordKind, bytes: [UInt8], place: String, reasons: [RejectReason], position: TextPosition? = nil,
    file: Int32 = 0, rows: Int32 = 0, isPart: Bool = false,
    table: RejectTable? = nil, after: StepAnchor = .unknown, above: [String: String] = [:]
  ) {
    self.above = above
    self.table = table
    self.after = after
    self.rows = rows
    self.isPart = isPart
    self.position = position
    self.file = file
    self.kind = kind
    self.bytes = bytes
    self.place = place
    self.reasons = reasons
  }

  /// Makes a reject from a record that was read, with its rows if it has rows, or else with its bytes in the source.
  package init(_ record: Record, place: String, reasons: [RejectReason]) {
    let slot = record.slot
    let rows = slot.rows > 0 ? record.originalRows : nil
    let source = record.sourceBytes
    self.init(
      kind: slot.kind, bytes: rows?.bytes ?? (source.isEmpty ? record.bytes : Array(source)), place: place,
      reasons: reasons, rows: slot.rows, table: rows?.table)
    id = record.id
  }
}

/// The reason why a record was rejected.
package struct RejectReason: Sendable {
  package let code: String
  package let message: String
  package let place: String

  package init(code: String, message: String, place: String) {
    self.code = code
    self.message = message
    self.place = place
  }
}

/// The table that rejected rows come from. They are written to a separate file that begins with the table's header.
public final class RejectTable: Sendable {
  /// The file extension, `csv` or `tsv`.
  public let fileExtension: String
  /// The bytes before the first row: a byte order mark, the header and its line end.
  public let header: [UInt8]
  /// The line end between rows.
  public let lineEnd: [UInt8]
  /// The data needed to read the rows again, as a JSON object: source, path, sheet and options.
  public let origin: String

  /// Describes a table.
  public init(fileExtension: String, header: [UInt8], lineEnd: [UInt8], origin: String) {
    self.fileExtension = fileExtension
    self.header = header
    self.lineEnd = lineEnd
    self.origin = origin
  }

  /// Whether rows of both tables can be in one file.
  package func isSame(as other: RejectTable) -> Bool {
    self === other
      || fileExtension.utf8.elementsEqual(other.fileExtension.utf8) && origin.utf8.elementsEqual(other.origin.utf8)
        && header == other.header && lineEnd == other.lineEnd
  }
}
