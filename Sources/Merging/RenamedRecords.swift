import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Finds records whose id in the source has changed: the source no longer has the old record, and a new record is the
/// same one.
///
/// A record is matched without asking the user if its text is the same and unique on both sides. If the user agrees,
/// notes of a moved folder are matched by their paths, and a note is matched with a missing note if it has most of that
/// note's parts. Titles never decide.
/// - Source: docs/DESIGN.md, section 6
struct RenamedRecords {
  /// A record of the library that its source no longer has.
  private struct Gone {
    let kind: RecordKind
    let target: String
    /// The record's id in the source.
    let id: String
    let hash: String
  }

  /// A record of the source that the library does not have.
  private struct New {
    let kind: RecordKind
    let hash: String
    let place: String
    let title: String
    let type: String?
    /// The path of a note without an id.
    let path: String?
    let parts: TextParts?
  }

  /// The library's record that is the same as a new one.
  private struct Match {
    let kind: RecordKind
    let target: String
    var former: (source: Int64, id: String)?
  }

  /// The maximum number of notes on each side that are compared.
  private static let mostCompared = 1000

  private let source: CurrentSource
  private let sources: SourceTracker
  private let lookup: RecordLookup
  private let ledger: Ledger
  private let policy: ImportPolicy
  private let decisions: DecisionStream
  private let findings: DiagnosticLog
  private let scratch = ScratchLine(capacity: 0)

  init(
    _ source: CurrentSource, of sources: SourceTracker, _ lookup: RecordLookup, _ ledger: Ledger,
    _ policy: ImportPolicy, _ decisions: DecisionStream, to findings: DiagnosticLog
  ) {
    self.source = source
    self.sources = sources
    self.lookup = lookup
    self.ledger = ledger
    self.policy = policy
    self.decisions = decisions
    self.findings = findings
  }

  /// Calls `body` with every unmatched record, and with the library's record if a match was found.
  func match(_ waiting: StagedRecords, _ body: (SourceRecord, UnsafeBufferPointer<UInt8>?) throws -> Void) throws {
    if waiting.isEmpty { return }
    let gone = try self.gone()
    if gone.isEmpty, source.goneFolders.isEmpty { return try waiting.drain { try hand($0, nil, body) } }
    // The first pass examines all records, and the second pass hands them on.
    var new: [New] = []
    let again = StagedRecords(in: nil)
    try waiting.drain { entry in
      new.append(try examine(entry, comparing: !gone.isEmpty && new.count < Self.mostCompared))
      try entry.original.withUnsafeBufferPointer {
        try again.add(
          entry.kind, place: entry.place, file: entry.file, before: nil, original: $0, line: entry.line,
          rows: entry.rows, isPartial: entry.isPartial, coverage: entry.coverage)
      }
    }
    var matches = Self.same(new, gone)
    try addMoved(new, to: &matches)
    try addRenamed(new, gone, to: &matches)
    var index = 0
    try again.drain { entry in
      defer { index += 1 }
      try hand(entry, matches[index], body)
    }
  }

  // MARK: Examining

  /// Returns records of the library that this source added and no longer has.
  private func gone() throws -> [Gone] {
    // Retried rows are not a source, so records that are missing among them have not been removed.
    if policy.isRetry { return [] }
    var found: [Gone] = []
    // A file that was renamed twice has left two entries for one record in the ledger.
    var seen: Set<String> = []
    for kind in [RecordKind.charter, .item] {
      for (target, id, file, path) in try ledger.unmet(source.id, kind) {
        // A file that exists and was not read in this run has not lost anything.
        guard sources.hasRead(file, path) || access(source.folder + "/" + path, F_OK) != 0,
          seen.insert(target).inserted, let line = try lookup.record(kind, id: target)
        else { continue }
        found.append(Gone(kind: kind, target: target, id: id, hash: try ContentHash.of(line: line.span)))
      }
    }
    return found
  }

