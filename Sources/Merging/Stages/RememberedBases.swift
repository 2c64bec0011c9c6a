import Content
import JSONText
import SQLiteLibrary

/// What the ledger remembers of a record, and the text of the last import that both sides come from.
///
/// Belongs to looking up: the stages behind it get what was found, and never ask the ledger.
final class RememberedBases {
  /// A text that both sides come from, and what is remembered of the record then.
  typealias Base = (text: BaseTexts.Base, memory: Ledger.Memory)

  private let ledger: Ledger
  private let policy: ImportPolicy
  private let companion: (any ImportCompanion)?
  /// Whether the library is being made by this import.
  private let isNew: Bool
  private let overlay = RecordOverlay()
  private let scratch = ScratchLine()

  init(_ ledger: Ledger, _ policy: ImportPolicy, _ companion: (any ImportCompanion)?, isNew: Bool) {
    self.ledger = ledger
    self.policy = policy
    self.companion = companion
    self.isNew = isNew
  }

  // MARK: Looking up

  /// What an earlier import remembered of a record.
  func memory(of incoming: Incoming, _ source: CurrentSource) throws -> Ledger.Memory? {
    if let former = incoming.former {
      var id = former.id
      return try id.withUTF8 { try ledger.memory(former.source, incoming.kind, id: $0) }
    }
    // Tables are copies: what one of them contained is not a base for another one in the same folder.
    return source.isKnown
      ? try ledger.memory(source.id, incoming.kind, id: incoming.id, file: incoming.said == nil ? nil : incoming.file)
      : nil
  }

  /// What both sides of a record come from; nil when that is unknown, or cannot be trusted.
  func base(
    of incoming: Incoming, _ candidate: Candidate, over library: JSONNode, _ memory: Ledger.Memory?,
    in source: CurrentSource
  ) throws -> Base? {
    try agreed(incoming, over: library, isCertain: true)
      ?? pulled(memory, incoming, candidate, over: library, in: source)
      ?? trusted(memory, incoming, over: library, in: source)
      ?? trustedElsewhere(incoming, candidate, over: library)
      ?? agreed(incoming, over: library, isCertain: false)
  }

  /// What the source contained at the last import; nil when that is unknown.
  ///
  /// A file tells nothing of what another one contained, unless that has gone: then it may be the same under another name.
  /// And a library whose record is older than that import left it is an older copy, of which the import knows nothing.
  func trusted(
    _ memory: Ledger.Memory?, _ incoming: Incoming, over library: JSONNode, in source: CurrentSource,
    isForRetry: Bool = false
  ) throws -> Base? {
    guard var memory, policy.onConflict == .merge, !policy.restoresPublishing, isForRetry || !policy.isRetry else {
      return nil
    }
    if memory.file != incoming.file, incoming.former == nil, !source.isPack, !source.lostFiles.contains(memory.file) {
      guard
        let own = try ledger.memory(source.id, incoming.kind, id: incoming.id, file: incoming.file)
      else { return nil }
      memory = own
    }
    guard let reference = memory.base, let id = library.member("id")?.inner,
      let text = try ledger.bases.base(reference, id: id, of: memory.library)
    else { return nil }
    if let before = text.changed, let now = Incoming.changed(library), now < before { return nil }
    return (text, memory)
  }

  /// What the run's companion has as the text that both come from; nil when it does not know.
  private func agreed(_ incoming: Incoming, over library: JSONNode, isCertain: Bool) throws -> Base? {
    guard let companion, incoming.kind == .item, policy.onConflict == .merge,
      let base = try companion.base(of: incoming.idText, over: library), base.isAgreed == isCertain
    else { return nil }
    // Of no file: what the library had then is unknown.
    return (
      BaseTexts.Base(line: base.line, changed: nil),
      Ledger.Memory(library: [], said: nil, base: nil, file: incoming.file)
    )
  }

  /// What a pull left in the library, for a file that was written from that and edited: its base is that version, and not
  /// what the file contained at its last import, which the pull has changed since.
  ///
  /// A pull gives what it changes a time that the library has not had before, so the file must have that very time. Nil
  /// when it does not, and when it, or another file, was imported later.
  private func pulled(
    _ memory: Ledger.Memory?, _ incoming: Incoming, _ candidate: Candidate, over library: JSONNode,
    in source: CurrentSource
  ) throws -> Base? {
    guard companion == nil, incoming.kind == .item, policy.onConflict == .merge, !policy.restoresPublishing,
      !policy.isRetry, incoming.extent == .whole, !source.isRegistry, let id = library.member("id")?.inner,
      let version = try ledger.pulled(id), let reference = version.base,
      let text = try ledger.bases.base(reference, id: id, of: version.library), let time = text.changed
    else { return nil }
    if let now = Incoming.changed(library), now < time { return nil }
    candidate.load(incoming.node, existing: library)
    guard candidate.times.source == time else { return nil }
    if let own = try trusted(memory, incoming, over: library, in: source)?.text {
      if let said = try changed(own) ?? own.changed, said >= time { return nil }
    }
    if let other = try trustedElsewhere(incoming, candidate, over: library), other.memory.run > version.run {
      return other
    }
    return (text, version)
  }

