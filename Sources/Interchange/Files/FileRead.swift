#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The system's own `read`, under a name that no method of a type hides.
package enum FileRead {
  /// Reads up to as many bytes as there is room for; tries again when a signal came between.
  /// - Returns: how many bytes came, 0 at the end, less than 0 for an error that `errno` names.
  package static func some(_ descriptor: Int32, into room: UnsafeMutableRawBufferPointer) -> Int {
    while true {
      let got = read(descriptor, room.baseAddress, room.count)
      if got >= 0 || errno != EINTR { return got }
    }
  }
}
