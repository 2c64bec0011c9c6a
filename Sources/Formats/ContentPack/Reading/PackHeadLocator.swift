import Content
import Diagnostics
import Interchange
import JSONText

/// Where findings about a pack as a whole lie: in `data/pack.json`, which has no records.
final class PackHeadLocator: RecordLocator {
  private let own: PackMembers
  private let lines: MemberLines

  init(_ own: PackMembers, lines: MemberLines) {
    self.own = own
    self.lines = lines
  }

  var file: String { own.name }

  var files: [String] { own.paths.indices.map { own.shown($0) } }

  func place(of record: Record, at pointer: JSONPointer) -> Place { Place(file: own.shown(0), line: 1, column: 1) }

  func refine(_ place: Place) -> LocatedPlace { lines.located(place) }
}
