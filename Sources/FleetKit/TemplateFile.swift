import Interchange
import RecordSources
import TableShapes

/// A table with an example that people replace with their own rows.
public struct TemplateFile: Sendable {
  private let target: Target
  private let shape: TableShape
  private let format: any TableTemplateFormat

  /// Makes a template from a file name: `steps.csv`, `cards.xlsx`, `lists/catalogue.tsv`.
  /// - Parameter shape: the meaning of the rows, for files with other names.
  /// - Throws: `RunFailure` with status 64 for a name without a known shape.
  public init(_ path: String, shape: TableShape? = nil) throws {
    let name = String(path.split(separator: "/").last ?? "")
    let stem = name.split(separator: ".").first.map { $0.lowercased() } ?? ""
    guard let shape = shape ?? TableShape(rawValue: stem) else {
      throw RunFailure(
        .usage, "unknown template '\(path)'",
        advice:
          "Use steps, cards, catalogue or charters, e.g. --template steps.xlsx; for another name, add --shape.")
    }
    let target = Target(path)
    let formats = FormatRegistry.standard.formats.compactMap { $0 as? any TableTemplateFormat }
    guard let format = formats.first(where: { $0.isNamed(by: target) }) else {
      let endings = formats.flatMap(\.descriptor.extensions).map { "." + $0 }
      throw RunFailure(
        .usage, "write '\(path)': a template must be a table",
        advice: "Use a name that ends in \(endings.dropLast().joined(separator: ", ")) or \(endings.last ?? "").")
    }
    self.format = format
    self.target = target
    self.shape = shape
  }

  /// Writes the template.
  /// - Parameters:
  ///   - isForExcel: whether CSV begins with a byte order mark, which Excel expects.
  ///   - delimiter: the separator of CSV; nil for commas, or for tabs in a `.tsv` file.
  /// - Returns: the number of bytes written.
  /// - Throws: `RunFailure` with status 4 if the file exists, 64 if CSV options are given for a workbook.
  @discardableResult
  public func write(isForExcel: Bool = false, delimiter: UInt8? = nil) throws -> Int {
    if !format.descriptor.options.contains(.excel), isForExcel || delimiter != nil {
      throw RunFailure(
        .usage, "write '\(target.path)': --excel and --delimiter are for CSV only",
        advice: "Remove them; Excel opens workbooks without them.")
    }
    var options = TableOptions()
    options.excel = isForExcel
    options.writtenDelimiter = delimiter
    return try format.writeTemplate(shape, to: target, options)
  }
}
