import Content
import Interchange
import JSONText
import SQLiteLibrary

/// What sources said at their last import.
extension LibraryImportWriter {
  /// Keeps what the source says where both sides say the same, unless that is what is kept already.
  /// - Parameter target: the record's id in the library when it is another than in the source.
  func keepBase(
    _ line: UnsafeBufferPointer<UInt8>, of hash: [UInt8], _ incoming: Incoming, target: String?,
    _ remembered: Ledger.Remembered
  ) throws {
    if remembered.isSameHash, remembered.base?.isLibrarys ?? false { return }
    guard let source else { return }
    let base = try add(line, id: target, incoming, of: hash, isLibrarys: true, changed: Self.changed(incoming.node))
    try ledger.setBase(source.id, file: incoming.file, incoming.kind, id: incoming.id, base)
  }

  /// Keeps what the source says of a record that the library takes from it.
  ///
  /// What a source says only a part of has the rest from the library: that is no base, or the next import would take the
  /// rest for something that the source does not have any more.
  /// - Returns: nil when there is no base.
  func newBase(
    _ incoming: Incoming, _ candidate: Candidate, of hash: [UInt8], over library: JSONNode?, _ memory: Ledger.Memory?
  ) throws -> BaseTexts.Reference? {
    if candidate.libraryWins { return nil }
    let changed = library == nil ? Self.changed(incoming.node) : try changedOfLine()
    let target = library?.member("id")?.string
    guard library != nil, incoming.extent != .whole else {
      return try add(line.bytes, id: target, incoming, of: hash, isLibrarys: true, changed: changed)
    }
    guard let library, let old = try trusted(memory, incoming, over: library, isForRetry: true) else { return nil }
    return try old.text.line.withUnsafeBufferPointer { old in
      let node = try parse(old, &merging.baseTape)
      guard
        let text = merging.overlay.apply(
          incoming.node, over: node, said: incoming.said?.members, extent: incoming.extent)
      else { return nil }
      return try add(text, id: target, incoming, of: hash, isLibrarys: false, changed: changed)
    }
  }

  /// Keeps a text.
  func add(
    _ line: UnsafeBufferPointer<UInt8>, id: String?, _ incoming: Incoming, of hash: [UInt8], isLibrarys: Bool,
    changed: Timestamp?
  ) throws -> BaseTexts.Reference? {
    guard let id else {
      return try ledger.bases.add(line, id: incoming.id, of: hash, isLibrarys: isLibrarys, changed: changed)
    }
    return try Array(id.utf8).withUnsafeBufferPointer {
      try ledger.bases.add(line, id: $0, of: hash, isLibrarys: isLibrarys, changed: changed)
    }
  }

  /// What the source said at the last import; nil when nobody can say.
  ///
  /// A file says nothing of what another one said, unless that has gone: then it may be the same under another name. And
  /// a library whose record is older than that import left it is an older copy, of which the import knows nothing.
  func trusted(
    _ memory: Ledger.Memory?, _ incoming: Incoming, over library: JSONNode, isForRetry: Bool = false
  ) throws -> (text: BaseTexts.Base, memory: Ledger.Memory)? {
    guard var memory, let source, onConflict == .merge, !restoresPublishing, isForRetry || !isRetry else { return nil }
    if memory.file != incoming.file, incoming.former == nil, !source.isPack, !source.lostFiles.contains(memory.file) {
      guard
        let own = try ledger.memory(source.id, incoming.kind, id: incoming.id, file: incoming.file)
      else { return nil }
      memory = own
    }
    guard let reference = memory.base, let id = library.member("id")?.inner,
      let text = try ledger.bases.base(reference, id: id, of: memory.library)
    else { return nil }
    if let before = text.changed, let now = Self.changed(library), now < before { return nil }
    return (text, memory)
  }

