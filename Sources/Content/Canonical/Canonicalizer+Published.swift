import JSONText

extension Canonicalizer {
  /// Writes only the document of an item, complete, as `writeRecord` would write it (bundle mode).
  ///
  /// What the document does not say it takes from the item around it. Nothing is written when the item has no
  /// `content_data` that is an object.
  /// - Parameters:
  ///   - item: an object with `content_type` and `content_data`.
  ///   - id: the document's id, a UUID in upper case.
  package mutating func writeDocument(of item: JSONNode, id: String, into out: inout ByteBuffer) {
    begin(item, recordID: id)
    let count = Shapes.item.members.count
    guard item.kind == .object, count <= Self.slotCapacity else { return }
    slotsUsed = count
    slots.update(repeating: -1, count: count)
    var unknown = false
    let mentioned = mentionsUnknown
    mentionsUnknown = false
    assign(item, Shapes.item, slots, &unknown)
    mentionsUnknown = mentioned
    self.item = ItemContext(node: item, slots: 0, type: Self.contentType(of: item))
    var name: JSONNode?
    item.forEachMember { own, _ in
      if own.equals("content_data") { name = own }
    }
    guard let name, item.at(name.index + 1).kind == .object else { return }
    path.append(name.index)
    writeDocument(item.at(name.index + 1), into: &out)
    path.removeLast()
  }
}
