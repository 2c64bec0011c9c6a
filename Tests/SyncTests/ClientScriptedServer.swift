import Foundation
import Synchronization

/// A scripted server that answers each request as the test requires, correctly or not.
final class ScriptedServer: Sendable {
  /// A received request.
  struct Request: Sendable {
    /// The request line, such as `GET /api/v1/users/me HTTP/1.1`.
    let line: String
    /// All header lines after the request line.
    let fields: [String]
    let body: [UInt8]
    /// The number of the connection, starting at 0.
    let connection: Int
    /// The number of the request among all requests, starting at 0.
    let number: Int

    var path: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }

    func field(_ name: String) -> String? {
      fields.first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
        .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
    }
  }

  /// The server's reaction to a request.
  enum Reply: Sendable {
    /// Sends a complete answer and keeps the connection open.
    case answer(Int, [String] = [], String = "")
    /// Sends a complete answer, and closes the connection shortly afterwards without notice.
    case answerAndClose(Int, String)
    /// Sends these bytes and closes the connection.
    case bytes(String)
    /// Sends these bytes one by one, with a pause of the given number of milliseconds.
    case drip(String, Int)
    /// Resets the connection.
    case reset
    /// Closes the connection.
    case close
    /// Never sends an answer.
    case hang
    /// Sends the answer after the given number of milliseconds.
    case late(Int, Int, String)
  }

  let port: Int
  private let listener: Int32
  private let state = Mutex<(requests: [Request], connections: Int, open: [Int32], isOver: Bool)>(([], 0, [], false))
  private let script: @Sendable (Request) -> Reply

  /// Listens on a port that the system assigns.
  init(_ script: @escaping @Sendable (Request) -> Reply) throws {
    self.script = script
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    listener = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { plain in
        bind(descriptor, plain, length) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, plain, &length) == 0
      }
    }
    guard bound else { throw CocoaError(.fileWriteUnknown) }
    port = Int(UInt16(bigEndian: address.sin_port))
    // The server lives until the tests end, because code that keeps only its address must still reach it.
    Thread.detachNewThread { [self] in
      while true {
        let connection = accept(descriptor, nil, nil)
        guard connection >= 0 else { return }
        begin(connection)
      }
    }
  }

  var url: String { "http://127.0.0.1:\(port)" }
  /// All requests received so far.
  var requests: [Request] { state.withLock { $0.requests } }
  /// The number of connections accepted so far.
  var connections: Int { state.withLock { $0.connections } }

  /// Closes all connections and accepts no more.
  func end() {
    state.withLock { state in
      guard !state.isOver else { return }
      state.isOver = true
      shutdown(listener, Int32(SHUT_RDWR))
      Foundation.close(listener)
      for connection in state.open { shutdown(connection, Int32(SHUT_RDWR)) }
    }
  }

  private func begin(_ connection: Int32) {
    let number = state.withLock { state in
      state.open.append(connection)
      state.connections += 1
      return state.connections - 1
    }
    Thread.detachNewThread { [self] in
      serve(connection, number)
      state.withLock { $0.open.removeAll { $0 == connection } }
      Foundation.close(connection)
    }
  }

  private func serve(_ connection: Int32, _ number: Int) {
    var held: [UInt8] = []
    while let request = read(connection, number, &held) {
      switch script(request) {
      case .answer(let status, let fields, let body):
        send(connection, Self.answer(status, fields, body, isHead: request.line.hasPrefix("HEAD")))
      case .late(let milliseconds, let status, let body):
        usleep(UInt32(milliseconds) * 1000)
        send(connection, Self.answer(status, [], body, isHead: false))
      case .answerAndClose(let status, let body):
        return send(connection, Self.answer(status, [], body, isHead: false))
      case .bytes(let text): return send(connection, text)
      case .drip(let text, let pause):
        for byte in text.utf8 {
          guard sendBytes(connection, [byte]) else { return }
          usleep(UInt32(pause) * 1000)
        }
        return
      case .reset:
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        return
      case .close: return
      case .hang:
        var byte: UInt8 = 0
        while recv(connection, &byte, 1, 0) > 0 {}
        return
      }
    }
  }

  private static func answer(_ status: Int, _ fields: [String], _ body: String, isHead: Bool) -> String {
    let lines = ["HTTP/1.1 \(status) Word", "Content-Length: \(body.utf8.count)"] + fields
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + (isHead ? "" : body)
  }

  private func send(_ connection: Int32, _ text: String) { _ = sendBytes(connection, Array(text.utf8)) }

  private func sendBytes(_ connection: Int32, _ bytes: [UInt8]) -> Bool {
    var at = 0
    while at < bytes.count {
      let sent = bytes.withUnsafeBytes {
        Foundation.send(connection, $0.baseAddress?.advanced(by: at), bytes.count - at, Int32(MSG_NOSIGNAL))
      }
      if sent <= 0 { return false }
      at += sent
    }
    return true
  }

  private func read(_ connection: Int32, _ number: Int, _ held: inout [UInt8]) -> Request? {
    func more() -> Bool {
      var chunk = [UInt8](repeating: 0, count: 64 << 10)
      let got = recv(connection, &chunk, chunk.count, 0)
      if got > 0 { held += chunk[..<got] }
      return got > 0
    }
    var end: Int?
    while true {
      end = held.indices.dropLast(3).first { held[$0...].starts(with: [13, 10, 13, 10]) }
      if end != nil || !more() { break }
    }
    guard let end else { return nil }
    let lines = String(decoding: held[..<end], as: UTF8.self).components(separatedBy: "\r\n")
    let length =
      lines.first { $0.lowercased().hasPrefix("content-length:") }
      .flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
    while held.count < end + 4 + length { if !more() { return nil } }
    let body = Array(held[(end + 4)..<(end + 4 + length)])
    held.removeFirst(end + 4 + length)
    return state.withLock { state in
      let request = Request(
        line: lines[0], fields: Array(lines.dropFirst()), body: body, connection: number, number: state.requests.count)
      state.requests.append(request)
      return request
    }
  }
}
