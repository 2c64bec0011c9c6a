import ArchiveIO
import Content
import ContentPack
import ContentValidation
import Diagnostics
import Foundation
import Interchange
import ProjectConfiguration
import RecordSources
import Reports
import Synchronization

/// Builds a content pack: reads and checks the content, leaves out personal data, and writes a bag.
///
/// Content is checked against the schemas and the publish rules while it is packed. A single error stops the build.
///
/// ```swift
/// var build = PackBuild(sources: try SourceList(["vault/"]), configuration: configuration, target: Target("a.fleetpack"))
/// let outcome = try build.run(report: report, context: RunContext(now: now))
/// ```
public struct PackBuild: Sendable {
  /// The sources that are read.
  public var sources: SourceList
  /// The description of the pack, and its selection of items.
  public var configuration: PackConfiguration
  /// The target that is written.
  public var target: Target
  /// The file of the previous version; nil for a first version.
  public var previous: String?
  /// The selection of items to include; nil includes all.
  public var selection: Selection?
  /// The user's configurations for checking, by the root that was named.
  public var configurations: [String: Configuration] = [:]
  /// Paths that do not exist. They are reported like other findings.
  public var failures: [(path: String, failure: RunFailure)] = []
  /// The maximum number of findings shown; nil shows all.
  public var maxFindings: Int?
  /// Receives, at intervals, the bytes done, the total (nil if unknown) and the records done.
  public var onProgress: (@Sendable (Int, Int?, Int) -> Void)?

  /// Prepares a build.
  public init(sources: SourceList, configuration: PackConfiguration, target: Target) {
    self.sources = sources
    self.configuration = configuration
    self.target = target
  }

  /// The result of a build.
  public struct Outcome: Sendable {
    /// The findings about the content.
    public let validation: ValidationOutcome
    /// The outcomes of all records.
    public let tally: Tally
    /// The pack's description; nil if no pack was built.
    public let info: PackInfo?
    /// The size of the file in bytes; 0 if no file was written.
    public let bytes: Int
    /// The SHA-256 of the file; nil for a folder, and if no file was written.
    public let sha256: String?
    /// The data that was left out of items, and why.
    public let losses: LossLog
    /// The number of items that come from notes without an id. The ids of these items change if the vault is moved.
    public var placeBoundIDs = 0
    /// The differences from the previous version; nil if this is the first version, or if no pack was built.
    public var changes: PackChanges?
    /// The duration in seconds.
    public let seconds: Double
    /// The exit status.
    public var status: ExitStatus { validation.status }
  }

  /// Builds the pack. Nothing is visible under the target's name unless everything is correct.
  /// - Returns: An outcome with status 1 if the content is not fit to be published.
  /// - Throws: `RunFailure`: 4 if the target exists or is not a pack, or no item is included, 2 if a file cannot be
  ///   read or written, 64 if the version does not follow the previous one, or the target's name does not give the kind
  ///   of archive.
  public func run(report: any FindingReport, context: RunContext) throws -> Outcome {
    let started = Date()
    if target.isStandardOutput {
      throw RunFailure(
        .usage, "write a pack to standard output: its beginning is written last", advice: "Name a file or a folder.")
    }
    guard let kind = ArchiveKind.named(target.path) else {
      throw RunFailure(
        .usage, "build '\(target.path)': the name does not give the archive type",
        advice: "End the name in .fleetpack, .zip or .tar.gz, or in / for a folder.")
    }
    let info = try self.info()
    let format = try FormatRegistry.standard.format(.pack)
    guard let format = format as? ContentPackFormat else {
      throw RunFailure(.internalError, "the format of packs has an unexpected type", advice: "Please report this.")
    }
    let assembly = try PackAssembly(
      target, kind: kind, formats: format.members, isPublished: true)
    do {
      let collector = PackCollector(assembly, losses: context.losses)
      let outcome = try validation(collector, context).run(report: report)
      try assembly.settle()
      guard outcome.status == .success else {
        assembly.abort()
        return Outcome(
          validation: outcome, tally: collector.tally, info: nil, bytes: 0, sha256: nil, losses: context.losses,
          seconds: Date().timeIntervalSince(started))
      }
      let built = try finish(info, assembly, collector, context)
      var result = Outcome(
        validation: outcome, tally: collector.tally, info: built.info, bytes: built.bytes, sha256: built.sha256,
        losses: context.losses, seconds: Date().timeIntervalSince(started))
      let ids = context.noteIDs.placeBound
      result.placeBoundIDs = built.info.items.count { ids.contains($0.id) }
      result.changes = try previous.flatMap { try PackHead($0).info }.map { PackChanges(from: $0, to: built.info) }
      return result
    } catch {
      assembly.abort()
      throw error
    }
  }