  private func examine(_ entry: StagedRecords.Entry, comparing: Bool) throws -> New {
    let node = try scratch.parse(entry.line)
    let path = entry.kind == .item ? NotePath(node)?.path : nil
    return New(
      kind: entry.kind, hash: try ContentHash.of(line: entry.line.span), place: entry.place,
      title: node.member("title")?.string ?? "", type: node.member("content_type")?.string, path: path,
      parts: comparing && path != nil ? TextParts(node) : nil)
  }

  // MARK: Matching

  private static func same(_ new: [New], _ gone: [Gone]) -> [Int: Match] {
    let counts = new.reduce(into: [String: Int]()) { $0[$1.hash, default: 0] += 1 }
    let known = Dictionary(grouping: gone, by: \.hash)
    var matches: [Int: Match] = [:]
    for (index, one) in new.enumerated() where counts[one.hash] == 1 {
      guard let found = known[one.hash], found.count == 1, found[0].kind == one.kind else { continue }
      matches[index] = Match(kind: one.kind, target: found[0].target)
    }
    return matches
  }

  /// Adds matches for the notes of a moved folder.
  private func addMoved(_ new: [New], to matches: inout [Int: Match]) throws {
    let open = new.indices.filter { matches[$0] == nil && new[$0].path != nil }
    var best: (folder: String, found: [Int: Match])?
    for folder in source.goneFolders where !open.isEmpty {
      var found: [Int: Match] = [:]
      for index in open {
        let id = CanonicalUUID.derived(ofNote: new[index].path ?? "", in: folder.path)
        guard let target = try ledger.item(id, of: folder.id), try lookup.record(.item, id: target) != nil else {
          continue
        }
        found[index] = Match(kind: .item, target: target, former: (folder.id, id))
      }
      if found.count * 2 > open.count, found.count > best?.found.count ?? 0 { best = (folder.path, found) }
    }
    guard let best else { return }
    let count = best.found.count
    let what = "\(Plural.count(count, "note")) from '\(best.folder)', which no longer exists"
    let isSame = try isAccepted(
      "'\(source.folder)' has \(what). Was the folder moved?",
      Diagnostic(
        .maybeRenamed, "it has \(what); \(count == 1 ? "a new item was" : "new items were") created",
        at: Place(file: source.folder)))
    guard isSame else { return }
    findings.report(
      Diagnostic(.renamedNote, "it has \(what), recognized as the same items", at: Place(file: source.folder)))
    for (index, match) in best.found.sorted(by: { $0.key < $1.key }) {
      matches[index] = match
      try sendRename(new[index], match, .movedFolder(best.folder))
    }
  }

  /// Adds matches for notes that were renamed and edited.
  private func addRenamed(_ new: [New], _ gone: [Gone], to matches: inout [Int: Match]) throws {
    let taken = Set(matches.values.map(\.target))
    var old: [(gone: Gone, title: String, parts: TextParts)] = []
    for one in gone where one.kind == .item && !taken.contains(one.target) && old.count < Self.mostCompared {
      guard let line = try lookup.record(.item, id: one.target) else { continue }
      let node = try scratch.parse(line)
      if let parts = TextParts(node) { old.append((one, node.member("title")?.string ?? "", parts)) }
    }
    let open = new.indices.filter { matches[$0] == nil && new[$0].parts != nil }
    let pairs = TextParts.pairs(open.compactMap { new[$0].parts }, old.map(\.parts))
    for (index, other) in pairs {
      let (one, former) = (new[open[index]], old[other])
      let path = try self.path(of: former.gone.target)
      let what = "“\(former.title)”\(path.map { " ('\($0)')" } ?? ""), which no longer exists"
      let isSame = try isAccepted(
        "\(one.place): “\(one.title)” has most of \(what). Is it the same item?",
        Diagnostic(
          .maybeRenamed, "most of it is from \(what); a new item was created", at: Place(file: one.place),
          record: "item \(former.gone.target)", title: one.title))
      guard isSame else { continue }
      let match = Match(kind: .item, target: former.gone.target, former: (source.id, former.gone.id))
      matches[open[index]] = match
      findings.report(
        Diagnostic(
          .renamedNote, "most of it is from \(what); it was recognized as the same item", at: Place(file: one.place),
          record: "item \(match.target)", title: one.title))
      try sendRename(one, match, .renamedNote(title: former.title, path: path))
    }
  }

