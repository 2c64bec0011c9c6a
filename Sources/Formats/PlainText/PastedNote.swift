import Content
import Diagnostics
import Interchange

/// A pasted text as the one note of a source that the reader of notes can open.
final class PastedNote: MemberSource {
  let name: String
  let idScope: String
  let time: Timestamp
  let paths: [String]
  let isWrittenByHand = true
  let isMade = true
  private let list: PastedList
  /// Written once, before anybody reads it.
  nonisolated(unsafe) private let memory: UnsafeMutableBufferPointer<UInt8>

  /// Takes a text.
  /// - Parameter name: the file as the user named it; `fileName` without its ending is the title where the text has none.
  init(_ list: PastedList, name: String, fileName: String, idScope: String, time: Timestamp) {
    self.list = list
    self.name = name
    self.idScope = idScope
    self.time = time
    paths = [fileName]
    memory = .allocate(capacity: max(1, list.markdown.count))
    _ = memory.initialize(from: list.markdown)
  }

  deinit { memory.deallocate() }

  func index(of path: String) -> Int? { path.utf8.elementsEqual(paths[0].utf8) ? 0 : nil }

  func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: memory[..<list.markdown.count])
  }

  func shown(_ index: Int) -> String { name }

  func madeOf(_ place: Place) -> LocatedPlace? {
    guard let line = place.line, list.shifts.indices.contains(line - 1) else { return nil }
    let shift = list.shifts[line - 1]
    func typed(_ column: Int) -> Int { max(shift.start + 1, column - shift.made + shift.typed) }
    var found = place
    found.column = place.column.map(typed)
    found.endColumn = place.endColumn.map(typed)
    return LocatedPlace(found)
  }
}
