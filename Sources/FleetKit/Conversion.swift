import FleetKitCore
import Foundation
import Proving

/// A faithful copy of sources into a new file of any format.
///
/// ```swift
/// let sources = try SourceList(["anyfleet.sqlite"])
/// let summary = try Conversion(sources: sources, target: Target("backup.jsonl")).run(context: RunContext(now: now))
/// ```
public struct Conversion: Sendable {
  /// What is read.
  public var sources: SourceList
  /// What is written.
  public var target: Target
  /// The target's format; nil to take it from its name.
  public var targetFormat: FormatID?
  /// Which records are taken; nil takes all.
  public var selection: Selection?
  /// Whether the target is read back and compared with the sources before it gets its name.
  public var proves = false
  /// Called now and then with bytes done, bytes in all (nil when unknown) and records done.
  public var onProgress: (@Sendable (Int, Int?, Int) -> Void)?

  /// Plans a conversion.
  public init(sources: SourceList, target: Target) {
    self.sources = sources
    self.target = target
  }

  /// Runs it. Nothing is visible under the target's name unless it succeeds.
  /// - Returns: what became of every record.
  /// - Throws: `RunFailure`; `ProofFailure` when what was written does not say what the sources say.
  public func run(context: RunContext, registry: FormatRegistry = .standard) throws -> RunSummary {
    var target = target
    target.selection = selection
    let format = try registry.format(of: target, as: targetFormat)
    guard format.descriptor.writes || format.descriptor.fills else {
      throw RunFailure(.usage, "the format '\(format.descriptor.name)' cannot be written")
    }
    if target.fillsAppStore, !format.descriptor.fills {
      throw RunFailure(
        .usage, "--write-app-store: '\(TerminalText.escape(target.path))' is not the store of an app",
        advice: "It is for stores of Haumana; leave it out.")
    }
    if format.descriptor.fills, proves {
      throw RunFailure(
        .usage, "--prove: a store is filled in place, and cannot be compared before it has its name",
        advice: "Fill a copy, then compare it with the source: fleetkit diff SOURCE STORE.")
    }
    let proving = proves ? try ConversionProof(sources, target: target, format: format, context: context) : nil
    let writer = try proving?.writer() ?? format.writer(to: target, context: context)
    var taken = selection
    // What became of publications says the queue: a library leaves out itself what was not selected of it.
    if format.descriptor.id == .library { taken?.always.insert(.syncOperation) }
    let isOldFolder = FileManager.default.fileExists(atPath: target.path)
    let pipeline = Pipeline(context: context, selection: taken, onProgress: onProgress)
    var summary: RunSummary
    do {
      summary = try pipeline.run(
        sources.readers(context: context), into: writer,
        rejects: RejectsWriter(target: target.path, asArray: sources.areDocuments))
    } catch let failure as RunFailure where failure.isDiskFull && target.isFolder && Self.namesStagedFile(failure) {
      throw Self.diskFull(target, wasThere: isOldFolder)
    }
    summary.proof = proving?.summary
    return summary
  }

  /// Whether a failure is about a file of the target that has no place yet. Temporary files elsewhere are in TMPDIR.
  private static func namesStagedFile(_ failure: RunFailure) -> Bool { failure.message.contains(".fleetkit") }

  /// The files of a folder are written under temporary names first, which mean nothing to the user.
  private static func diskFull(_ target: Target, wasThere: Bool) -> RunFailure {
    RunFailure(
      .failed, "write '\(target.path)': \(SystemError.text(ENOSPC))",
      advice: "Free some space and run it again; "
        + (wasThere ? "each file in the folder is the old one or the new one." : "nothing was changed."))
  }
}
