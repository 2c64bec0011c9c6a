import Content
import Foundation
import Interchange

/// The notes of a folder, in the order of their paths.
///
/// Hidden files and folders (`.obsidian`, `.git`, `.trash`), `node_modules`, what lies beside libraries and rejects of
/// earlier runs are passed over. Links to folders are not followed, so that no walk goes in circles.
struct VaultWalk {
  /// Notes, by path.
  private(set) var notes: [VaultFile] = []
  /// Names that are no text in UTF-8, as far as they can be shown.
  private(set) var unreadable: [String] = []
  /// Bytes of all notes.
  private(set) var size = 0

  private let root: String

  /// Walks a folder.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  init(_ root: String) throws {
    self.root = root.hasSuffix("/") ? root : root + "/"
    // Folders are named from here on, so that a path is never longer than the system allows for one step.
    var open = [""]
    while let folder = open.popLast() {
      try Interruption.check()
      do {
        try list(folder, &open)
      } catch let failure as RunFailure where !folder.isEmpty {
        throw failure
      }
    }
    notes.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
  }

  private mutating func list(_ folder: String, _ open: inout [String]) throws {
    guard let stream = opendir(root + folder) else {
      throw RunFailure(.failed, "read the folder '\(root + folder)': \(SystemError.last)")
    }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      // The name is an array of fixed size in C, a tuple in Swift.
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
      }
      guard let name else {
        unreadable.append(root + folder)
        continue
      }
      if name.hasPrefix(".") || name == "node_modules" || name.hasSuffix(".fleetkit") || name.contains(".rejects") {
        continue
      }
      let path = folder + name
      let kind = Int32(entry.pointee.d_type)
      if kind == Int32(DT_DIR) {
        open.append(path + "/")
        continue
      }
      let isNote = VaultFile.isNote(name)
      guard isNote || kind == Int32(DT_UNKNOWN) else { continue }
      var status = stat()
      guard stat(root + path, &status) == 0 else { continue }
      if kind == Int32(DT_UNKNOWN), status.st_mode & S_IFMT == S_IFDIR {
        open.append(path + "/")
      } else if isNote, status.st_mode & S_IFMT == S_IFREG {
        notes.append(VaultFile(path: path, status))
        size += Int(status.st_size)
      }
    }
  }
}

extension VaultFile {
  /// A file as the system describes it.
  init(path: String, _ status: stat) {
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    self.init(
      path: path, size: Int(status.st_size),
      modified: Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000))
  }
}