  private func validation(_ collector: PackCollector, _ context: RunContext) -> ValidationRun {
    var options = ValidationOptions()
    options.profile = .publish
    // A folder's configuration cannot allow errors here, because an error stops the build of a pack.
    options.failOn = .from(.error)
    options.maxFindings = maxFindings
    var run = ValidationRun(sources: sources, options: options, configurations: configurations)
    run.failures = failures
    run.reading = context.reading
    run.reading.collectsIDs = true
    run.noteIDs = context.noteIDs
    run.onProgress = onProgress
    run.follower = collector
    var items = Selection()
    items.kinds = [.item]
    items.always = [.attachment]
    items.others = [configuration.selection, selection].compactMap(\.self)
    run.selection = items
    return run
  }

  private func finish(
    _ info: PackInfo, _ assembly: PackAssembly, _ collector: PackCollector, _ context: RunContext
  ) throws -> (info: PackInfo, bytes: Int, sha256: String?) {
    guard assembly.itemCount > 0 else {
      throw RunFailure(
        .refused, "build '\(target.path)': no items are selected; nothing was built",
        advice: "To list the content of the sources, run 'fleetkit list', which accepts the same selectors.")
    }
    try collector.addAttachments()
    guard collector.tally.balances else {
      throw RunFailure(
        .internalError, "the record counts do not add up; nothing was built", advice: "Please report this.")
    }
    let written = try assembly.prepare(info)
    try Interruption.check()
    if context.dryRun {
      assembly.abort()
      return (written, 0, nil)
    }
    let bytes = try assembly.finish()
    let hash = ArchiveKind.named(target.path) == .folder ? nil : try FileDigest.sha256(of: target.path)
    return (written, bytes, hash)
  }

  /// Creates the pack's description, as far as it is known before the pack's items are known.
  private func info() throws -> PackInfo {
    var info = PackInfo(profile: .content, name: configuration.name ?? PackName.of(path: target.path))
    info.version = configuration.version
    info.publisher = configuration.publisher
    info.licence = configuration.licence
    info.description = configuration.description
    info.languages = configuration.languages
    if let previous { info.previous = try PackHistory.behind(info, previous: previous) }
    return info
  }
}

/// Adds the validated records to a pack, and accounts for every record.
///
/// The reading thread only counts. Everything else happens on a single thread.
private final class PackCollector: ValidationObserver, @unchecked Sendable {
  private struct State {
    var tally = Tally()
    /// Attachments that wait until all items are known, each in a separate batch.
    var attachments: [Record] = []
  }

  private let assembly: PackAssembly
  private let losses: LossLog
  private let state = Mutex(State())

  init(_ assembly: PackAssembly, losses: LossLog) {
    self.assembly = assembly
    self.losses = losses
  }

  /// The outcomes of the records so far.
  var tally: Tally {
    state.withLock { state in
      var tally = state.tally
      for kind in tally.order {
        // Records that were not added were left out by the selection, or never belonged to the pack.
        let counted = tally[kind]
        let rest = counted.read - counted.created - counted.rejected - counted.skipped.values.reduce(0, +)
        guard rest > 0 else { continue }
        tally[kind].skipped[kind == .item ? .notSelected : .notContent, default: 0] += rest
      }
      return tally
    }
  }

  func read(_ batch: RecordBatch) {
    state.withLock { state in
      for slot in batch.slots { state.tally[slot.kind].read += 1 }
      for record in batch.rejected {
        state.tally[record.kind].read += 1
        state.tally[record.kind].rejected += 1
      }
    }
  }

