import Diagnostics
import JSONText

/// Finds the positions of values in a source's records.
public protocol RecordLocator: Sendable {
  /// The source's name, as the user gave it.
  var file: String { get }

  /// The names, as used in findings, of the files that the batches' records were read from, in reading order. For a
  /// single file, the source itself.
  var files: [String] { get }

  /// Returns the name of a record's file, as used in findings. Faster than finding the record's place.
  func file(of record: Record) -> String

  /// Returns the place of a value inside a record.
  /// - Parameter pointer: path from the record's outermost object.
  func place(of record: Record, at pointer: JSONPointer) -> Place

  /// Returns the exact place of one part of a value: first and last column, and the line itself if it cannot be read
  /// again.
  /// - Parameter pointer: path from the record's outermost object. If the value is not in the source (because it is an
  ///   added default), the enclosing value's place is returned.
  func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace

  /// Returns a more exact form of a reported place, if possible.
  func refine(_ place: Place) -> LocatedPlace
}

extension RecordLocator {
  /// Only the source itself.
  public var files: [String] { [file] }

  /// Returns the source itself.
  public func file(of record: Record) -> String { file }

  /// Returns the place of the whole value. For sources without more exact positions.
  public func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace {
    LocatedPlace(place(of: record, at: pointer))
  }

  /// Returns the place unchanged.
  public func refine(_ place: Place) -> LocatedPlace { LocatedPlace(place) }
}

/// Finds places in a source without positions. A place contains the file, and at most the record or the value.
public struct FileLocator: RecordLocator {
  /// What a place shows in addition to the file.
  public enum Detail: Sendable {
    case nothing
    /// The id of the record.
    case record
    /// The path of the value.
    case value
  }

  /// The source's name, as the user gave it.
  public let file: String
  private let detail: Detail

  /// Makes a locator for a file.
  public init(_ file: String, showing detail: Detail = .nothing) {
    self.file = file
    self.detail = detail
  }

  /// Returns the file with the additional detail.
  public func place(of record: Record, at pointer: JSONPointer) -> Place {
    switch detail {
    case .nothing: Place(file: file)
    case .record: Place(file: file, pointer: record.id)
    case .value: Place(file: file, pointer: pointer.description)
    }
  }
}

/// The properties of a whole source. Its reader passes them with every batch.
public struct SourceTraits: Sendable {
  /// Whether people edit the source's items by hand, so that it may be newer than its times.
  public var isWrittenByHand: Bool
  /// Whether records are in separate files, as in a vault.
  public var hasManyFiles: Bool
  /// Whether the reader itself checks the targets of links in its records.
  public var checksLinks: Bool
  /// The members that the source can express; nil for all.
  public var expressible: FieldCoverage?
  /// Returns the id of the library that is read, as 16 hexadecimal digits; nil for other sources. The id is read on
  /// demand.
  public var libraryID: @Sendable () -> String?

  /// Makes the traits of a source. The defaults describe a single file that is written by programs and can express all
  /// members.
  public init(
    isWrittenByHand: Bool = false, hasManyFiles: Bool = false, checksLinks: Bool = false,
    expressible: FieldCoverage? = nil, libraryID: @escaping @Sendable () -> String? = { nil }
  ) {
    self.isWrittenByHand = isWrittenByHand
    self.hasManyFiles = hasManyFiles
    self.checksLinks = checksLinks
    self.expressible = expressible
    self.libraryID = libraryID
  }
}

/// The data that a source has about single records in addition to their lines. Used for only a few records, because it
/// may require reading the source again.
public protocol RecordOrigin: Sendable {
  /// Returns what FleetKit last wrote at a record's place, or nil if unknown.
  func lastWritten(of record: Record) -> LastWritten?

  /// Returns the table rows of a record as they were typed; nil for records that are not rows.
  func originalRows(of record: Record) -> OriginalRows?

  /// Returns the rows that a partial record lacks; nil for records that are not rows.
  func lostRows(of record: Record) -> LostRows?

  /// Returns, for each step or card of a partial record, its position in the checklist or deck. The positions are in
  /// the record's order. The list is empty if that order is sufficient.
  func stepAnchors(of record: Record) -> [StepAnchor]

  /// Returns the path of the file with an attachment's bytes; nil if the source only has its name.
  func mediaPath(of record: Record) -> String?

