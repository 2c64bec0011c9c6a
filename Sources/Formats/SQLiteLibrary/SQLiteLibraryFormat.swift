import Content
import Diagnostics
import Interchange

/// The app's own library: an SQLite file of any schema version from 1.0.0 on.
///
/// - Source: formats/sqlite-library.md
public struct SQLiteLibraryFormat: Format {
  /// Makes the format.
  public init() {}

  /// Names and abilities.
  public var descriptor: FormatDescriptor {
    FormatDescriptor(
      name: "sqlite", title: "AnyFleet library", extensions: ["sqlite", "db", "sqlite3"],
      mediaType: "application/vnd.sqlite3",
      keeps: Set(Feature.allCases).subtracting([
        .decks, .reviews, .attachments, .practiceSessions, .foreign, .unknownMembers, .originalText,
      ]))
  }

  /// By the first sixteen bytes, or by the name for a file that should have them.
  public func recognises(_ source: Source, head: [UInt8]) -> Bool {
    hasSignature(head) || descriptor.extensions.contains(source.pathExtension)
  }

  /// The first sixteen bytes of every SQLite file.
  public func hasSignature(_ head: [UInt8]) -> Bool { head.starts(with: Array("SQLite format 3\0".utf8)) }

  /// Opens a library of any version; never changes it.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    try Self.refuseStandardInput(source)
    return try SQLiteLibraryReader(source, context: context)
  }

  /// Begins a new library of the newest schema.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    try SQLiteLibraryWriter(target, context: context)
  }

  /// The versions that the app's schema had, oldest first; a new library can have any of them.
  public static var schemaVersions: [String] { AppSchema.versions }

  /// What kind of library a file is: its schema, its size, its tables.
  /// - Throws: `RunFailure` when it cannot be read.
  public func overview(of source: Source) throws -> LibraryOverview {
    try Self.refuseStandardInput(source)
    return try LibraryOverview(source)
  }

  private static func refuseStandardInput(_ source: Source) throws {
    guard source.isStandardInput else { return }
    throw RunFailure(.usage, "a library cannot be read from standard input", advice: "Name the file.")
  }
}