  func receive(_ batch: RecordBatch, failed: Bool) throws -> [Diagnostic] {
    var findings: [Diagnostic] = []
    // The build has failed, so the rest is only checked.
    if failed || !batch.rejected.isEmpty { return [] }
    for (record, outcome) in zip(batch.records, try assembly.begin(items: batch, losses: losses)) {
      switch outcome {
      case .taken: state.withLock { $0.tally[.item].created += 1 }
      case .repeated:
        findings.append(
          Diagnostic(
            .duplicateRecord, "the pack already has an item \(record.id)", at: record.place(),
            record: "item \(record.id)", title: record.title))
      case .noItem: if record.kind == .attachment { stageAttachment(record) }
      }
    }
    return findings
  }

  private func stageAttachment(_ record: Record) {
    let own = RecordBatch(like: record.batch, capacity: 512)
    record.withLine { own.canonical.append($0.span) }
    own.appendSlot(.attachment, from: 0)
    state.withLock { $0.attachments.append(Record(batch: own, index: 0)) }
  }

  /// Adds the attachments that items of the pack use, with their bytes.
  fileprivate func addAttachments() throws {
    for record in state.withLock({ $0.attachments }) {
      let used = (try? record.document())?.root["item_ids"]?.elements.compactMap(\.string) ?? []
      if !used.contains(where: assembly.hasItem) {
        state.withLock { $0.tally[.attachment].skipped[.unusedAttachment, default: 0] += 1 }
      } else if try assembly.add(mediaOf: record) {
        try assembly.add(records: record.batch)
        state.withLock { $0.tally[.attachment].created += 1 }
      } else {
        state.withLock { $0.tally[.attachment].skipped[.missingBytes, default: 0] += 1 }
      }
    }
  }
}

/// The earlier versions of a pack.
private enum PackHistory {
  /// Returns the history of a new version: the previous version, followed by its own history.
  /// - Parameter previous: the file of the previous version.
  /// - Throws: `RunFailure`: 64 if the previous version is a different pack, or is not an older version; 2 if it cannot
  ///   be read.
  static func behind(_ info: PackInfo, previous: String) throws -> [PackPrevious] {
    let head = try PackHead(previous)
    guard let old = head.info else {
      throw RunFailure(
        .failed, "build on '\(previous)': it is a bag, but not a pack", advice: "Name the previous version's file.")
    }
    guard head.kind != .folder else {
      throw RunFailure(
        .usage, "build on '\(previous)': a folder has no checksum to record in the history",
        advice: "Name the file that was published.")
    }
    guard old.profile == .content, let version = old.version else {
      throw RunFailure(
        .usage, "build on '\(previous)': it is a \(old.profile.rawValue), not a published pack",
        advice: "Name the previous version's file.")
    }
    guard old.name.utf8.elementsEqual(info.name.utf8) else {
      throw RunFailure(
        .usage, "build on '\(previous)': it is the pack '\(old.name)', and this one is '\(info.name)'",
        advice: "Write name: \(old.name) in pack.yml, or, for a new pack, remove --previous.")
    }
    guard let new = info.version, version.precedes(new) else {
      throw RunFailure(
        .usage, "build on '\(previous)': version \(info.version?.text ?? "") does not follow version \(version)",
        advice: "Raise the version in pack.yml.")
    }
    return [PackPrevious(version: version, sha256: try FileDigest.sha256(of: previous))] + old.previous
  }
}

/// The number of items that differ from the previous version.
public struct PackChanges: Sendable, Equatable {
  /// The number of items that the previous version does not contain.
  public let added: Int
  /// The number of items in both versions, with different bytes.
  public let changed: Int
  /// The number of items that only the previous version contains.
  public let gone: Int

  /// Compares two indexes by the ids and checksums of their items.
  public init(from old: PackInfo, to new: PackInfo) {
    var before: [String: String] = [:]
    for item in old.items { before[item.id] = item.sha256 }
    var added = 0
    var changed = 0
    for item in new.items {
      guard let sha256 = before.removeValue(forKey: item.id) else {
        added += 1
        continue
      }
      if sha256 != item.sha256 { changed += 1 }
    }
    self.added = added
    self.changed = changed
    gone = before.count
  }
}
