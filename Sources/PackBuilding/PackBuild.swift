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

/// Builds a content pack: reads, checks, leaves out what is personal, writes a bag.
///
/// Content is checked while it is packed, by the schemas and the rules of publishing; one error, and nothing is built.
///
/// ```swift
/// var build = PackBuild(sources: try SourceList(["vault/"]), configuration: configuration, target: Target("a.fleetpack"))
/// let outcome = try build.run(report: report, context: RunContext(now: now))
/// ```
public struct PackBuild: Sendable {
  /// What is read.
  public var sources: SourceList
  /// What the pack says about itself, and which items go in.
  public var configuration: PackConfiguration
  /// What is written.
  public var target: Target
  /// The file of the version before; nil for a first one.
  public var previous: String?
  /// Which of those items go in; nil takes all.
  public var selection: Selection?
  /// What the user configured about checking, by the root that was named.
  public var configurations: [String: Configuration] = [:]
  /// Paths that lead nowhere; findings like others.
  public var failures: [(path: String, failure: RunFailure)] = []
  /// How many findings are shown; nil shows all.
  public var maxFindings: Int?
  /// Called now and then with bytes done, bytes in all (nil when unknown) and records done.
  public var onProgress: (@Sendable (Int, Int?, Int) -> Void)?

  /// Plans a pack.
  public init(sources: SourceList, configuration: PackConfiguration, target: Target) {
    self.sources = sources
    self.configuration = configuration
    self.target = target
  }

  /// What a build came to.
  public struct Outcome: Sendable {
    /// What was found in the content.
    public let validation: ValidationOutcome
    /// What became of every record.
    public let tally: Tally
    /// What the pack says about itself; nil when it was not built.
    public let info: PackInfo?
    /// How many bytes the file has; 0 when none was written.
    public let bytes: Int
    /// SHA-256 of the file; nil for a folder, and when none was written.
    public let sha256: String?
    /// What was left out of items, and why.
    public let losses: LossLog
    /// How many items come from notes that say no id, so that they are others when the vault lies elsewhere.
    public var placeBoundIDs = 0
    /// What is otherwise than in the version before; nil without one, and when nothing was built.
    public var changes: PackChanges?
    /// How long it took.
    public let seconds: Double
    /// How the process should end.
    public var status: ExitStatus { validation.status }
  }

  /// Builds it. Nothing is visible under the target's name unless everything is right.
  /// - Returns: with status 1 when the content is not fit to be published.
  /// - Throws: `RunFailure`: 4 when the target is there, is no pack, or nothing goes in, 2 when something cannot be read or written,
  ///   64 when the version does not follow the one before, or the target's name does not say how it is packed.
  public func run(report: any FindingReport, context: RunContext) throws -> Outcome {
    let started = Date()
    if target.isStandardOutput {
      throw RunFailure(
        .usage, "write a pack to standard output: its beginning is known last", advice: "Name a file or a folder.")
    }
    guard let kind = ArchiveKind.named(target.path) else {
      throw RunFailure(
        .usage, "build '\(target.path)': the name does not say how it is packed",
        advice: "End it in .fleetpack, .zip or .tar.gz, or in / for a folder.")
    }
    let info = try self.info()
    let format = try FormatRegistry.standard.format(.pack)
    guard let format = format as? ContentPackFormat else {
      throw RunFailure(.internalError, "the format of packs is another one", advice: "Please report this.")
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
    // What a folder's configuration lets pass is not for it to say here: an error stops a pack.
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
        .refused, "build '\(target.path)': no item is to go in; nothing was built",
        advice: "'fleetkit list' shows what the sources hold, also with the same selectors.")
    }
    try collector.addAttachments()
    guard collector.tally.balances else {
      throw RunFailure(
        .internalError, "the records do not add up; nothing was built", advice: "Please report this.")
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

  /// What the pack says about itself, as far as it is known before its items are.
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

/// Takes what a validation lets pass into a pack, and accounts for every record.
///
/// The reading thread only counts; everything else is one thread's.
private final class PackCollector: ValidationFollower, @unchecked Sendable {
  private struct State {
    var tally = Tally()
    /// Attachments that wait until all items are known, each in a batch of its own.
    var attachments: [Record] = []
  }

  private let assembly: PackAssembly
  private let losses: LossLog
  private let state = Mutex(State())

  init(_ assembly: PackAssembly, losses: LossLog) {
    self.assembly = assembly
    self.losses = losses
  }

  /// What became of the records so far.
  var tally: Tally {
    state.withLock { state in
      var tally = state.tally
      for kind in tally.order {
        // What nobody took was left out by the selection, or was never meant.
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

  func take(_ batch: RecordBatch, failed: Bool) throws -> [Diagnostic] {
    var findings: [Diagnostic] = []
    // Nothing is built any more; the rest is only checked.
    if failed || !batch.rejected.isEmpty { return [] }
    for (record, outcome) in zip(batch.records, try assembly.begin(items: batch, losses: losses)) {
      switch outcome {
      case .taken: state.withLock { $0.tally[.item].created += 1 }
      case .repeated:
        findings.append(
          Diagnostic(
            .duplicateRecord, "the pack has an item \(record.id) already", at: record.place(),
            record: "item \(record.id)", title: record.title))
      case .noItem: if record.kind == .attachment { keep(record) }
      }
    }
    return findings
  }

  private func keep(_ record: Record) {
    let own = RecordBatch(like: record.batch, capacity: 512)
    record.withLine { own.canonical.append($0) }
    own.appendSlot(.attachment, from: 0)
    state.withLock { $0.attachments.append(Record(batch: own, index: 0)) }
  }

  /// Adds the attachments that items of the pack use, with their bytes.
  func addAttachments() throws {
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

/// The versions that came before a pack.
private enum PackHistory {
  /// The history of a new version: that of the one before, and the one before itself.
  /// - Parameter previous: its file.
  /// - Throws: `RunFailure`: 64 when it is another pack, or no older one; 2 when it cannot be read.
  static func behind(_ info: PackInfo, previous: String) throws -> [PackPrevious] {
    let head = try PackHead(previous)
    guard let old = head.info else {
      throw RunFailure(
        .failed, "build on '\(previous)': it is a bag, and no pack", advice: "Name the file of the version before.")
    }
    guard head.kind != .folder else {
      throw RunFailure(
        .usage, "build on '\(previous)': a folder has no checksum that a history could name",
        advice: "Name the file that was published.")
    }
    guard old.profile == .content, let version = old.version else {
      throw RunFailure(
        .usage, "build on '\(previous)': it is a \(old.profile.rawValue) and no published pack",
        advice: "Name the file of the version before.")
    }
    guard old.name.utf8.elementsEqual(info.name.utf8) else {
      throw RunFailure(
        .usage, "build on '\(previous)': that is the pack '\(old.name)', and this one is '\(info.name)'",
        advice: "Say name: \(old.name) in pack.yml, or leave --previous out for a new pack.")
    }
    guard let new = info.version, version.precedes(new) else {
      throw RunFailure(
        .usage, "build on '\(previous)': version \(info.version?.text ?? "") does not follow version \(version)",
        advice: "Raise the version in pack.yml.")
    }
    return [PackPrevious(version: version, sha256: try FileDigest.sha256(of: previous))] + old.previous
  }
}

/// How many items of a pack are otherwise than in the version before.
public struct PackChanges: Sendable, Equatable {
  /// Items that the version before does not have.
  public let added: Int
  /// Items that both have, in files of other bytes.
  public let changed: Int
  /// Items that only the version before has.
  public let gone: Int

  /// Compares two indexes by the ids and the checksums that they say.
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
