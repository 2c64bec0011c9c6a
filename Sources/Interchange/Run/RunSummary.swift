import Content
import Diagnostics

/// What a run did, in numbers that add up.
public struct RunSummary: Sendable {
  /// What became of the records, kind by kind.
  public let tally: Tally
  /// Size of the target in bytes.
  public let bytesWritten: Int
  /// How many notes the target has of this run; nil for targets that are one file.
  public let notes: Int?
  /// How long it took.
  public let seconds: Double
  /// Where rejected records and rows are: one file for records, one for each table with a header of its own.
  public let rejectsPaths: [String]
  /// What reading the target back came to; nil when nobody asked for it.
  public var proof: ProofSummary?
  /// The run's findings and losses.
  public let context: RunContext

  /// Where the first rejected records are; nil when there are none.
  public var rejectsPath: String? { rejectsPaths.first }

  /// How many parts of damaged texts of the selected records could not be recovered.
  public let partsLost: Int

  /// How the process should end.
  public var status: ExitStatus {
    tally.total.rejected + tally.rows.rejected + partsLost > 0 ? .partial : .success
  }
}