  /// What another source, or another file of this one, contained at its last import of a record that this file has never
  /// brought; nil when that is unknown.
  ///
  /// It is what both come from only if the id is the record's own, not made from a name, and only for a record that is no
  /// older by its own time: an older copy would take back what came after it.
  private func trustedElsewhere(
    _ incoming: Incoming, _ candidate: Candidate, over library: JSONNode
  ) throws -> Base? {
    guard policy.onConflict == .merge, !policy.restoresPublishing, !policy.isRetry, !isNew, incoming.said == nil,
      incoming.extent == .whole, !incoming.id.isEmpty, !RawText(incoming.node.member("id")).isDerivedID,
      let id = library.member("id")?.inner
    else { return nil }
    candidate.load(try overlay.apply(incoming, over: library) ?? incoming.node, existing: library)
    guard let time = candidate.times.source, !candidate.isSame else { return nil }
    for memory in try ledger.memories(incoming.kind, ids: (incoming.id, id), except: incoming.file) {
      guard let reference = memory.base, let text = try ledger.bases.base(reference, id: id, of: memory.library) else {
        continue
      }
      let now = Incoming.changed(library)
      if let before = text.changed, let now, now < before { return nil }
      guard let start = try changed(text) ?? text.changed ?? now, time >= start else { return nil }
      return (text, memory)
    }
    return nil
  }

  /// When the record was changed last of which a text is.
  private func changed(_ text: BaseTexts.Base) throws -> Timestamp? {
    try text.line.withUnsafeBufferPointer { Incoming.changed(try scratch.parse($0)) }
  }

  // MARK: Keeping

  /// Keeps the text of this import.
  /// - Parameters:
  ///   - target: the record's id in the library; nil where it is the source's.
  ///   - hash: of what the library has after this import.
  /// - Returns: nil for a text that is too long.
  func keep(
    _ base: Settlement.NextBase?, of incoming: Incoming, target: String?, hash: [UInt8]?
  ) throws -> BaseTexts.Reference? {
    switch base {
    case nil: return nil
    case .kept(let reference): return reference
    case .text(let line, let isLibrarys, let changed):
      guard let hash else { return nil }
      guard let target else {
        return try ledger.bases.add(line, id: incoming.id, of: hash, isLibrarys: isLibrarys, changed: changed)
      }
      return try Array(target.utf8).withUnsafeBufferPointer {
        try ledger.bases.add(line, id: $0, of: hash, isLibrarys: isLibrarys, changed: changed)
      }
    }
  }

  /// What the source contains of a record that the library takes from it, composed as `line`.
  ///
  /// What a source contains only a part of has the rest from the library: that is not a base, or the next import would
  /// take the rest for something that the source does not have any more.
  /// - Returns: nil when there is no base. Valid until the next call.
  func next(
    _ incoming: Incoming, line: UnsafeBufferPointer<UInt8>, changed: Timestamp?, over library: JSONNode?,
    _ memory: Ledger.Memory?, in source: CurrentSource
  ) throws -> Settlement.NextBase? {
    guard let library, incoming.extent != .whole else {
      return .text(line: line, isLibrarys: true, changed: changed)
    }
    guard let old = try trusted(memory, incoming, over: library, in: source, isForRetry: true) else { return nil }
    return try old.text.line.withUnsafeBufferPointer { old in
      let text = overlay.apply(
        incoming.node, over: try scratch.parse(old), said: incoming.said?.members, extent: incoming.extent)
      return text.map { .text(line: $0, isLibrarys: false, changed: changed) }
    }
  }

  /// Keeps what the source contains where both sides have the same, unless that is what is kept already.
  func keepSame(
    _ line: UnsafeBufferPointer<UInt8>, hash: [UInt8], _ incoming: Incoming, target: String?,
    _ remembered: Ledger.Remembered, in source: CurrentSource
  ) throws {
    if remembered.isSameHash, remembered.base?.isLibrarys ?? false { return }
    let text = Settlement.NextBase.text(line: line, isLibrarys: true, changed: Incoming.changed(incoming.node))
    let base = try keep(text, of: incoming, target: target, hash: hash)
    try ledger.setBase(source.id, file: incoming.file, incoming.kind, id: incoming.id, base)
  }
}
