import Content
import Foundation
import Interchange
import JSONText

/// Creates drafts from migrated objects. A trip becomes a charter, its tasks become a checklist with an execution, and
/// its events become a guide. Every object also becomes a foreign record, so that no data is lost and the object can be
/// written back.
///
/// - Source: formats/chravel.md, "What becomes what"
struct ChravelDrafts {
  /// The objects of a trip.
  struct Trip {
    let id: String
    var tasks: [ChravelEntity] = []
    var events: [ChravelEntity] = []
    /// The earliest and the latest known time of the trip.
    var first: Timestamp?
    var last: Timestamp?
    /// The range of one of the trip's rows.
    let range: Range<Int>
    let row: Int

    init(id: String, range: Range<Int>, row: Int) {
      (self.id, self.range, self.row) = (id, range, row)
    }

    mutating func add(_ entity: ChravelEntity) {
      switch entity.kind {
      case .message: break
      case .task: tasks.append(entity)
      case .event: events.append(entity)
      }
      guard entity.kind == .event else { return }
      for time in [entity.start, entity.end].compactMap({ $0 }) {
        if first.map({ time.milliseconds < $0.milliseconds }) ?? true { first = time }
        if last.map({ time.milliseconds > $0.milliseconds }) ?? true { last = time }
      }
    }
  }

  /// The trips, keyed by id.
  struct Trips {
    private(set) var all: [Trip] = []
    private var numbers: [String: Int] = [:]

    /// Adds an object to its trip.
    mutating func add(_ entity: ChravelEntity, _ range: Range<Int>, row: Int) {
      let number = numbers[entity.trip] ?? all.count
      if number == all.count {
        numbers[entity.trip] = number
        all.append(Trip(id: entity.trip, range: range, row: row))
      }
      all[number].add(entity)
    }
  }

  let now: Timestamp

  private func sourced(_ text: String, _ range: Range<Int>) -> SourcedText {
    SourcedText(bytes: Array(text.utf8), range: range)
  }

  private func quoted(_ text: String, _ range: Range<Int>) -> SourcedText { sourced(text, range).quoted }

