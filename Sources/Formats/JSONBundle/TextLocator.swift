import Content
import Diagnostics
import JSONText

/// Finds values of records in the text that they were read from, by reading that text again: exact, and free
/// for everybody who never asks.
struct TextLocator: RecordLocator {
  let file: String

  func place(of record: Record, at pointer: JSONPointer) -> Place {
    let slot = record.slot
    var line = slot.sourceLine
    var column = slot.sourceColumn
    let text = record.sourceBytes
    if !pointer.steps.isEmpty, let document = try? JSONDocument(parsing: text),
      let value = document.root.at(pointer)
    {
      let position = value.position
      column = position.line == 1 ? column + position.column - 1 : position.column
      line += position.line - 1
    }
    return Place(file: file, line: line, column: column, pointer: pointer.description)
  }
}
