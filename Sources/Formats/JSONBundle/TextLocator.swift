import Content
import Diagnostics
import JSONText
import Synchronization

/// Finds values of records in the text that they were read from, by reading that text again: exact, and free
/// for everybody who never asks.
final class TextLocator: RecordLocator {
  /// The record that was asked for last: many findings in one record parse it once.
  private final class Last {
    // Not its address: another batch may get that, once this one is gone. Not itself: it holds its locator.
    weak var batch: RecordBatch?
    let index: Int
    let document: JSONDocument
    var counter = PlaceCounter()
    var children = ChildIndex()

    init?(_ record: Record) {
      guard let document = try? JSONDocument(parsing: record.sourceBytes) else { return nil }
      self.document = document
      batch = record.batch
      index = record.index
    }
  }

  let file: String
  private let last = Mutex<Last?>(nil)

  init(file: String) { self.file = file }

  func place(of record: Record, at pointer: JSONPointer) -> Place {
    guard !pointer.steps.isEmpty else {
      return Place(file: file, line: record.slot.sourceLine, column: record.slot.sourceColumn)
    }
    return locate(.value, of: record, at: pointer).place
  }

  func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace {
    let slot = record.slot
    return last.withLock { last in
      if last?.batch !== record.batch || last?.index != record.index {
        last = Last(record)
      }
      guard let last else {
        return LocatedPlace(
          Place(file: file, line: slot.sourceLine, column: slot.sourceColumn, pointer: pointer.description))
      }
      let span = last.document.span(of: pointer, part: part, using: &last.children)
      return last.document.withText { text in
        let start = last.counter.position(of: span.lowerBound, in: text)
        let end = last.counter.position(of: span.upperBound, in: text)
        func column(_ position: TextPosition) -> Int {
          position.line == 1 ? slot.sourceColumn + position.column - 1 : position.column
        }
        return LocatedPlace(
          Place(
            file: file, line: slot.sourceLine + start.line - 1, column: column(start),
            endColumn: end.line == start.line ? column(end) : nil, pointer: pointer.description))
      }
    }
  }
}
