import Content
import Foundation
import JSONText

/// The second stage: adapts a record to the library that already has the record. The record gets the library's ids of
/// sections and steps, and the library's values for everything that its source cannot store or leaves out.
///
/// The overlay precedes the comparison, because values that a table cannot express are not changes.
final class RecordOverlay {
  private let item = (MemberSlots(Shapes.item), MemberSlots(Shapes.item))
  private let documents: [ContentType: (MemberSlots, MemberSlots)] = Dictionary(
    uniqueKeysWithValues: ContentType.allCases.map {
      ($0, (MemberSlots(Shapes.document($0)), MemberSlots(Shapes.document($0))))
    })
  private let steps = StepWriter()
  private var out = ByteBuffer(capacity: 1 << 12)
  private let scratch = ScratchLine(capacity: 0, tokens: 1024)
  /// Whether the record is only a part of its source's record. A value that is empty here may be in a row that is
  /// missing here.
  private var isPart = false

  /// A step or card of the library that is missing from a source with most of the record.
  struct Kept {
    let id: [UInt8]
    let title: [UInt8]
  }

  /// The steps that the last record kept although its source, which has most of the record, does not have them.
  private(set) var kept: [Kept] = []

  /// The members that one row holds for all rows of an item.
  private static let ofItem: Set<String> = ["description", "tags"]

  private static func isBlankOrEmpty(_ value: JSONNode?) -> Bool {
    CanonicalValue.isBlank(value) || value.map { $0.kind == .array && $0.raw.count == 2 } ?? true
  }

  /// Overlays an item with the library's item, or with the common base.
  /// - Returns: the record, valid until the next call; nil if it is unchanged.
  func apply(_ incoming: SourceRecord, over library: JSONNode) throws -> JSONNode? {
    guard incoming.kind == .item,
      let line = apply(incoming.node, over: library, coverage: incoming.coverage?.members, extent: incoming.extent)
    else {
      if incoming.kind != .item { kept = [] }
      return nil
    }
    return try scratch.parse(line)
  }

  /// Overlays a record with the library's record.
  /// - Parameters:
  ///   - coverage: the members that the source can express; nil for all.
  ///   - extent: how much of the record's steps the source contains.
  /// - Returns: the record as a separate line, valid until the next call; nil if the record is unchanged.
  func apply(
    _ source: JSONNode, over library: JSONNode, coverage: FieldCoverage?, extent: StepPlan.Extent
  ) -> UnsafeBufferPointer<UInt8>? {
    kept = []
    isPart = extent != .whole
    let document = source.member("content_data")
    let other = library.member("content_data")
    let type = source.member("content_type")?.string ?? ""
    let isSameType = library.member("content_type")?.string == type
    let matching = isSameType ? match(source, document, other, extent) : nil
    guard coverage != nil || extent != .whole else {
      guard let matching, let ids = matching.ids() else { return nil }
      CanonicalValue.replaceIDs(ids, in: source, into: &out)
      return out.bytes
    }
    guard isSameType else { return nil }
    out.removeAll()
    item.0.load(source)
    item.1.load(library)
    let slots = documents[ContentType(rawValue: type) ?? .checklist] ?? item
    slots.0.load(document)
    slots.1.load(other)
    write(item, coverage: coverage?.item) { [self] name, out in
      guard name == "content_data" else { return false }
      guard document?.kind == .object, other?.kind == .object else {
        let body = document?.kind == .object ? document : other ?? document
        if let body { out.append(body.raw.span) } else { out.append("null") }
        return true
      }
      writeDocument(slots, matching, coverage, extent, into: &out)
      return true
    }
    return out.bytes
  }

  private func match(_ source: JSONNode, _ document: JSONNode?, _ other: JSONNode?, _ extent: StepPlan.Extent)
    -> StepMatching?
  {
    guard let mine = StepTree(document: document), let theirs = StepTree(document: other),
      mine.hasSections == theirs.hasSections
    else { return nil }
    let list = document?.member("sections") ?? document?.member("cards")
    let twin = other?.member("sections") ?? other?.member("cards")
    if let list, let twin, CanonicalValue.equal(list, twin) { return nil }
    let leniency: StepMatching.Leniency =
      switch extent {
      case .whole: .full
      case .mostly: .strict
      case .some: .none
      }
    return StepMatching(mine, with: theirs, recordID: source.member("id")?.string ?? "", leniency)
  }

