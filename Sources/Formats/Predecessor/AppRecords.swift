import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Creates drafts from the app's records.
///
/// Each record is a list element, as the app's Swift types encode it. Values that have no member in AnyFleet are kept
/// under `extras.foreign.predecessor`. In cards, which a library keeps unchanged, they are kept under `predecessor`.
final class AppRecords {
  private let knowsPlaces: Bool
  private let problems = ProblemList()
  private var findings: [RejectedDraft.Problem] = []
  /// The titles of the checklists read so far, by id.
  private var titles: [String: String] = [:]
  private var hasCutFraction = false

  init(knowsPlaces: Bool) { self.knowsPlaces = knowsPlaces }

  /// Returns the findings since the last call.
  func drainFindings() -> [RejectedDraft.Problem] {
    defer { findings = [] }
    return findings
  }

  /// Creates the draft of a charter, a checklist or a deck.
  func draft(of node: JSONNode, in list: AppList) -> SourceDraft {
    guard node.kind == .object else {
      return reject(list.kind, "", node, "\(AppObject.words(node)) where an object was expected")
    }
    if let obstacle = obstacle(list.kind, node) { return obstacle }
    problems.clear()
    let before = findings.count
    let draft: SourceDraft =
      switch list {
      case .charters: .record(charter(node))
      case .checklists: .item(checklist(node))
      case .decks, .executions: .item(deck(node))
      }
    guard !problems.all.isEmpty else { return draft }
    findings.removeLast(findings.count - before)
    return .rejected(
      RejectedDraft(list.kind, title: draft.title, json: Array(node.raw), problems: problems.all, range: node.span))
  }

  /// Returns a reject for a record that cannot be read because it is too large or has a repeated member; nil if the
  /// record can be read.
  private func obstacle(_ kind: RecordKind, _ node: JSONNode) -> SourceDraft? {
    guard RecordLimits.fits(node) else {
      return reject(
        kind, "", node, RecordLimits.problem(node), .recordTooLarge, at: node.span.lowerBound..<node.span.lowerBound)
    }
    return node.duplicateName.map {
      reject(kind, "", node, "the member occurs twice in its object", .duplicateMember, at: $0.span)
    }
  }

  /// Returns a reject with one reason.
  /// - Parameter place: the range of the problem; nil if the problem concerns the whole record.
  func reject(
    _ kind: RecordKind, _ title: String, _ node: JSONNode, _ message: String,
    _ code: DiagnosticCode = .unreadableRecord, at place: Range<Int>? = nil
  ) -> SourceDraft {
    .rejected(
      RejectedDraft(
        kind, title: title, json: Array(node.raw),
        problems: [RejectedDraft.Problem(code, message, at: place ?? node.span)], range: node.span))
  }

  private func object(_ node: JSONNode) -> AppObject { AppObject(node, problems, knowsPlaces: knowsPlaces) }

  private func find(_ code: DiagnosticCode, _ message: String, at range: Range<Int>) {
    findings.append(RejectedDraft.Problem(code, message, at: range))
  }

  // MARK: Charters

  private func charter(_ node: JSONNode) -> RecordDraft {
    var charter = object(node)
    let name = charter.requiredText("name")
    var members: [RecordDraft.Member] = []
    func add(_ member: String, _ value: SourcedText?) {
      if let value { members.append(RecordDraft.Member(member, value.quoted)) }
    }
    add("id", charter.id("id"))
    add("name", name)
    add("boat_name", charter.text("yachtName"))
    add("location", charter.text("location"))
    add("start_date", charter.time("startDate")?.text)
    add("end_date", charter.time("endDate")?.text)
    add("created_at", charter.time("createdAt")?.text)
    var kept = RawObject()
    for member in ["charterCompany", "notes"] as [StaticString] {
      if charter.text(member) != nil { kept.add(member, charter.value(member)) }
    }
    kept.add(restOf: charter)
    if let extras = kept.extras(at: node) { members.append(RecordDraft.Member("extras", extras)) }
    return RecordDraft(.charter, title: name?.string ?? "", members: members, range: node.span)
  }

  // MARK: Checklists

