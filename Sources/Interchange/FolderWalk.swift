import Foundation

/// The files of a folder and its subfolders, in no particular order.
///
/// Links to files count as files. Links to folders are not followed, so that a walk cannot run in a cycle. Pipes and
/// devices do not count as files. The system is asked about a file only if the folder's list does not give its kind.
public struct FolderWalk {
  /// Paths relative to the given folder, with `/` between their parts.
  public private(set) var files: [String] = []
  /// Links to folders and to missing files, which are not followed.
  public private(set) var deadEnds: [(path: String, isFolder: Bool)] = []
  /// Folders that contain names that are not valid UTF-8, once for each such name.
  public private(set) var unreadable: [String] = []

  /// Walks a folder.
  /// - Parameter takes: whether a file or folder with that name is visited.
  /// - Throws: `RunFailure` with status 2 if the folder, or a folder in it, cannot be read.
  public init(_ folder: String, takes: (String) -> Bool) throws {
    // With the slash, a link to a folder counts as the folder.
    let root = folder.hasSuffix("/") ? folder : folder + "/"
    var open = [""]
    while let inner = open.popLast() {
      try Interruption.check()
      try list(root, inner, &open, takes)
    }
  }

  /// Removes the files of bags from the list, because a folder that contains `bagit.txt` counts as one source.
  /// - Returns: The folders that are bags, without a trailing slash, except bags inside another bag.
  public mutating func takeBags() -> [String] {
    let mark = "/bagit.txt"
    let folders = Set(
      files.filter { $0.utf8.reversed().starts(with: mark.utf8.reversed()) }
        .map { String(decoding: $0.utf8.dropLast(mark.utf8.count), as: UTF8.self) })
    if folders.isEmpty { return [] }
    func bag(around path: String) -> Bool {
      var at = path.utf8.startIndex
      while let slash = path.utf8[at...].firstIndex(of: UInt8(ascii: "/")) {
        if folders.contains(String(path[..<slash])) { return true }
        at = path.utf8.index(after: slash)
      }
      return false
    }
    files.removeAll(where: bag)
    return folders.filter { !bag(around: $0) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private mutating func list(
    _ root: String, _ folder: String, _ open: inout [String], _ takes: (String) -> Bool
  ) throws {
    guard let stream = opendir(root + folder) else {
      throw RunFailure(.failed, "read the folder '\(root + folder)': \(SystemError.last)")
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      // The name is an array of fixed size in C and a tuple in Swift.
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(validating: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      guard let name else {
        unreadable.append(root + folder)
        continue
      }
      guard name != ".", name != "..", takes(name) else { continue }
      switch Int32(entry.pointee.d_type) {
      case Int32(DT_REG): files.append(folder + name)
      case Int32(DT_DIR): open.append(folder + name + "/")
      case Int32(DT_LNK): follow(root, folder + name)
      case Int32(DT_UNKNOWN):
        // Some file systems do not report the kind.
        switch Self.kind(root + folder + name, followsLinks: false) {
        case S_IFREG: files.append(folder + name)
        case S_IFDIR: open.append(folder + name + "/")
        case S_IFLNK: follow(root, folder + name)
        default: break
        }
      default: break
      }
    }
  }

  private mutating func follow(_ root: String, _ path: String) {
    switch Self.kind(root + path, followsLinks: true) {
    case S_IFREG: files.append(path)
    case S_IFDIR: deadEnds.append((path, true))
    case 0: deadEnds.append((path, false))
    default: break
    }
  }

  private static func kind(_ path: String, followsLinks: Bool) -> mode_t {
    var status = stat()
    let isThere = (followsLinks ? stat(path, &status) : lstat(path, &status)) == 0
    return isThere ? status.st_mode & S_IFMT : 0
  }
}
