import Content
import JSONText

/// Writes the sections of a checklist, or the cards of a deck, according to a plan.
final class StepWriter {
  private let sectionSlots = (MemberSlots(Shapes.checklistSection), MemberSlots(Shapes.checklistSection))
  private let stepSlots = (MemberSlots(Shapes.checklistItem), MemberSlots(Shapes.checklistItem))
  private let cardSlots = (MemberSlots(Shapes.card), MemberSlots(Shapes.card))

  /// Writes an array of sections, or of cards.
  /// - Parameter coverage: the members that the source can express; nil for all.
  func write(_ plan: StepPlan, _ matching: StepMatching, coverage: FieldCoverage?, into out: inout ByteBuffer) {
    let ids = matching.freshIDs()
    let sectionIDs = matching.freshSectionIDs()
    guard matching.source.hasSections else {
      return writeSteps(plan.sections.first?.steps ?? [], matching, coverage: coverage, ids: ids, into: &out)
    }
    let orders = orders(
      plan.sections.map { $0.library.flatMap { matching.library.sections[$0].node } },
      isLibrarys: plan.sections.map(\.library) == matching.library.sections.indices.map(Optional.some))
    out.append(UInt8(ascii: "["))
    for (index, section) in plan.sections.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      let mine = section.source.flatMap { matching.source.sections[$0].node }
      let theirs = section.library.flatMap { matching.library.sections[$0].node }
      write(
        mine, theirs, sectionSlots, coverage: coverage?.section, order: orders[index],
        id: section.source.flatMap { sectionIDs[$0] }, into: &out
      ) { out in
        writeSteps(section.steps, matching, coverage: coverage, ids: ids, into: &out)
      }
    }
    out.append(UInt8(ascii: "]"))
  }

  private func writeSteps(
    _ steps: [StepPlan.Step], _ matching: StepMatching, coverage: FieldCoverage?, ids: [Int: String],
    into out: inout ByteBuffer
  ) {
    let home = steps.first?.library.map { matching.library.steps[$0].section }
    let orders = orders(
      steps.map { $0.library.map { matching.library.steps[$0].node } },
      isLibrarys: home.map { steps.map(\.library) == matching.library.sections[$0].steps.map(Optional.some) } ?? false)
    out.append(UInt8(ascii: "["))
    for (index, step) in steps.enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      write(
        step.source.map { matching.source.steps[$0].node }, step.library.map { matching.library.steps[$0].node },
        matching.source.hasSections ? stepSlots : cardSlots, coverage: coverage?.step, order: orders[index],
        id: step.source.flatMap { ids[$0] }, into: &out
      ) { _ in }
    }
    out.append(UInt8(ascii: "]"))
  }

  /// Returns the numbers that are written: the library's numbers if they give the same order, otherwise 0, 1, 2 …
  /// - Parameter isLibrarys: whether these are all of the library's nodes in its order. In this case, the numbers are
  ///   kept even if they define no order, because apps write 0 for all nodes, and nothing has changed.
  private func orders(_ nodes: [JSONNode?], isLibrarys: Bool) -> [Int64] {
    if isLibrarys {
      let all = nodes.compactMap { $0?.member("sortOrder")?.integer }
      if all.count == nodes.count { return all }
    }
    var orders: [Int64] = []
    for node in nodes {
      guard let order = node?.member("sortOrder")?.integer, order > orders.last ?? .min else {
        return nodes.indices.map(Int64.init)
      }
      orders.append(order)
    }
    return orders
  }

  /// Writes a section, a step or a card that one or both sides have.
  private func write(
    _ mine: JSONNode?, _ theirs: JSONNode?, _ slots: (MemberSlots, MemberSlots), coverage: Set<String>?, order: Int64,
    id: String?, into out: inout ByteBuffer, items: (inout ByteBuffer) -> Void
  ) {
    let (source, library) = slots
    source.load(mine)
    library.load(theirs)
    var separator = UInt8(ascii: "{")
    func begin(_ member: ShapeMember) {
      out.append(separator)
      separator = UInt8(ascii: ",")
      out.append(member.key.span)
    }
    for index in source.rules.indices {
      let member = source.shape.members[index]
      switch source.rules[index] {
      case .id:
        begin(member)
        if let id {
          out.appendJSONString(id)
        } else if let own = library[index] ?? source[index] {
          out.append(own.raw.span)
        } else {
          out.append("\"\"")
        }
      case .position:
        begin(member)
        out.append(utf8: String(order))
      case .steps:
        begin(member)
        items(&out)
      default:
        let isMine = mine != nil && (theirs == nil || coverage?.contains(member.nameText) ?? true)
        let isEmpty =
          coverage != nil && theirs != nil && CanonicalValue.isBlank(source[index])
          && CanonicalValue.isBlank(library[index])
        let value = isMine && !isEmpty ? source[index] : library[index]
        if let value {
          begin(member)
          out.append(value.raw.span)
        } else if member.absent == .literal {
          begin(member)
          out.append(member.literal.span)
        } else if member.absent != .omit {
          begin(member)
          out.append("null")
        }
      }
    }
    // Unknown members stay, because a source that cannot express everything has not deleted them.
    if coverage != nil || mine == nil { appendUnknown(library, besides: nil, into: &out) }
    appendUnknown(source, besides: coverage == nil ? nil : library, into: &out)
    out.append(UInt8(ascii: "}"))
  }

  private func appendUnknown(_ slots: MemberSlots, besides other: MemberSlots?, into out: inout ByteBuffer) {
    guard let node = slots.node else { return }
    for name in slots.unknown {
      let text = RawString(node.at(name))
      if let other, let twin = other.node, other.unknown.contains(where: { RawString(twin.at($0)) == text }) {
        continue
      }
      out.append(UInt8(ascii: ","))
      out.append(node.at(name).raw.span)
      out.append(UInt8(ascii: ":"))
      out.append(node.at(name + 1).raw.span)
    }
  }
}

