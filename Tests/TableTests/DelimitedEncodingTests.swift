import DelimitedText
import Foundation
import Interchange
import MarkdownText
import TestSupport
import Testing

/// The encodings of tables.
@Suite struct DelimitedEncodingTests {
  private static let text =
    "Чек-лист;Шаг;Минуты\r\nПеред выходом;Проверить якорь и цепь;5\r\nПеред выходом;\"Двигатель;\r\nмасло\";10\r\n"
  private static let rows = [
    ["Чек-лист", "Шаг", "Минуты"], ["Перед выходом", "Проверить якорь и цепь", "5"],
    ["Перед выходом", "Двигатель;\r\nмасло", "10"],
  ]

  static func bytes(_ text: String, _ encoding: String) throws -> [UInt8] {
    switch encoding {
    case "utf-8-bom": [0xEF, 0xBB, 0xBF] + Array(text.utf8)
    case "utf-16le-bom": [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    case "utf-16be-bom": [0xFE, 0xFF] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    case "utf-16le": text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    case "windows-1251": Array(try #require(text.data(using: .windowsCP1251)))
    case "windows-1252": Array(try #require(text.data(using: .windowsCP1252)))
    default: Array(text.utf8)
    }
  }

  @Test(arguments: ["utf-8", "utf-8-bom", "utf-16le-bom", "utf-16be-bom", "utf-16le", "windows-1251"])
  func theSameTableComesOutOfEveryEncoding(_ encoding: String) throws {
    let bytes = try Self.bytes(Self.text, encoding)
    let source = try Scratch().source(bytes)
    #expect(source.encoding.rawValue == String(encoding.replacing("-bom", with: "")))
    #expect(source.hadBOM == encoding.hasSuffix("-bom"))
    let table = try ReadTable(source)
    #expect(table.rows == Self.rows)
    #expect(table.lines == [1, 2, 3])

    // The rows are returned byte for byte. Together with the text before and between them, they form the file.
    let reader = source.rows()
    var row = TableRow()
    var again = source.preamble
    while try reader.next(into: &row) {
      again += source.original(row: (row.number, row.offset)) + source.lineEnd
      #expect(source.position(row: (row.number, row.offset), cell: 1).line == row.number)
    }
    #expect(again == bytes)
  }

  @Test func westernLettersAreRead() throws {
    let text = "titre,étape\nDépart,Vérifier l'état de la chaîne à bord\n"
    let source = try Scratch().source(Self.bytes(text, "windows-1252"))
    #expect(source.encoding == .windows1252)
    #expect(try ReadTable(source).rows[1] == ["Départ", "Vérifier l'état de la chaîne à bord"])
  }

  /// More than a megabyte of ASCII precedes the first non-ASCII letter. The file may be cut anywhere into chunks.
  @Test(arguments: ["windows-1251", "utf-16le-bom", "utf-8"])
  func longFilesAreReadInPieces(_ encoding: String) throws {
    let plain = String(repeating: "list,item with ASCII letters,5\n", count: 40_000)
    let letters = String(repeating: "список,шаг с русскими словами и эмодзи,7\n", count: 60_000)
      .replacing("эмодзи", with: encoding == "windows-1251" ? "всё" : "😀")
    let source = try Scratch().source(Self.bytes(plain + letters, encoding))
    #expect(source.encoding.rawValue == encoding.replacing("-bom", with: ""))
    let rows = source.rows()
    var row = TableRow()
    var count = 0
    while try rows.next(into: &row) {
      count += 1
      if count == 40_001 { #expect(String(decoding: row.text(0), as: UTF8.self) == "список") }
    }
    #expect(count == 100_000)
  }

  @Test func whatIsNoTextIsRefused() throws {
    for bytes: [UInt8] in [
      Array("PK\u{3}\u{4}".utf8) + (0..<400).map { UInt8($0 % 7) }, Array(repeating: 0, count: 500),
      [0xFF, 0xFE, 0x00, 0xD8, 0x41, 0x00],
    ] {
      #expect {
        _ = try Scratch().source(bytes)
      } throws: {
        ($0 as? RunFailure)?.finding?.code.id == "TBL0201" && ($0 as? RunFailure)?.status == .failed
      }
    }
    #expect(throws: RunFailure.self) { _ = try DelimitedSource(Source(Scratch()["nothing.csv"])) }
  }

  /// A few invalid letters in UTF-8 do not change the encoding: only their rows are rejected.
  @Test func brokenLettersLateInALongFileAreFound() throws {
    let line = Array("список,шаг\n".utf8)
    var bytes: [UInt8] = []
    for _ in 0..<80_000 { bytes += line }
    bytes += Array("x,".utf8) + [0xC3, 0x28] + Array("\n".utf8) + line
    let table = try ReadTable(bytes)
    #expect(table.rows.count == 80_001)
    #expect(table.problems.map(\.line) == [80_001])
  }
}
