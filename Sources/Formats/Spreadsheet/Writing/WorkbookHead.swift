import JSONText

/// Renders the parts of a workbook other than its sheets.
enum WorkbookHead {
  /// The first bytes of compound files, which contain old or password-protected workbooks.
  static let compound: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0]

  static let declaration: StaticString = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"

  private static let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
  private static let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
  private static let package = "http://schemas.openxmlformats.org/package/2006"
  private static let media = "application/vnd.openxmlformats-officedocument.spreadsheetml"

  /// Returns all these parts for sheets with the given names, column counts and row counts.
  static func parts(_ sheets: [(name: String, columns: Int, rows: Int)]) -> [(name: String, bytes: [UInt8])] {
    [
      part("[Content_Types].xml", contentTypes(sheets.count)),
      part(
        "_rels/.rels",
        "<Relationships xmlns=\"\(package)/relationships\"><Relationship Id=\"rId1\" Type=\"\(office)/officeDocument\" "
          + "Target=\"xl/workbook.xml\"/></Relationships>"),
      part("xl/workbook.xml", workbook(sheets)),
      part("xl/_rels/workbook.xml.rels", relations(sheets.count)),
      part("xl/styles.xml", styles),
    ]
  }

  private static func part(_ name: String, _ text: String) -> (name: String, bytes: [UInt8]) {
    (name, declaration.withUTF8Buffer { Array($0) } + Array(text.utf8))
  }

  private static func contentTypes(_ sheets: Int) -> String {
    var text = "<Types xmlns=\"\(package)/content-types\">"
    text += "<Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>"
    text += "<Default Extension=\"xml\" ContentType=\"application/xml\"/>"
    text += "<Override PartName=\"/xl/workbook.xml\" ContentType=\"\(media).sheet.main+xml\"/>"
    for number in 1...max(1, sheets) {
      text += "<Override PartName=\"/xl/worksheets/sheet\(number).xml\" ContentType=\"\(media).worksheet+xml\"/>"
    }
    return text + "<Override PartName=\"/xl/styles.xml\" ContentType=\"\(media).styles+xml\"/></Types>"
  }

  private static func workbook(_ sheets: [(name: String, columns: Int, rows: Int)]) -> String {
    var text = "<workbook xmlns=\"\(main)\" xmlns:r=\"\(office)\"><bookViews><workbookView/></bookViews><sheets>"
    for (index, sheet) in sheets.enumerated() {
      text += "<sheet name=\"\(attribute(sheet.name))\" sheetId=\"\(index + 1)\" r:id=\"rId\(index + 1)\"/>"
    }
    text += "</sheets><definedNames>"
    for (index, sheet) in sheets.enumerated() {
      // Excel looks up a filter's range under this name.
      let corner =
        "$A$1:$\(String(decoding: CellReference.letters(max(1, sheet.columns)), as: UTF8.self))$\(max(1, sheet.rows))"
      let quoted = attribute(
        "'\(sheet.name.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''"))'")
      text += "<definedName name=\"_xlnm._FilterDatabase\" localSheetId=\"\(index)\" hidden=\"1\">\(quoted)!\(corner)"
      text += "</definedName>"
    }
    return text + "</definedNames></workbook>"
  }

  private static func relations(_ sheets: Int) -> String {
    var text = "<Relationships xmlns=\"\(package)/relationships\">"
    for number in 1...max(1, sheets) {
      text +=
        "<Relationship Id=\"rId\(number)\" Type=\"\(office)/worksheet\" Target=\"worksheets/sheet\(number).xml\"/>"
    }
    return text
      + "<Relationship Id=\"rId\(sheets + 1)\" Type=\"\(office)/styles\" Target=\"styles.xml\"/></Relationships>"
  }

  /// The cell styles: 0 is the default, 1 the header, 2 text (format 49, `@`), which keeps input as typed, and 3 a
  /// number.
  private static let styles =
    "<styleSheet xmlns=\"\(main)\"><fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>"
    + "<font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts><fills count=\"2\"><fill>"
    + "<patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill></fills>"
    + "<borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>"
    + "<cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>"
    + "<cellXfs count=\"4\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>"
    + "<xf numFmtId=\"49\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\" applyFont=\"1\"/>"
    + "<xf numFmtId=\"49\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\" applyAlignment=\"1\">"
    + "<alignment vertical=\"top\" wrapText=\"1\"/></xf>"
    + "<xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyAlignment=\"1\">"
    + "<alignment vertical=\"top\"/></xf></cellXfs>"
    + "<cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>"

  private static func attribute(_ text: String) -> String {
    var out = ByteBuffer(capacity: 64)
    var text = text
    text.withUTF8 { CellEscaping.escape($0, to: &out) }
    return String(decoding: out.bytes, as: UTF8.self).split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "&quot;")
  }
}
