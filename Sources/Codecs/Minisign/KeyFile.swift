import Foundation
import Interchange

/// Writes key files and signature files.
package enum KeyFile {
  /// Writes a new file. An existing file is overwritten only if `overwrites` is true.
  /// - Throws: `RunFailure` with status 4 if the path already exists, 2 if the file cannot be written.
  package static func write(_ bytes: [UInt8], to path: String, mode: mode_t, overwrites: Bool = false) throws {
    let file = try AtomicFile(path, overwrites: overwrites)
    // The mode must be set before the first byte of a secret is written.
    guard fchmod(file.descriptor, mode) == 0 else { throw RunFailure(.failed, "write '\(path)': \(SystemError.last)") }
    var rest = bytes[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Foundation.write(file.descriptor, $0.baseAddress, $0.count) }
      if sent < 0, errno == EINTR { continue }
      guard sent > 0 else { throw RunFailure(.failed, "write '\(path)': \(SystemError.last)") }
      rest = rest.dropFirst(sent)
    }
    try file.publish()
  }
}

extension MinisignKey {
  /// Writes the key's file. An existing file is never overwritten.
  /// - Throws: `RunFailure` with status 4 if the path already exists, 2 if the file cannot be written.
  public func write(to path: String) throws { try KeyFile.write(Array(fileText.utf8), to: path, mode: 0o644) }
}
