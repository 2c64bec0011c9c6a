import Diagnostics
import JSONText

/// The change that corrects a finding.
public enum Edit: Sendable, Equatable {
  /// Replaces the text of a string.
  case text(String)
  /// Replaces the value with this JSON.
  case json(String)
  /// Removes an element of an array or a member of an object.
  case remove
}

/// An edit and the value that it changes.
public struct Fix: Sendable {
  /// The place where the record begins.
  public let record: Place
  /// The path to the value inside the record.
  public let pointer: JSONPointer
  /// The change of the value.
  public let edit: Edit
  /// The value as the rule saw it, as JSON. An edit is made only if the source has an equivalent value.
  public let before: String?
  /// The place of the whole value, in sources that are not JSON.
  public let value: Place?

  /// Plans an edit.
  public init(record: Place, pointer: JSONPointer, edit: Edit, before: String? = nil, value: Place? = nil) {
    self.record = record
    self.pointer = pointer
    self.edit = edit
    self.before = before
    self.value = value
  }

  /// Returns the same fix for a record of a file inside a larger source, which is not edited in place.
  /// - Parameter source: the source that contains the file.
  public func inside(_ source: String) -> Fix {
    var place = record
    place.member = place.file
    place.file = source
    return Fix(record: place, pointer: pointer, edit: edit, before: before, value: value)
  }
}
