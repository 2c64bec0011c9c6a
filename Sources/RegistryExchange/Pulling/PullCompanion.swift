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

/// Goes along with the import of what was pulled: knows what both sides come from, and writes what the registry said.
final class PullCompanion: ImportCompanion {
  /// An item that was taken back elsewhere.
  struct Withdrawal {
    let id: String
    let isDeck: Bool
    let entry: Int
  }

  /// An item that is the same here and there: only what the registry said of it is news, or its state here.
  struct News {
    let id: String
    let isDeck: Bool
    /// Whether it waits for nothing, although its state says something else.
    let settles: Bool
    let publication: KnownPublication
    /// What it says, and what is public; empty where it does not settle.
    let meaning: [UInt8]
  }

  /// The library says something else than when it was looked at: it has to be looked at again.
  struct LibraryChanged: Error {}

  private let items: [PulledItem]
  private let withdrawals: [Withdrawal]
  private let news: [News]
  private let lines: [String: [UInt8]]
  private let observer: PullObserver
  private let meanings: PullMeaning
  private let path: String
  private let isDryRun: Bool
  /// Whether somebody said who wins where both sides changed the same thing.
  private let isDecided: Bool
  private let now: Timestamp
  private var held: HeldPublications?
  /// What became of the entries, by their numbers.
  private(set) var outcomes: [Int: PullReport.Outcome] = [:]
  /// How many failed updates left the queue.
  private(set) var dropped = 0
  /// How many items wait for nothing any more, of those that are the same here and there.
  private(set) var settled = 0

  init(
    _ path: String, _ findings: PullFindings, observer: PullObserver, meanings: PullMeaning, isDecided: Bool,
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
    let held = try HeldPublications(library.connection, library.schema, path: path, state: store.connection)
    self.held = held
    // A rehearsal writes nothing over.
    if isDryRun { return }
    // Records were made over what the library said a moment ago: pins and reviews that came meanwhile would be lost. And
    // a payload that was queued meanwhile would go over what is merged now, and the registry would take it.
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
      if one.settles { try settle(one, work, marks) }
    }
  }

  private func settle(_ one: News, _ work: ImportWork, _ marks: PulledMarks) throws {
    // The library was not held while others were fetched: it may have been edited since it was looked at.
    guard let held, !held.hasWaiting(one.id), let line = try work.line(ofItem: one.id),
      try held.item(id: one.id)?.publicID == one.publication.publicID,
      let own = try meanings.request(of: line, publicID: one.publication.publicID, now: now),
      PullMeaning.of(own) == one.meaning
    else { return }
    settled += 1
    try work.willChange(item: one.id, isDeck: one.isDeck)
    try marks.mark(line, isDeck: one.isDeck, status: LibraryItem.SyncStatus.synced)
    dropped += try marks.dropFailedUpdates(of: one.id, isDeck: one.isDeck)
  }

  private func finish(_ item: PulledItem, _ work: ImportWork, _ marks: PulledMarks) throws -> PullReport.Outcome {
    let seen = observer.seen[item.id]
    switch seen?.action {
    case .conflict: return .conflict(seen?.reason ?? "this library and the registry have it differently")
    case .reject: return .rejected(seen?.reason ?? "it cannot be used")
    default: break
    }
    guard let line = try work.line(ofItem: item.id) else { return .rejected("the library did not take it") }
    let own = try meanings.request(of: line, publicID: item.publicID, now: now)
    let isSame = own.map { PullMeaning.of($0) == item.meaning } ?? false
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
    case .create, .update, .beside: try work.keepVersion(ofItem: item.id)
    default: break
    }
    if item.isNew { return .created }
    if isSame { return .taken }
    // Nothing of the registry's is new; where somebody says who wins, it may be that the library does.
    let isAsBefore = seen == nil || seen?.action == .keep
    return isAsBefore && !isDecided ? .skipped("changed only here") : .merged
  }

  private static func status(of line: [UInt8]) -> String? {
    (try? JSONDocument(parsing: line))?.root["sync_status"]?.string
  }
}
