import Foundation
import NIOCore

/// Checks whether the server can listen on a port, before anything else is started.
enum PortCheck {
  /// Returns why the server cannot listen on a port; nil when listening was possible a moment ago, or when only an
  /// attempt can tell.
  static func problem(host: String, port: Int) -> String? {
    guard port > 0, let address = try? SocketAddress.makeAddressResolvingHost(host, port: port) else { return nil }
    return address.withSockAddr { place, length in
      #if canImport(Darwin)
        let kind = SOCK_STREAM
      #else
        let kind = Int32(SOCK_STREAM.rawValue)
      #endif
      let descriptor = socket(Int32(place.pointee.sa_family), kind, 0)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      // The server sets this option too, so that a connection that is just ending does not block the port.
      var isOn: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
      return bind(descriptor, place, socklen_t(length)) == 0 ? nil : String(cString: strerror(errno))
    }
  }
}
