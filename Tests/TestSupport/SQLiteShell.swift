import Foundation

/// The `sqlite3` shell as a judge: other people's code reads the files that ours wrote.
public enum SQLiteShell {
  /// One row, by column.
  public typealias Row = [String: String]

  /// Runs statements on a database and gives their output.
  @discardableResult
  public static func run(_ path: String, _ sql: String) throws -> String {
    let answer = try Shell.run("sqlite3", [path], input: sql)
    guard answer.status == 0, answer.errors.isEmpty else { throw Complaint(text: answer.errors + answer.output) }
    return answer.output
  }

  /// The shell's error output.
  public struct Complaint: Error {
    /// Its words.
    public let text: String
  }

  /// Tables of a database.
  public static func tables(_ path: String) throws -> [String] {
    try run(path, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name;").split(separator: "\n").map(
      String.init)
  }

  /// All rows of a table; every value as `quote()` writes it, so NULL, numbers and text stay distinct, bytes exact.
  public static func rows(_ path: String, _ table: String) throws -> [Row] {
    let columns = try run(path, "SELECT name FROM pragma_table_info('\(table)');").split(separator: "\n").map(
      String.init)
    let list = columns.map { "quote(CAST(\"\($0)\" AS BLOB)) || ':' || typeof(\"\($0)\")" }.joined(separator: ", ")
    let text = try run(path, ".mode list\n.separator \"\\t\"\nSELECT \(list) FROM \"\(table)\";")
    return text.split(separator: "\n").map { line in
      Dictionary(
        uniqueKeysWithValues: zip(
          columns, line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)))
    }
  }

  /// The text inside a value that `rows` gave; nil for NULL.
  public static func text(_ value: String) -> String? {
    guard value.hasPrefix("X'"), let end = value.lastIndex(of: "'") else { return nil }
    let hex = Array(value[value.index(value.startIndex, offsetBy: 2)..<end].utf8)
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: hex.count - 1, by: 2) {
      bytes.append(UInt8(String(decoding: hex[index...index + 1], as: UTF8.self), radix: 16) ?? 0)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
