import Content
import Diagnostics
import Interchange
import JSONText
import Merging
import Publishing
import SQLiteIO
import SQLiteLibrary
import SyncQueue
import Validation

/// Takes part in the import of pulled items: provides the common base of both sides and writes the registry's answers.
final class PullParticipant: ImportParticipant {
  /// An item that was withdrawn elsewhere.
  struct Withdrawal {
    let id: String
    let isDeck: Bool
    let entry: Int
  }

  /// An item that is equal on both sides: only the registry's answer about it or its state in the library is new.
  struct News {
    let id: String
    let isDeck: Bool
    /// Whether no operation waits for the item, although its state claims that one does.
    let settles: Bool
    let publication: KnownPublication
    /// The meaning of the item and of the public version, which is the same; empty if `settles` is false.
    let meaning: [UInt8]
  }

  /// The library has changed since the comparison and has to be compared again.
  struct LibraryChanged: Error {}

  private let items: [PulledItem]
  private let withdrawals: [Withdrawal]
  private let news: [News]
  private let lines: [String: [UInt8]]
  private let observer: PullObserver
  private let meanings: PublishedEquality
  private let path: String
  private let isDryRun: Bool
  /// Whether the user chose the side that wins if both sides changed the same field.
  private let isDecided: Bool
  private let now: Timestamp
  private var held: LocalPublicationIndex?
  /// The outcomes of the entries, by entry number.
  private(set) var outcomes: [Int: PullReport.Outcome] = [:]
  /// The number of failed updates that left the queue.
  private(set) var dropped = 0
  /// The number of items that are equal on both sides and for which no operation is waiting any longer.
  private(set) var settled = 0

  init(
    _ path: String, _ findings: PullFindings, observer: PullObserver, meanings: PublishedEquality, isDecided: Bool,
    isDryRun: Bool, now: Timestamp
  ) {
    self.path = path
    self.isDryRun = isDryRun
    self.isDecided = isDecided
    items = findings.items
    withdrawals = findings.withdrawals
    news = findings.news
    lines = findings.lines
    self.observer = observer
    self.meanings = meanings
    self.now = now
  }

  func begin(_ library: WritableLibrary, _ store: StateStore) throws {
    let held = try LocalPublicationIndex(library.connection, library.schema, path: path, state: store.connection)
    self.held = held
    // A dry run overwrites nothing.
    if isDryRun { return }
    // The records are based on the library's content at the comparison: pins and reviews that were added since would be
    // lost. A payload that was queued since would overwrite the merged version, and the registry would accept it.
    for id in items.map(\.id) + withdrawals.map(\.id) {
      let line = try held.item(id: id).flatMap { try held.line(of: $0) }
      guard !held.hasWaiting(id), line.map(PullFindings.hash) == lines[id] else { throw LibraryChanged() }
    }
  }

  func base(of id: String, over library: JSONNode) throws -> ImportBase? {
    guard let held, let item = try held.item(id: id), let payload = try held.lastSent(item),
      let request = meanings.request(payload: payload, now: now)
    else { return nil }
    let line = try RemoteRecord(request: request).canonicalLine(id: id, over: library)
    return ImportBase(line: line, isAgreed: Digest.hex(request.digest) == held.publication(of: id)?.digest)
  }

  func finish(_ work: ImportWork) throws {
    let marks = try PulledMarks(work.library, work.store, run: work.run, now: now)
    for item in items { outcomes[item.entry] = try finish(item, work, marks) }
    for withdrawal in withdrawals {
      guard let line = try work.line(ofItem: withdrawal.id) else { continue }
      try work.willChange(item: withdrawal.id, isDeck: withdrawal.isDeck)
      try marks.mark(line, isDeck: withdrawal.isDeck, nil, status: LibraryItem.SyncStatus.synced)
      dropped += try marks.dropFailedUpdates(of: withdrawal.id, isDeck: withdrawal.isDeck)
      try marks.learn(withdrawal.id, isDeck: withdrawal.isDeck, nil)
      outcomes[withdrawal.entry] = .withdrawn
    }
    for one in news {
      try marks.learn(one.id, isDeck: one.isDeck, one.publication)
      if one.settles { try markSynced(one, work, marks) }
    }
  }

