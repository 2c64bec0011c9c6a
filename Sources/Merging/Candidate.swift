import Content
import Foundation
import JSONText

/// A record of a source beside the library's record of the same identity: are they the same, and what would the
/// library hold if the source won?
///
/// Content is taken, publication never, unless it is restored: visibility, public ids and the state of
/// synchronisation are the library's own. One candidate serves one thread and is loaded again for every record.
final class Candidate {
  let kind: RecordKind
  let source: MemberSlots
  let existing: MemberSlots
  private var documents: [ContentType: (source: MemberSlots, existing: MemberSlots)] = [:]
  private(set) var document: (source: MemberSlots, existing: MemberSlots)?
  /// Ids of records that went under another id, by the id that the source uses.
  var moved: [String: String] = [:]
  /// Whether ticks of both sides are kept when an execution is in both.
  var unitesTicks = true
  /// Whether everything but what only the source has is the library's.
  var libraryWins = false
  /// Whether publication is taken from sources, as a backup is taken that is restored.
  var mayRestorePublishing = false
  /// Whether publication is taken from this record: what is public without a public id could never be withdrawn.
  private(set) var restoresPublishing = false
  var now = Timestamp(milliseconds: 0)
  /// The times that the library gives an item that says none, while such an item is written.
  var standIns: (created: Timestamp, updated: Timestamp)?
  /// Whether the library's times stay, whatever the source's are: when something was changed is no content.
  var keepsTimes = false
  /// When the record was changed, where that follows from neither side alone.
  var changed: Timestamp?
  /// Whether the source's times are those of its file, which change with every copy and decide nothing.
  private(set) var isCreatedFromFile = false
  private(set) var isUpdatedFromFile = false
  /// When the library changed last what the source still says as it was written, where the source says no time itself.
  var updatedWhenWritten: Timestamp?
  /// Whether the source's times are those of the library that it was written from: they say how old it is, and not
  /// when somebody edited it.
  private(set) var hasTimesOfExport = false

  init(_ kind: RecordKind) {
    self.kind = kind
    source = MemberSlots(Shapes.record(kind))
    existing = MemberSlots(Shapes.record(kind))
    guard kind == .item else { return }
    for type in ContentType.allCases {
      documents[type] = (MemberSlots(Shapes.document(type)), MemberSlots(Shapes.document(type)))
    }
  }

  /// Takes a record of the source and the library's, if there is one. Both must stay until the next load.
  /// - Parameter hasTimesOfExport: whether nobody keeps the source's times when it is edited, as in tables.
  func load(_ node: JSONNode, existing other: JSONNode?, hasTimesOfExport: Bool = false) {
    self.hasTimesOfExport = hasTimesOfExport
    source.load(node)
    existing.load(other)
    libraryWins = false
    keepsTimes = false
    changed = nil
    updatedWhenWritten = nil
    document = nil
    restoresPublishing = mayRestorePublishing && !(kind == .item && node.isPublicWithoutID)
    guard kind == .item else { return }
    let provenance = source["extras"]?.member("provenance")
    isCreatedFromFile = provenance?.member("created_at")?.equals("file") ?? false
    isUpdatedFromFile = provenance?.member("updated_at")?.equals("file") ?? false
    let type = source["content_type"]?.string.flatMap(ContentType.init(rawValue:)) ?? .checklist
    document = documents[type]
    document?.source.load(source["content_data"])
    let hasSameType = existing["content_type"]?.string == type.rawValue
    document?.existing.load(hasSameType ? existing["content_data"] : nil)
  }

  /// Whether the source's item was published where it comes from.
  var isPublishedElsewhere: Bool {
    source["public_id"] != nil || source["server_id"] != nil || source["public_metadata"] != nil
      || source["visibility"].map { !$0.equals("private") } ?? false
  }

  /// Whether neither side has a body.
  var hasNoBody: Bool { kind == .item && source["content_data"] == nil && existing["content_data"] == nil }

  /// Whether the source has ticks of steps that the library's record has none of.
  var addsTicks: Bool {
    kind == .execution && unitesTicks
      && !TickUnion.names(source["item_states"]).isSubset(
        of: TickUnion.names(existing["item_states"]))
  }

  /// Whether the library's record is published.
  var isPublished: Bool {
    existing["public_id"] != nil || existing["visibility"].map { $0.equals("public") } ?? false
  }

  /// Whether the library's record would be published as it is now if the source's publication were taken.
  var keepsPublication: Bool {
    Self.equal(source["public_id"], existing["public_id"])
      && (source["visibility"]?.equals("private") ?? true) == (existing["visibility"]?.equals("private") ?? true)
  }

  /// When either side was last changed; nil when it does not say.
  var times: (source: Timestamp?, existing: Timestamp?) {
    (isUpdatedFromFile ? updatedWhenWritten : time(source, \.source), time(existing, \.existing))
  }

  private func time(
    _ slots: MemberSlots, _ side: KeyPath<(source: MemberSlots, existing: MemberSlots), MemberSlots>
  ) -> Timestamp? {
    let value = slots["updated_at"] ?? slots["last_updated"] ?? document?[keyPath: side]["updatedAt"]
    guard let value, value.kind == .string else { return nil }
    return Timestamp.parse(value.inner)?.0
  }
}
