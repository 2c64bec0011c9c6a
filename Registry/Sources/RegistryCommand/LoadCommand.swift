import ArgumentParser
import Content
import Dispatch
import Foundation
import JSONText
import PostgreSQLStore
import Publishing
import RegistryAPI
import RegistryModel
import RegistryStore
import Synchronization

/// Publishes the items of a bundle in the name of one account.
struct LoadCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load",
    abstract: "Publish the items of a bundle (.jsonl) in the name of one account.",
    discussion: """
      Every item passes the checks of the interface. Each batch is one transaction; if the command is interrupted, the
      same command goes on after the last batch. Lines that are refused are copied to the file with the rejects, and the
      reasons go to stderr. An item without a public id gets one from its title and its id.

      EXAMPLES
        fleetkit-registry load curated.jsonl --owner harbourmaster --create-owner
        fleetkit-registry load curated.jsonl.rejects.jsonl --owner harbourmaster

      EXIT STATUS
        0 done · 2 failed · 3 some lines were refused · 64 wrong usage
      """)

  @Argument(help: ArgumentHelp("The bundle, one record per line.", valueName: "bundle.jsonl"))
  var bundle: String

  @Option(help: ArgumentHelp("The name of the account.", valueName: "name"))
  var owner: String

  @Flag(help: "Make the account if it does not exist. No person can sign in to it.")
  var createOwner = false

  @Option(help: ArgumentHelp("The database; DATABASE_URL if it is left out.", valueName: "postgresql://…"))
  var database: String?

  @Option(help: ArgumentHelp("The file for refused lines; BUNDLE.rejects.jsonl by default.", valueName: "file"))
  var rejects: String?

  func run() async throws {
    do {
      let address = try DatabaseAddress.server(database, "load")
      let load = try BundleLoad(bundle, rejects: rejects ?? bundle + ".rejects.jsonl")
      let counts = try await load.run(into: address, owner: owner, createsOwner: createOwner)
      StandardOutput.write(counts.summary)
      guard counts.refused > 0 else { return }
      StandardError.write("Correct the lines in '\(load.rejectsPath)', then load that file.")
      ProcessEnd.now(3)
    } catch let failure as StartFailure {
      StandardError.fail(failure)
    }
  }
}

/// The counts of a load.
struct LoadCounts: Sendable {
  var published = 0
  var unchanged = 0
  var refused = 0
  /// Records of other kinds, which a registry does not publish.
  var others = 0
  /// The lines that an earlier run loaded.
  var earlier: Int64 = 0

  var summary: String {
    var parts = ["published \(published)", "unchanged \(unchanged)", "refused \(refused)"]
    if others > 0 { parts.append("other records \(others)") }
    if earlier > 0 { parts.append("lines loaded before \(earlier)") }
    return parts.joined(separator: " · ")
  }
}

/// Loads one bundle.
final class BundleLoad {
  /// The most lines of a transaction, and the most bytes.
  private static let lines = 1000
  private static let bytes = 8 << 20
  /// The most findings that are shown for a line.
  private static let mostFindings = 5
  private let path: String
  let rejectsPath: String
  private let reader: LineReader

  /// - Throws: `StartFailure` if the bundle cannot be read.
  init(_ path: String, rejects: String) throws(StartFailure) {
    self.path = path
    rejectsPath = rejects
    reader = try LineReader(path)
  }

