import ArchiveIO
import Content
import Diagnostics
import Interchange
import JSONText
import Validation

/// The parsed `data/pack.json` of an open pack, with the places of its values.
final class PackDescription {
  /// The parsed values; nil if the description cannot be used.
  let info: PackInfo?
  /// The reason why the description cannot be used; nil if it can be used.
  let failure: RunFailure?
  /// The schema violations, with their places.
  let violations: [Diagnostic]
  private let file: String
  private let text: UnsafeBufferPointer<UInt8>
  private let document: JSONDocument?
  private var counter = PlaceCounter()
  private lazy var entries: [JSONValue] = document?.root["items"]?.elements ?? []

  /// Parses the description.
  /// - Parameters:
  ///   - text: the bytes of the file, which must not move while the description is used.
  ///   - file: the file's name in findings.
  /// - Throws: `RunFailure` with status 6 if the pack requires a newer reader.
  init(_ text: UnsafeBufferPointer<UInt8>, file: String) throws {
    self.text = text
    self.file = file
    document = try? JSONDocument(parsing: text)
    do {
      info = try PackInfo(parsing: text, file: file)
      failure = nil
    } catch let failure as RunFailure {
      guard failure.status != .newer else { throw failure }
      info = nil
      self.failure = failure
    }
    violations = try document.map { try Self.violations($0, file) } ?? []
  }

  /// Returns the place of an index entry, or of a member in it.
  func place(ofItem number: Int, _ member: String? = nil) -> Place {
    guard entries.indices.contains(number) else { return Place(file: file, line: 1, column: 1) }
    let value = member.flatMap { entries[number][$0] } ?? entries[number]
    let span = value.span
    let start = counter.position(of: span.lowerBound, in: text)
    var place = Place(file: file, line: start.line, column: start.column)
    place.pointer = "/items/\(number)" + (member.map { "/" + $0 } ?? "")
    if member != nil {
      let end = counter.position(of: span.upperBound, in: text)
      place.endColumn = end.line == start.line ? end.column : nil
    }
    return place
  }

  private static func violations(_ document: JSONDocument, _ file: String) throws -> [Diagnostic] {
    let schema = try SchemaProgram(embedded: "pack")
    var counter = PlaceCounter()
    let found = document.withNode(document.root.tokenIndex) { schema.violations($0) }
    return document.withText { text in
      found.sorted { $0.span.lowerBound < $1.span.lowerBound }.map {
        let start = counter.position(of: $0.span.lowerBound, in: text)
        let end = counter.position(of: $0.span.upperBound, in: text)
        return Diagnostic(
          SchemaCodes.code(ofKeyword: $0.keyword), $0.message,
          at: Place(
            file: file, line: start.line, column: start.column, endColumn: end.line == start.line ? end.column : nil,
            pointer: $0.pointer.description),
          fix: $0.fix, why: $0.reason, label: $0.found)
      }
    }
  }
}
