import Foundation
import Interchange

/// A file without a name that is gone with the process: for what comes through a pipe, and for converted text.
enum SpoolFile {
  /// Makes an empty one.
  /// - Returns: its descriptor, for reading and writing.
  /// - Throws: `RunFailure` when the folder for temporary files cannot be written.
  static func make() throws -> Int32 {
    let folder = TemporaryFolder.root
    var template = Array((folder + "/fleetkit-table-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw RunFailure(
        .failed, "make a temporary file in '\(folder)': \(String(cString: strerror(errno)))",
        advice: "Set TMPDIR to a folder that can be written.")
    }
    unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }
}
