import Foundation

/// The folder that globs are relative to, and the paths of files inside it. A scope compares only names and does not
/// access the disk.
public struct PathScope: Sendable, Hashable {
  /// The folder's absolute path, without a slash at its end.
  public let folder: String
  /// The absolute path of the folder that relative names start from.
  private let workingFolder: String

  /// Makes a scope.
  /// - Parameter folder: a path that is absolute or relative to `workingFolder`.
  /// - Parameter workingFolder: the absolute path of the folder that relative names start from.
  public init(folder: String, workingFolder: String = FileManager.default.currentDirectoryPath) {
    self.workingFolder = workingFolder
    self.folder = Self.absolute(folder, from: workingFolder)
  }

  /// Returns the path of a file inside the folder, with `/` between names. Returns nil if the file is elsewhere.
  public func relative(_ file: String) -> String? {
    let path = Self.absolute(file, from: workingFolder)
    let prefix = folder == "/" ? "/" : folder + "/"
    return path.hasPrefix(prefix) && path != prefix ? String(path.dropFirst(prefix.count)) : nil
  }

  /// Returns an absolute path without `.`, `..` and doubled slashes. A relative path is resolved against a folder.
  public static func absolute(_ path: String, from folder: String) -> String {
    var names: [Substring] = []
    for name in (path.hasPrefix("/") ? path : folder + "/" + path).split(separator: "/") where name != "." {
      if name == ".." { _ = names.popLast() } else { names.append(name) }
    }
    return "/" + names.joined(separator: "/")
  }
}
