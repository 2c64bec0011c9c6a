import Foundation
import Interchange
import JSONText
import Merging
import RecordSources

/// What an earlier import rejected, corrected and tried again: read as the first time, and put where it belongs.
///
/// Rows of tables are read with what the file of reasons beside them says of their table, so that their checklists and
/// steps have the ids that they would have had. Records that are no rows are read like any bundle.
public struct RejectsRetry: Sendable {
  /// The file of rejects.
  public let path: String
  /// Where rows are from; nil for records.
  public let origin: RetryOrigin?

  /// Looks at a file of rejects.
  /// - Throws: `RunFailure` with status 2 when it is not there, or its reasons are not beside it; 4 when a pull kept it.
  public init(_ path: String) throws {
    self.path = path
    guard access(path, R_OK) == 0 else {
      throw RunFailure(
        .failed, "read the rejects '\(path)': \(SystemError.last)",
        advice: "The last line of an import says where its rejects are.")
    }
    // An import does not know what both sides come from: it would replace what was changed here.
    guard !((path as NSString).lastPathComponent as NSString).deletingPathExtension.hasSuffix("-pull") else {
      throw RunFailure(
        .refused, "import the rejects '\(path)': a pull kept them, and only a pull can merge them; nothing was changed",
        advice: "Run 'fleetkit pull LIBRARY --id ID --take local' or '--take remote'.")
    }
    guard !Self.isBundle(path) else {
      origin = nil
      return
    }
    origin = try RetryOrigin(rejects: path)
    // Read as a table of its own, its rows would become checklists of their own.
    guard origin != nil else {
      throw RunFailure(
        .failed, "read the rejects '\(path)': the reasons beside it say nothing of it",
        advice: "Keep both files together under the names that the import gave them.")
    }
  }

  private static func isBundle(_ path: String) -> Bool {
    switch (try? FormatRegistry.standard.format(of: Target(path)))?.descriptor.text {
    case .document, .lines: true
    default: false
    }
  }

  /// The file as a source.
  /// - Throws: `RunFailure` when no format reads it.
  public func sources(registry: FormatRegistry = .standard) throws -> SourceList {
    guard let origin else { return try SourceList([path], registry: registry) }
    let ending = (path as NSString).pathExtension.lowercased()
    // Rows of a sheet are kept as CSV.
    let own = registry.formats.first { $0.descriptor.id == FormatID(origin.table.format) }
    let hasOwnForm = own?.descriptor.extensions.contains(ending) ?? false
    let format = hasOwnForm ? own : try registry.format(of: Target(path))
    return try SourceList([path], format: format?.descriptor.id, registry: registry)
  }

  /// How it is read: as the first time, where nobody says otherwise.
  public func reading(_ said: ReadingOptions) -> ReadingOptions {
    guard let origin else { return said }
    var options = said
    options.table.retry = origin
    if options.table.map.isEmpty {
      options.table.map = origin.table.map.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
    options.table.key = options.table.key ?? origin.table.key
    options.table.shape = options.table.shape ?? origin.table.shape
    return options
  }

  /// Where the ledger knows its records from.
  var file: SourceFile {
    get throws {
      if let table = origin?.table {
        return SourceFile(source: table.source, folder: table.folder.isEmpty ? nil : table.folder, path: table.path)
      }
      return LibraryImport.origin(ofFile: originalFile ?? path, root: nil)
    }
  }

  /// The file that all records were rejected from, by the places in the file of reasons; nil when there are several, or
  /// when it has gone.
  private var originalFile: String? {
    let reasons = (path as NSString).deletingPathExtension + ".reasons.jsonl"
    guard let text = FileManager.default.contents(atPath: reasons) else { return nil }
    var found: String?
    for line in text.split(separator: 0x0A) {
      guard let place = (try? JSONDocument(parsing: Array(line)))?.root["place"]?.string else { return nil }
      var parts = place.split(separator: ":", omittingEmptySubsequences: false)
      while parts.count > 1, parts.last.map({ Int($0) != nil }) ?? false { parts.removeLast() }
      let file = parts.joined(separator: ":")
      if let found, !found.utf8.elementsEqual(file.utf8) { return nil }
      found = file
    }
    return found.flatMap { SourceList.isFile($0) ? $0 : nil }
  }
}
