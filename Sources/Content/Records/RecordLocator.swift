import Diagnostics
import JSONText

/// Finds the places of values in a source's records.
public protocol RecordLocator: Sendable {
  /// The source's name, as the user gave it.
  var file: String { get }

  /// The names in findings of the files that the batches' records were read from, in the order of reading; the source
  /// itself if it is a single file.
  var files: [String] { get }

  /// Returns the name in findings of a record's file. Cheaper than its place.
  func file(of record: Record) -> String

  /// Returns the place of a value inside a record.
  /// - Parameter pointer: path from the record's outermost object.
  func place(of record: Record, at pointer: JSONPointer) -> Place

  /// Returns the exact place of a part of a value: first and last column, and the text of the line if it cannot be read
  /// again.
  /// - Parameter pointer: path from the record's outermost object. If the source does not have the value (it is a
  ///   default that was added), the place of the enclosing value is returned.
  func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace

  /// Returns a reported place as exactly as possible.
  func refine(_ place: Place) -> LocatedPlace
}

extension RecordLocator {
  /// The source.
  public var files: [String] { [file] }

  /// The source.
  public func file(of record: Record) -> String { file }

  /// Returns the place of the whole value, for sources without more exact places.
  public func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace {
    LocatedPlace(place(of: record, at: pointer))
  }

  /// Returns the place unchanged.
  public func refine(_ place: Place) -> LocatedPlace { LocatedPlace(place) }
}

/// Places of records whose source has no positions: its file, and at most the record or the value.
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
  /// Returns the id of the library that is read, 16 hexadecimal digits; nil for other sources. Read on demand.
  public var libraryID: @Sendable () -> String?

  /// Makes the traits of a source. The defaults describe a single file that programs write and that can express
  /// everything.
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

/// What a source has of single records in addition to their lines. Used for few records, because the source may be read
/// again.
public protocol RecordOrigin: Sendable {
  /// Returns what FleetKit last wrote at a record's place, or nil if unknown.
  func lastWritten(of record: Record) -> LastWritten?

  /// Returns the table rows of a record as they were typed; nil for records that are not rows.
  func originalRows(of record: Record) -> OriginalRows?

  /// Returns the rows that are missing in a partial record; nil for records that are not rows.
  func lostRows(of record: Record) -> LostRows?

  /// Returns the place in its checklist of each step or card of a partial record, in the order of the record; empty if
  /// the order of the record is sufficient.
  func stepAnchors(of record: Record) -> [StepAnchor]

  /// Returns the path of the file with an attachment's bytes; nil if the source only has its name.
  func mediaPath(of record: Record) -> String?

  /// Returns whether `mediaPath` would return a path. Cheap even if the bytes would have to be unpacked.
  func hasMedia(of record: Record) -> Bool
}

extension RecordOrigin {
  /// Nil: most sources have no such information.
  public func lastWritten(of record: Record) -> LastWritten? { nil }

  /// Nil: most records are not rows.
  public func originalRows(of record: Record) -> OriginalRows? { nil }

  /// Nil: most records are not rows.
  public func lostRows(of record: Record) -> LostRows? { nil }

  /// Empty: the order of the record is sufficient.
  public func stepAnchors(of record: Record) -> [StepAnchor] { [] }

  /// Nil: most sources only have names.
  public func mediaPath(of record: Record) -> String? { nil }

  /// Whether there is a path.
  public func hasMedia(of record: Record) -> Bool { mediaPath(of: record) != nil }
}

/// The origin of records without anything in addition to their lines.
public struct NoOrigin: RecordOrigin {
  /// Makes an empty origin.
  public init() {}
}

/// A place with its line of text, if that cannot be read again.
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

/// What FleetKit last wrote at the place of a record: the library's content at that time, and whether it was changed
/// since.
public struct LastWritten: Sendable, Equatable {
  /// Whether the record is unchanged since it was written, byte for byte.
  public let isUntouched: Bool
  /// The hash of the library's content at that time, 64 hexadecimal digits.
  public let content: String
  /// When that content was last changed; nil if the library had no time.
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

/// The members that a source can store, if it cannot store most of them: a table has only the members of its columns.
///
/// A member that the source cannot store is not a change. An import keeps the library's value of the same record.
public struct FieldCoverage: Sendable, Equatable {
  /// Members of an item, `title`, `tags`.
  public var item: Set<String>
  /// Members of its document, `checklistType`. Those that repeat the item's follow the item's.
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

/// The place of a step in a source that does not have all steps of its checklist.
public enum StepAnchor: Sendable, Equatable {
  /// After the step before it in the source, or at the end of its section.
  case unknown
  /// Before all others.
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

/// Rows of a table that could not be used, recorded with the checklist or deck in which they are missing.
public struct LostRows: Sendable {
  /// The place of the first row.
  public let first: Place
  /// The maximum number of these rows. A row that cannot be split into cells may belong to either of the items next to
  /// it.
  public let count: Int
  /// The ids of their steps or cards, as far as known.
  public let ids: Set<[UInt8]>
  /// Their titles, as far as known.
  public let titles: Set<[UInt8]>

  /// Describes lost rows.
  public init(first: Place, count: Int, ids: Set<[UInt8]>, titles: Set<[UInt8]>) {
    self.first = first
    self.count = count
    self.ids = ids
    self.titles = titles
  }
}
