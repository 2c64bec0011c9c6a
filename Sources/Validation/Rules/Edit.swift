import Diagnostics
import JSONText

/// The one right answer to a finding.
public enum Edit: Sendable, Equatable {
  /// The string says this instead.
  case text(String)
  /// The value is this JSON instead.
  case json(String)
  /// The element of an array, or the member of an object, goes.
  case remove
}

/// An edit and the value that it is made on.
public struct Fix: Sendable {
  /// Where the record begins.
  public let record: Place
  /// The value inside the record.
  public let pointer: JSONPointer
  /// What is done with it.
  public let edit: Edit
  /// The value as the rule saw it, as JSON; an edit is made only where the source has a value that means the same.
  public let before: String?
  /// Where all of the value is, in sources that are not JSON.
  public let value: Place?

  /// Plans an edit.
  public init(record: Place, pointer: JSONPointer, edit: Edit, before: String? = nil, value: Place? = nil) {
    self.record = record
    self.pointer = pointer
    self.edit = edit
    self.before = before
    self.value = value
  }

  /// The same for a record of a file that lies inside something larger, which nobody edits in place.
  /// - Parameter source: what it lies in.
  public func inside(_ source: String) -> Fix {
    var place = record
    place.member = place.file
    place.file = source
    return Fix(record: place, pointer: pointer, edit: edit, before: before, value: value)
  }
}
