import Foundation

/// A finding in the output of a command with `--json`.
public struct ShownFinding: Sendable {
  /// The code, such as `TBL0113`.
  public let code: String
  /// `error`, `warning` or `note`.
  public let severity: String
  /// The place as a string, such as `steps.csv:2:1`.
  public let place: String
  /// The JSON Pointer; empty for a whole record.
  public let pointer: String
  /// The record, such as `item 3F2A…`.
  public let record: String
  /// The message for people.
  public let message: String
}

extension Answer {
  /// Returns a value from the JSON on standard output.
  /// - Parameter path: names and indices, as in a JSON Pointer: `/rows/rejected`.
  public func value(_ path: String) -> Any? {
    var value = try? JSONSerialization.jsonObject(with: Data(output.utf8))
    for step in path.split(separator: "/") {
      if let list = value as? [Any] {
        value = Int(step).flatMap { list.indices.contains($0) ? list[$0] : nil }
      } else {
        value = (value as? [String: Any])?[String(step)]
      }
    }
    return value
  }

  /// Returns a number from the JSON on standard output.
  public func number(_ path: String) -> Int? { value(path) as? Int }

  /// Returns a string from the JSON on standard output.
  public func text(_ path: String) -> String? { value(path) as? String }

  /// The findings in the JSON on standard output.
  public var findings: [ShownFinding] {
    (value("/findings/items") as? [[String: Any]] ?? []).map { finding in
      func text(_ name: String) -> String { finding[name] as? String ?? "" }
      return ShownFinding(
        code: text("code"), severity: text("severity"), place: text("place"), pointer: text("pointer"),
        record: text("record"), message: text("message"))
    }
  }
}