  private func checklist(_ node: JSONNode) -> ItemDraft {
    var object = object(node)
    let title = object.requiredText("title")
    var draft = ItemDraft(.checklist, title: title ?? SourcedText(bytes: [], range: node.span), range: node.span)
    draft.id = object.id("id")
    draft.language = title.flatMap(Self.language)
    if let id = draft.id { titles[CanonicalUUID.canonical(id.string)] = draft.title.string }
    var kept = RawObject()
    let kinds = (["type", "charterType", "referenceType"] as [StaticString]).map { name -> String? in
      let word = object.text(name)
      if word != nil { kept.add(name, object.value(name)) }
      return word?.string
    }
    let known = Self.checklistType(kinds[0], charter: kinds[1], reference: kinds[2])
    if known == nil {
      find(
        .unknownKind, "the checklist has the kind '\(kinds.compactMap { $0 }.joined(separator: "/"))'", at: node.span)
    }
    draft.documentMembers = SourcedText(
      bytes: Array("\"checklistType\":\"\(known ?? "general")\"".utf8),
      range: (object.value("charterType") ?? object.value("referenceType") ?? object.value("type") ?? node).span)
    for name in ["source", "lastFetched"] as [StaticString] { kept.add(name, object.value(name)) }
    var list = ChecklistDraft()
    var sections = RawArray()
    object.forEachObject(of: "sections") { self.add($0, to: &list, &sections) }
    for place in list.dropRepeatedIDs() { find(.repeatedID, "this id is already used in the checklist", at: place) }
    if let ticked = list.ticked.first {
      find(.ownTicks, "\(list.ticked.count) of the checklist's own steps have ticks or notes", at: ticked)
    }
    kept.add("sections", sections)
    kept.add(restOf: object)
    draft.body = .checklist(list)
    draft.members = kept.extras(at: node).map {
      SourcedText(bytes: Array("\"extras\":".utf8) + $0.bytes, range: $0.range)
    }
    return draft
  }

  /// Returns AnyFleet's checklist type for the app's types; nil for unknown types.
  private static func checklistType(_ type: String?, charter: String?, reference: String?) -> String? {
    let words = type == "reference" ? [reference, charter] : [charter, reference]
    let known = [
      "pre_charter": "pre_charter", "check_in": "check_in", "daily": "daily", "post_charter": "post_charter",
      "safety": "safety", "emergency": "emergency", "systems": "general",
    ]
    guard let word = words.compactMap({ $0 }).first else {
      return type == nil || type == "charter_scoped" || type == "reference" ? "general" : nil
    }
    return known[word]
  }

  private static func language(_ title: SourcedText) -> SourcedText? {
    LetterLanguage.infer(title.bytes.span, in: 0..<title.bytes.count).map {
      SourcedText(bytes: Array($0.utf8), range: title.range)
    }
  }

  /// Adds each subsection of a section as a separate section.
  /// - Parameter sections: receives the section's remaining members.
  private func add(_ node: JSONNode, to list: inout ChecklistDraft, _ sections: inout RawArray) {
    var section = object(node)
    let (id, title) = (section.id("id"), section.text("title"))
    let empty = SourcedText(bytes: [], range: node.span)
    let before = list.sections.count
    var old = Self.head(of: &section)
    var subsections = RawArray()
    // Steps outside any subsection form a section of their own.
    var own = SectionDraft(id: id, title: title ?? empty, range: node.span)
    addSteps(of: &section, to: &own, &list, &old)
    if !own.steps.isEmpty { list.sections.append(own) }
    section.forEachObject(of: "subsections") { node in
      var subsection = self.object(node)
      let (id, own) = (subsection.id("id"), subsection.text("title"))
      var draft = SectionDraft(id: id, title: Self.joined(title, own) ?? empty, range: node.span)
      var old = Self.head(of: &subsection)
      self.addSteps(of: &subsection, to: &draft, &list, &old)
      old.add(restOf: subsection)
      subsections.add(old)
      list.sections.append(draft)
    }
    if list.sections.count == before { list.sections.append(own) }
    old.add("subsections", subsections)
    old.add(restOf: section)
    sections.add(old)
  }

  /// Returns the members that identify a section or step among the values that are kept.
  private static func head(of part: inout AppObject) -> RawObject {
    var kept = RawObject()
    for name in ["id", "title"] as [StaticString] { kept.add(name, part.value(name)) }
    return kept
  }

  /// Adds the items in a section or subsection as steps.
  /// - Parameter old: receives the values for which steps have no members.
  private func addSteps(
    of part: inout AppObject, to section: inout SectionDraft, _ list: inout ChecklistDraft, _ old: inout RawObject
  ) {
    var items = RawArray()
    part.forEachObject(of: "items") { section.steps.append(self.step($0, &list, &items)) }
    old.add("items", items)
  }

