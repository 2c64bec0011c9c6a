import FleetKitCore
import Interchange
import JSONText
import Merging
import SQLiteLibrary

/// Holds a library against what it was before an import, and against what the import says that it wrote.
final class ImportWalk {
  private var tape = JSONTape(capacity: 1024)
  private var otherTape = JSONTape(capacity: 1024)
  /// The numbers.
  var summary = ProofSummary()
  /// The first differences.
  private(set) var differences: [ProofDifference] = []

  /// Walks to the end of all three; they come in one order.
  /// - Parameter before: nil for a library that was not there.
  func run(before: SortedRecords?, written: SortedRecords, after: SortedRecords) throws {
    var old = try before?.next()
    var said = try written.next()
    var now = try after.next()
    while let key = [old?.key, said?.key, now?.key].compactMap({ $0 }).min() {
      try Interruption.check()
      let was = old?.key == key ? old : nil
      var wrote: SortedRecords.Entry?
      while let next = said, next.key == key {
        wrote = next
        said = try written.next()
      }
      let found = now?.key == key ? now : nil
      if was != nil { old = try before?.next() }
      if found != nil { now = try after.next() }
      try compare(was, wrote, found)
    }
  }

  private func compare(
    _ was: SortedRecords.Entry?, _ wrote: SortedRecords.Entry?, _ found: SortedRecords.Entry?
  ) throws {
    guard let expected = wrote ?? was else {
      if let found, try !isPublishedRow(found) {
        add(found.kind, nil, found.id, found.title, JSONPointer(), nil, nil, "")
      }
      return
    }
    guard let found else {
      return add(expected.kind, expected.id, nil, expected.title, JSONPointer(), nil, nil, "")
    }
    if wrote != nil { summary.records += 1 } else { summary.others += 1 }
    if let wrote, let hash = ImportWrites.hash(of: wrote.line) { return try compare(hash, found) }
    try compare(
      expected.line, found.line, isCounted: wrote != nil, kind: found.kind, id: found.id, title: found.title,
      speaker: wrote == nil ? "before the import, which did not touch it, the library said" : "the import wrote")
  }

  /// Whether a record is a queue row that restoring writes beside a public item.
  private func isPublishedRow(_ found: SortedRecords.Entry) throws -> Bool {
    guard found.kind == .syncOperation else { return false }
    tape.removeAll()
    let isOne = try found.line.withUnsafeBufferPointer { PublishedRows.isOne(try Self.node($0, &tape)) }
    if isOne { summary.normalised[PublishedRows.rule, default: 0] += 1 }
    return isOne
  }

  private func compare(
    _ expected: [UInt8], _ found: [UInt8], isCounted: Bool, kind: RecordKind, id: String, title: String,
    speaker: String
  ) throws {
    let isSame = expected == found
    if isSame, !isCounted { return }
    try expected.withUnsafeBufferPointer { one in
      try found.withUnsafeBufferPointer { other in
        tape.removeAll()
        let left = try Self.node(one, &tape)
        var walk = FieldWalk()
        if isSame {
          walk.count(left)
        } else {
          otherTape.removeAll()
          walk.compare(left, try Self.node(other, &otherTape)) { path, left, right in
            // Where a note lies and how it is typed stands beside the library, and may be new for the same text.
            if path.count >= 2, path[0] == .member("extras"),
              path[1] == .member("markdown") || path[1] == .member("provenance")
            {
              summary.normalised["how notes are typed", default: 0] += 1
              return
            }
            add(
              kind, id, id, title, JSONPointer(path), left.map(Self.text), right.map(Self.text), speaker)
          }
        }
        if isCounted { summary.fields += walk.fields }
      }
    }
  }

  /// Holds a new record against the hash of what was written.
  private func compare(_ hash: String, _ found: SortedRecords.Entry) throws {
    tape.removeAll()
    let own: String = try found.line.withUnsafeBufferPointer { line in
      let node = try Self.node(line, &tape)
      var walk = FieldWalk()
      walk.count(node)
      summary.fields += walk.fields
      let whole = Digest.hex(Digest.sha256(line))
      guard whole != hash else { return whole }
      return Self.withoutNote(line, node).withUnsafeBufferPointer { Digest.hex(Digest.sha256($0)) }
    }
    guard own != hash else { return }
    add(
      found.kind, found.id, found.id, found.title, JSONPointer(), "a record with SHA-256 \(hash)",
      "one with \(own)", "the import wrote")
  }

  /// A line without what stands beside the library of the note that it comes from, which is written after it.
  private static func withoutNote(_ line: UnsafeBufferPointer<UInt8>, _ node: JSONNode) -> [UInt8] {
    var cut: Range<Int>?
    node.forEachMember { name, value in
      guard name.equals("extras") else { return }
      var isNote = true
      value.forEachMember { inner, _ in
        if !inner.equals("markdown"), !inner.equals("provenance") { isNote = false }
      }
      if isNote { cut = name.span.lowerBound - 1..<value.span.upperBound }
    }
    guard let cut, cut.lowerBound > 0 else { return Array(line) }
    return Array(line[..<cut.lowerBound]) + Array(line[cut.upperBound...])
  }

  /// Takes note of what an import of the same sources would do to the library as it is now.
  func isStillWanted(_ decision: ImportDecision) throws {
    let id = decision.sourceID ?? decision.id
    guard let before = decision.before, let after = decision.after else {
      return add(decision.kind, id, nil, decision.title ?? "", JSONPointer(), nil, nil, "")
    }
    let count = summary.differences
    tape.removeAll()
    otherTape.removeAll()
    var walk = FieldWalk()
    walk.compare(try Self.node(after, &tape), try Self.node(before, &otherTape)) { path, left, right in
      add(
        decision.kind, id, decision.id, decision.title ?? "", JSONPointer(path), left.map(Self.text),
        right.map(Self.text), "the source says")
    }
    // Only its spelling would change: that is no difference, but nothing that two imports should do either.
    if summary.differences == count { summary.normalised["another spelling", default: 0] += 1 }
  }

  private static func node(_ line: UnsafeBufferPointer<UInt8>, _ tape: inout JSONTape) throws -> JSONNode {
    guard let parse = try? tape.parse(line), let base = line.baseAddress else {
      throw RunFailure(.internalError, "a record is not JSON", advice: "Please report this.")
    }
    return JSONNode(text: base, tokens: tape.tokens, index: parse.root)
  }

  private static func text(_ node: JSONNode) -> String { String(decoding: node.raw, as: UTF8.self) }

  private func add(
    _ kind: RecordKind, _ sourceID: String?, _ targetID: String?, _ title: String, _ path: JSONPointer,
    _ left: String?, _ right: String?, _ speaker: String
  ) {
    summary.differences += 1
    guard differences.count < Proof.kept else { return }
    var difference = ProofDifference(
      kind: kind, sourceID: sourceID, targetID: targetID, title: title, path: path, source: left, target: right)
    if !speaker.isEmpty { difference.speaker = speaker }
    differences.append(difference)
  }
}