/// In the text of the source, uses the library's ids for matched sections and steps that both sides added. The next
/// import finds the sections and steps by these ids.
///
/// An id is replaced only if the source itself had none. The source's own id would occur again in the next import, and
/// belongs to another element in the library.
enum SharedSteps {
  /// Writes a record, with the ids of the matched elements replaced by the library's ids.
  static func rename(
    _ renamed: [String: String], in record: JSONNode, into out: inout ByteBuffer
  ) {
    var ids: [(span: Range<Int>, id: String)] = []
    func collect(_ node: JSONNode?, _ id: RawString) {
      guard id.isDerivedID, let new = renamed[id.text], let span = node?.member("id")?.span else { return }
      ids.append((span, new))
    }
    let tree = StepTree(document: record.member("content_data"))
    for section in tree?.sections ?? [] { collect(section.node, section.id) }
    for step in tree?.steps ?? [] { collect(step.node, step.id) }
    CanonicalValue.replaceIDs(ids, in: record, into: &out)
  }
}

/// The sections and steps of a library's record after merging with a source, and their order.
///
/// A source with a whole checklist determines the order, and steps that it does not have are removed. A source with
/// only a part of a checklist removes nothing.
struct StepPlan {
  /// The origin of a step: the source, the library, or both.
  struct Step {
    let source: Int?
    let library: Int?
  }

  /// The origin of a section, and its steps.
  struct Section {
    let source: Int?
    let library: Int?
    var steps: [Step] = []
  }

  /// How much of a record a source contains.
  enum Extent: Equatable {
    /// The whole record.
    case whole
    /// All but some steps, in the source's order.
    case mostly
    /// Some steps, whose positions are given by `anchors`. Everything else is unchanged.
    case some([StepAnchor])
  }

  private(set) var sections: [Section] = []
  private let matching: StepMatching

  /// Makes the plan.
  /// - Parameter expressesSections: whether the source can express sections; otherwise steps stay in their sections.
  init(_ matching: StepMatching, _ extent: Extent, expressesSections: Bool) {
    self.matching = matching
    switch extent {
    case .whole:
      orderBySource(expressesSections)
    case .mostly:
      orderBySource(expressesSections)
      insertRest()
    case .some(let anchors):
      orderByLibrary()
      insert(anchors, expressesSections)
    }
  }

  // MARK: The source's order

  private mutating func orderBySource(_ expressesSections: Bool) {
    let source = matching.source
    guard !expressesSections, source.hasSections, !matching.library.sections.isEmpty else {
      sections = source.sections.indices.map { index in
        Section(
          source: index, library: matching.sections[index],
          steps: source.sections[index].steps.map { Step(source: $0, library: matching.steps[$0]) })
      }
      return
    }
    sections = matching.library.sections.indices.map { Section(source: nil, library: $0) }
    var section = 0
    for index in source.steps.indices {
      let library = matching.steps[index]
      if let library { section = matching.library.steps[library].section }
      sections[section].steps.append(Step(source: index, library: library))
    }
  }

