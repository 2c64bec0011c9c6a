import Foundation
import JSONText

/// A client that keeps its connection open and runs on the calling thread.
final class ProcessClient {
  private let port: Int
  private var socket: LoopbackSocket?

  init(port: Int) { self.port = port }

  /// Sends a request and reads its answer; returns nil if no complete answer arrived.
  func send(
    _ method: String, _ path: String, token: String? = nil, headers: [(String, String)] = [], body: String? = nil
  ) -> HTTPAnswer? {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + headers.map { "\($0.0): \($0.1)" }
    if let token { lines.append("Authorization: Bearer \(token)") }
    if let body {
      lines.append("Content-Type: application/json")
      lines.append("Content-Length: \(body.utf8.count)")
    }
    return exchange(Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8), toHead: method == "HEAD")
  }

  /// Sends raw bytes and reads one answer.
  func exchange(_ bytes: [UInt8], toHead: Bool = false) -> HTTPAnswer? {
    do {
      let socket = try self.socket ?? LoopbackSocket(port: port)
      self.socket = socket
      socket.send(bytes)
      return read(socket, toHead: toHead)
    } catch {
      return nil
    }
  }

  /// Reads one more answer.
  func readMore() -> HTTPAnswer? { socket.flatMap { read($0, toHead: false) } }

  /// Closes the connection.
  func close() { socket = nil }

  private func read(_ socket: LoopbackSocket, toHead: Bool) -> HTTPAnswer? {
    var wire: [UInt8] = []
    while true {
      let more = socket.receive()
      if more.isEmpty {
        self.socket = nil
        return nil
      }
      wire += more
      if let answer = HTTPAnswer(wire: wire, toHead: toHead) {
        if answer.header("Connection") == "close" { self.socket = nil }
        return answer
      }
    }
  }

  /// Signs a user in and returns the access token.
  func signIn(_ name: String = "captain") -> String? {
    try? send("POST", "/api/v1/auth/test-signin?email=\(name)@example.com")?.json()["access_token"]?.string
  }

  /// Returns a request that publishes a checklist.
  static func publication(_ slug: String, title: String, sections: Int = 1) -> String {
    let list = (0..<sections).map {
      "{\"title\":\"Section \($0)\",\"items\":[{\"title\":\"Check the bilge\",\"isRequired\":true}]}"
    }
    return """
      {"title":"\(title)","description":"What to check","content_type":"checklist","content_data":\
      {"title":"\(title)","sections":[\(list.joined(separator: ","))]},"tags":["safety"],"language":"en",\
      "public_id":"\(slug)","can_fork":true}
      """
  }
}
