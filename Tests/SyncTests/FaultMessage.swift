import Foundation

/// An HTTP/1.1 request or answer, parsed as far as a proxy needs.
struct FaultMessage: Sendable {
  /// The first line and the header fields, without the empty line.
  let head: String
  /// The body of the message.
  let body: [UInt8]

  private init(head: String, body: [UInt8]) {
    self.head = head
    self.body = body
  }

  /// Splits a complete message.
  init(_ bytes: [UInt8]) {
    let end = Self.endOfHead(bytes) ?? bytes.count
    head = String(decoding: bytes[..<max(0, end - 4)], as: UTF8.self)
    body = Array(bytes[end...])
  }

  /// Reads the next request from a connection; nil at the end.
  static func request(from client: FaultSocket) -> FaultMessage? {
    var bytes: [UInt8] = []
    while true {
      if let end = endOfHead(bytes) {
        let head = String(decoding: bytes[..<(end - 4)], as: UTF8.self)
        let length = Int(FaultMessage(head: head, body: []).field("content-length") ?? "") ?? 0
        while bytes.count < end + length {
          guard let more = client.read() else { return nil }
          bytes += more
        }
        return FaultMessage(head: head, body: Array(bytes[end..<(end + length)]))
      }
      guard let more = client.read() else { return nil }
      bytes += more
    }
  }

  private static func endOfHead(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    for index in 3..<bytes.count
    where bytes[index] == 10 && bytes[index - 1] == 13 && bytes[index - 2] == 10 && bytes[index - 3] == 13 {
      return index + 1
    }
    return nil
  }

  /// The first line of the message.
  var line: String { head.components(separatedBy: "\r\n")[0] }
  /// The path of a request without the query.
  var target: String {
    let words = line.split(separator: " ")
    return words.count > 1 ? String(words[1].prefix { $0 != "?" }) : ""
  }
  /// The status of an answer; 0 if there is none.
  var status: Int { Int(line.split(separator: " ").dropFirst().first ?? "") ?? 0 }

  /// Returns the value of a header field.
  func field(_ name: String) -> String? {
    head.components(separatedBy: "\r\n").dropFirst().first { $0.lowercased().hasPrefix(name + ":") }?
      .dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
  }

  /// The message with a header field that announces the end of the connection.
  var closing: [UInt8] { Array((plainHead + "\r\nConnection: close\r\n\r\n").utf8) + body }
  /// The message without such a field, for a connection that stays open.
  var keeping: [UInt8] { Array((plainHead + "\r\n\r\n").utf8) + body }

  private var plainHead: String {
    head.components(separatedBy: "\r\n").filter { !$0.lowercased().hasPrefix("connection:") }.joined(separator: "\r\n")
  }

  /// Returns an answer that the proxy makes itself.
  static func answer(_ status: Int, _ fields: String = "") -> [UInt8] {
    let body = "{\"type\":\"about:blank\",\"title\":\"Fault\",\"status\":\(status),\"detail\":\"the network is bad\"}"
    return Array(
      """
      HTTP/1.1 \(status) Fault\r
      Content-Type: application/problem+json\r
      \(fields)Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """.utf8)
  }
}
