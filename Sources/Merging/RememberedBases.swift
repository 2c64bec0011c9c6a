import Content
import JSONText
import SQLiteLibrary

/// The ledger's data about a record, and the text of the last import, which is the common base of the two sides.
///
/// This object belongs to the lookup. Later stages receive the results and never read the ledger.
final class RememberedBases {
  /// A base, and the ledger's data about the record.
  typealias Base = (text: BaseTexts.Base, memory: Ledger.Memory)

  private let ledger: Ledger
  private let policy: ImportPolicy
  private let companion: (any ImportParticipant)?
  /// Whether this import creates the library.
  private let isNew: Bool
  private let overlay = RecordOverlay()
  private let scratch = ScratchLine()

  init(_ ledger: Ledger, _ policy: ImportPolicy, _ companion: (any ImportParticipant)?, isNew: Bool) {
    self.ledger = ledger
    self.policy = policy
    self.companion = companion
    self.isNew = isNew
  }

  // MARK: Looking up

  /// Returns the ledger's data about an earlier import of a record.
  func memory(of incoming: SourceRecord, _ source: CurrentSource) throws -> Ledger.Memory? {
    if let former = incoming.former {
      return try ledger.memory(former.source, incoming.kind, id: former.id.utf8.span)
    }
    // Tables are copies. The content of one table is not a base for another table in the same folder.
    return source.isKnown
      ? try ledger.memory(
        source.id, incoming.kind, id: incoming.id.span, file: incoming.coverage == nil ? nil : incoming.file)
      : nil
  }

  /// Returns the base of a record; nil if it is unknown or cannot be trusted.
  func base(
    of incoming: SourceRecord, _ candidate: Candidate, over library: JSONNode, _ memory: Ledger.Memory?,
    in source: CurrentSource
  ) throws -> Base? {
    try agreed(incoming, over: library, isCertain: true)
      ?? pulled(memory, incoming, candidate, over: library, in: source)
      ?? trusted(memory, incoming, over: library, in: source)
      ?? trustedElsewhere(incoming, candidate, over: library)
      ?? agreed(incoming, over: library, isCertain: false)
  }

  /// Returns what the source contained at the last import; nil if this is unknown.
  ///
  /// The content of another file does not count, unless that file no longer exists, in which case this file may be the
  /// same one under another name. A library whose record is older than that import is an older copy, to which the
  /// ledger's data does not apply.
  func trusted(
    _ memory: Ledger.Memory?, _ incoming: SourceRecord, over library: JSONNode, in source: CurrentSource,
    isForRetry: Bool = false
  ) throws -> Base? {
    guard var memory, policy.onConflict == .merge, !policy.restoresPublishing, isForRetry || !policy.isRetry else {
      return nil
    }
    if memory.file != incoming.file, incoming.former == nil, !source.isPack, !source.lostFiles.contains(memory.file) {
      guard
        let own = try ledger.memory(source.id, incoming.kind, id: incoming.id.span, file: incoming.file)
      else { return nil }
      memory = own
    }
    guard let reference = memory.base, let id = library.member("id")?.inner,
      let text = try ledger.bases.base(reference, id: id.span, of: memory.library)
    else { return nil }
    if let before = text.changed, let now = SourceRecord.changed(library), now < before { return nil }
    return (text, memory)
  }

  /// Returns the base that the run's participant provides; nil if the participant has none.
  private func agreed(_ incoming: SourceRecord, over library: JSONNode, isCertain: Bool) throws -> Base? {
    guard let companion, incoming.kind == .item, policy.onConflict == .merge,
      let base = try companion.base(of: incoming.idText, over: library), base.isAgreed == isCertain
    else { return nil }
    // The base belongs to no file, because the library's content at that time is unknown.
    return (
      BaseTexts.Base(line: base.line, changed: nil),
      Ledger.Memory(library: [], sourceHash: nil, base: nil, file: incoming.file)
    )
  }

  /// Returns the base of a file that was written from a pulled version and then edited. The base is the version that
  /// the pull left in the library, and not the content of the file at its last import, which the pull has changed
  /// since.
  ///
  /// A pull gives changed records a time that the library did not have before, so the file must have exactly that time.
  /// Returns nil if the file has another time, or if this or another file was imported later.
  private func pulled(
    _ memory: Ledger.Memory?, _ incoming: SourceRecord, _ candidate: Candidate, over library: JSONNode,
    in source: CurrentSource
  ) throws -> Base? {
    guard companion == nil, incoming.kind == .item, policy.onConflict == .merge, !policy.restoresPublishing,
      !policy.isRetry, incoming.extent == .whole, !source.isRegistry, let id = library.member("id")?.inner,
      let version = try ledger.pulled(id.span), let reference = version.base,
      let text = try ledger.bases.base(reference, id: id.span, of: version.library), let time = text.changed
    else { return nil }
    if let now = SourceRecord.changed(library), now < time { return nil }
    candidate.load(incoming.node, existing: library)
    guard candidate.times.source == time else { return nil }
    if let own = try trusted(memory, incoming, over: library, in: source)?.text {
      if let last = try changed(own) ?? own.changed, last >= time { return nil }
    }
    if let other = try trustedElsewhere(incoming, candidate, over: library), other.memory.run > version.run {
      return other
    }
    return (text, version)
  }

