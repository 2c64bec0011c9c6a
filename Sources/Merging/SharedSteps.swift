import Content
import JSONText

/// Gives sections and steps that both sides added, and that were taken for one, the library's ids in the text of the
/// source: the next import finds them by those.
///
/// Only where the source gave no id. One that it gave comes again, and is another one's for the library.
enum SharedSteps {
  /// Writes a record with those ids.
  static func rename(
    _ renamed: [String: String], in record: JSONNode, into out: inout ByteBuffer
  ) {
    var ids: [(span: Range<Int>, id: String)] = []
    func look(_ node: JSONNode?, _ id: RawText) {
      guard id.isDerivedID, let new = renamed[id.text], let span = node?.member("id")?.span else { return }
      ids.append((span, new))
    }
    let tree = StepTree(document: record.member("content_data"))
    for section in tree?.sections ?? [] { look(section.node, section.id) }
    for step in tree?.steps ?? [] { look(step.node, step.id) }
    RawJSON.replaceIDs(ids, in: record, into: &out)
  }
}
