import Content
import Diagnostics
import JSONText
import Synchronization

/// Finds values of JSON records in the text that they were read from, by reading that text again. The result is exact,
/// and costs nothing until it is requested. The text is a file, or files inside a container.
package final class TextLocator: RecordLocator, RecordOrigin {
  /// The last requested record, so that several findings in one record parse it only once.
  private final class Last {
    // The batch's address would not do, because another batch may get it later. A strong reference would not do either,
    // because the batch holds its locator.
    weak var batch: RecordBatch?
    let index: Int
    let document: JSONDocument
    var counter = PlaceCounter()
    var children = ChildIndex()

    init?(_ record: Record) {
      guard let document = try? JSONDocument(parsing: record.sourceBytes.span) else { return nil }
      self.document = document
      batch = record.batch
      index = record.index
    }
  }

  package let file: String
  private let members: (source: any MemberSource, lines: MemberLines?)?
  private let last = Mutex<Last?>(nil)
  /// The files that end in the locator's batches.
  private let ended: Mutex<[Int]>

  /// Creates a locator for a file.
  package init(file: String) {
    self.file = file
    members = nil
    ended = Mutex([])
  }

  /// Creates a locator for files inside a container. The number of a record's file is its slot's `sourceFile`.
  /// - Parameters:
  ///   - lines: shows lines of the files; nil for files on disk.
  ///   - ended: the known files that end in the locator's batches.
  package init(_ members: any MemberSource, lines: MemberLines?, ended: [Int] = []) {
    file = members.name
    self.members = (members, lines)
    self.ended = Mutex(ended)
  }

  /// Lists a file that ends in the locator's batches.
  package func list(_ index: Int) { ended.withLock { $0.append(index) } }

  package var traits: SourceTraits { SourceTraits(hasManyFiles: members != nil) }

  package var files: [String] {
    members.map { members in ended.withLock { $0.map { members.source.shown($0) } } } ?? [file]
  }

  package func file(of record: Record) -> String {
    members?.source.shown(Int(record.slot.sourceFile)) ?? file
  }

  package func mediaPath(of record: Record) -> String? {
    record.kind == .attachment ? members?.source.mediaPath(of: record) : nil
  }

  package func hasMedia(of record: Record) -> Bool {
    record.kind == .attachment && members?.source.hasMedia(of: record) ?? false
  }

  package func refine(_ place: Place) -> LocatedPlace { members?.lines?.located(place) ?? LocatedPlace(place) }

  package func place(of record: Record, at pointer: JSONPointer) -> Place {
    guard !pointer.steps.isEmpty else {
      return Place(file: file(of: record), line: record.slot.sourceLine, column: record.slot.sourceColumn)
    }
    return place(.value, of: record, at: pointer)
  }

  package func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace {
    let place = place(part, of: record, at: pointer)
    return members?.lines?.located(place, in: Int(record.slot.sourceFile)) ?? LocatedPlace(place)
  }

  private func place(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> Place {
    let slot = record.slot
    let file = file(of: record)
    return last.withLock { last in
      if last?.batch !== record.batch || last?.index != record.index {
        last = Last(record)
      }
      guard let last else {
        return Place(file: file, line: slot.sourceLine, column: slot.sourceColumn, pointer: pointer.description)
      }
      let span = last.document.span(of: pointer, part: part, using: &last.children)
      return last.document.withText { text in
        let start = last.counter.position(of: span.lowerBound, in: text)
        let end = last.counter.position(of: span.upperBound, in: text)
        func column(_ position: TextPosition) -> Int {
          position.line == 1 ? slot.sourceColumn + position.column - 1 : position.column
        }
        return Place(
          file: file, line: slot.sourceLine + start.line - 1, column: column(start),
          endColumn: end.line == start.line ? column(end) : nil, pointer: pointer.description)
      }
    }
  }
}
