import Foundation
import Interchange
import JSONText
import Merging
import RecordSources

/// The corrected rejects of an earlier import. They are read with the same options as the first time, and belong to the
/// same origins.
///
/// Rows of tables are read with the description of their table, which is in the reasons file next to the rejects. Their
/// checklists and steps thus get the ids that they would have had. Records other than rows are read like any bundle.
public struct RejectsRetry: Sendable {
  /// The path of the rejects file.
  public let path: String
  /// The origin of rows; nil for records.
  public let origin: RetryOrigin?

  /// Examines a rejects file.
  /// - Throws: `RunFailure` with status 2 if the file is missing, or its reasons file is not next to it; 4 if a pull
  ///   wrote the file.
  public init(_ path: String) throws {
    self.path = path
    guard access(path, R_OK) == 0 else {
      throw RunFailure(
        .failed, "read the rejects '\(path)': \(SystemError.last)",
        advice: "The last line of an import's output has the path of its rejects.")
    }
    // An import does not know the common base of the two sides, so importing these rejects would replace local changes.
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
    // If the rejects were read as a separate table, their rows would become separate checklists.
    guard origin != nil else {
      throw RunFailure(
        .failed, "read the rejects '\(path)': the reasons file next to it does not describe it",
        advice: "Keep both files together under the names that the import gave them.")
    }
  }

  private static func isBundle(_ path: String) -> Bool {
    switch (try? FormatRegistry.standard.format(of: Target(path)))?.descriptor.text {
    case .document, .lines: true
    default: false
    }
  }

  /// Returns the file as a source.
  /// - Throws: `RunFailure` if no format can read the file.
  public func sources(registry: FormatRegistry = .standard) throws -> SourceList {
    guard let origin else { return try SourceList([path], registry: registry) }
    let ending = (path as NSString).pathExtension.lowercased()
    // Rows of a workbook's sheet are kept as CSV.
    let own = registry.formats.first { $0.descriptor.id == FormatID(origin.table.format) }
    let hasOwnForm = own?.descriptor.extensions.contains(ending) ?? false
    let format = hasOwnForm ? own : try registry.format(of: Target(path))
    return try SourceList([path], format: format?.descriptor.id, registry: registry)
  }

  /// Returns the reading options: the options of the first import, unless the user set others.
  public func reading(_ own: ReadingOptions) -> ReadingOptions {
    guard let origin else { return own }
    var options = own
    options.table.retry = origin
    if options.table.map.isEmpty {
      options.table.map = origin.table.map.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
    options.table.key = options.table.key ?? origin.table.key
    options.table.shape = options.table.shape ?? origin.table.shape
    return options
  }

  /// The origin of the records in the ledger.
  var file: SourceFile {
    get throws {
      if let table = origin?.table {
        return SourceFile(source: table.source, folder: table.folder.isEmpty ? nil : table.folder, path: table.path)
      }
      return LibraryImport.origin(ofFile: originalFile ?? path, root: nil)
    }
  }

  /// The file that all records were rejected from, according to the places in the reasons file; nil if there are
  /// several files, or if the file no longer exists.
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