  /// Loads the bundle.
  /// - Throws: `StartFailure`; the batches before the failure are loaded.
  func run(into address: String, owner: String, createsOwner: Bool) async throws -> LoadCounts {
    let clock = RegistryClock.system
    let source = try reader.digest()
    let loader: BulkLoader
    let first: Int64
    do {
      loader = try BulkLoader(address, owner: owner, source: source, createsOwner: createsOwner, at: clock.now())
      first = try loader.firstLine()
    } catch StoreFailure.unknownUser {
      throw StartFailure(
        .failed, "load: there is no account '\(owner)'", advice: "Name another one, or add --create-owner.")
    } catch { throw Self.failure(error) }
    var counts = LoadCounts()
    counts.earlier = first - 1
    try reader.skip(to: first)
    let session = LoadSession(loader)
    let checks = try (0..<max(1, ProcessInfo.processInfo.activeProcessorCount)).map { _ in try CheckBox() }
    var rejects = RejectedLines(rejectsPath)
    // One batch is checked while the previous one is written.
    var writing: Task<[BulkLoader.Outcome], any Error>?
    var written: [CheckedLine] = []
    while true {
      let batch = try readBatch(&counts)
      let checked = batch.isEmpty ? [] : Self.check(batch, checks, at: clock.now())
      if let running = writing {
        do { try await count(running.value, written, &counts, &rejects) } catch { throw Self.failure(error) }
      }
      if batch.isEmpty, reader.isAtEnd { break }
      for line in checked { try report(line, &counts, &rejects) }
      try rejects.synchronize()
      let entries = checked.compactMap(\.entry)
      let next = reader.line
      written = checked.filter { $0.entry != nil }
      writing = Task { try await session.load(entries, nextLine: next, at: clock.now()) }
    }
    return counts
  }

  private static func failure(_ error: any Error) -> any Error {
    switch error {
    case StoreFailure.busy(let why), StoreFailure.unavailable(let why):
      StartFailure(.failed, why, advice: "The same command goes on after the last complete batch.")
    default: error
    }
  }

  private func readBatch(_ counts: inout LoadCounts) throws -> [(line: Int64, text: [UInt8])] {
    var batch: [(line: Int64, text: [UInt8])] = []
    var size = 0
    while batch.count < Self.lines, size < Self.bytes, let text = try reader.next() {
      if text.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == 13 }) { continue }
      batch.append((reader.line - 1, text))
      size += text.count
    }
    return batch
  }

  // MARK: Checking

  /// A line with the result of its check.
  private struct CheckedLine: Sendable {
    let line: Int64
    let text: [UInt8]
    var entry: BulkLoader.Entry?
    var findings: [String] = []
    var isOther = false
  }

  /// The checks of one thread.
  private struct CheckBox: @unchecked Sendable {
    // Each is used by one iteration at a time.
    let check: PublicationCheck
    init() throws { check = try PublicationCheck() }
  }

  private static func check(
    _ batch: [(line: Int64, text: [UInt8])], _ checks: [CheckBox], at now: Timestamp
  ) -> [CheckedLine] {
    let parts = Mutex<[Int: [CheckedLine]]>([:])
    let size = (batch.count + checks.count - 1) / checks.count
    DispatchQueue.concurrentPerform(iterations: checks.count) { part in
      let lines = batch.dropFirst(part * size).prefix(size).map { check($0.line, $0.text, checks[part].check, now) }
      parts.withLock { $0[part] = lines }
    }
    return parts.withLock { parts in checks.indices.flatMap { parts[$0] ?? [] } }
  }

  private static func check(
    _ line: Int64, _ text: [UInt8], _ check: PublicationCheck, _ now: Timestamp
  ) -> CheckedLine {
    var checked = CheckedLine(line: line, text: text)
    let document: JSONDocument
    do throws(JSONError) { document = try JSONDocument(parsing: text) } catch {
      checked.findings = ["column \(error.offset + 1): \(error.message)"]
      return checked
    }
    let record = document.root
    if let kind = record["kind"]?.string, kind != "item" {
      checked.isOther = true
      return checked
    }
    var payload = record
    if record["public_id"]?.isNull ?? true, let title = record["title"]?.string {
      let slug = PublicID.make(title, id: record["id"]?.string ?? Digest.hex(Digest.sha256(text.span)))
      guard let named = try? JSONDocument(parsing: adding(slug, to: document, text)).root else {
        return checked
      }
      payload = named
    }
    switch check.request(payload, now: now, mostFindings: mostFindings) {
    case .success(var request):
      if let canFork = record["public_metadata"]?["canFork"]?.bool, record["can_fork"] == nil {
        request.canFork = canFork
      }
      do { checked.entry = try BulkLoader.Entry(line: line, request: request) } catch {
        checked.findings = ["a string contains U+0000"]
      }
    case .failure(let refusal):
      checked.findings = refusal.findings.map { finding in
        let place = "\(finding.pointer)"
        return (place.isEmpty ? "" : place + ": ") + "\(finding.code): \(finding.message)"
      }
    }
    return checked
  }

  /// Returns a record's text with a public id in place of the one that is null or missing.
  private static func adding(_ publicID: String, to record: JSONDocument, _ text: [UInt8]) -> [UInt8] {
    if let null = record.withRoot({ $0.member("public_id")?.span }) {
      return text[..<null.lowerBound] + Array("\"\(publicID)\"".utf8) + text[null.upperBound...]
    }
    guard let start = text.firstIndex(of: UInt8(ascii: "{")) else { return text }
    return text[...start] + Array("\"public_id\":\"\(publicID)\",".utf8) + text[(start + 1)...]
  }

  // MARK: Results

  private func report(_ line: CheckedLine, _ counts: inout LoadCounts, _ rejects: inout RejectedLines) throws {
    if line.isOther { counts.others += line.line == 1 ? 0 : 1 }
    guard line.entry == nil, !line.isOther else { return }
    try refuse(line, line.findings, &counts, &rejects)
  }

  private func count(
    _ outcomes: [BulkLoader.Outcome], _ lines: [CheckedLine], _ counts: inout LoadCounts,
    _ rejects: inout RejectedLines
  ) throws {
    for (outcome, line) in zip(outcomes, lines) {
      switch outcome {
      case .published: counts.published += 1
      case .unchanged: counts.unchanged += 1
      case .refused(.publicIDTaken):
        let slug = line.entry?.request.publicID ?? ""
        try refuse(line, ["/public_id: the public id '\(slug)' is taken"], &counts, &rejects)
      case .refused(.forkingForbidden):
        try refuse(line, ["/forked_from_id: the original's author does not allow copies"], &counts, &rejects)
      case .refused(let why): try refuse(line, ["\(why)"], &counts, &rejects)
      }
    }
  }

  private func refuse(
    _ line: CheckedLine, _ findings: [String], _ counts: inout LoadCounts, _ rejects: inout RejectedLines
  ) throws {
    counts.refused += 1
    for finding in findings { StandardError.write("\(path):\(line.line): \(finding)") }
    try rejects.append(line.text)
  }
}

