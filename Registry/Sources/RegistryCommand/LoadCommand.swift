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

/// A line with the result of its check.
private struct CheckedLine: Sendable {
  let line: Int64
  let text: [UInt8]
  /// The checked request; nil if the line was refused, or contains another kind of record.
  var entry: BulkLoader.Entry?
  var findings: [String] = []
  /// Whether the record is of a kind that a registry does not publish.
  var isOther = false
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
    let session = LoadSession(loader, RejectedLines(rejectsPath))
    let checks = try (0..<max(1, ProcessInfo.processInfo.activeProcessorCount)).map { _ in try CheckBox() }
    // One batch is checked while the previous one is written.
    var writing: (lines: [CheckedLine], outcomes: Task<[BulkLoader.Outcome], any Error>)?
    while true {
      let batch = try readBatch()
      let lines = batch.isEmpty ? [] : Self.check(batch, checks, at: clock.now())
      if let running = writing {
        do { count(running.lines, try await running.outcomes.value, &counts) } catch { throw Self.failure(error) }
      }
      if batch.isEmpty { break }
      let next = reader.line
      writing = (lines, Task { try await session.load(lines, nextLine: next, at: clock.now()) })
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

  private func readBatch() throws -> [(line: Int64, text: [UInt8])] {
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
      // The same item always gets the same public id, so that it is not published twice.
      let digits = (record["id"]?.string ?? Digest.hex(Digest.sha256(text.span))).prefix(PublicSlug.digits)
      let slug = PublicSlug.make(
        title, language: record["language"]?.string ?? "en", digits: digits.uppercased())
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

  /// Counts the lines of a batch, and writes the reasons for those that were refused.
  private func count(_ lines: [CheckedLine], _ outcomes: [BulkLoader.Outcome], _ counts: inout LoadCounts) {
    var next = outcomes.makeIterator()
    for line in lines {
      if line.isOther {
        counts.others += line.line == 1 ? 0 : 1
        continue
      }
      let outcome = line.entry == nil ? nil : next.next()
      switch outcome {
      case .published: counts.published += 1
      case .unchanged: counts.unchanged += 1
      case .refused, nil:
        counts.refused += 1
        for finding in outcome.map({ [Self.reason($0, line)] }) ?? line.findings {
          StandardError.write("\(path):\(line.line): \(finding)")
        }
      }
    }
  }

  private static func reason(_ outcome: BulkLoader.Outcome, _ line: CheckedLine) -> String {
    switch outcome {
    case .refused(.publicIDTaken): "/public_id: the public id '\(line.entry?.request.publicID ?? "")' is taken"
    case .refused(.forkingForbidden): "/forked_from_id: the original's author does not allow copies"
    default: "\(outcome)"
    }
  }
}

/// Writes batches one after the other, away from the checks.
private actor LoadSession {
  private let loader: BulkLoader
  private let rejects: RejectedLines

  init(_ loader: sending BulkLoader, _ rejects: sending RejectedLines) {
    self.loader = loader
    self.rejects = rejects
  }

  /// Publishes the lines that passed their checks, and returns an outcome for each of them. The other lines, and those
  /// that the database refuses, are on disk among the rejects before the batch counts as loaded.
  func load(_ lines: [CheckedLine], nextLine: Int64, at now: Timestamp) throws -> [BulkLoader.Outcome] {
    defer { rejects.endBatch() }
    return try loader.load(lines.compactMap(\.entry), nextLine: nextLine, at: now) { outcomes in
      var next = outcomes.makeIterator()
      try rejects.write(
        lines.filter { line in
          if line.entry == nil { return !line.isOther }
          if case .refused = next.next() { return true }
          return false
        }.map(\.text))
    }
  }
}
