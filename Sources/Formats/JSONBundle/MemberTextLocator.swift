import Content
import Diagnostics
import Interchange
import JSONText
import Synchronization

/// Finds values of records in files that lie inside something larger.
final class MemberTextLocator: RecordLocator {
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

  var hasManyFiles: Bool { true }

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
