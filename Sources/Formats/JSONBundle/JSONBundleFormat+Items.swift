import Content
import Interchange

extension JSONBundleFormat {
  /// What writes single records as JSON that people can read.
  public func itemWriter() -> any ItemTextWriter { IndentedRecord() }
}

/// Writes a record as indented JSON: two spaces, one member a line, members in canonical order, a line end behind it.
struct IndentedRecord: ItemTextWriter {
  func text(of item: Record, at path: String) -> [UInt8]? {
    item.withLine { IndentedJSON.text($0) }
  }
}
