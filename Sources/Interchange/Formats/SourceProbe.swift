import Foundation

/// Looks at a source before any format opens it.
public enum SourceProbe {
  /// The first bytes of a file.
  /// - Throws: `RunFailure` with status 2 that says what is in the way.
  public static func head(of source: Source, count: Int = 4096) throws -> [UInt8] {
    let path = source.path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw RunFailure(.failed, "read '\(path)': there is no such file", advice: "Check the name.")
    }
    if isFolder.boolValue { return [] }
    // Opening a pipe would wait for somebody to write, and looking at it would use up what it holds.
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw RunFailure(
        .failed, "read '\(path)': it is no regular file", advice: "For a pipe, use - and --from-format NAME.")
    }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = read(file, &bytes, count)
    guard got >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    return Array(bytes.prefix(got))
  }
}

/// What the operating system last complained about.
package enum SystemError {
  package static var last: String { text(errno) }
  package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
