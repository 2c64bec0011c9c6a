import Foundation

/// The folder that globs are relative to, and the paths of files inside it. Compares names only, without reading the
/// disk.
public struct PathScope: Sendable, Hashable {
  /// The folder, absolute, without a slash at its end.
  public let folder: String
  /// The folder that relative names start from, absolute.
  private let workingFolder: String

  /// Makes a scope.
  /// - Parameter folder: absolute, or relative to `workingFolder`.
  /// - Parameter workingFolder: absolute; relative names start from it.
  public init(folder: String, workingFolder: String = FileManager.default.currentDirectoryPath) {
    self.workingFolder = workingFolder
    self.folder = Self.absolute(folder, from: workingFolder)
  }

  /// The path of a file inside the folder, with `/` between names; nil if it is elsewhere.
  public func relative(_ file: String) -> String? {
    let path = Self.absolute(file, from: workingFolder)
    let prefix = folder == "/" ? "/" : folder + "/"
    return path.hasPrefix(prefix) && path != prefix ? String(path.dropFirst(prefix.count)) : nil
  }

  /// Returns a path without `.`, `..` and doubled slashes, resolved against a folder.
  public static func absolute(_ path: String, from folder: String) -> String {
    var names: [Substring] = []
    for name in (path.hasPrefix("/") ? path : folder + "/" + path).split(separator: "/") where name != "." {
      if name == ".." { _ = names.popLast() } else { names.append(name) }
    }
    return "/" + names.joined(separator: "/")
  }
}