/// Runs a loader's batches one after the other, away from the checks.
private actor LoadSession {
  private let loader: BulkLoader

  init(_ loader: sending BulkLoader) { self.loader = loader }

  func load(_ entries: [BulkLoader.Entry], nextLine: Int64, at now: Timestamp) throws -> [BulkLoader.Outcome] {
    try loader.load(entries, nextLine: nextLine, at: now)
  }
}

/// Makes public ids for items that have none: the title's Latin letters and digits, and eight digits of the id.
///
/// The same item always gets the same public id, so that it is not published twice.
enum PublicID {
  static func make(_ title: String, id: String) -> String {
    let latin = title.applyingTransform(.toLatin, reverse: false)?.applyingTransform(.stripDiacritics, reverse: false)
    var slug: [UInt8] = []
    for byte in (latin ?? title).lowercased().utf8.prefix(500) where slug.count < 50 {
      let isLetter = (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
      if isLetter {
        slug.append(byte)
      } else if let last = slug.last, last != 0x2D, byte == 0x20 || byte == 0x2D {
        slug.append(0x2D)
      }
    }
    while slug.last == 0x2D { slug.removeLast() }
    let digits = id.utf8.filter { ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x66) || (0x30...0x39).contains($0) }.prefix(8)
    let name = slug.isEmpty ? "content" : String(decoding: slug, as: UTF8.self)
    return name + "-" + String(decoding: digits, as: UTF8.self).uppercased()
  }
}