  /// For a record that this file has never contained, returns the content that the record had at the last import of
  /// another source, or of another file of this source; nil if this is unknown.
  ///
  /// This content is the base only if the id is the record's own and not derived from a name, and only for a record
  /// that is not older by its own time. An older copy would revert later changes.
  private func trustedElsewhere(
    _ incoming: SourceRecord, _ candidate: Candidate, over library: JSONNode
  ) throws -> Base? {
    guard policy.onConflict == .merge, !policy.restoresPublishing, !policy.isRetry, !isNew, incoming.coverage == nil,
      incoming.extent == .whole, !incoming.id.isEmpty, !RawString(incoming.node.member("id")).isDerivedID,
      let id = library.member("id")?.inner
    else { return nil }
    candidate.load(try overlay.apply(incoming, over: library) ?? incoming.node, existing: library)
    guard let time = candidate.times.source, !candidate.isSame else { return nil }
    for memory in try ledger.memories(incoming.kind, id: incoming.id.span, libraryID: id.span, except: incoming.file) {
      guard let reference = memory.base, let text = try ledger.bases.base(reference, id: id.span, of: memory.library)
      else {
        continue
      }
      let now = SourceRecord.changed(library)
      if let before = text.changed, let now, now < before { return nil }
      guard let start = try changed(text) ?? text.changed ?? now, time >= start else { return nil }
      return (text, memory)
    }
    return nil
  }

  /// Returns when the record of a text was last changed.
  private func changed(_ text: BaseTexts.Base) throws -> Timestamp? {
    try text.line.withUnsafeBufferPointer { SourceRecord.changed(try scratch.parse($0)) }
  }

  // MARK: Storing

  /// Stores the text of this import.
  /// - Parameters:
  ///   - target: the record's id in the library; nil if it is the source's id.
  ///   - hash: the hash of the library's record after this import.
  /// - Returns: nil if the text is too long.
  func store(
    _ base: RecordResolution.NextBase?, of incoming: SourceRecord, target: String?, hash: [UInt8]?
  ) throws -> BaseTexts.Reference? {
    switch base {
    case nil: return nil
    case .kept(let reference): return reference
    case .text(let line, let isLibrarys, let changed):
      guard let hash else { return nil }
      guard let target else {
        return try ledger.bases.add(line.span, id: incoming.id.span, of: hash, isLibrarys: isLibrarys, changed: changed)
      }
      return try Array(target.utf8).withUnsafeBufferPointer {
        try ledger.bases.add(line.span, id: $0.span, of: hash, isLibrarys: isLibrarys, changed: changed)
      }
    }
  }

  /// Returns the source's content of a record that the library takes from the source, composed as `line`.
  ///
  /// If a source contains only a part of the record, the rest is from the library. Such a mixture is not a base,
  /// because the next import would regard the rest as deleted in the source.
  /// - Returns: nil if there is no base. The result is valid until the next call.
  func next(
    _ incoming: SourceRecord, line: UnsafeBufferPointer<UInt8>, changed: Timestamp?, over library: JSONNode?,
    _ memory: Ledger.Memory?, in source: CurrentSource
  ) throws -> RecordResolution.NextBase? {
    guard let library, incoming.extent != .whole else {
      return .text(line: line, isLibrarys: true, changed: changed)
    }
    guard let old = try trusted(memory, incoming, over: library, in: source, isForRetry: true) else { return nil }
    return try old.text.line.withUnsafeBufferPointer { old in
      let text = overlay.apply(
        incoming.node, over: try scratch.parse(old), coverage: incoming.coverage?.members, extent: incoming.extent)
      return text.map { .text(line: $0, isLibrarys: false, changed: changed) }
    }
  }

  /// Stores the source's content if both sides are equal, unless it is already stored.
  func storeSame(
    _ line: UnsafeBufferPointer<UInt8>, hash: [UInt8], _ incoming: SourceRecord, target: String?,
    _ remembered: Ledger.Remembered, in source: CurrentSource
  ) throws {
    if remembered.isSameHash, remembered.base?.isLibrarys ?? false { return }
    let text = RecordResolution.NextBase.text(
      line: line, isLibrarys: true, changed: SourceRecord.changed(incoming.node))
    let base = try store(text, of: incoming, target: target, hash: hash)
    try ledger.setBase(source.id, file: incoming.file, incoming.kind, id: incoming.id.span, base)
  }
}