  /// Returns whether a match is accepted. If it is not accepted without a question, the warning reports what happens.
  private func isAccepted(_ question: String, _ warning: Diagnostic) throws -> Bool {
    switch policy.renames {
    case .accept: return true
    case .ask(let ask):
      // If the user has answered, no warning is needed.
      return try ask(question)
    case .decline:
      findings.report(warning)
      return false
    }
  }

  private func sendRename(_ new: New, _ match: Match, _ reason: DecisionReason) throws {
    var decision = ImportDecision(.rename, match.kind)
    decision.id = match.target
    decision.title = new.title
    decision.type = new.type
    decision.place = new.place
    decision.reason = reason
    try decisions.send(decision)
  }

  /// Returns the path of the note that an item came from.
  private func path(of target: String) throws -> String? {
    guard let kept = try ledger.record(SidecarExtras.kind, id: target) else { return nil }
    return (try? JSONDocument(parsing: kept))?.root["extras"]?["markdown"]?["path"]?.string
  }

  // MARK: Passing on

  private func hand(
    _ entry: StagedRecords.Entry, _ match: Match?, _ body: (SourceRecord, UnsafeBufferPointer<UInt8>?) throws -> Void
  ) throws {
    // The line is parsed in separate memory, because `body` parses other lines meanwhile.
    try ScratchLine.reading(entry.line) { node in
      let existing = try match.flatMap { try lookup.record($0.kind, id: $0.target) }
      try entry.original.withUnsafeBufferPointer { original in
        var incoming = SourceRecord(
          kind: entry.kind, node: node, line: entry.line, original: original, file: entry.file,
          origin: .staged(Place(file: entry.place)))
        incoming.rows = entry.rows.rows
        incoming.coverage = entry.coverage.map { sources.coverages[$0] }
        incoming.former = match?.former
        if entry.isPartial { incoming.extent = policy.isRetry ? .some([]) : .mostly }
        try body(incoming, existing)
      }
    }
  }
}

/// The path of an item's note, if the note itself has no id.
struct NotePath {
  /// The path in the vault. The path of a folder of cards ends with a slash.
  let path: String

  init?(_ record: JSONNode) {
    guard let kept = record.member("extras")?.member("markdown"), kept.kind == .object,
      let path = kept.member("path")?.string,
      kept.member("derived_id")?.bool ?? false || kept.member("cards") != nil
    else { return nil }
    self.path = path.precomposedStringWithCanonicalMapping
  }
}

/// The parts of an item that a renamed note is recognized by: steps, cards, or the lines of a guide.
struct TextParts {
  private let type: String
  /// The hashes of parts, and how often each occurs.
  private let counts: [Int: Int]
  private let total: Int

  /// The maximum number of parts. Longer items are compared by their first parts.
  private static let most = 500

