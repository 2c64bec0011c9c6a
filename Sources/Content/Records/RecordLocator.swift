import Diagnostics
import JSONText

/// Finds where the values of a source's records are.
public protocol RecordLocator: Sendable {
  /// The source as the user named it.
  var file: String { get }

  /// The files that the records of the locator's batches were read from, as findings name them, in the order of
  /// reading; the source itself where it is one file.
  var files: [String] { get }

  /// The file that a record is in, as findings name it. Cheaper than its place.
  func file(of record: Record) -> String

  /// The place of a value inside a record.
  /// - Parameter pointer: path from the record's outermost object.
  func place(of record: Record, at pointer: JSONPointer) -> Place

  /// The exact place of a part of a value: first and last column, and the line where it cannot be read again.
  /// - Parameter pointer: path from the record's outermost object. Where the source does not have the value (it is
  ///   a default that was filled in), the place of what surrounds it.
  func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace

  /// A place that a reader reported, made as exact as it can be.
  func refine(_ place: Place) -> LocatedPlace
}

extension RecordLocator {
  /// The source.
  public var files: [String] { [file] }

  /// The source.
  public func file(of record: Record) -> String { file }

  /// The place of the whole value, for sources that know no more.
  public func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace {
    LocatedPlace(place(of: record, at: pointer))
  }

  /// The place as it is.
  public func refine(_ place: Place) -> LocatedPlace { LocatedPlace(place) }
}

/// Places of records whose source has no positions: its file, and at most which record or value is meant.
public struct FileLocator: RecordLocator {
  /// What a place shows besides the file.
  public enum Detail: Sendable {
    case nothing
    /// The id of the record.
    case record
    /// The path of the value.
    case value
  }

  /// The source as the user named it.
  public let file: String
  private let detail: Detail

  /// Names a file.
  public init(_ file: String, showing detail: Detail = .nothing) {
    self.file = file
    self.detail = detail
  }

  /// The file, with what is shown besides.
  public func place(of record: Record, at pointer: JSONPointer) -> Place {
    switch detail {
    case .nothing: Place(file: file)
    case .record: Place(file: file, pointer: record.id)
    case .value: Place(file: file, pointer: pointer.description)
    }
  }
}

/// What a source is as a whole; its reader declares it with every batch.
public struct SourceTraits: Sendable {
  /// Whether people edit the source's items by hand, so that it may be newer than the times in it.
  public var isWrittenByHand: Bool
  /// Whether the records are in files of their own, as a vault's are.
  public var hasManyFiles: Bool
  /// Whether the reader checks itself whether links in its records lead somewhere.
  public var checksLinks: Bool
  /// The members that the source can express; nil for all.
  public var expressible: SaidMembers?
  /// The id of the library that is read, 16 hexadecimal digits; nil for other sources. Read when it is asked for.
  public var libraryID: @Sendable () -> String?

  /// Makes the traits of a source; by default, of one file that programs write and that can express everything.
  public init(
    isWrittenByHand: Bool = false, hasManyFiles: Bool = false, checksLinks: Bool = false,
    expressible: SaidMembers? = nil, libraryID: @escaping @Sendable () -> String? = { nil }
  ) {
    self.isWrittenByHand = isWrittenByHand
    self.hasManyFiles = hasManyFiles
    self.checksLinks = checksLinks
    self.expressible = expressible
    self.libraryID = libraryID
  }
}

/// What a source has of single records beyond their lines. Asked for few records, because the source may be read again.
public protocol RecordOrigin: Sendable {
  /// What FleetKit wrote last where a record is; nil if unknown.
  func lastWritten(of record: Record) -> LastWritten?

  /// The rows that a record was made of, as they were typed; nil where records are not rows.
  func originalRows(of record: Record) -> OriginalRows?

  /// The rows that a partial record goes on without; nil where records are not rows.
  func lostRows(of record: Record) -> LostRows?

  /// Where each step, or card, of a partial record belongs in its checklist, in the order of the record; empty where
  /// the order of the record tells all.
  func stepAnchors(of record: Record) -> [StepAnchor]

  /// The file with the bytes that an attachment stands for; nil where the source has only its name.
  func mediaPath(of record: Record) -> String?

