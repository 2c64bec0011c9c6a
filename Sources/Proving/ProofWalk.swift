import Content
import Interchange
import JSONText
import RecordSources
import SQLiteLibrary

/// Walks the two sides of a proof in the order of kinds and ids, and looks for an explanation of every difference.
final class ProofWalk {
  private let losses: ProofLosses
  private let rules: ProofRules
  private let allowsOthers: Bool
  private let isSelection: Bool
  private let unnamed: ContentMatcher
  private var tape = JSONTape(capacity: 1024)
  private var otherTape = JSONTape(capacity: 1024)
  /// The counts of the proof.
  var summary = ProofSummary()
  /// The first unexplained differences.
  private(set) var differences: [ProofDifference] = []

  init(
    losses: ProofLosses, rules: ProofRules, allowsOthers: Bool, isSelection: Bool, unnamed: ContentMatcher
  ) {
    self.losses = losses
    self.rules = rules
    self.allowsOthers = allowsOthers
    self.isSelection = isSelection
    self.unnamed = unnamed
  }

  /// Compares both sides to their ends.
  func run(_ first: SortedRecords, _ second: SortedRecords) throws {
    var a = try first.next()
    var b = try second.next()
    while a != nil || b != nil {
      try Interruption.check()
      if let source = a, b.map({ source.key < $0.key }) ?? true {
        try onlySource(source)
        a = try first.next()
      } else if let target = b, a.map({ target.key < $0.key }) ?? true {
        try onlyTarget(target)
        b = try second.next()
      } else if let source = a, let target = b {
        try compare(source, target, losses.of(source.key))
        a = try first.next()
        b = try second.next()
      }
    }
    try unnamed.match(
      pair: { source, target, lost in try compare(source, target, lost, isRenamed: true) },
      onlySource: missing, onlyTarget: extra)
  }

  private func onlySource(_ source: SortedRecords.Entry) throws {
    let lost = try losses.of(source.key)
    if lost.isWhole {
      summary.explained += 1
    } else if try !unnamed.collect(source, lost) {
      missing(source)
    }
  }

  private func onlyTarget(_ target: SortedRecords.Entry) throws {
    if try isPublishedRow(target) { return }
    if try !unnamed.collect(target) { extra(target) }
  }

  /// Whether a record is a queue row that belongs to a selected public item.
  private func isPublishedRow(_ target: SortedRecords.Entry) throws -> Bool {
    guard isSelection, target.kind == .syncOperation else { return false }
    let isOne = try tape.withRecord(target.line.span) { PublishedRows.isOne($0) }
    if isOne { summary.normalised[PublishedRows.rule, default: 0] += 1 }
    return isOne
  }

  private func missing(_ source: SortedRecords.Entry) {
    add(source.kind, source.id, nil, source.title, JSONPointer(), nil, nil)
  }

  private func extra(_ target: SortedRecords.Entry) {
    if allowsOthers {
      summary.others += 1
    } else {
      add(target.kind, nil, target.id, target.title, JSONPointer(), nil, nil)
    }
  }

  private func compare(
    _ source: SortedRecords.Entry, _ target: SortedRecords.Entry, _ lost: ProofLosses.OfRecord, isRenamed: Bool = false
  ) throws {
    // formats/markdown.md, "Notes that stay as they are": the record was rejected, and its old note still exists.
    if rules.isVault, lost.isWhole { return summary.explained += 1 }
    summary.records += 1
    try tape.withRecord(source.line.span) { mine in
      var walk = FieldWalk()
      if source.line == target.line {
        walk.count(mine)
      } else {
        try otherTape.withRecord(target.line.span) { theirs in
          let pair = ProofRules.Pair(source: mine, target: theirs, isRenamed: isRenamed, lost: lost)
          walk.compare(mine, theirs) { path, left, right in judge(path, left, right, pair, source, target) }
        }
      }
      summary.fields += walk.fields
    }
  }

  private func judge(
    _ path: [JSONPointer.Step], _ left: JSONNode?, _ right: JSONNode?, _ pair: ProofRules.Pair,
    _ source: SortedRecords.Entry, _ target: SortedRecords.Entry
  ) {
    switch pair.lost.explains(path) ? .loss : rules.explanation(of: path, left, right, pair) {
    case .loss: summary.explained += 1
    case .rule(let rule): summary.normalised[rule, default: 0] += 1
    case nil:
      add(
        source.kind, source.id, target.id, source.title, JSONPointer(path),
        left.map { String(decoding: $0.raw, as: UTF8.self) }, right.map { String(decoding: $0.raw, as: UTF8.self) })
    }
  }