  /// Extracts the parts of an item; nil for an item with fewer than two.
  init?(_ item: JSONNode) {
    guard let type = item.member("content_type")?.string, let content = item.member("content_data") else { return nil }
    var counts: [Int: Int] = [:]
    var total = 0
    func add(_ part: some Sequence<UInt8>) {
      guard total < Self.most else { return }
      var hasher = Hasher()
      for byte in part { hasher.combine(byte) }
      counts[hasher.finalize(), default: 0] += 1
      total += 1
    }
    content.member("sections")?.forEachElement { section in
      section.member("items")?.forEachElement { step in
        if let title = step.member("title") { add(title.inner) }
      }
    }
    content.member("cards")?.forEachElement { card in
      if let front = card.member("front") { add(front.inner) }
    }
    for line in content.member("markdown")?.string?.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) ?? []
    where line.contains(where: { $0 > 0x20 }) {
      add(line)
    }
    guard total > 1 else { return nil }
    self.type = type
    self.counts = counts
    self.total = total
  }

  /// Pairs each new item with an old one if each item contains most parts of the other.
  ///
  /// A pair does not count if another pair that contains the same item is equally good.
  static func pairs(_ new: [TextParts], _ old: [TextParts]) -> [(new: Int, old: Int)] {
    var places: [Int: [(old: Int, count: Int)]] = [:]
    for (index, one) in old.enumerated() {
      for (part, count) in one.counts { places[part, default: []].append((index, count)) }
    }
    var found: [(share: Double, new: Int, old: Int)] = []
    for (index, one) in new.enumerated() {
      var common: [Int: Int] = [:]
      for (part, count) in one.counts {
        for place in places[part] ?? [] { common[place.old, default: 0] += min(count, place.count) }
      }
      for (other, count) in common where old[other].type == one.type && count * 2 > max(one.total, old[other].total) {
        found.append((Double(count) / Double(max(one.total, old[other].total)), index, other))
      }
    }
    var bestOfNew: [Int: Best] = [:]
    var bestOfOld: [Int: Best] = [:]
    for pair in found {
      bestOfNew[pair.new, default: Best()].add(pair.share)
      bestOfOld[pair.old, default: Best()].add(pair.share)
    }
    return found.filter { pair in
      [bestOfNew[pair.new], bestOfOld[pair.old]].allSatisfy { $0?.share == pair.share && $0?.count == 1 }
    }.map { ($0.new, $0.old) }.sorted { $0.0 < $1.0 }
  }

  /// The largest shared proportion of an item, and the number of pairs that have it.
  private struct Best {
    var share = 0.0
    var count = 0

    mutating func add(_ other: Double) {
      if other == share { count += 1 }
      if other > share { (share, count) = (other, 1) }
    }
  }
}

/// Reports records that a source had at an earlier import and no longer has. These records stay in the library.
struct RemovedRecords {
  private let source: CurrentSource
  private let sources: SourceTracker
  private let lookup: RecordLookup
  private let ledger: Ledger
  private let decisions: DecisionStream

  init(
    _ source: CurrentSource, of sources: SourceTracker, _ lookup: RecordLookup, _ ledger: Ledger,
    _ decisions: DecisionStream
  ) {
    self.source = source
    self.sources = sources
    self.lookup = lookup
    self.ledger = ledger
    self.decisions = decisions
  }

  func report(to findings: DiagnosticLog) throws {
    let tally = decisions.tally
    let known = decisions.rejectedKnown
    for kind in [RecordKind.charter, .item] {
      // Records that were not selected or could not be read may still be in the source. Records in conflict were read.
      if tally[kind].skipped[.notSelected] != nil || tally[kind].rejected > known[kind] { continue }
      if kind == .item, tally.rows.rejected > known.rows { continue }
      var seen = Set<String>()
      for (id, _, file, path) in try ledger.unmet(source.id, kind)
      where sources.hasRead(file, path) && seen.insert(id).inserted {
        guard let line = try lookup.record(kind, id: id) else { continue }
        try report(kind, id, line, Place(file: path == "." ? source.folder : source.folder + "/" + path), to: findings)
      }
    }
  }

  private func report(
    _ kind: RecordKind, _ id: String, _ line: UnsafeBufferPointer<UInt8>, _ place: Place, to findings: DiagnosticLog
  ) throws {
    let (title, type) = try ScratchLine.reading(line) { node in
      (node.member(kind == .item ? "title" : "name")?.string, node.member("content_type")?.string)
    }
    findings.report(
      Diagnostic(
        .goneFromSource, "the \(kind.name) is no longer in the source; the library keeps it", at: place,
        record: "\(kind.name) \(id)", title: title))
    var decision = ImportDecision(.gone, kind)
    decision.id = id
    decision.title = title
    decision.type = type
    decision.place = place.description
    decision.before = line
    try decisions.send(decision)
  }
}

/// Detects files that only contain what the library already has from other sources: copies under another name.
///
/// The items of these files are created nevertheless, because two files in one folder are two sources. Only files that
/// are not in the ledger are examined, and each of them only as long as every item has a twin. For most files, this
/// takes one lookup of titles in memory.
struct CopiedFileDetector {
  /// A file that may be a copy.
  private struct Candidate {
    let name: String
    var count = 0
    /// The id of the first twin.
    var twin = ""
  }

