import Content
import Diagnostics
import JSONText
import Synchronization

/// Finds values of records in the text that they were read from, by reading that text again: exact, and free
/// for everybody who never asks.
final class TextLocator: RecordLocator {
  /// The record that was asked for last: many findings in one record parse it once.
  private struct Last {
    /// Weak: a batch that comes later may lie where this one lay, and must not be taken for it.
    weak var batch: RecordBatch?
    let index: Int
    let document: JSONDocument
    var finder = SpanFinder()
    var counter = PlaceCounter()
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
        last = (try? JSONDocument(parsing: record.sourceBytes)).map {
          Last(batch: record.batch, index: record.index, document: $0)
        }
      }
      guard let document = last?.document,
        let span = last?.finder.span(of: pointer, part: part, in: document)
      else {
        return LocatedPlace(
          Place(file: file, line: slot.sourceLine, column: slot.sourceColumn, pointer: pointer.description))
      }
      return document.withText { text in
        let start = last?.counter.position(of: span.lowerBound, in: text) ?? TextPosition(line: 1, column: 1)
        let end = last?.counter.position(of: span.upperBound, in: text) ?? start
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
