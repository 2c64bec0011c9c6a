import Diagnostics
import JSONText

/// Knows where the values of a source's records stand.
public protocol RecordLocator: Sendable {
  /// The source as the user named it.
  var file: String { get }

  /// The place of a value inside a record.
  /// - Parameter pointer: path from the record's outermost object.
  func place(of record: Record, at pointer: JSONPointer) -> Place

  /// The exact place of a part of a value: first and last column, and the line where nobody can read it again.
  /// - Parameter pointer: path from the record's outermost object. Where the source does not have the value (it is
  ///   a default that was filled in), the place of what surrounds it.
  func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace

  /// A place that a reader reported, made as exact as it can be.
  func refine(_ place: Place) -> LocatedPlace
}

extension RecordLocator {
  /// The place of the whole value, for sources that know no more.
  public func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace {
    LocatedPlace(place(of: record, at: pointer))
  }

  /// The place as it is.
  public func refine(_ place: Place) -> LocatedPlace { LocatedPlace(place) }
}
