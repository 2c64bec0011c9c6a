import Content
import JSONText

/// Records, by their kinds.
extension MergeRun {
  /// Merges the record itself.
  func mergeRecord(
    _ kind: RecordKind, _ trio: MergeTrio, _ place: MergePlace, into out: inout ByteBuffer
  ) -> MergeTrio.Merged {
    if let side = trio.settled(MergeTrio.same), side == .ours { return side }
    guard let objects = trio.objects else {
      return trio.settled(MergeTrio.same) ?? choose(place, trio)
    }
    switch kind {
    case .item: return mergeItem(objects, place, into: &out)
    case .charter: return mergeObject(objects, .charter, place, into: &out)
    case .execution: return mergeObject(objects, .execution, place, into: &out)
    case .syncOperation: return mergeObject(objects, .operation, place, into: &out)
    default: return mergeObject(objects, nil, place, into: &out)
    }
  }

  // MARK: Items

  /// What came of a member of the envelope that the document repeats.
  private enum Repeated {
    case side(MergeTrio.Merged)
    case text([UInt8])
  }

  /// Merges an item: its envelope and its document.
  ///
  /// The kind of content and the document go together. What the document repeats of the envelope is decided once.
  private func mergeItem(_ trio: MergeTrio, _ place: MergePlace, into out: inout ByteBuffer) -> MergeTrio.Merged {
    let types = members("content_type", of: trio)
    let documents = members("content_data", of: trio)
    let typeSide = MergeTrio.same(types.ours, types.theirs) ? nil : settleType(types, documents, place)
    let twins = typeSide == nil && documents.settled(MergeTrio.same) == nil ? documents.objects : nil
    var repeated: [String: Repeated] = [:]
    return mergeObject(trio, .item, place, into: &out) { index, values, out in
      let name = MergeShape.item.names[index]
      switch name {
      case "content_type": return typeSide
      case "content_data":
        if let typeSide { return typeSide }
        guard let twins, let shape = MergeShape.document(types.ours) else { return nil }
        let inner = place.member(name, twins, silent: true)
        return mergeDocument(twins, shape, inner, repeated, into: &out)
      case "title", "description", "tags":
        guard let twins, Self.isRepeated(values, members(name, of: twins)) else { return nil }
        let mark = out.count
        let merged = mergeMember(MergeShape.item.rules[index], values, place, name, into: &out)
        repeated[name] = merged == .written ? .text(out.copy(mark..<out.count)) : .side(merged)
        return merged
      default: return nil
      }
    }
  }

  private func mergeDocument(
    _ trio: MergeTrio, _ shape: MergeShape, _ place: MergePlace, _ repeated: [String: Repeated],
    into out: inout ByteBuffer
  ) -> MergeTrio.Merged {
    mergeObject(trio, shape, place, into: &out) { index, _, out in
      switch repeated[shape.names[index]] {
      case .side(let side): return side
      case .text(let bytes):
        bytes.withUnsafeBufferPointer { out.append($0) }
        return .written
      case nil: return nil
      }
    }
  }

  /// The side whose kind of content and document are taken, where the kinds differ.
  private func settleType(_ types: MergeTrio, _ documents: MergeTrio, _ place: MergePlace) -> MergeTrio.Merged {
    if types.knowsBase {
      if MergeTrio.same(types.base, types.theirs), MergeTrio.same(documents.base, documents.theirs) { return .ours }
      if MergeTrio.same(types.base, types.ours), MergeTrio.same(documents.base, documents.ours) { return .theirs }
    }
    return choose(place.member("content_type", types), types)
  }

  /// Whether the document says in all versions what the envelope says.
  private static func isRepeated(_ values: MergeTrio, _ twins: MergeTrio) -> Bool {
    MergeTrio.same(values.ours, twins.ours) && MergeTrio.same(values.theirs, twins.theirs)
      && MergeTrio.same(values.base, twins.base)
  }

  func members(_ name: String, of trio: MergeTrio) -> MergeTrio {
    let wanted = Array(name.utf8)
    func value(_ node: JSONNode?) -> JSONNode? {
      var found: JSONNode?
      node?.forEachMember { name, value in if name.inner.elementsEqual(wanted) { found = value } }
      return found
    }
    return MergeTrio(
      base: value(trio.base), ours: value(trio.ours), theirs: value(trio.theirs), knowsBase: trio.knowsBase)
  }
}
