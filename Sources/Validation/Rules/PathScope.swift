import Foundation

/// The folder that globs count from, and how files lie in it. Looks at names only, never at the disk.
public struct PathScope: Sendable, Hashable {
  /// The folder, absolute, without a slash at its end.
  public let folder: String
  /// The folder that relative names count from, absolute.
  private let workingFolder: String

  /// Names a folder.
  /// - Parameter folder: absolute, or relative to `workingFolder`.
  /// - Parameter workingFolder: absolute; where relative names count from.
  public init(folder: String, workingFolder: String = FileManager.default.currentDirectoryPath) {
    self.workingFolder = workingFolder
    self.folder = Self.absolute(folder, from: workingFolder)
  }

  /// The name of a file inside the folder, with `/` between names; nil when it lies elsewhere.
  public func relative(_ file: String) -> String? {
    let path = Self.absolute(file, from: workingFolder)
    let prefix = folder == "/" ? "/" : folder + "/"
    return path.hasPrefix(prefix) && path != prefix ? String(path.dropFirst(prefix.count)) : nil
  }

  /// A path without `.`, `..` and doubled slashes, counted from a folder.
  public static func absolute(_ path: String, from folder: String) -> String {
    var names: [Substring] = []
    for name in (path.hasPrefix("/") ? path : folder + "/" + path).split(separator: "/") where name != "." {
      if name == ".." { _ = names.popLast() } else { names.append(name) }
    }
    return "/" + names.joined(separator: "/")
  }
}
