import Content
import Foundation
import Interchange

/// The notes of a folder, in the order of their paths.
///
/// Hidden files and folders (`.obsidian`, `.git`, `.trash`), `node_modules`, what lies beside libraries and rejects of
/// earlier runs are passed over, and so is what programs make of a vault (`GeneratedFolders`).
struct VaultWalk {
  /// Notes, by path.
  private(set) var notes: [VaultFile] = []
  /// Notes of folders that hold templates; links may lead to them.
  private(set) var templates: [VaultFile] = []
  /// Folders that hold templates.
  let templateFolders: [String]
  /// Paths of all other files: pictures and whatever else notes may link to.
  private(set) var others: [String] = []
  /// Folders with names that are no text in UTF-8.
  let unreadable: [String]
  /// Bytes of all notes.
  private(set) var size = 0

  /// Walks a folder.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  init(_ folder: String) throws {
    let root = folder.hasSuffix("/") ? folder : folder + "/"
    var walk = try FolderWalk(folder) { name in
      !name.hasPrefix(".") && name != "node_modules" && !name.hasSuffix(".fleetkit") && !name.contains(".rejects")
    }
    // A pack that lies in a vault is no part of it.
    _ = walk.takeBags()
    unreadable = walk.unreadable
    let passed = GeneratedFolders(root, files: walk.files)
    templateFolders = passed.templates
    for path in walk.files where !passed.isGenerated(path) {
      guard VaultFile.isNote(path) else {
        others.append(path)
        continue
      }
      var status = stat()
      guard stat(root + path, &status) == 0 else { continue }
      if passed.isTemplate(path) {
        templates.append(VaultFile(path: path, status))
        continue
      }
      notes.append(VaultFile(path: path, status))
      size += Int(status.st_size)
    }
    // Names of ASCII, as most are, compare fastest as strings, and by the same order.
    if notes.allSatisfy({ $0.path.utf8.allSatisfy { $0 < 0x80 } }) {
      notes.sort { $0.path < $1.path }
    } else {
      notes.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }
    others.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
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
