import Foundation
import TestSupport

/// A TCP connection over loopback with blocking calls.
struct FaultSocket: Sendable {
  private let descriptor: Int32

  private static func make() -> Int32 {
    #if os(Linux)
      return socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      return socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func withAddress<Result>(
    _ port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port)).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  /// Listens on a port that the system chooses.
  static func listen() throws -> (descriptor: Int32, port: Int) {
    let descriptor = make()
    guard withAddress(0, { bind(descriptor, $0, $1) }) == 0, Foundation.listen(descriptor, 64) == 0 else {
      throw LocalRegistry.Failure(description: "no port to listen on: \(errno)")
    }
    var address = sockaddr_in()
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// Returns the next connection; nil if the socket no longer listens.
  static func accept(_ listener: Int32) -> FaultSocket? {
    let descriptor = Foundation.accept(listener, nil, nil)
    return descriptor < 0 ? nil : FaultSocket(descriptor: descriptor)
  }

  /// Connects to a port; nil if no process listens there.
  static func connect(_ port: Int) -> FaultSocket? {
    let descriptor = make()
    guard withAddress(port, { Foundation.connect(descriptor, $0, $1) }) == 0 else {
      close(descriptor)
      return nil
    }
    return FaultSocket(descriptor: descriptor)
  }

  /// Returns received bytes; nil at the end.
  func read() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  /// Returns all bytes until the end of the connection.
  func readToEnd() -> [UInt8] {
    var bytes: [UInt8] = []
    while let more = read() { bytes += more }
    return bytes
  }

  /// Sends bytes. Returns false when the peer does not accept them.
  func send(_ bytes: [UInt8]) -> Bool {
    #if os(Linux)
      let flags = Int32(MSG_NOSIGNAL)
    #else
      let flags: Int32 = 0
    #endif
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Waits until the other side has ended the connection.
  func waitForEnd(seconds: Int) {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&watched, 1, 1000) > 0, read() == nil { return }
    }
  }

  /// Resets the connection.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  }

  /// Closes the connection.
  func end() { close(descriptor) }
}