  /// Returns `Section › Subsection`, or only the title that is not empty.
  private static func joined(_ section: SourcedText?, _ subsection: SourcedText?) -> SourcedText? {
    guard let section, !section.bytes.isEmpty else { return subsection ?? section }
    guard let subsection, !subsection.bytes.isEmpty else { return section }
    let start = section.bytes + Array(" › ".utf8)
    let stretches =
      subsection.stretches.isEmpty ? [.init(value: 0, source: subsection.range.lowerBound)] : subsection.stretches
    return SourcedText(
      bytes: start + subsection.bytes, range: subsection.range,
      stretches: [.init(value: 0, source: section.range.lowerBound)]
        + stretches.map { .init(value: $0.value + start.count, source: $0.source) })
  }

  private func step(_ node: JSONNode, _ list: inout ChecklistDraft, _ items: inout RawArray) -> StepDraft {
    var item = object(node)
    let title = item.requiredText("title")
    var step = StepDraft(title: title ?? SourcedText(bytes: [], range: node.span), range: node.span)
    step.id = item.id("id")
    step.details = item.text("note")
    var kept = RawObject()
    let (isChecked, note, time) = (item.flag("isChecked"), item.text("userNote"), item.time("checkedAt"))
    if isChecked == true || time != nil || note?.bytes.isEmpty == false {
      list.ticked.append((item.value("isChecked") ?? node).span)
      for name in ["isChecked", "checkedAt", "userNote"] as [StaticString] { kept.add(name, item.value(name)) }
    }
    kept.add(restOf: item)
    guard !kept.json.isEmpty else { return step }
    var old = Self.head(of: &item)
    old.add(members: kept.json)
    items.add(old)
    return step
  }

  // MARK: Decks

  private func deck(_ node: JSONNode) -> ItemDraft {
    var object = object(node)
    let (name, folder) = (object.text("displayName"), object.text("folderName"))
    let title = name.flatMap { $0.bytes.isEmpty ? nil : $0 } ?? folder
    if title == nil, object.value("displayName") == nil { problems.add("'displayName' is missing", node) }
    var draft = ItemDraft(.flashcardDeck, title: title ?? SourcedText(bytes: [], range: node.span), range: node.span)
    draft.id = object.id("id")
    draft.language = title.flatMap(Self.language)
    draft.description = object.text("description")
    var kept = RawObject()
    for name in ["folderName", "lastFetched"] as [StaticString] { kept.add(name, object.value(name)) }
    var deck = DeckDraft()
    var seen: Set<[UInt8]> = []
    object.forEachObject(of: "flashcards") { node in
      var card = self.card(node, in: draft.id)
      if let id = card.id, !seen.insert(id.bytes).inserted {
        self.find(.repeatedID, "this id is already used in the deck", at: id.range)
        card.id = nil
      }
      deck.cards.append(card)
    }
    kept.add(restOf: object)
    draft.body = .deck(deck)
    draft.members = kept.extras(at: node).map {
      SourcedText(bytes: Array("\"extras\":".utf8) + $0.bytes, range: $0.range)
    }
    return draft
  }

  private func card(_ node: JSONNode, in deck: SourcedText?) -> CardDraft {
    var object = object(node)
    let empty = SourcedText(bytes: [], range: node.span)
    let name = object.text("fileName")
    let text = object.requiredText("markdownContent")
    let heading = text.flatMap(Self.heading)
    var front = name ?? heading?.text
    if let name, name.bytes.count > 3, name.bytes.suffix(3).elementsEqual(".md".utf8) {
      front = name.part(0..<name.bytes.count - 3)
    }
    if front == nil, object.value("fileName") == nil { problems.add("'fileName' is missing", node) }
    var back = text ?? empty
    if let heading, let front, heading.text.string == front.string, heading.rest < back.bytes.count {
      back = back.part(heading.rest..<back.bytes.count)
    }
    var card = CardDraft(front: front ?? empty, back: back, range: node.span)
    card.id = object.id("id")
    var review = RawObject()
    review.add("easeFactor", object.number("easeFactor"))
    review.add("intervalDays", object.number("interval"))
    review.add("repetitions", object.number("repetitions", isWhole: true))
    if let time = object.time("lastReviewed") { review.add("lastReviewed", json: time.text.quoted.bytes) }
    if let time = object.time("nextReview") { review.add("due", json: time.text.quoted.bytes) }
    review.add("lastQuality", object.value("lastQuality"))
    if !review.json.isEmpty { card.review = SourcedText(bytes: [0x7B] + review.json + [0x7D], range: node.span) }
    var kept = RawObject()
    // `fileName` and `deckID` usually repeat other values and are then not kept.
    if let name, front?.bytes.count == name.bytes.count { kept.add("fileName", object.value("fileName")) }
    if let own = object.id("deckID"), own.bytes != deck?.bytes { kept.add("deckID", object.value("deckID")) }
    kept.add(restOf: object)
    card.members = kept.member(at: node)
    return card
  }

