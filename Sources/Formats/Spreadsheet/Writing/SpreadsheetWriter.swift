import Content
import Interchange
import TableShapes

/// Writes records as a workbook with a sheet of steps, a sheet of cards and a catalogue. Empty sheets are left out.
final class SpreadsheetWriter: ContentWriter {
  private let workbook: WorkbookWriter
  private let tables: TableRowWriter
  private var ids: DuplicateIDFilter

  init(_ target: Target, context: RunContext) throws {
    guard !target.isStandardOutput else {
      throw RunFailure(
        .usage, "write a workbook to standard output: it is not text", advice: "Specify a file that ends in .xlsx.")
    }
    tables = try TableRowWriter(context: context, hasSheets: true)
    ids = DuplicateIDFilter(context, in: "the workbook")
    workbook = try WorkbookWriter(target)
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    try ids.rejectOthers(in: batch, tally: &tally, rejects: rejects)
    try tables.add(batch, tally: &tally)
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    try tables.write(to: WorkbookSink(workbook))
    try workbook.complete()
  }

  func finish() throws -> Int { try workbook.publish() }

  func abort() { workbook.discard() }
}
