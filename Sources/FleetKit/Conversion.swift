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
  /// The sources to read.
  public var sources: SourceList
  /// The target to write.
  public var target: Target
  /// The target's format; nil to determine the format from the name.
  public var targetFormat: FormatID?
  /// The records to convert; nil for all.
  public var selection: Selection?
  /// Whether the target is read back and compared with the sources before it gets its name.
  public var proves = false
  /// Receives, at intervals, the bytes done, the total bytes (nil if unknown) and the records done.
  public var onProgress: (@Sendable (Int, Int?, Int) -> Void)?

  /// Plans a conversion.
  public init(sources: SourceList, target: Target) {
    self.sources = sources
    self.target = target
  }

  /// Runs the conversion. Nothing is visible under the target's name unless the conversion succeeds.
  /// - Returns: the outcome of every record.
  /// - Throws: `RunFailure`; `ProofFailure` if the target differs from the sources.
  public func run(context: RunContext, registry: FormatRegistry = .standard) throws -> RunSummary {
    var target = target
    target.selection = selection
    let format = try registry.format(of: target, as: targetFormat)
    guard format.descriptor.writes || format.descriptor.fills else {
      throw RunFailure(.usage, "the format '\(format.descriptor.name)' cannot be written")
    }
    if target.fillsAppStore, !format.descriptor.fills {
      throw RunFailure(
        .usage, "--write-app-store: '\(TerminalEscaping.escape(target.path))' is not an app's store",
        advice: "Remove the flag, which is for Haumana's stores only.")
    }
    if format.descriptor.fills, proves {
      throw RunFailure(
        .usage, "--prove: a store is filled in place and cannot be compared before it is changed",
        advice: "Fill a copy, then compare it with the source: fleetkit diff SOURCE STORE")
    }
    let proving = proves ? try ConversionProof(sources, target: target, format: format, context: context) : nil
    let writer = try proving?.writer() ?? format.writer(to: target, context: context)
    var taken = selection
    // All queued operations are included, because the queue records the publication state. The library's writer leaves
    // out the operations of unselected items.
    if format.descriptor.id == .library { taken?.always.insert(.syncOperation) }
    let isOldFolder = FileManager.default.fileExists(atPath: target.path)
    let pipeline = Pipeline(context: context, selection: taken, onProgress: onProgress)
    var summary: RunSummary
    do {
      summary = try pipeline.run(
        sources.readers(context: context.selecting(taken)), into: writer,
        rejects: RejectsWriter(target: target.path, asArray: sources.areDocuments))
    } catch let failure as RunFailure where failure.isDiskFull && target.isFolder && Self.namesStagedFile(failure) {
      throw Self.diskFull(target, wasThere: isOldFolder)
    }
    summary.proof = proving?.summary
    return summary
  }

  /// Whether a failure is about a staged file of the target. Other temporary files are in TMPDIR.
  private static func namesStagedFile(_ failure: RunFailure) -> Bool { failure.message.contains(".fleetkit") }

  /// Returns a failure that does not contain the temporary names under which files of a folder are first written.
  private static func diskFull(_ target: Target, wasThere: Bool) -> RunFailure {
    RunFailure(
      .failed, "write '\(target.path)': \(SystemError.text(ENOSPC))",
      advice: "Free some disk space and run the command again; "
        + (wasThere ? "each file in the folder is either old or new, never partial." : "nothing was changed."))
  }
}