  /// Returns the heading at the beginning of text, and the offset of the text after the heading.
  private static func heading(_ text: SourcedText) -> (text: SourcedText, rest: Int)? {
    let bytes = text.bytes
    func isLineEnd(_ byte: UInt8) -> Bool { byte == 0x0A || byte == 0x0D }
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    guard let first = bytes.firstIndex(where: { !isLineEnd($0) && !isBlank($0) }) else { return nil }
    let marks = bytes[first...].prefix { $0 == UInt8(ascii: "#") }
    guard (1...6).contains(marks.count), marks.endIndex < bytes.count, isBlank(bytes[marks.endIndex]) else {
      return nil
    }
    let line = bytes[marks.endIndex...].prefix { !isLineEnd($0) }
    guard let start = line.firstIndex(where: { !isBlank($0) }), let end = line.lastIndex(where: { !isBlank($0) }) else {
      return nil
    }
    let rest = bytes[line.endIndex...].firstIndex { !isLineEnd($0) && !isBlank($0) } ?? bytes.count
    // Keep spaces at the beginning of the next line, because they can mean code.
    let begin = bytes[..<rest].lastIndex(where: isLineEnd).map { $0 + 1 } ?? rest
    return (text.part(start..<end + 1), rest == bytes.count ? rest : max(begin, line.endIndex))
  }

  // MARK: Executions

  /// Creates drafts of a charter's ticked checklists, in order.
  /// - Parameter key: the value's key; nil for a value without a key.
  func executions(key: JSONNode?, _ node: JSONNode) -> [SourceDraft] {
    guard node.kind == .object else {
      let message = "\(AppObject.words(node)) where the checklists of a charter were expected"
      return [reject(.execution, key?.string ?? "", node, message)]
    }
    if let twice = node.duplicateOwnName {
      let message = "the member occurs twice in its object"
      return [reject(.execution, key?.string ?? "", node, message, .duplicateMember, at: twice.span)]
    }
    problems.clear()
    var state = object(node)
    let charter = chosen(key, state.id("charterId"), "charter", node)
    var rest = RawObject()
    let all = state.value("checklistStates")
    rest.add(restOf: state)
    if let all, all.kind != .array, all.kind != .object {
      problems.add("'checklistStates' is \(AppObject.words(all)), not a dictionary", all)
    }
    var drafts: [SourceDraft] = []
    if problems.all.isEmpty, let charter, let all {
      AppObject.forEachPair(of: all) { key, value, place in
        guard let value else {
          return drafts.append(self.reject(.execution, "", place, "the key has no value"))
        }
        drafts.append(self.execution(key, value, charter: charter, rest))
      }
    }
    if drafts.isEmpty, problems.all.isEmpty, !rest.json.isEmpty {
      problems.add("an execution cannot represent its members", node)
    }
    guard problems.all.isEmpty || !drafts.isEmpty else {
      return [
        .rejected(
          RejectedDraft(
            .execution, title: charter?.string ?? "", json: Array(node.raw), problems: problems.all, range: node.span))
      ]
    }
    return drafts
  }

  /// Returns the key, or the id in the value if there is no key.
  private func chosen(_ key: JSONNode?, _ own: SourcedText?, _ what: String, _ node: JSONNode) -> SourcedText? {
    guard let key else {
      if own == nil { problems.add("the value has neither a key nor a \(what) id", node) }
      return own
    }
    let id = AppObject.id(key)
    if let own, own.bytes != id.bytes {
      find(.idsDiffer, "the value's \(what) id '\(own.string.prefix(60))' differs from its key", at: own.range)
    }
    return id
  }

