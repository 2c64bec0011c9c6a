import Interchange
import RecordSources
import TableShapes

/// An empty table with an example, for people to fill in.
public struct TemplateFile: Sendable {
  private let target: Target
  private let shape: TableShape
  private let format: any TableTemplateFormat

  /// Names a template: `steps.csv`, `cards.xlsx`, `lists/catalogue.tsv`.
  /// - Parameter shape: what its rows stand for, for files of other names.
  /// - Throws: `RunFailure` with status 64 for a name that says too little.
  public init(_ path: String, shape: TableShape? = nil) throws {
    let name = String(path.split(separator: "/").last ?? "")
    let stem = name.split(separator: ".").first.map { $0.lowercased() } ?? ""
    guard let shape = shape ?? TableShape(rawValue: stem) else {
      throw RunFailure(
        .usage, "there is no template '\(path)'",
        advice:
          "Templates are steps, cards, catalogue and charters: --template steps.xlsx, or --shape for another name.")
    }
    let target = Target(path)
    let formats = FormatRegistry.standard.formats.compactMap { $0 as? any TableTemplateFormat }
    guard let format = formats.first(where: { $0.isNamed(by: target) }) else {
      let endings = formats.flatMap(\.descriptor.extensions).map { "." + $0 }
      throw RunFailure(
        .usage, "write '\(path)': a template is a table",
        advice: "End its name in \(endings.dropLast().joined(separator: ", ")) or \(endings.last ?? "").")
    }
    self.format = format
    self.target = target
    self.shape = shape
  }

  /// Writes it.
  /// - Parameters:
  ///   - isForExcel: whether CSV begins with a byte order mark, as Excel wants it.
  ///   - delimiter: what stands between the cells of CSV; nil for commas, and for tabs in a `.tsv`.
  /// - Returns: how many bytes it has.
  /// - Throws: `RunFailure` with status 4 when a file of that name is there, 64 when a workbook is to be such a CSV.
  @discardableResult
  public func write(isForExcel: Bool = false, delimiter: UInt8? = nil) throws -> Int {
    if !format.descriptor.options.contains(.excel), isForExcel || delimiter != nil {
      throw RunFailure(
        .usage, "write '\(target.path)': --excel and --delimiter are for CSV",
        advice: "Excel opens a workbook as it is: leave them out.")
    }
    var options = TableOptions()
    options.excel = isForExcel
    options.writtenDelimiter = delimiter
    return try format.writeTemplate(shape, to: target, options)
  }
}
