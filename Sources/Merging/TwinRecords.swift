import Content
import Diagnostics
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Notices files that say nothing but what the library has already from elsewhere: a copy under another name.
///
/// Their items are created all the same, because two files that lie side by side are two sources. Only files that the
/// ledger does not know are looked at, and each of them only as long as every item of it has a twin: for most files
/// that is one look at titles in memory.
struct TwinRecords {
  /// A file that may be a copy.
  private struct Candidate {
    let name: String
    var count = 0
    /// The id of the first twin.
    var twin = ""
  }

  /// Titles of the library's items before the run, by hash, and the rows that have them.
  private var titles: [(hash: UInt64, row: Int64)]?
  private var candidate: Candidate?
  /// Copies among the files of the current source.
  private var copies: [Candidate] = []

  /// Many items of one title are not all read.
  private static let mostTwins = 4

  /// Begins a file.
  /// - Parameter isNew: whether its items may be twins at all.
  mutating func begin(_ name: String, isNew: Bool) {
    close()
    candidate = isNew ? Candidate(name: name) : nil
  }

  /// Looks at an item on its way in.
  /// - Parameter isKnown: whether the library has it under its id or origin.
  mutating func note(_ incoming: Incoming, isKnown: Bool, in library: RecordLookup) throws {
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

  /// Ends a source: reports which of its files are copies of what the library has from elsewhere.
  mutating func end(_ source: CurrentSource, _ library: RecordLookup, _ ledger: Ledger, to findings: DiagnosticLog)
    throws
  {
    close()
    defer { copies = [] }
    guard let twin = copies.first?.twin else { return }
    let items = copies.reduce(0) { $0 + $1.count }
    let title = try library.record(.item, id: twin).flatMap { RecordLine.title(of: $0) }
    let origin =
      try ledger.origin(.item, id: twin).map { origin in
        let isHere = origin.source.utf8.elementsEqual(source.name.utf8)
        let path = isHere ? origin.path : origin.path == "." ? origin.source : origin.source + "/" + origin.path
        return ", '\(title ?? "")' from '\(path)'"
      } ?? ""
    let many = items == 1 ? "1 item is" : "\(items) items are"
    let files = copies.count == 1 ? "" : " in \(copies.count) files"
    findings.report(
      Diagnostic(
        .sameContentAgain,
        "\(many) the same\(files), word for word, as \(items == 1 ? "one" : "items") that the library has from "
          + "elsewhere\(origin); \(items == 1 ? "it is" : "they are") created a second time",
        at: Place(file: copies.count == 1 ? copies[0].name : source.folder), record: "item \(twin)", title: title))
  }

  private mutating func close() {
    if let candidate, candidate.count > 0 { copies.append(candidate) }
    candidate = nil
  }

  private mutating func twin(
    of incoming: Incoming, _ title: String, in library: RecordLookup
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
    var said: [UInt8]?
    for entry in titles[low...].prefix(Self.mostTwins) where entry.hash == hash {
      guard
        let id = try connection.rows("SELECT id FROM library_content WHERE rowid = \(entry.row)").first?.first ?? nil,
        let line = try library.record(.item, id: id)
      else { continue }
      let mine = try said ?? ContentHash.bytes(of: incoming.line)
      said = mine
      if try ContentHash.bytes(of: line) == mine { return id }
    }
    return nil
  }

  private static func read(_ connection: SQLiteConnection) throws(SQLiteError) -> [(hash: UInt64, row: Int64)] {
    var titles: [(hash: UInt64, row: Int64)] = []
    let look = try connection.prepare("SELECT rowid, title FROM library_content")
    while try look.step() { titles.append((hash(look.bytes(at: 1)), look.integer(at: 0))) }
    titles.sort { $0.hash < $1.hash }
    return titles
  }

  /// FNV-1a: only to find candidates, which are compared in full.
  private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  private static func hash(_ text: String) -> UInt64 { hash(text.utf8) }
}
