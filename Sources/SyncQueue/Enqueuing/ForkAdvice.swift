import Content
import Diagnostics
import JSONText
import SQLiteLibrary

/// Advice on a copy's title before the copy is published: readers should be able to distinguish it from the original.
struct ForkAdvice {
  private let lookup: LibraryLookup

  init(_ lookup: LibraryLookup) { self.lookup = lookup }

  /// The suffix that the title of a changed copy should have.
  static let mark = "[Modified]"

  /// Returns the advice for an item; nil when there is no advice.
  func note(_ item: EnqueuedItem) throws -> String? {
    guard let original = item.forkedFromID, !item.title.contains(Self.mark) else { return nil }
    let suggestion = "--set-title \(TerminalEscaping.shellQuoted("\(item.title) \(Self.mark)")) would make that clear"
    var id = Array(original.utf8)
    let other = try id.withUnsafeMutableBufferPointer { id in
      try lookup.record(.item, id: UnsafeBufferPointer(id)).map { Array($0) }
    }
    guard let other else { return "it is a copy of another person's item; if you changed it, \(suggestion)" }
    let hasSameTitle = try title(of: other) == item.title
    if hasSameTitle { return "it has the same title as its original; \(suggestion)" }
    let isSame = try other.withUnsafeBufferPointer { try ContentHash.bytes(of: $0) } == content(item)
    return isSame ? nil : "it is a changed copy; \(suggestion)"
  }

  private func content(_ item: EnqueuedItem) throws -> [UInt8] {
    try item.line.withUnsafeBufferPointer { try ContentHash.bytes(of: $0) }
  }

  private func title(of line: [UInt8]) throws -> String? {
    try line.withUnsafeBufferPointer { try JSONDocument(parsing: $0) }.root["title"]?.string
  }
}
