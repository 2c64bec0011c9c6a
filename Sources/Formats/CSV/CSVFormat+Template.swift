import DelimitedText
import Interchange
import TableShapes

extension CSVFormat {
  /// Writes a table with an example to fill in.
  /// - Parameters:
  ///   - isForExcel: whether it begins with a byte order mark.
  ///   - delimiter: what stands between cells; nil for commas, and for tabs in a `.tsv`.
  /// - Returns: how many bytes it has.
  /// - Throws: `RunFailure` with status 4 when a file of that name is there.
  @discardableResult
  public static func writeTemplate(
    _ shape: TableShape, to target: Target, isForExcel: Bool, delimiter: UInt8? = nil
  ) throws -> Int {
    let file = try OutputFile(target)
    do {
      let sink = CSVSink(file, target, isForExcel: isForExcel, delimiter: delimiter)
      try TableTemplate.write(shape, to: sink)
      try sink.finish()
      return try file.publish()
    } catch {
      file.discard()
      throw error
    }
  }
}