  private func markSynced(_ one: News, _ work: ImportWork, _ marks: PulledMarks) throws {
    // The library was not locked while items were fetched: this one may have been edited since the comparison.
    guard let held, !held.hasWaiting(one.id), let line = try work.line(ofItem: one.id),
      try held.item(id: one.id)?.publicID == one.publication.publicID,
      let own = try meanings.request(of: line, publicID: one.publication.publicID, now: now),
      PublishedEquality.of(own) == one.meaning
    else { return }
    settled += 1
    try work.willChange(item: one.id, isDeck: one.isDeck)
    try marks.mark(line, isDeck: one.isDeck, status: LibraryItem.SyncStatus.synced)
    dropped += try marks.dropFailedUpdates(of: one.id, isDeck: one.isDeck)
  }

  private func finish(_ item: PulledItem, _ work: ImportWork, _ marks: PulledMarks) throws -> PullReport.Outcome {
    let seen = observer.seen[item.id]
    switch seen?.action {
    case .conflict: return .conflict(seen?.reason ?? "this library and the registry have different versions")
    case .reject: return .rejected(seen?.reason ?? "it cannot be used")
    default: break
    }
    guard let line = try work.line(ofItem: item.id) else { return .rejected("the library did not accept it") }
    let own = try meanings.request(of: line, publicID: item.publicID, now: now)
    let isSame = own.map { PublishedEquality.of($0) == item.meaning } ?? false
    let status = isSame ? LibraryItem.SyncStatus.synced : LibraryItem.SyncStatus.pending
    let hasFailed = try marks.hasFailedUpdates(of: item.id, isDeck: item.isDeck)
    if item.isAdopted || hasFailed || Self.status(of: line) != status {
      let isTallied =
        switch seen?.action {
        case .create, .update, .beside: true
        default: false
        }
      try work.willChange(item: item.id, isDeck: item.isDeck, isTallied: isTallied)
      if item.isAdopted {
        try marks.mark(line, isDeck: item.isDeck, item.publication, status: status)
      } else {
        try marks.mark(line, isDeck: item.isDeck, status: status)
      }
      if hasFailed { dropped += try marks.dropFailedUpdates(of: item.id, isDeck: item.isDeck) }
    }
    try marks.learn(
      item.id, isDeck: item.isDeck,
      KnownPublication(publicID: item.publicID, registryID: item.registryID, digest: item.digest))
    switch seen?.action {
    case .create, .update, .beside: try work.storeVersion(ofItem: item.id)
    default: break
    }
    if item.isNew { return .created }
    if isSame { return .taken }
    // The registry has nothing new. But if the user chose a side, the library may have won.
    let isAsBefore = seen == nil || seen?.action == .keep
    return isAsBefore && !isDecided ? .skipped("changed only here") : .merged
  }

  private static func status(of line: [UInt8]) -> String? {
    (try? JSONDocument(parsing: line))?.root["sync_status"]?.string
  }
}

/// Records what an import decided about each item.
final class PullObserver: ImportObserver {
  /// The decision about a record.
  struct Seen {
    let action: ImportDecision.Action
    let reason: String?
  }

  private(set) var seen: [String: Seen] = [:]

  func receive(_ decision: ImportDecision) throws {
    // A reject or a conflict is final: the record was not written, whatever is decided later.
    if seen[decision.id]?.action == .reject || seen[decision.id]?.action == .conflict { return }
    seen[decision.id] = Seen(action: decision.action, reason: decision.reason?.text)
  }

  func finish(_ tally: Tally) throws {}
}
