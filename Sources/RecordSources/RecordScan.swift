import Content
import Interchange

/// Reads every record of some sources without writing anything.
public struct RecordScan: Sendable {
  /// The sources that are read.
  public var sources: SourceList
  /// The selection of records; nil for all.
  public var selection: Selection?

  /// Prepares a scan.
  public init(sources: SourceList, selection: Selection? = nil) {
    self.sources = sources
    self.selection = selection
  }

  /// Calls `body` with every record, in the order of the sources.
  /// - Returns: how many records could not be read; the findings give the reasons.
  /// - Throws: `RunFailure`, or what `body` throws.
  @discardableResult
  public func run(context: RunContext, _ body: (Record) throws -> Void) throws -> Int {
    var rejected = 0
    for makeReader in sources.readers(context: context) {
      let reader = try makeReader()
      while let batch = try reader.next() {
        try Interruption.check()
        rejected += batch.rejectedCount
        for record in batch.records where selection?.takes(record) ?? true { try body(record) }
      }
    }
    return rejected
  }
}
