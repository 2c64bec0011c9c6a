import Content

/// Writes records to one target. Nothing is visible under the target's name before `finish` returns.
///
/// Driven by one thread: `write` any number of times, then either `finish` or `abort`, once.
public protocol ContentWriter: AnyObject {
  /// Takes over the records of a batch and counts what becomes of them.
  /// - Throws: `RunFailure` when the target cannot be written; the caller then calls `abort`.
  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws

  /// Completes the target without making it visible: last chance to reject records or to fail.
  /// - Throws: `RunFailure`; the caller then calls `abort`.
  func prepare(tally: inout Tally, rejects: RejectsWriter) throws

  /// Gives the target its name. Atomic: it is there, whole and synced to disk, or it is not.
  /// - Returns: how many bytes the target has.
  /// - Throws: `RunFailure`; the caller then calls `abort`.
  func finish() throws -> Int

  /// Removes everything that was written.
  func abort()

  /// How many notes the target has of this run; nil for targets that are one file.
  var noteCount: Int? { get }

  /// Who looks at batches before they come to `write`; nil where nothing can be looked up ahead.
  var scout: (any BatchScout)? { get }
}

extension ContentWriter {
  /// Nil: most targets are one file.
  public var noteCount: Int? { nil }
  /// Nil: most writers look nothing up.
  public var scout: (any BatchScout)? { nil }
}
