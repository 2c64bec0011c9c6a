import FleetKitCore
import Foundation
import Interchange

/// Writes a target and proves it before anybody sees it.
///
/// A new target is written into a hidden folder beside it, under its own name, and gets its place when the proof has
/// held. A vault that is there already is brought up to date in place: nothing else can show what it says afterwards,
/// so there the proof comes last.
final class ProvingWriter: ContentWriter {
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
