import Foundation

/// The `sqlite3` shell as a judge: it reads our files independently of our code.
public enum SQLiteShell {
  /// One row, by column name.
  public typealias Row = [String: String]

  /// Runs statements on a database and returns their output.
  @discardableResult
  public static func run(_ path: String, _ sql: String) throws -> String {
    let answer = try Shell.run("sqlite3", [path], input: sql)
    guard answer.status == 0, answer.errors.isEmpty else { throw Complaint(text: answer.errors + answer.output) }
    return answer.output
  }

  /// An error that the shell reported.
  public struct Complaint: Error {
    /// The shell's error output.
    public let text: String
  }

  /// Returns the names of a database's tables.
  public static func tables(_ path: String) throws -> [String] {
    try run(path, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name;").split(separator: "\n").map(
      String.init)
  }

  /// Returns all rows of a table. Every value is written by `quote()`, so NULL, numbers and text are distinct and bytes
  /// are exact.
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

  /// Returns the text inside a value from `rows`; nil for NULL.
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
