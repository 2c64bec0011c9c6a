import ArchiveIO
import Backup
import Content
import ContentPack
import Diagnostics
import Foundation
import Interchange
import JSONSchema
import JSONText
import LibraryImporting
import RecordSources
import Validation

/// Proves that a pack, a backup or any other bag is what it was when it was made.
///
/// ```swift
/// let report = try PackVerification("nightly.fleetpack", level: .restore).run()
/// print(report.status == .success)
/// ```
/// What is done depends on the level: names, listings and sizes; every checksum; or a real restore into a temporary
/// place, where every record is compared.
public struct PackVerification: Sendable {
  /// The file or folder.
  public let path: String
  /// How much is proved.
  public var level: BackupLevel
  /// Called now and then with what is being done, and how much of it is done.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// Plans a verification.
  public init(_ path: String, level: BackupLevel = .content) {
    self.path = path
    self.level = level
  }

  /// What a bag turned out to be.
  public enum Kind: Sendable, Equatable {
    /// A bag that is no pack.
    case bag
    /// A pack of content, or a copy.
    case pack(PackProfile)
    /// A backup.
    case backup
  }

  /// What was found.
  public struct Report: Sendable {
    /// The file or folder.
    public var path: String
    /// How much was asked to be proved.
    public let level: BackupLevel
    /// What it is; nil when that could not be told.
    public internal(set) var kind: Kind?
    /// Payload files.
    public internal(set) var files = 0
    /// Their bytes.
    public internal(set) var bytes = 0
    /// What a backup says about itself.
    public internal(set) var backup: BackupInfo?
    /// What a pack of content says about itself.
    public internal(set) var pack: PackInfo?
    /// Records in the index of a backup, or in a pack; nil when nobody counted.
    public internal(set) var records: Int?
    /// Records that came back as they were; nil when nothing was restored.
    public internal(set) var compared: Int?
    /// Attachments whose bytes came back.
    public internal(set) var media = 0
    /// Whether decks and what else lay beside the library came back; nil when there was nothing, or nobody tried.
    public internal(set) var state: Bool?
    /// How many backups were put together; 0 when none was.
    public internal(set) var chain = 0
    /// The backup that this one needs and that is missing or another one; nil when none is.
    public internal(set) var culprit: String?
    /// What is wrong or remarkable.
    public let findings = DiagnosticLog()
    /// Why it could not be verified to the end; nil when it was.
    public internal(set) var failure: RunFailure?
    /// How long it took.
    public internal(set) var seconds = 0.0

    /// 0 sound, 5 something does not match, 2 unreadable, 6 newer than this FleetKit.
    public var status: ExitStatus {
      let found: ExitStatus = findings.worst == .error ? .mismatch : .success
      return failure.map { $0.status.combined(with: found) } ?? found
    }
  }

  /// Verifies. What is wrong with the bag is in the report.
  /// - Throws: `RunFailure` with status 130 when it was interrupted.
  public func run() throws -> Report { try run(nil) }

  /// - Parameter catalog: the folder of a backup, where many of it are verified.
  func run(_ catalog: BackupCatalog?) throws -> Report {
    let started = Date()
    var report = Report(path: path, level: level)
    do {
      try verify(&report, catalog)
    } catch let failure as RunFailure where failure.status != .interrupted {
      report.failure = failure
    } catch let missing as BackupContentCheck.MissingParent {
      (report.failure, report.culprit) = (missing.failure, missing.path)
    }
    report.seconds = Date().timeIntervalSince(started)
    return report
  }

  private func verify(_ report: inout Report, _ catalog: BackupCatalog?) throws {
    let progress = onProgress
    let check = try BagCheck(path, level: level == .structure ? .structure : .content).run { done, total in
      progress?("Checking checksums", done, total ?? 0)
    }
    try Interruption.check()
    report.files = check.files
    report.bytes = check.bytes
    for finding in check.findings { report.findings.report(finding) }
    guard check.isValid, let head = try head() else {
      if check.isValid { report.kind = .bag }
      return
    }
    switch try profile(of: head) {
    case .backup: try verifyBackup(head, &report, catalog)
    case .content: try verifyPack(.content, head, check.checksums, &report)
    case .copy: try verifyPack(.copy, head, check.checksums, &report)
    }
  }

  /// The text of `data/pack.json`; nil in a bag that has none.
  private func head() throws -> (text: [UInt8], name: String)? {
    let reader = try ArchiveReader(path)
    while let entry = try reader.next() {
      guard entry.path == PackInfo.path || entry.path.hasSuffix("/" + PackInfo.path) else { continue }
      return (try reader.bytes(limit: Self.largestHead), path + "/" + entry.path)
    }
    return nil
  }

  private static let largestHead = 64 << 20

  /// The profile that a head says. One that cannot be read is read as content, which says what is wrong with it.
  private func profile(of head: (text: [UInt8], name: String)) throws -> PackProfile {
    let root = head.text.withUnsafeBufferPointer { (try? JSONDocument(parsing: $0))?.root }
    return root?["profile"]?.string.flatMap(PackProfile.init(rawValue:)) ?? .content
  }

  // MARK: Backups

