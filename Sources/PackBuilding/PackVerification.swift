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

/// Verifies that a pack, a backup or any other bag is unchanged since it was made.
///
/// ```swift
/// let report = try PackVerification("nightly.fleetpack", level: .restore).run()
/// print(report.status == .success)
/// ```
/// The level determines what is verified: names, listings and sizes; every checksum; or an actual restore into a
/// temporary folder, where every record is compared.
public struct PackVerification: Sendable {
  /// The file or folder.
  public let path: String
  /// The level of the verification.
  public var level: BackupLevel
  /// Receives, at intervals, the current step, the amount done and the total.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// Prepares a verification.
  public init(_ path: String, level: BackupLevel = .content) {
    self.path = path
    self.level = level
  }

  /// The kind of a bag.
  public enum Kind: Sendable, Equatable {
    /// A bag that is not a pack.
    case bag
    /// A content pack, or a copy.
    case pack(PackProfile)
    /// A backup.
    case backup
  }

  /// The result of the verification.
  public struct Report: Sendable {
    /// The file or folder.
    public var path: String
    /// The requested level.
    public let level: BackupLevel
    /// The kind of bag; nil if it could not be determined.
    public internal(set) var kind: Kind?
    /// The number of payload files.
    public internal(set) var files = 0
    /// The size of the payload files in bytes.
    public internal(set) var bytes = 0
    /// The description of a backup.
    public internal(set) var backup: BackupInfo?
    /// The description of a content pack.
    public internal(set) var pack: PackInfo?
    /// The number of records in the index of a backup, or in a pack; nil if they were not counted.
    public internal(set) var records: Int?
    /// The number of records that were restored unchanged; nil if nothing was restored.
    public internal(set) var compared: Int?
    /// The number of attachments with restored bytes.
    public internal(set) var media = 0
    /// Whether decks and the rest of the sidecar were restored; nil if there were none, or if no restore was attempted.
    public internal(set) var state: Bool?
    /// The number of backups that were assembled; 0 if none was.
    public internal(set) var chain = 0
    /// The backup that this one needs and that is missing or replaced by a different one; nil if there is no such
    /// backup.
    public internal(set) var culprit: String?
    /// Problems and remarks.
    public let findings = DiagnosticLog()
    /// The reason why the verification did not finish; nil if it finished.
    public internal(set) var failure: RunFailure?
    /// The duration in seconds.
    public internal(set) var seconds = 0.0

    /// The status: 0 if the bag is sound, 5 if a part of it does not match, 2 if it is unreadable, 6 if it is newer
    /// than this version of FleetKit.
    public var status: ExitStatus {
      let found: ExitStatus = findings.worst == .error ? .mismatch : .success
      return failure.map { $0.status.combined(with: found) } ?? found
    }
  }

  /// Verifies the bag. Problems with the bag are in the report.
  /// - Throws: `RunFailure` with status 130 if the verification was interrupted.
  public func run() throws -> Report { try run(nil) }

  /// - Parameter catalog: the catalog of the backup's folder, if several backups in the folder are verified.
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

  /// Returns the content of `data/pack.json`; nil for a bag without this file.
  private func head() throws -> (text: [UInt8], name: String)? {
    let reader = try ArchiveReader(path)
    while let entry = try reader.next() {
      guard entry.path == PackInfo.path || entry.path.hasSuffix("/" + PackInfo.path) else { continue }
      return (try reader.bytes(limit: Self.largestHead), path + "/" + entry.path)
    }
    return nil
  }

  private static let largestHead = 64 << 20

  /// Returns the profile in a head. A profile that cannot be read counts as content, because reading the pack as
  /// content reports what is wrong.
  private func profile(of head: (text: [UInt8], name: String)) throws -> PackProfile {
    let root = (try? JSONDocument(parsing: head.text.span))?.root
    return root?["profile"]?.string.flatMap(PackProfile.init(rawValue:)) ?? .content
  }

  // MARK: Backups

  private func verifyBackup(
    _ head: (text: [UInt8], name: String), _ report: inout Report, _ catalog: BackupCatalog?
  ) throws {
    report.kind = .backup
    let info = try BackupInfo(parsing: head.text.span, file: head.name)
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
      // The backup's own checksums match, so one of the backups that it needs may be the cause.
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

  /// Reads every record. The reader checks the head against its schema, and every file and record against the index.
  private func readPack(_ findings: DiagnosticLog) throws -> Int {
    var reading = ReadingOptions()
    reading.goesOn = true
    var records = 0
    let rejected = try RecordScan(sources: SourceList([path]))
      .run(context: RunContext(findings: findings, reading: reading, now: RunContext.beginning)) { _ in records += 1 }
    if rejected > 0 {
      findings.report(
        Diagnostic(
          .packInfo, "\(Plural.count(rejected, "record")) of the pack cannot be read", at: Place(file: path),
          fix: "run 'fleetkit validate' to see what is wrong with each"))
    }
    return records
  }

  /// Imports the pack into a new library and compares the library's records with the pack.
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
            code, "after an import, the library's version of it differs from the pack's", at: Place(file: path),
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
        let parse = try tape.parse(text.span)
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
  /// A fixed time for results that must not depend on when they were made.
  fileprivate static let beginning = Timestamp(milliseconds: 0)
}
