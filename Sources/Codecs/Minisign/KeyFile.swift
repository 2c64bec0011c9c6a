import Foundation
import Interchange

/// Writes the files of keys and signatures.
package enum KeyFile {
  /// Writes a new file; an existing file is never overwritten.
  /// - Throws: `RunFailure` with status 4 if something of that name exists, 2 if it cannot be written.
  package static func write(_ bytes: [UInt8], to path: String, mode: mode_t, overwrites: Bool = false) throws {
    let file = try AtomicFile(path, overwrites: overwrites)
    // Must happen before the first byte of a secret is written.
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
  /// Writes the key's file; an existing file is never overwritten.
  /// - Throws: `RunFailure` with status 4 if something of that name exists, 2 if it cannot be written.
  public func write(to path: String) throws { try KeyFile.write(Array(fileText.utf8), to: path, mode: 0o644) }
}