  /// Whether `mediaPath` would answer one; costs nothing where the bytes would have to be unpacked first.
  func hasMedia(of record: Record) -> Bool
}

extension RecordOrigin {
  /// Most sources remember nothing.
  public func lastWritten(of record: Record) -> LastWritten? { nil }

  /// Most records are not rows.
  public func originalRows(of record: Record) -> OriginalRows? { nil }

  /// Most records are not rows.
  public func lostRows(of record: Record) -> LostRows? { nil }

  /// The order of the record.
  public func stepAnchors(of record: Record) -> [StepAnchor] { [] }

  /// Names only.
  public func mediaPath(of record: Record) -> String? { nil }

  /// Whether there is a path.
  public func hasMedia(of record: Record) -> Bool { mediaPath(of: record) != nil }
}

/// The origin of records that have nothing beyond their lines.
public struct NoOrigin: RecordOrigin {
  /// Makes one.
  public init() {}
}

/// A place, with the line of text that it is in where that cannot be read again.
public struct LocatedPlace: Sendable {
  /// Where.
  public var place: Place
  /// The line, for values inside databases; nil for files, which can be read again.
  public var excerpt: String?

  /// Makes a located place.
  public init(_ place: Place, excerpt: String? = nil) {
    self.place = place
    self.excerpt = excerpt
  }
}

/// What FleetKit wrote last where a record was read: what the library said then, and whether it has been changed
/// since.
public struct LastWritten: Sendable, Equatable {
  /// Whether the record is still what was written, byte for byte.
  public let isUntouched: Bool
  /// The content hash of what the library said, 64 hexadecimal digits.
  public let content: String
  /// When that was changed last; nil where the library did not say.
  public let updated: Timestamp?
  /// What tells that library from others, as a locator gives it; nil where that is unknown.
  public let library: String?

  /// Describes what was written.
  public init(isUntouched: Bool, content: String, updated: Timestamp?, library: String? = nil) {
    self.isUntouched = isUntouched
    self.content = content
    self.updated = updated
    self.library = library
  }
}

/// The members that a source has a place for, where it has none for most: a table says only what it has columns for.
///
/// What a source cannot say is no change: an import takes it from the library's record of the same identity.
public struct SaidMembers: Sendable, Equatable {
  /// Members of an item, `title`, `tags`.
  public var item: Set<String>
  /// Members of its document, `checklistType`; those that repeat the item's follow the item's.
  public var document: Set<String>
  /// Members of sections.
  public var section: Set<String>
  /// Members of steps, or of cards.
  public var step: Set<String>

  /// Names them.
  public init(item: Set<String>, document: Set<String>, section: Set<String>, step: Set<String>) {
    self.item = item
    self.document = document
    self.section = section
    self.step = step
  }
}

/// Where a step belongs that a source says without all the others of its checklist.
public enum StepAnchor: Sendable, Equatable {
  /// Behind the one before it in the source, or at the end of its section.
  case unknown
  /// Before all others.
  case first
  /// Behind the step, or card, with this id; where it has no id of its own, with this title.
  case behind(String)
}

/// The rows that a record was made of, as they were typed.
public struct OriginalRows: Sendable {
  /// Their table.
  public let table: RejectTable
  /// The rows byte for byte, with the table's line end between them and none at the end.
  public let bytes: [UInt8]
  /// How many there are.
  public let count: Int

  /// Takes rows of a table.
  public init(table: RejectTable, bytes: [UInt8], count: Int) {
    self.table = table
    self.bytes = bytes
    self.count = count
  }
}

/// Rows of a table that could not be used, as the checklist or deck remembers them that goes on without them.
public struct LostRows: Sendable {
  /// Where the first of them stands.
  public let first: Place
  /// How many there are, or may be: a row that cannot be taken apart may belong to any item beside it.
  public let count: Int
  /// The ids of the steps or cards that they were to be, as far as is known.
  public let ids: Set<[UInt8]>
  /// Their titles, as far as is known.
  public let titles: Set<[UInt8]>

  /// Describes lost rows.
  public init(first: Place, count: Int, ids: Set<[UInt8]>, titles: Set<[UInt8]>) {
    self.first = first
    self.count = count
    self.ids = ids
    self.titles = titles
  }
}