  /// Adds the library's steps that the source does not have, each after the step that precedes it now.
  private mutating func insertRest() {
    let library = matching.library
    var home = [Int?](repeating: nil, count: library.steps.count)
    var planned = [Int?](repeating: nil, count: library.sections.count)
    for (index, section) in sections.enumerated() {
      if let other = section.library { planned[other] = index }
      for step in section.steps { if let other = step.library { home[other] = index } }
    }
    var heads: [Int: [Step]] = [:]
    var followers: [Int: [Step]] = [:]
    var added: [Int: [Section]] = [:]
    var last = -1
    for (index, section) in library.sections.enumerated() {
      guard let place = planned[index] else {
        let kept = section.steps.filter { home[$0] == nil }.map { Step(source: nil, library: $0) }
        added[last, default: []].append(Section(source: nil, library: index, steps: kept))
        continue
      }
      last = place
      var before: Int?
      for step in section.steps {
        if let home = home[step] {
          if home == place { before = step }
        } else if let before {
          followers[before, default: []].append(Step(source: nil, library: step))
        } else {
          heads[place, default: []].append(Step(source: nil, library: step))
        }
      }
    }
    var all = added[-1] ?? []
    for (index, section) in sections.enumerated() {
      var whole = Section(source: section.source, library: section.library, steps: heads[index] ?? [])
      for step in section.steps {
        whole.steps.append(step)
        if let other = step.library { whole.steps += followers[other] ?? [] }
      }
      all.append(whole)
      all += added[index] ?? []
    }
    sections = all
  }

  // MARK: The library's order

  private mutating func orderByLibrary() {
    var twins: [Int: Int] = [:]
    for (index, other) in matching.steps.enumerated() { if let other { twins[other] = index } }
    var sectionTwins: [Int: Int] = [:]
    for (index, other) in matching.sections.enumerated() { if let other { sectionTwins[other] = index } }
    sections = matching.library.sections.enumerated().map { index, section in
      Section(
        source: sectionTwins[index], library: index,
        steps: section.steps.map { Step(source: twins[$0], library: $0) })
    }
  }

  /// Inserts steps that the library does not have at their positions.
  private mutating func insert(_ anchors: [StepAnchor], _ expressesSections: Bool) {
    let library = matching.library
    let byID = Dictionary(
      library.steps.indices.map { (library.steps[$0].id.text.utf8Bytes, $0) }, uniquingKeysWith: { first, _ in first })
    let byTitle = Dictionary(
      library.steps.indices.map { (library.steps[$0].title.text.utf8Bytes, $0) },
      uniquingKeysWith: { first, _ in first })
    var heads: [Int: [Step]] = [:]
    var followers: [Int: [Step]] = [:]
    var tails: [Int: [Step]] = [:]
    var added: [Int: [Section]] = [:]
    var addedAt: [Int: Int] = [:]
    for index in matching.source.steps.indices where matching.steps[index] == nil {
      let step = Step(source: index, library: nil)
      let own = matching.source.steps[index].section
      let anchor = index < anchors.count ? anchors[index] : .unknown
      var behind: Int?
      if case .behind(let text) = anchor { behind = byID[text.utf8Bytes] ?? byTitle[text.utf8Bytes] }
      let place = behind.map { library.steps[$0].section }
      guard
        let target = expressesSections || !matching.source.hasSections
          ? matching.sections[own] : place ?? library.sections.indices.last
      else {
        // The library does not have this section.
        let after = addedAt[own] ?? place ?? (anchor == .first ? -1 : library.sections.count - 1)
        if addedAt[own] == nil {
          addedAt[own] = after
          added[after, default: []].append(Section(source: own, library: nil))
        }
        if let last = added[after]?.firstIndex(where: { $0.source == own }) { added[after]?[last].steps.append(step) }
        continue
      }
      if let behind, let place, place == target {
        followers[behind, default: []].append(step)
      } else if anchor == .first || place.map({ $0 < target }) ?? false {
        heads[target, default: []].append(step)
      } else {
        tails[target, default: []].append(step)
      }
    }
    // These are sections of the source without steps.
    for (index, other) in matching.sections.enumerated()
    where other == nil && matching.source.sections[index].steps.isEmpty && expressesSections {
      added[library.sections.count - 1, default: []].append(Section(source: index, library: nil))
    }
    var all = added[-1] ?? []
    for (index, section) in sections.enumerated() {
      var whole = Section(source: section.source, library: section.library, steps: heads[index] ?? [])
      for step in section.steps {
        whole.steps.append(step)
        if let other = step.library { whole.steps += followers[other] ?? [] }
      }
      whole.steps += tails[index] ?? []
      all.append(whole)
      all += added[index] ?? []
    }
    sections = all
  }
}

extension String {
  /// The string's bytes, for comparisons in which Unicode equivalence must not apply.
  fileprivate var utf8Bytes: [UInt8] { Array(utf8) }
}