  /// The titles of the library's items before the run, by hash, and their rows.
  private var titles: [(hash: UInt64, row: Int64)]?
  private var candidate: Candidate?
  /// Copies among the files of the current source.
  private var copies: [Candidate] = []

  /// The maximum number of items with the same title that are read.
  private static let mostTwins = 4

  /// Begins a file.
  /// - Parameter isNew: whether the file's items can have twins.
  mutating func begin(_ name: String, isNew: Bool) {
    close()
    candidate = isNew ? Candidate(name: name) : nil
  }

  /// Examines an item before it is imported.
  /// - Parameter isKnown: whether the library has the item under its id or origin.
  mutating func examine(_ incoming: SourceRecord, isKnown: Bool, in library: RecordLookup) throws {
    guard incoming.kind == .item, var candidate else { return }
    guard !isKnown, !incoming.isDeck, let title = incoming.node.member("title")?.string,
      let twin = try twin(of: incoming, title, in: library)
    else {
      self.candidate = nil
      return
    }
    if candidate.count == 0 { candidate.twin = twin }
    candidate.count += 1
    self.candidate = candidate
  }

  /// Ends a source. Reports which of its files are copies of content that the library has from other sources.
  mutating func end(_ source: CurrentSource, _ library: RecordLookup, _ ledger: Ledger, to findings: DiagnosticLog)
    throws
  {
    close()
    defer { copies = [] }
    guard let twin = copies.first?.twin else { return }
    let items = copies.reduce(0) { $0 + $1.count }
    let title = try library.record(.item, id: twin).flatMap { RecordLine.title(of: $0.span) }
    let origin =
      try ledger.origin(.item, id: twin).map { origin in
        let isHere = origin.source.utf8.elementsEqual(source.name.utf8)
        let path = isHere ? origin.path : origin.path == "." ? origin.source : origin.source + "/" + origin.path
        return ", '\(title ?? "")' from '\(path)'"
      } ?? ""
    let many = items == 1 ? "1 item" : "\(items) items"
    let files = copies.count == 1 ? "" : " in \(copies.count) files"
    findings.report(
      Diagnostic(
        .sameContentAgain,
        "\(many)\(files) \(items == 1 ? "is identical to an item" : "are identical to items") that the library has "
          + "from another source\(origin); \(items == 1 ? "it is" : "they are") created a second time",
        at: Place(file: copies.count == 1 ? copies[0].name : source.folder), record: "item \(twin)", title: title))
  }

  private mutating func close() {
    if let candidate, candidate.count > 0 { copies.append(candidate) }
    candidate = nil
  }

  private mutating func twin(
    of incoming: SourceRecord, _ title: String, in library: RecordLookup
  ) throws -> String? {
    let connection = library.connection
    let titles = try self.titles ?? Self.read(connection)
    self.titles = titles
    let hash = Self.hash(title)
    var low = 0
    var high = titles.count
    while low < high {
      let middle = (low + high) / 2
      if titles[middle].hash < hash { low = middle + 1 } else { high = middle }
    }
    var contentHash: [UInt8]?
    for entry in titles[low...].prefix(Self.mostTwins) where entry.hash == hash {
      guard
        let id = try connection.rows("SELECT id FROM library_content WHERE rowid = \(entry.row)").first?.first ?? nil,
        let line = try library.record(.item, id: id)
      else { continue }
      let mine = try contentHash ?? ContentHash.bytes(of: incoming.line.span)
      contentHash = mine
      if try ContentHash.bytes(of: line.span) == mine { return id }
    }
    return nil
  }

  private static func read(_ connection: SQLiteConnection) throws(SQLiteError) -> [(hash: UInt64, row: Int64)] {
    var titles: [(hash: UInt64, row: Int64)] = []
    let query = try connection.prepare("SELECT rowid, title FROM library_content")
    while try query.step() { titles.append((hash(query.bytes(at: 1)), query.integer(at: 0))) }
    titles.sort { $0.hash < $1.hash }
    return titles
  }

  /// Computes an FNV-1a hash, which is only used to find candidates. Candidates are compared in full.
  private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  private static func hash(_ text: String) -> UInt64 { hash(text.utf8) }
}
