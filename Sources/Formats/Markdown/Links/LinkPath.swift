import Foundation

/// Resolves paths inside a vault, with `/` between names.
enum LinkPath {
  /// Returns the path to which a link resolves; nil if the path is outside the vault.
  /// - Parameters:
  ///   - link: the link as written; relative to the vault's root if it begins with `/`.
  ///   - note: the path of the note that contains the link.
  static func resolved(_ link: String, from note: String) -> String? {
    var parts: [Substring] = link.utf8.first == UInt8(ascii: "/") ? [] : note.split(separator: "/").dropLast()
    for part in link.split(separator: "/") where part != "." {
      if part == ".." {
        guard parts.popLast() != nil else { return nil }
      } else {
        parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }

  /// Whether a link names the exact location of its file, so that a file with the same name elsewhere does not match.
  static func isExplicit(_ link: String) -> Bool {
    link.hasPrefix("./") || link.hasPrefix("../")
  }

  /// Returns a link in the form used to look up names: without leading, trailing and repeated slashes.
  static func name(_ link: String) -> String {
    // Most names have no slash.
    link.utf8.contains(UInt8(ascii: "/")) ? link.split(separator: "/").joined(separator: "/") : link
  }

  /// Opens a regular file inside a folder for reading. Symbolic links may point anywhere inside the folder.
  /// - Returns: a descriptor that the caller closes; nil if there is no such file.
  static func open(_ path: String, in folder: String) -> Int32? {
    guard !path.isEmpty, !path.utf8.contains(0), !path.split(separator: "/").contains(".."),
      let root = real(folder), let file = real(folder + "/" + path),
      file.utf8.starts(with: (root.hasSuffix("/") ? root : root + "/").utf8)
    else { return nil }
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    let descriptor = Foundation.open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Returns a path with symbolic links and dots resolved; nil if the file does not exist.
  static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
