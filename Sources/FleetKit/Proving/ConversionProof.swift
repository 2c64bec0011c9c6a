import FleetKitCore
import Interchange

/// The proof of one conversion: what may be proved, how its target is written, and what it says when it fails.
final class ConversionProof {
  private let conversion: Conversion
  private let target: Target
  private let format: any Format
  private let context: RunContext
  private let losses: KeptLosses
  /// What the proof came to; nil until it has held.
  private(set) var summary: ProofSummary?

  /// Prepares to prove.
  /// - Throws: `RunFailure` with status 64 when a side cannot be read twice.
  init(_ conversion: Conversion, target: Target, format: any Format, context: RunContext) throws {
    func refuse(_ why: String, _ advice: String) -> RunFailure {
      RunFailure(.usage, "prove what is written to '\(conversion.target.path)': \(why)", advice: advice)
    }
    if conversion.target.isStandardOutput {
      throw refuse("standard output cannot be read back", "Name a file with --to.")
    }
    if conversion.sources.entries.contains(where: \.source.isStandardInput) {
      throw refuse("standard input cannot be read again", "Save it to a file first.")
    }
    if context.dryRun { throw refuse("--dry-run writes nothing", "Leave out one of the two.") }
    if !format.descriptor.reads {
      throw refuse("the format '\(format.descriptor.name)' cannot be read", "Choose another one.")
    }
    self.conversion = conversion
    self.target = target
    self.format = format
    self.context = context
    losses = try KeptLosses(of: context.losses)
  }

  /// Begins the target.
  func writer() throws -> any ContentWriter {
    let keepsOthers = ProofStaging.isFilledFolder(conversion.target.path)
    return try ProvingWriter(target, format: format, context: context, losses: losses) { [self] path in
      try prove(path, keepsOthers: keepsOthers)
    }
  }

  private func prove(_ path: String, keepsOthers: Bool) throws {
    var proof = Proof(source: conversion.sources, target: try SourceList([path], format: format.descriptor.name))
    proof.selection = conversion.selection
    proof.allowsOthers = keepsOthers
    proof.naming = (path, conversion.target.path)
    let result = try proof.run(losses: losses, context: context)
    guard result.summary.holds else {
      let count = result.summary.differences
      let what = "\(count) difference\(count == 1 ? "" : "s") that nothing explains"
      throw ProofFailure(
        summary: result.summary, differences: result.differences,
        failure: RunFailure(
          .mismatch,
          keepsOthers
            ? "prove '\(conversion.target.path)': \(what); the folder was written to"
            : "prove '\(conversion.target.path)': \(what); nothing was written",
          advice: keepsOthers
            ? "Look at the places above, and take the folder from a backup or from version control."
            : "Please report this with the places above."))
    }
    summary = result.summary
  }
}