  /// Returns whether `mediaPath` would return a path. Fast even if the bytes would have to be unpacked.
  func hasMedia(of record: Record) -> Bool
}

extension RecordOrigin {
  /// Returns nil: most sources have no such information.
  public func lastWritten(of record: Record) -> LastWritten? { nil }

  /// Returns nil: most records are not rows.
  public func originalRows(of record: Record) -> OriginalRows? { nil }

  /// Returns nil: most records are not rows.
  public func lostRows(of record: Record) -> LostRows? { nil }

  /// Returns an empty array: the record's order is sufficient.
  public func stepAnchors(of record: Record) -> [StepAnchor] { [] }

  /// Returns nil: most sources have only names.
  public func mediaPath(of record: Record) -> String? { nil }

  /// Returns whether `mediaPath` returns a path.
  public func hasMedia(of record: Record) -> Bool { mediaPath(of: record) != nil }
}

/// The origin of records that have no data in addition to their lines.
public struct NoOrigin: RecordOrigin {
  /// Makes an empty origin.
  public init() {}
}

/// A place, with its line of text if the line cannot be read again.
public struct LocatedPlace: Sendable {
  /// The place.
  public var place: Place
  /// The line, for values inside databases; nil for files, which can be read again.
  public var excerpt: String?

  /// Makes a located place.
  public init(_ place: Place, excerpt: String? = nil) {
    self.place = place
    self.excerpt = excerpt
  }
}

/// What FleetKit last wrote at the place of a record: the library's content at that time, and whether the record was
/// changed since.
public struct LastWritten: Sendable, Equatable {
  /// Whether the record is unchanged since it was written, byte for byte.
  public let isUntouched: Bool
  /// The hash of the library's content at that time, 64 hexadecimal digits.
  public let content: String
  /// When that content was last changed; nil if the library had no time for it.
  public let updated: Timestamp?
  /// The id of that library, as a locator provides it; nil if unknown.
  public let library: String?

  /// Describes what was written.
  public init(isUntouched: Bool, content: String, updated: Timestamp?, library: String? = nil) {
    self.isUntouched = isUntouched
    self.content = content
    self.updated = updated
    self.library = library
  }
}

/// The members that a source can store, for a source that cannot store most members. A table, for example, has only the
/// members of its columns.
///
/// A member that the source cannot store does not count as changed. An import keeps the library's value for it.
public struct FieldCoverage: Sendable, Equatable {
  /// Members of an item, such as `title` or `tags`.
  public var item: Set<String>
  /// Members of the item's document, such as `checklistType`. A member that repeats an item's member follows that
  /// member.
  public var document: Set<String>
  /// Members of sections.
  public var section: Set<String>
  /// Members of steps, or of cards.
  public var step: Set<String>

  /// Makes a set of members.
  public init(item: Set<String>, document: Set<String>, section: Set<String>, step: Set<String>) {
    self.item = item
    self.document = document
    self.section = section
    self.step = step
  }
}

/// The position of a step in a source that lacks some steps of the checklist.
public enum StepAnchor: Sendable, Equatable {
  /// After the step before it in the source, or at the end of its section.
  case unknown
  /// Before all other steps.
  case first
  /// After the step or card with this id, or with this title if it has no id of its own.
  case behind(String)
}

/// The table rows of a record, as they were typed.
public struct OriginalRows: Sendable {
  /// The table of the rows.
  public let table: RejectTable
  /// The rows byte for byte, with the table's line end between them and none at the end.
  public let bytes: [UInt8]
  /// The number of rows.
  public let count: Int

  /// Makes rows of a table.
  public init(table: RejectTable, bytes: [UInt8], count: Int) {
    self.table = table
    self.bytes = bytes
    self.count = count
  }
}

/// Table rows that could not be used, recorded with the checklist or deck that lacks them.
public struct LostRows: Sendable {
  /// The place of the first row.
  public let first: Place
  /// The maximum number of these rows. A row that cannot be split into cells may belong to the item before or after it.
  public let count: Int
  /// The known ids of the rows' steps or cards.
  public let ids: Set<[UInt8]>
  /// The known titles of the rows' steps or cards.
  public let titles: Set<[UInt8]>

  /// Describes lost rows.
  public init(first: Place, count: Int, ids: Set<[UInt8]>, titles: Set<[UInt8]>) {
    self.first = first
    self.count = count
    self.ids = ids
    self.titles = titles
  }
}