  private func verifyBackup(
    _ head: (text: [UInt8], name: String), _ report: inout Report, _ catalog: BackupCatalog?
  ) throws {
    report.kind = .backup
    let info = try head.text.withUnsafeBufferPointer { try BackupInfo(parsing: $0, file: head.name) }
    report.backup = info
    try checkSchema(head, report.findings)
    let check = BackupContentCheck(path, info: info, findings: report.findings, catalog: catalog)
    if level == .structure {
      report.chain = try check.checkParents(hashing: false) + 1
      return
    }
    report.records = try check.checkIndex()
    if level == .content {
      report.chain = try check.checkParents() + 1
      return
    }
    let folder = try TemporaryFolder()
    let progress = onProgress
    let snapshot: AssembledSnapshot
    do {
      snapshot = try SnapshotAssembly(path).assemble(into: folder.path, onProgress: onProgress)
    } catch let failure as RunFailure where failure.status != .interrupted {
      // Its own checksums hold: one of those that it needs may be the reason.
      _ = try check.checkParents()
      throw failure
    }
    report.chain = snapshot.chain.count
    let proof = try SnapshotProof.run(snapshot, backup: path, findings: report.findings) { done, total in
      progress?("Comparing records", done, total)
    }
    report.compared = proof.records
    report.media = proof.media
    report.state = proof.state
  }

  // MARK: Packs of content

  private func verifyPack(
    _ profile: PackProfile, _ head: (text: [UInt8], name: String), _ checksums: [String: String],
    _ report: inout Report
  ) throws {
    report.kind = .pack(profile)
    let info = try PackInfo(parsing: head.text, file: head.name)
    report.pack = info
    switch level {
    case .structure: try checkSchema(head, report.findings)
    case .content:
      try checkSchema(head, report.findings)
      for finding in info.findings(against: checksums, pack: path) { report.findings.report(finding) }
      report.records = info.items.count
    case .restore:
      report.records = try readPack(report.findings)
      try restorePack(&report)
    }
  }

  /// Reads every record. The reader holds the head against its schema, and every file and record against the index.
  private func readPack(_ findings: DiagnosticLog) throws -> Int {
    var reading = ReadingOptions()
    reading.goesOn = true
    var records = 0
    let rejected = try RecordScan(sources: SourceList([path]))
      .run(context: RunContext(findings: findings, reading: reading, now: RunContext.beginning)) { _ in records += 1 }
    if rejected > 0 {
      findings.report(
        Diagnostic(
          .packInfo, "\(Plural.count(rejected, "record")) of it cannot be read", at: Place(file: path),
          fix: "'fleetkit validate' says what is wrong with each"))
    }
    return records
  }

  /// Imports the pack into a new library and compares what that says.
  private func restorePack(_ report: inout Report) throws {
    let folder = try TemporaryFolder()
    let library = folder.path + "/library.sqlite"
    var job = LibraryImport(sources: try SourceList([path]), library: library)
    job.createsLibrary = true
    job.restoresPublishing = true
    let progress = onProgress
    job.onProgress = { done, total, _ in progress?("Importing", done, total ?? 0) }
    let quiet = DiagnosticLog(keepPerCode: 0)
    _ = try job.run(context: RunContext(findings: quiet, now: RunContext.beginning))
    var comparison = Comparison(left: try SourceList([path]), right: try SourceList([library]))
    comparison.contentOnly = true
    var selection = Selection()
    selection.types = ["item", "charter", "execution"]
    comparison.selection = selection
    let difference = try comparison.run(context: RunContext(findings: quiet, now: RunContext.beginning))
    report.compared = difference.counts.equal
    for (records, code) in [
      (difference.onlyLeft, DiagnosticCode.recordNotRestored), (difference.onlyRight, .recordNotInIndex),
      (difference.changed, .recordRestoredDifferently),
    ] {
      for record in records {
        report.findings.report(
          Diagnostic(
            code, "a library does not hold it as the pack does", at: Place(file: path),
            record: "\(record.kind.name) \(record.id)", title: record.title))
      }
    }
  }

  private func checkSchema(_ head: (text: [UInt8], name: String), _ findings: DiagnosticLog) throws {
    do {
      var run = SchemaRun(try FleetKitSchemas().schema(named: "pack"))
      try head.text.withUnsafeBufferPointer { text in
        var tape = JSONTape(capacity: 256)
        guard let start = text.baseAddress else { return }
        let parse = try tape.parse(text)
        for violation in run.violations(JSONNode(text: start, tokens: tape.tokens, index: parse.root)) {
          let place = Place(file: path + "/" + PackInfo.path, pointer: violation.pointer.description)
          findings.report(Diagnostic(.packInfo, violation.message, at: place, fix: violation.fix))
        }
      }
    } catch let error as SchemaError {
      throw RunFailure(.internalError, "the schema of packs cannot be used: \(error)", advice: "Please report this.")
    } catch let error as JSONError {
      throw RunFailure(.mismatch, "read '\(head.name)': \(error.message)")
    }
  }
}

extension RunContext {
  /// The time that stands for no time at all, where a result must not depend on when it was made.
  fileprivate static let beginning = Timestamp(milliseconds: 0)
}