  /// What the run's companion says that both come from; nil when it does not know.
  func agreed(
    _ incoming: Incoming, over library: JSONNode, isCertain: Bool = true
  ) throws -> (text: BaseTexts.Base, memory: Ledger.Memory)? {
    guard let companion, incoming.kind == .item, onConflict == .merge,
      let base = try companion.base(of: incoming.idText, over: library), base.isAgreed == isCertain
    else { return nil }
    // Of no file: nobody remembers what the library said then.
    return (
      BaseTexts.Base(line: base.line, changed: nil),
      Ledger.Memory(library: [], said: nil, base: nil, file: incoming.file)
    )
  }

  /// What a pull left in the library, for a file that was written from that and edited: its base is that version, and not
  /// what the file said at its last import, which the pull has changed since.
  ///
  /// A pull gives what it changes a time that the library has not had before, so the file must say that very time. Nil
  /// when it does not, and when it, or another file, was imported later.
  func pulled(
    _ memory: Ledger.Memory?, _ incoming: Incoming, _ candidate: Candidate, over library: JSONNode
  ) throws -> (text: BaseTexts.Base, memory: Ledger.Memory)? {
    guard companion == nil, incoming.kind == .item, onConflict == .merge, !restoresPublishing, !isRetry,
      incoming.extent == .whole, let source, !source.isRegistry, let id = library.member("id")?.inner,
      let version = try ledger.pulled(id), let reference = version.base,
      let text = try ledger.bases.base(reference, id: id, of: version.library), let time = text.changed
    else { return nil }
    if let now = Self.changed(library), now < time { return nil }
    candidate.load(incoming.node, existing: library)
    guard candidate.times.source == time else { return nil }
    if let own = try trusted(memory, incoming, over: library)?.text {
      let said = try own.line.withUnsafeBufferPointer { Self.changed(try parse($0, &merging.baseTape)) }
      if let said = said ?? own.changed, said >= time { return nil }
    }
    if let other = try trustedElsewhere(incoming, candidate, over: library), other.memory.run > version.run {
      return other
    }
    return (text, version)
  }

  /// What another source, or another file of this one, said at its last import of a record of which this file has said
  /// nothing yet; nil when nobody can say.
  ///
  /// It is what both come from only if the id is the record's own, not made from a name, and only for a record that says
  /// itself that it is no older: an older copy would take back what came after it.
  func trustedElsewhere(
    _ incoming: Incoming, _ candidate: Candidate, over library: JSONNode
  ) throws -> (text: BaseTexts.Base, memory: Ledger.Memory)? {
    guard onConflict == .merge, !restoresPublishing, !isRetry, !self.library.isNew, incoming.said == nil,
      incoming.extent == .whole, !incoming.id.isEmpty, !RawText(incoming.node.member("id")).isDerivedID,
      let id = library.member("id")?.inner
    else { return nil }
    candidate.load(try overlaid(incoming, over: library) ?? incoming.node, existing: library)
    guard let time = candidate.times.source, !candidate.isSame else { return nil }
    for memory in try ledger.memories(incoming.kind, ids: (incoming.id, id), except: incoming.file) {
      guard let reference = memory.base, let text = try ledger.bases.base(reference, id: id, of: memory.library) else {
        continue
      }
      let now = Self.changed(library)
      if let before = text.changed, let now, now < before { return nil }
      let own = try text.line.withUnsafeBufferPointer { Self.changed(try parse($0, &merging.baseTape)) }
      guard let start = own ?? text.changed ?? now, time >= start else { return nil }
      return (text, memory)
    }
    return nil
  }

  /// When the record was changed last that was composed.
  func changedOfLine() throws -> Timestamp? { Self.changed(try parse(line.bytes, &composedTape)) }

  /// When a record was changed last, as it says itself.
  static func changed(_ node: JSONNode) -> Timestamp? {
    guard let value = node.member("updated_at") ?? node.member("last_updated"), value.kind == .string else {
      return nil
    }
    return Timestamp.parse(value.inner)?.0
  }
}
