import Content
import Interchange
import JSONText
import SQLiteLibrary

/// Finding the library's record of what a source brings.
extension LibraryImportWriter {
  /// The library's record of the same identity: by id, then by where this source's record went before; an execution
  /// also by its checklist and charter, which the app allows one of.
  func find(_ incoming: Incoming) throws -> UnsafeBufferPointer<UInt8>? {
    if incoming.isDeck {
      if let line = try record(deck: incoming.idText) { return line }
      guard let source, source.isKnown, let target = try ledger.target(source.id, .item, id: incoming.id) else {
        return nil
      }
      return try record(deck: target)
    }
    // A library that is being made has only what its first file brought, and the ledger knows that.
    if library.isNew, filesRead.count == 1, isFirstSource, incoming.kind != .execution { return nil }
    switch incoming.found {
    case .line(let line)?: return line
    case .nothing?: break
    case nil: if let line = try lookup.record(incoming.kind, id: incoming.id) { return line }
    }
    guard let source else { return nil }
    if source.isKnown, let target = try ledger.target(source.id, incoming.kind, id: incoming.id) {
      var id = target
      if let line = try id.withUTF8({ try lookup.record(incoming.kind, id: $0) }) { return line }
    }
    if incoming.kind == .execution, let checklist = incoming.node.member("checklist_id")?.string,
      let charter = incoming.node.member("charter_id")?.string
    {
      let moved = candidates[.execution]?.moved ?? [:]
      return try Array((moved[checklist] ?? checklist).utf8).withUnsafeBufferPointer { first in
        try Array((moved[charter] ?? charter).utf8).withUnsafeBufferPointer { second in
          try lookup.execution(checklist: first, charter: second)
        }
      }
    }
    return nil
  }

  /// The library's record of an id, a deck beside it included. Valid until the next one is asked for.
  func record(_ kind: RecordKind, id: String) throws -> UnsafeBufferPointer<UInt8>? {
    var text = id
    if let line = try text.withUTF8({ try lookup.record(kind, id: $0) }) { return line }
    return kind == .item ? try record(deck: id) : nil
  }

  private func record(deck id: String) throws -> UnsafeBufferPointer<UInt8>? {
    guard let line = try ledger.record(.item, id: id) else { return nil }
    deck.removeAll()
    line.withUnsafeBufferPointer { deck.append($0) }
    return deck.bytes
  }
}