  private func add(
    _ kind: RecordKind, _ sourceID: String?, _ targetID: String?, _ title: String, _ path: JSONPointer,
    _ left: String?, _ right: String?
  ) {
    summary.differences += 1
    guard differences.count < Proof.kept else { return }
    differences.append(
      ProofDifference(
        kind: kind, sourceID: sourceID, targetID: targetID, title: title, path: path, source: left,
        target: right))
  }
}

extension JSONTape {
  /// Calls `body` with the outermost value of a record's line, and drops the tokens of the previous line.
  package mutating func withRecord<Result>(
    _ line: Span<UInt8>, _ body: (JSONNode) throws -> Result
  ) throws -> Result {
    removeAll()
    return try line.withUnsafeBufferPointer { text in
      guard let parse = try? parse(text.span), let base = text.baseAddress else {
        throw RunFailure(.internalError, "a record is not JSON", advice: "Please report this.")
      }
      return try body(JSONNode(text: base, tokens: tokens, index: parse.root))
    }
  }
}

/// Matches records without ids in the target by kind, type and title.
///
/// This applies only if the target has no id for a record. In all other targets, a different id is a difference. The
/// records are sorted on disk, like all data of a proof.
final class ContentMatcher {
  /// Whether no record of the target has an id of its own.
  private let isAll: Bool
  private let sources = ExternalSorter { ContentMatcher.key(of: $0).append(to: &$1) }
  private let targets = ExternalSorter { ContentMatcher.key(of: $0).append(to: &$1) }

  /// Prepares the matcher.
  /// - Parameter isAll: whether the target's format has no ids.
  init(isAll: Bool) { self.isAll = isAll }

  /// Whether a record comes from a note, or a folder of cards, without an id.
  private static func isUnnamed(_ line: [UInt8]) -> Bool {
    guard let note = (try? JSONDocument(parsing: line))?.root["extras"]?["markdown"] else { return false }
    return note["derived_id"]?.bool == true || note["cards"] != nil
  }

  /// Collects a record of the source if the target may have no id for it. Returns whether the record was collected.
  func collect(_ source: SortedRecords.Entry, _ lost: ProofLosses.OfRecord) throws -> Bool {
    guard source.kind == .item, isAll ? lost.explains([.member("id")]) : Self.isUnnamed(source.line) else {
      return false
    }
    // The losses are stored after the record, because they come in the order of ids.
    var line = ByteBuffer(capacity: source.line.count + 64)
    line.append("{\"record\":")
    line.append(source.line.span)
    line.append(",\"lost\":[")
    for (index, field) in lost.fields.sorted(by: { $0.lexicographicallyPrecedes($1) }).enumerated() {
      if index > 0 { line.append(",") }
      line.appendJSONString(String(decoding: field, as: UTF8.self))
    }
    line.append("]}")
    try sources.add(line.bytes.span)
    return true
  }

  /// Collects a record of the target if it has no id. Returns whether the record was collected.
  func collect(_ target: SortedRecords.Entry) throws -> Bool {
    guard target.kind == .item, isAll || Self.isUnnamed(target.line) else { return false }
    try targets.add(target.line.span)
    return true
  }

  /// Calls `body` with each pair, and with each record that has no match.
  func match(
    pair: (SortedRecords.Entry, SortedRecords.Entry, ProofLosses.OfRecord) throws -> Void,
    onlySource: (SortedRecords.Entry) throws -> Void, onlyTarget: (SortedRecords.Entry) throws -> Void
  ) throws {
    try sources.sort()
    try targets.sort()
    var a = try nextSource()
    var b = try nextTarget()
    while a != nil || b != nil {
      if let source = a, b.map({ source.entry.key < $0.key }) ?? true {
        try onlySource(source.entry)
        a = try nextSource()
      } else if let target = b, a.map({ target.key < $0.entry.key }) ?? true {
        try onlyTarget(target)
        b = try nextTarget()
      } else if let source = a, let target = b {
        try pair(source.entry, target, source.lost)
        a = try nextSource()
        b = try nextTarget()
      }
    }
  }

  private func nextSource() throws -> (entry: SortedRecords.Entry, lost: ProofLosses.OfRecord)? {
    guard let line = try sources.next() else { return nil }
    let root = try JSONDocument(parsing: line.span).root
    let record = Array((root["record"]?.text ?? "").utf8)
    var lost = ProofLosses.OfRecord()
    for field in root["lost"]?.elements ?? [] { lost.fields.insert(Array((field.string ?? "").utf8)) }
    return (Self.entry(record, Self.key(of: line)), lost)
  }

  private func nextTarget() throws -> SortedRecords.Entry? {
    guard let line = try targets.next() else { return nil }
    return Self.entry(Array(line), Self.key(of: line))
  }