  // MARK: Writing

  private func writeDocument(
    _ slots: (MemberSlots, MemberSlots), _ matching: StepMatching?, _ coverage: FieldCoverage?,
    _ extent: StepPlan.Extent, into out: inout ByteBuffer
  ) {
    // A table of steps expresses the steps. A catalogue without a column for documents expresses no steps.
    var members = coverage?.document
    if let coverage, !coverage.step.isEmpty { members?.formUnion(["sections", "cards"]) }
    for (name, itemName) in Shapes.repeats where members != nil && name != "id" {
      // A document's title may differ from its item's title. If the item's member is unchanged, the document's member
      // is unchanged too.
      let isExpressible = coverage?.item.contains(itemName) ?? true
      if isExpressible, !isSameInItem(itemName) { members?.insert(name) } else { members?.remove(name) }
    }
    write(slots, coverage: members, into: &out) { name, out in
      guard name == "sections" || name == "cards", members?.contains(name) ?? true, let matching else { return false }
      let expressesSections = coverage.map { $0.section.contains("title") } ?? true
      let plan = StepPlan(matching, extent, expressesSections: expressesSections)
      if extent == .mostly { collectKept(plan, matching.library) }
      steps.write(plan, matching, coverage: coverage, into: &out)
      return true
    }
  }

  private func collectKept(_ plan: StepPlan, _ library: StepTree) {
    for section in plan.sections {
      for step in section.steps where step.source == nil {
        guard let index = step.library else { continue }
        let node = library.steps[index].node
        let title = (node.member("title") ?? node.member("front"))?.string ?? ""
        kept.append(Kept(id: Array(library.steps[index].id.bytes), title: Array(title.utf8)))
      }
    }
  }

  private func isSameInItem(_ name: String) -> Bool {
    for (index, member) in item.0.shape.members.enumerated() where member.nameText == name {
      switch (item.0[index], item.1[index]) {
      case (let mine, let theirs) where CanonicalValue.isBlank(mine) && CanonicalValue.isBlank(theirs): return true
      case (let mine, _) where isPart && Self.isBlankOrEmpty(mine): return true
      case (let mine?, let theirs?): return CanonicalValue.equal(mine, theirs)
      default: return false
      }
    }
    return false
  }

  private func write(
    _ slots: (MemberSlots, MemberSlots), coverage: Set<String>?, _ special: (String, inout ByteBuffer) -> Bool
  ) {
    write(slots, coverage: coverage, into: &out, special)
  }

  private func write(
    _ slots: (MemberSlots, MemberSlots), coverage: Set<String>?, into out: inout ByteBuffer,
    _ special: (String, inout ByteBuffer) -> Bool
  ) {
    let (source, library) = slots
    var separator = UInt8(ascii: "{")
    for index in source.rules.indices {
      let member = source.shape.members[index]
      let name = member.nameText
      let isMine: Bool
      switch source.rules[index] {
      // Identity, times and everything that is not content come from the source. An import has its own rules for them.
      case .kind, .id, .created, .updated, .extras: isMine = true
      default: isMine = name == "content_type" || coverage?.contains(name) ?? true
      }
      // A value that is empty on both sides keeps the library's form.
      let isEmpty =
        coverage != nil
        && (CanonicalValue.isBlank(source[index]) && CanonicalValue.isBlank(library[index])
          || isPart && Self.ofItem.contains(name) && Self.isBlankOrEmpty(source[index]))
      let value = isMine && !isEmpty ? source[index] : library[index]
      let mark = out.count
      out.append(separator)
      out.append(member.key.span)
      if special(name, &out) {
      } else if let value {
        out.append(value.raw.span)
      } else if member.absent == .omit {
        out.truncate(to: mark)
        continue
      } else if member.absent == .literal {
        out.append(member.literal.span)
      } else {
        out.append("null")
      }
      separator = UInt8(ascii: ",")
    }
    if let node = source.node {
      for name in source.unknown {
        out.append(UInt8(ascii: ","))
        out.append(node.at(name).raw.span)
        out.append(UInt8(ascii: ":"))
        out.append(node.at(name + 1).raw.span)
      }
    }
    out.append(UInt8(ascii: "}"))
  }
}
