import Foundation

/// Paths inside a vault, `/` between names.
enum LinkPath {
  /// Returns the path that a link means; nil if it leads out of the vault.
  /// - Parameters:
  ///   - link: as written; from the vault's root if it begins with `/`.
  ///   - note: the path of the note that contains it.
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

  /// Whether a link names the location of its file, so that a file of the same name elsewhere is not meant.
  static func isExplicit(_ link: String) -> Bool {
    link.hasPrefix("./") || link.hasPrefix("../")
  }

  /// Returns a link in the form used to look up names: no slashes around it, none doubled.
  static func name(_ link: String) -> String {
    // Most names have no slash at all.
    link.utf8.contains(UInt8(ascii: "/")) ? link.split(separator: "/").joined(separator: "/") : link
  }

  /// Opens a regular file inside a folder for reading; symbolic links may lead anywhere inside the folder.
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

  /// Returns a path without links and dots in it; nil if the file does not exist.
  static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