  private static func entry(_ line: [UInt8], _ key: RecordSortKey) -> SortedRecords.Entry {
    line.withUnsafeBufferPointer {
      SortedRecords.Entry(key: key, kind: .item, id: RecordLine.id(of: $0.span) ?? "", line: line)
    }
  }

  /// Returns the key from type and title. Only letters and digits of the title count, because the title may have been a
  /// file name.
  private static func key(of line: UnsafeBufferPointer<UInt8>) -> RecordSortKey {
    let parsed = (try? JSONDocument(parsing: line.span))?.root
    let root = parsed?["record"] ?? parsed
    let title = (root?["title"]?.string ?? "").unicodeScalars.filter(\.properties.isAlphabetic)
    return RecordSortKey(
      RecordKind(root?["content_type"]?.string ?? ""),
      String(String.UnicodeScalarView(title.prefix(40))))
  }
}

/// Walks two records in parallel and reports every difference, down to single values.
///
/// Null and a missing member are equal. Numbers are compared by value, and strings are compared by their bytes.
package struct FieldWalk {
  /// How many values of the source were compared.
  package private(set) var fields = 0
  private var path: [JSONPointer.Step] = []

  /// Prepares to compare one pair of records.
  package init() {}

  /// Compares two records.
  /// - Parameter body: receives a difference: its path, the source's value and the value that was read back; each value
  ///   is nil if missing.
  package mutating func compare(
    _ source: JSONNode?, _ target: JSONNode?, _ body: ([JSONPointer.Step], JSONNode?, JSONNode?) -> Void
  ) {
    let source = source.flatMap { $0.isNull ? nil : $0 }
    let target = target.flatMap { $0.isNull ? nil : $0 }
    guard let one = source ?? target else { return }
    let kind = one.kind
    let isSame = (source?.kind ?? kind) == (target?.kind ?? kind)
    if isSame, kind == .object {
      compareMembers(source, target, body)
      if source == nil || target == nil, isEmpty(one) { differ(source, target, body) }
    } else if isSame, kind == .array {
      compareElements(source, target, body)
      if source == nil || target == nil, isEmpty(one) { differ(source, target, body) }
    } else {
      if source != nil { fields += 1 }
      if let source, let target, source.means(target) { return }
      differ(source, target, body)
    }
  }

  /// Counts the values of a record that does not need to be compared.
  package mutating func count(_ node: JSONNode) {
    switch node.kind {
    case .null: break
    case .object: node.forEachMember { count($1) }
    case .array: node.forEachElement { count($0) }
    default: fields += 1
    }
  }

  private func differ(
    _ source: JSONNode?, _ target: JSONNode?, _ body: ([JSONPointer.Step], JSONNode?, JSONNode?) -> Void
  ) { body(path, source, target) }

  private func isEmpty(_ node: JSONNode) -> Bool { Int(node.token.next) == node.index + 1 }

  private mutating func compareMembers(
    _ source: JSONNode?, _ target: JSONNode?, _ body: ([JSONPointer.Step], JSONNode?, JSONNode?) -> Void
  ) {
    // Canonical records have their members in the same order, so the first remaining member is nearly always the match.
    var others: [(name: JSONNode, value: JSONNode)] = []
    target?.forEachMember { others.append(($0, $1)) }
    var next = 0
    source?.forEachMember { name, value in
      var found: Int?
      if next < others.count, Self.same(others[next].name, name) {
        found = next
      } else {
        found = others.firstIndex { Self.same($0.name, name) }
      }
      path.append(.member(name.string ?? ""))
      compare(value, found.map { others[$0].value }, body)
      path.removeLast()
      if let found {
        if found == next {
          next += 1
        } else {
          others.remove(at: found)
          if found < next { next -= 1 }
        }
      }
    }
    for (name, value) in others[min(next, others.count)...] {
      path.append(.member(name.string ?? ""))
      compare(nil, value, body)
      path.removeLast()
    }
  }

  private static func same(_ left: JSONNode, _ right: JSONNode) -> Bool { left.means(right) }

  private mutating func compareElements(
    _ source: JSONNode?, _ target: JSONNode?, _ body: ([JSONPointer.Step], JSONNode?, JSONNode?) -> Void
  ) {
    var mine: [JSONNode] = []
    var theirs: [JSONNode] = []
    source?.forEachElement { mine.append($0) }
    target?.forEachElement { theirs.append($0) }
    for index in 0..<max(mine.count, theirs.count) {
      path.append(.element(index))
      compare(index < mine.count ? mine[index] : nil, index < theirs.count ? theirs[index] : nil, body)
      path.removeLast()
    }
  }
}