  private func execution(
    _ key: JSONNode?, _ node: JSONNode, charter: SourcedText, _ shared: RawObject
  ) -> SourceDraft {
    guard node.kind == .object else {
      return reject(.execution, "", node, "\(AppObject.words(node)) where the ticks of a checklist were expected")
    }
    if let obstacle = obstacle(.execution, node) { return obstacle }
    problems.clear()
    let before = findings.count
    var state = object(node)
    let own = state.id("checklistId")
    let checklist = chosen(key, own, "checklist", node)
    let title = checklist.flatMap { titles[CanonicalUUID.canonical($0.string)] } ?? checklist?.string ?? ""
    var latest = state.time("lastReset")?.time
    var places: [JSONPointer: Range<Int>] = [:]
    var others = RawArray()
    let ticks = ticks(state.value("itemStates"), &latest, &others, &places)
    var kept = RawObject()
    kept.add("itemStates", others)
    if let own, own.bytes != checklist?.bytes { kept.add("checklistId", state.value("checklistId")) }
    kept.add("lastReset", state.value("lastReset"))
    kept.add(restOf: state)
    if !shared.json.isEmpty { kept.add("charterState", json: [0x7B] + shared.json + [0x7D]) }
    guard problems.all.isEmpty, let checklist else {
      findings.removeLast(findings.count - before)
      let rejected = RejectedDraft(
        .execution, title: title, json: Array(node.raw), problems: problems.all, range: node.span)
      problems.clear()
      return .rejected(rejected)
    }
    let id = CanonicalUUID.derived(
      ["predecessor", "execution", CanonicalUUID.canonical(charter.string), CanonicalUUID.canonical(checklist.string)])
    var members = [
      RecordDraft.Member("id", SourcedText(bytes: Array(id.utf8), range: checklist.range).quoted),
      RecordDraft.Member("checklist_id", checklist.quoted), RecordDraft.Member("charter_id", charter.quoted), ticks,
    ]
    if let latest {
      let time = SourcedText(bytes: Array(latest.iso8601.utf8), range: node.span)
      members.append(RecordDraft.Member("last_updated", time.quoted))
    }
    if let extras = kept.extras(at: node) { members.append(RecordDraft.Member("extras", extras)) }
    var draft = RecordDraft(.execution, title: title, members: members, range: node.span)
    draft.places = places
    return .record(draft)
  }

  /// Returns a checklist's ticks, by step id.
  /// - Parameters:
  ///   - latest: set to the time of the last tick if that time is later than the current value.
  ///   - others: receives the values for which ticks have no members.
  ///   - places: receives the ticks' places.
  private func ticks(
    _ states: JSONNode?, _ latest: inout Timestamp?, _ others: inout RawArray,
    _ places: inout [JSONPointer: Range<Int>]
  ) -> RecordDraft.Member {
    var out = ByteBuffer(capacity: 1 << 10)
    out.append("{")
    if let states {
      if states.kind != .array, states.kind != .object {
        problems.add("'itemStates' is \(AppObject.words(states)), not a dictionary", states)
      }
      AppObject.forEachPair(of: states) { key, value, place in
        guard let key, let value, value.kind == .object else {
          let message =
            value == nil
            ? "the key has no value"
            : key == nil ? "the tick has no key" : "\(AppObject.words(place)) where a tick was expected"
          return problems.add(message, place)
        }
        let id = AppObject.id(key)
        if knowsPlaces {
          let path: [JSONPointer.Step] = [.member("item_states"), .member(id.string)]
          places[JSONPointer(path)] = value.span
          for (own, name) in [("checked", "isChecked"), ("checkedAt", "checkedAt"), ("notes", "userNote")] {
            if let found = value.member(named: name) { places[JSONPointer(path + [.member(own)])] = found.span }
          }
        }
        if out.count > 1 { out.append(",") }
        out.appendJSONString(id.bytes.span)
        out.append(":")
        let rest = tick(value, &latest, into: &out)
        guard !rest.json.isEmpty else { return }
        var other = RawObject()
        other.add("id", key)
        other.add(members: rest.json)
        others.add(other)
      }
    }
    out.append("}")
    return RecordDraft.Member(
      "item_states", SourcedText(bytes: out.copy(0..<out.count), range: states?.span ?? 0..<0))
  }

  /// Writes a tick.
  /// - Returns: the values for which a tick has no members.
  private func tick(_ node: JSONNode, _ latest: inout Timestamp?, into out: inout ByteBuffer) -> RawObject {
    var state = object(node)
    var tick = RawObject()
    if let isChecked = state.flag("isChecked") { tick.add("checked", json: Array((isChecked ? "true" : "false").utf8)) }
    if let time = state.time("checkedAt")?.time {
      if time.milliseconds % 1000 != 0, !hasCutFraction {
        hasCutFraction = true
        find(.fractionCut, "this time has a fraction of a second, here and perhaps elsewhere", at: node.span)
      }
      latest = max(latest ?? time, time)
      tick.add("checkedAt", json: Array("\"\(time.wholeSeconds)\"".utf8))
    }
    if let note = state.text("userNote") { tick.add("notes", json: note.quoted.bytes) }
    out.append("{")
    out.append(tick.json.span)
    out.append("}")
    var rest = RawObject()
    rest.add(restOf: state)
    return rest
  }
}
