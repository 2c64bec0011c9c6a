import Content
import Foundation
import Interchange
import JSONText
import RecordSources

/// The proof of one conversion: what may be proved, how its target is written, and what it says when it fails.
package final class ConversionProof {
  private let sources: SourceList
  private let target: Target
  private let format: any Format
  private let context: RunContext
  private let losses: KeptLosses
  /// What the proof came to; nil until it has held.
  package private(set) var summary: ProofSummary?

  /// Prepares to prove.
  /// - Throws: `RunFailure` with status 64 when a side cannot be read twice.
  package init(_ sources: SourceList, target: Target, format: any Format, context: RunContext) throws {
    func refuse(_ why: String, _ advice: String) -> RunFailure {
      RunFailure(.usage, "prove what is written to '\(target.path)': \(why)", advice: advice)
    }
    if target.isStandardOutput {
      throw refuse("standard output cannot be read back", "Name a file with --to.")
    }
    if sources.entries.contains(where: \.source.isStandardInput) {
      throw refuse("standard input cannot be read again", "Save it to a file first.")
    }
    if context.dryRun { throw refuse("--dry-run writes nothing", "Leave out one of the two.") }
    if !format.descriptor.reads {
      throw refuse("the format '\(format.descriptor.name)' cannot be read", "Choose another one.")
    }
    self.sources = sources
    self.target = target
    self.format = format
    self.context = context
    losses = try KeptLosses(of: context.losses)
  }

  /// Begins the target.
  package func writer() throws -> any ContentWriter {
    let keepsOthers = ProofStaging.isFilledFolder(target.path)
    return try ProvingWriter(target, format: format, context: context, losses: losses) { [self] path in
      try prove(path, keepsOthers: keepsOthers)
    }
  }

  private func prove(_ path: String, keepsOthers: Bool) throws {
    var proof = Proof(source: sources, target: try SourceList([path], format: format.descriptor.id))
    proof.selection = target.selection
    proof.allowsOthers = keepsOthers
    proof.naming = (path, target.path)
    let result = try proof.run(losses: losses, context: context)
    guard result.summary.holds else {
      let count = result.summary.differences
      let what = "\(Plural.count(count, "difference")) that nothing explains"
      throw ProofFailure(
        summary: result.summary, differences: result.differences,
        failure: RunFailure(
          .mismatch,
          keepsOthers
            ? "prove '\(target.path)': \(what); the folder was written to"
            : "prove '\(target.path)': \(what); nothing was written",
          advice: keepsOthers
            ? "Look at the places above, and take the folder from a backup or from version control."
            : "Please report this with the places above."))
    }
    summary = result.summary
  }
}

/// Writes a target and proves it before anybody sees it.
///
/// A new target is written into a hidden folder beside it, under its own name, and gets its place when the proof has
/// held. A vault that is there already is brought up to date in place: nothing else can show what it says afterwards,
/// so there the proof comes last.
private final class ProvingWriter: ContentWriter {
  private let target: Target
  private let isInPlace: Bool
  private let staging: ProofStaging?
  private let inner: any ContentWriter
  private let context: RunContext
  private let losses: KeptLosses
  private let prove: (String) throws -> Void
  private var size = 0

  /// Begins a target.
  /// - Parameter prove: proves what stands under a path.
  /// - Throws: `RunFailure` as the format's writer throws.
  init(
    _ target: Target, format: any Format, context: RunContext, losses: KeptLosses,
    prove: @escaping (String) throws -> Void
  ) throws {
    self.target = target
    self.context = context
    self.prove = prove
    self.losses = losses
    isInPlace = ProofStaging.isFilledFolder(target.path)
    if isInPlace {
      staging = nil
      inner = try format.writer(to: target, context: context)
      return
    }
    // The format decides whether the target may be written; what it refuses is refused before anything is read.
    try format.writer(to: target, context: context).abort()
    let staging = try ProofStaging(target)
    self.staging = staging
    inner = try staging.naming { try format.writer(to: staging.target, context: context) }
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    watch(rejects)
    try naming { try inner.write(batch, tally: &tally, rejects: rejects) }
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    watch(rejects)
    try naming { try inner.prepare(tally: &tally, rejects: rejects) }
    guard let staging, !context.noLoss || context.losses.total == 0 else { return }
    size = try naming { try inner.finish() }
    try prove(staging.target.path)
  }

  private func naming<Result>(_ body: () throws -> Result) throws -> Result {
    try staging?.naming(body) ?? body()
  }

  private func watch(_ rejects: RejectsWriter) {
    guard rejects.observer == nil else { return }
    rejects.observer = { [losses] record in
      if !record.id.isEmpty { losses.addRejected(record.kind, record.id) }
    }
  }

  func finish() throws -> Int {
    guard let staging else {
      size = try inner.finish()
      try prove(target.path)
      return size
    }
    try staging.publish()
    return size
  }

  func abort() {
    inner.abort()
    staging?.discard()
  }

  var noteCount: Int? { inner.noteCount }
}

/// A hidden folder beside a target, in which the target is complete under its own name before it gets its place.
private final class ProofStaging {
  /// Where the target is written.
  let target: Target
  private let final: Target
  private let folder: TemporaryFolder

  /// Makes the folder.
  /// - Throws: `RunFailure` with status 2 when the folder around it cannot be written.
  init(_ target: Target) throws {
    final = target
    let path = Self.trimmed(target.path)
    let name = URL(fileURLWithPath: path).lastPathComponent
    folder = try TemporaryFolder(beside: path, ending: ".proof")
    self.target = target.staged(at: "\(folder.path)/\(name)\(target.isFolder ? "/" : "")")
  }

  /// Gives the target its place.
  /// - Throws: `RunFailure` with status 2, or 4 when something of that name appeared meanwhile.
  func publish() throws {
    defer { discard() }
    let path = Self.trimmed(final.path)
    let staged = Self.trimmed(target.path)
    if final.isFolder {
      // An empty folder is replaced; one with something in it is not.
      guard rename(staged, path) == 0 else {
        throw RunFailure(.refused, "write '\(final.path)': \(SystemError.last)")
      }
      return
    }
    let file = try AtomicFile(final)
    guard rename(staged, file.temporary) == 0 else {
      throw RunFailure(.failed, "name '\(final.path)': \(SystemError.last)")
    }
    try file.publish()
  }

  /// Runs `body`; what it says of the target when it fails is said of the name that the target would have had.
  func naming<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as RunFailure where failure.finding == nil {
      let (staged, path) = (Self.stem(target.path), Self.stem(final.path))
      throw RunFailure(
        failure.status, Self.replacing(staged, with: path, in: failure.message),
        advice: failure.advice.map { Self.replacing(staged, with: path, in: $0) })
    }
  }

  /// A path without slash and ending: advice may name a folder instead of a file.
  private static func stem(_ path: String) -> String { (trimmed(path) as NSString).deletingPathExtension }

  /// By bytes: paths are what the disk has.
  private static func replacing(_ old: String, with new: String, in text: String) -> String {
    let old = Array(old.utf8)
    var out: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      if rest.starts(with: old) {
        out += Array(new.utf8)
        rest = rest.dropFirst(old.count)
      } else {
        out.append(rest.removeFirst())
      }
    }
    return String(decoding: out, as: UTF8.self)
  }

  /// Removes everything that was not given its place.
  func discard() { folder.remove() }

  /// Whether there is a folder of that name with something in it.
  static func isFilledFolder(_ path: String) -> Bool {
    (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty == false
  }

  private static func trimmed(_ path: String) -> String {
    var bytes = Array(path.utf8)
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}
