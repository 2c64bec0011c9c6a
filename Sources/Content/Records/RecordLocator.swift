import Diagnostics
import JSONText

/// Knows where the values of a source's records stand.
public protocol RecordLocator: Sendable {
  /// The source as the user named it.
  var file: String { get }

  /// The place of a value inside a record.
  /// - Parameter pointer: path from the record's outermost object.
  func place(of record: Record, at pointer: JSONPointer) -> Place
}
