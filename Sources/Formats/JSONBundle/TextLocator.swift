import Content
import Diagnostics
import Interchange
import JSONText
import Synchronization

/// Finds values of records in the text that they were read from, by reading that text again: exact, and free
/// for callers that never ask.
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

/// Finds values of records in files that lie inside something larger.
final class MemberTextLocator: RecordLocator, RecordOrigin {
  private let members: any MemberSource
  private let lines: MemberLines
  private let text: TextLocator
  /// The files that end in the locator's batches.
  private let ended = Mutex<[Int]>([])

  init(_ members: any MemberSource, lines: MemberLines) {
    self.members = members
    self.lines = lines
    text = TextLocator(file: members.name)
  }

  /// Lists a file.
  func list(_ index: Int) { ended.withLock { $0.append(index) } }

  var file: String { members.name }

  var traits: SourceTraits { SourceTraits(hasManyFiles: true) }

  var files: [String] { ended.withLock { $0.map { members.shown($0) } } }

  func file(of record: Record) -> String { members.shown(Int(record.slot.sourceFile)) }

  func mediaPath(of record: Record) -> String? {
    record.kind == .attachment ? members.mediaPath(of: record) : nil
  }

  func hasMedia(of record: Record) -> Bool { record.kind == .attachment && members.hasMedia(of: record) }

  func place(of record: Record, at pointer: JSONPointer) -> Place {
    var place = text.place(of: record, at: pointer)
    place.file = file(of: record)
    return place
  }

  func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace {
    var place = text.locate(part, of: record, at: pointer).place
    place.file = file(of: record)
    return lines.located(place, in: Int(record.slot.sourceFile))
  }

  func refine(_ place: Place) -> LocatedPlace { lines.located(place) }
}