  /// Returns extras with the trip's id, for the records that are created from the trip.
  private func extras(_ trip: Trip) -> String {
    var json = ByteBuffer(capacity: 96)
    json.append("{\"chravel\":{\"tripId\":")
    json.appendJSONString(trip.id)
    json.append("}}")
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// Creates a trip's drafts.
  func drafts(of trip: Trip) -> [SourceDraft] {
    var drafts: [SourceDraft] = [.record(charter(trip))]
    if !trip.tasks.isEmpty { drafts += [.item(checklist(trip)), .record(execution(trip))] }
    if !trip.events.isEmpty { drafts.append(.item(itinerary(trip))) }
    return drafts
  }

  private func charter(_ trip: Trip) -> RecordDraft {
    let name = "Trip \(trip.id.prefix(8))"
    func member(_ name: String, _ text: String) -> RecordDraft.Member {
      RecordDraft.Member(name, quoted(text, trip.range))
    }
    return RecordDraft(
      .charter, title: name,
      members: [
        member("id", CanonicalUUID.canonical(trip.id)), member("name", name),
        member("start_date", (trip.first ?? now).iso8601), member("end_date", (trip.last ?? trip.first ?? now).iso8601),
        RecordDraft.Member("extras", sourced(extras(trip), trip.range)),
      ], range: trip.range)
  }

  private func listID(_ trip: Trip) -> String {
    CanonicalUUID.derived(["chravel", "tasks", CanonicalUUID.canonical(trip.id)])
  }

  private func checklist(_ trip: Trip) -> ItemDraft {
    var draft = ItemDraft(
      .checklist, title: sourced("Tasks of trip \(trip.id.prefix(8))", trip.range), range: trip.range)
    draft.id = sourced(listID(trip), trip.range)
    let times = trip.tasks.compactMap(\.created).map(\.milliseconds)
    draft.created = times.min().map { sourced(Timestamp(milliseconds: $0).iso8601, trip.range) }
    draft.updated = trip.tasks.compactMap(\.updated).map(\.milliseconds).max().map {
      sourced(Timestamp(milliseconds: $0).iso8601, trip.range)
    }
    var section = SectionDraft(title: sourced("Tasks", trip.range), range: trip.range)
    section.id = sourced(CanonicalUUID.derived([listID(trip), "section"]), trip.range)
    let tasks = trip.tasks.sorted { ($0.start?.milliseconds ?? .max, $0.id) < ($1.start?.milliseconds ?? .max, $1.id) }
    for task in tasks {
      var step = StepDraft(title: sourced(task.title, trip.range), range: trip.range)
      step.id = sourced(CanonicalUUID.canonical(task.id), trip.range)
      let due = task.start.map { "Due \(Self.day($0))" }
      let details = [task.details.flatMap { $0.isEmpty ? nil : $0 }, due].compactMap { $0 }.joined(separator: "\n")
      if !details.isEmpty { step.details = sourced(details, trip.range) }
      section.steps.append(step)
    }
    draft.body = .checklist(ChecklistDraft(sections: [section]))
    draft.members = sourced("\"extras\":" + extras(trip), trip.range)
    return draft
  }

  private func execution(_ trip: Trip) -> RecordDraft {
    var ticks = ByteBuffer(capacity: 1024)
    ticks.append("{")
    for task in trip.tasks where task.isCompleted {
      if ticks.count > 1 { ticks.append(",") }
      ticks.appendJSONString(CanonicalUUID.canonical(task.id))
      ticks.append(":{\"checked\":true")
      if let time = task.completed {
        ticks.append(",\"checkedAt\":")
        ticks.appendJSONString(time.wholeSeconds)
      }
      ticks.append("}")
    }
    ticks.append("}")
    let charter = CanonicalUUID.canonical(trip.id)
    let times = trip.tasks.compactMap { $0.completed ?? $0.updated }.map(\.milliseconds)
    var members = [
      RecordDraft.Member("id", quoted(CanonicalUUID.derived(["chravel", "execution", charter]), trip.range)),
      RecordDraft.Member("checklist_id", quoted(listID(trip), trip.range)),
      RecordDraft.Member("charter_id", quoted(charter, trip.range)),
      RecordDraft.Member("item_states", SourcedText(bytes: ticks.copy(0..<ticks.count), range: trip.range)),
    ]
    if let last = times.max() {
      members.append(RecordDraft.Member("last_updated", quoted(Timestamp(milliseconds: last).iso8601, trip.range)))
    }
    members.append(RecordDraft.Member("extras", sourced(extras(trip), trip.range)))
    return RecordDraft(.execution, title: "Tasks of trip \(trip.id.prefix(8))", members: members, range: trip.range)
  }

  private func itinerary(_ trip: Trip) -> ItemDraft {
    var draft = ItemDraft(
      .practiceGuide, title: sourced("Itinerary of trip \(trip.id.prefix(8))", trip.range), range: trip.range)
    draft.id = sourced(CanonicalUUID.derived(["chravel", "itinerary", CanonicalUUID.canonical(trip.id)]), trip.range)
    draft.updated = trip.events.compactMap(\.updated).map(\.milliseconds).max().map {
      sourced(Timestamp(milliseconds: $0).iso8601, trip.range)
    }
    let events = trip.events.sorted { ($0.start?.milliseconds ?? 0, $0.id) < ($1.start?.milliseconds ?? 0, $1.id) }
    var text = ""
    for event in events {
      if !text.isEmpty { text += "\n" }
      text += "## \(event.start.map { Self.moment($0) + " " } ?? "")\(Self.plain(event.title))\n"
      if let end = event.end { text += "\nUntil \(Self.moment(end))\n" }
      if let location = event.location, !location.isEmpty { text += "\nPlace: \(Self.plain(location))\n" }
      if let details = event.details, !details.isEmpty { text += "\n\(Self.plain(details, keepsLines: true))\n" }
    }
    draft.body = .guide
    draft.guide = sourced(text, trip.range)
    draft.members = sourced("\"extras\":" + extras(trip), trip.range)
    return draft
  }

  private static func day(_ time: Timestamp) -> String { String(time.iso8601.prefix(10)) }

  /// Returns a time in the form `2026-01-28 12:00 UTC`.
  private static func moment(_ time: Timestamp) -> String {
    let text = time.iso8601
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }

  /// Returns a string with its Markdown syntax escaped, on one line unless `keepsLines` is true.
  private static func plain(_ text: String, keepsLines: Bool = false) -> String {
    var out = ""
    var isAtStart = true
    for character in text {
      if character.isNewline {
        out += keepsLines ? "\n" : " "
        isAtStart = true
        continue
      }
      let isMark = "\\`*_[]<&|~".contains(character) || isAtStart && "#>-+=:".contains(character)
      out += isMark ? "\\\(character)" : String(character)
      isAtStart = false
    }
    return out
  }

  // MARK: Foreign records

  /// Creates a record for an object that has no counterpart in AnyFleet, or only a partial one.
  /// - Parameters:
  ///   - raw: the record's content, as JSON.
  func foreign(_ type: String, _ id: String, _ raw: [UInt8], _ range: Range<Int>) -> SourceDraft {
    .record(
      RecordDraft(
        .foreign, title: id,
        members: [
          RecordDraft.Member("id", quoted("chravel/\(type)/\(id)", range)),
          RecordDraft.Member("system", quoted("chravel", range)), RecordDraft.Member("type", quoted(type, range)),
          RecordDraft.Member("raw", SourcedText(bytes: raw, range: range)),
        ], range: range))
  }

  /// Creates an object's record.
  func foreign(_ object: ChravelObject, _ range: Range<Int>) -> SourceDraft {
    foreign(object.entity.kind.rawValue, object.entity.id, object.json, range)
  }
}
