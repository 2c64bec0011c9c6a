import Content
import Foundation
import Interchange
import JSONText
import RecordSources

/// The proof of one conversion. It determines what can be proved and how the target is written, and contains the
/// messages of a failed proof.
package final class ConversionProof {
  private let sources: SourceList
  private let target: Target
  private let format: any Format
  private let context: RunContext
  private let losses: LossArchive
  /// The result of the proof; nil until it has succeeded.
  package private(set) var summary: ProofSummary?

  /// Prepares the proof.
  /// - Throws: `RunFailure` with status 64 if a side cannot be read twice.
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
    if context.dryRun { throw refuse("--dry-run writes nothing", "Remove one of the two options.") }
    if !format.descriptor.reads {
      throw refuse("the format '\(format.descriptor.name)' cannot be read", "Choose another format.")
    }
    self.sources = sources
    self.target = target
    self.format = format
    self.context = context
    losses = try LossArchive(of: context.losses)
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
      let what = "\(Plural.count(count, "difference")) without an explanation"
      throw ProofFailure(
        summary: result.summary, differences: result.differences,
        failure: RunFailure(
          .mismatch,
          keepsOthers
            ? "prove '\(target.path)': \(what); the folder has already been changed"
            : "prove '\(target.path)': \(what); nothing was written",
          advice: keepsOthers
            ? "Check the places above, and restore the folder from a backup or from version control."
            : "Please report this problem with the places listed above."))
    }
    summary = result.summary
  }
}

/// Writes a target and proves it before it is visible.
///
/// A new target is written under its own name into a hidden folder next to its final path. It is moved to that path
/// when the proof has succeeded. An existing vault is updated in place. Its new content can only be read back after the
/// update, so the proof of a vault comes last.
private final class ProvingWriter: ContentWriter {
  private let target: Target
  private let isInPlace: Bool
  private let staging: ProofStaging?
  private let inner: any ContentWriter
  private let context: RunContext
  private let losses: LossArchive
  private let prove: (String) throws -> Void
  private var size = 0

  /// Begins a target.
  /// - Parameter prove: proves the content of a path.
  /// - Throws: the errors of the format's writer.
  init(
    _ target: Target, format: any Format, context: RunContext, losses: LossArchive,
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
    // The format decides whether the target may be written. A refusal must come before any source is read.
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

/// A hidden folder next to a target. The target is completed there under its own name and then moved to its final path.
private final class ProofStaging {
  /// The target that is written in the hidden folder.
  let target: Target
  private let final: Target
  private let folder: TemporaryFolder

  /// Makes the folder.
  /// - Throws: `RunFailure` with status 2 if the containing folder cannot be written.
  init(_ target: Target) throws {
    final = target
    let path = Self.trimmed(target.path)
    let name = URL(fileURLWithPath: path).lastPathComponent
    folder = try TemporaryFolder(beside: path, ending: ".proof")
    self.target = target.staged(at: "\(folder.path)/\(name)\(target.isFolder ? "/" : "")")
  }

  /// Moves the target to its final path.
  /// - Throws: `RunFailure` with status 2, or 4 if a file with that name was created meanwhile.
  func publish() throws {
    defer { discard() }
    let path = Self.trimmed(final.path)
    let staged = Self.trimmed(target.path)
    if final.isFolder {
      // An empty folder is replaced; a folder with content is not.
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

  /// Runs `body`. If it fails, the message names the target's final path instead of the staged path.
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

  /// Returns a path without its slash and extension, because advice may name a folder instead of a file.
  private static func stem(_ path: String) -> String { (trimmed(path) as NSString).deletingPathExtension }

  /// Replaces a path by comparing bytes, because paths are bytes on disk.
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

  /// Removes everything that was not moved to its final path.
  func discard() { folder.remove() }

  /// Whether a folder exists at a path and is not empty.
  fileprivate static func isFilledFolder(_ path: String) -> Bool {
    (try? FileManager.default.contentsOfDirectory(atPath: path))?.isEmpty == false
  }

  private static func trimmed(_ path: String) -> String {
    var bytes = Array(path.utf8)
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }
}
