import Content
import JSONText

/// Gives sections and steps that both sides added the ids that they have in the library.
///
/// Somebody who adds the same step in the app and in a table adds one step. Only where the source gave no id, and where
/// the title is the only one of its kind among what either side added.
enum SharedAdditions {
  /// The source with those ids, valid as long as `out` stays; nil when nothing changes.
  static func rename(
    in source: JSONNode, library: JSONNode, base: JSONNode, into out: inout ByteBuffer
  ) -> UnsafeBufferPointer<UInt8>? {
    guard let mine = StepTree(document: source.member("content_data")),
      let theirs = StepTree(document: library.member("content_data")),
      let old = StepTree(document: base.member("content_data")),
      mine.hasSections == theirs.hasSections, mine.hasSections == old.hasSections
    else { return nil }
    var ids: [(span: Range<Int>, id: RawText)] = []
    func pair(_ mine: [(node: JSONNode?, id: RawText, title: RawText)], _ theirs: [(id: RawText, title: RawText)],
      _ old: [RawText])
    {
      let known = Set(old)
      var added: [RawText: RawText?] = [:]
      for one in theirs where !known.contains(one.id) { added[one.title] = added[one.title] == nil ? one.id : .some(nil) }
      if added.isEmpty { return }
      var counts: [RawText: Int] = [:]
      let new = mine.filter { !known.contains($0.id) && ($0.id.isEmpty || $0.id.isDerivedID) }
      for one in new { counts[one.title, default: 0] += 1 }
      for one in new where counts[one.title] == 1 {
        if let id = added[one.title] ?? nil, id != one.id, let span = one.node?.member("id")?.span { ids.append((span, id)) }
      }
    }
    pair(
      mine.steps.map { ($0.node, $0.id, $0.title) }, theirs.steps.map { ($0.id, $0.title) }, old.steps.map(\.id))
    if mine.hasSections {
      pair(
        mine.sections.map { ($0.node, $0.id, $0.title) }, theirs.sections.map { ($0.id, $0.title) },
        old.sections.map(\.id))
    }
    if ids.isEmpty { return nil }
    out.removeAll()
    let raw = source.raw
    let start = source.span.lowerBound
    var at = 0
    for (span, id) in ids.sorted(by: { $0.span.lowerBound < $1.span.lowerBound }) {
      out.append(UnsafeBufferPointer(rebasing: raw[at..<span.lowerBound - start]))
      out.append(UInt8(ascii: "\""))
      out.append(id.bytes)
      out.append(UInt8(ascii: "\""))
      at = span.upperBound - start
    }
    out.append(UnsafeBufferPointer(rebasing: raw[at...]))
    return out.bytes
  }
}
