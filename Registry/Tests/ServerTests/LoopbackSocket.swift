import Foundation

/// A blocking connection to 127.0.0.1, for requests that no HTTP library would send.
///
/// Use it only outside the cooperative threads, which the server under test needs.
final class LoopbackSocket: Sendable {
  private let descriptor: Int32

  /// Connects to a port.
  init(port: Int) throws {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    guard descriptor >= 0 else { throw SocketFailure(what: "socket", number: errno) }
    var timeout = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    // A class instance whose initializer throws after all properties are set is deinitialized, which closes the
    // descriptor. A second close could hit a descriptor that another thread has just opened.
    guard connected == 0 else { throw SocketFailure(what: "connect", number: errno) }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Sends all bytes; stops quietly when the other end has closed, because its answer may be waiting.
  func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      #if canImport(Darwin)
        let flags: Int32 = 0
      #else
        let flags = Int32(MSG_NOSIGNAL)
      #endif
      let count = bytes.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress! + sent, bytes.count - sent, flags)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      sent += count
    }
  }

  /// Closes the sending side; the answer may still arrive.
  func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Receives up to `most` bytes; returns an empty array when the other end has closed or nothing arrived for 30
  /// seconds.
  func receive(_ most: Int = 65536) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: most)
    var count = -1
    // A process that was stopped and continued, as in the crash tests, gets EINTR here.
    repeat {
      count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, most, 0) }
    } while count < 0 && errno == EINTR
    return count > 0 ? Array(buffer[..<count]) : []
  }

  /// Receives until the other end closes.
  func receiveAll() -> [UInt8] {
    var all: [UInt8] = []
    while case let more = receive(), !more.isEmpty { all += more }
    return all
  }

  /// An operating system call that failed.
  struct SocketFailure: Error {
    let what: String
    let number: Int32
  }
}
