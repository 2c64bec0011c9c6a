import Foundation
import Interchange

/// Reads the files of a folder and its subfolders in the order of their names. Links are rejected, not followed.
final class FolderSource: ArchiveSource {
  private let root: String
  private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
  private var entries: [RawEntry] = []
  private var at = 0
  private var done = 0
  private var total = 0

  /// Lists a folder.
  /// - Throws: `RunFailure` with status 2 if the folder or a subfolder cannot be read or exceeds a limit.
  init(_ path: String, limits: ArchiveLimits) throws {
    root = path.hasSuffix("/") ? path : path + "/"
    var open: [(name: [UInt8], depth: Int)] = [([], 0)]
    while let (folder, depth) = open.popLast() {
      try Interruption.check()
      guard depth <= limits.depth + 1 else {
        throw RunFailure(.failed, "read '\(path)': refused: its folders nest deeper than \(limits.depth) levels")
      }
      guard let stream = Self.with(root, folder, { opendir($0) }) else {
        throw RunFailure(.failed, "read '\(root)\(String(decoding: folder, as: UTF8.self))': \(SystemError.last)")
      }
      defer { closedir(stream) }
      while let found = readdir(stream) {
        let name = withUnsafeBytes(of: &found.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
        if name == Array(".".utf8) || name == Array("..".utf8) { continue }
        var status = stat()
        guard Self.with(root, folder + name, { lstat($0, &status) }) == 0 else {
          throw RunFailure(
            .failed, "read '\(root)\(String(decoding: folder + name, as: UTF8.self))': \(SystemError.last)")
        }
        var entry = RawEntry(name: folder + name, kind: .file, size: 0)
        switch status.st_mode & S_IFMT {
        case S_IFREG:
          entry.size = Int(status.st_size)
          total += entry.size
        case S_IFDIR:
          entry.kind = .folder
          open.append((folder + name + [UInt8(ascii: "/")], depth + 1))
        case S_IFLNK: entry.kind = .other("a link")
        default: entry.kind = .other("a pipe or a device")
        }
        entries.append(entry)
        guard entries.count <= limits.entries else {
          throw RunFailure(.failed, "read '\(path)': refused: it has more than \(limits.entries) files and folders")
        }
      }
    }
    entries.sort { $0.name.lexicographicallyPrecedes($1.name) }
  }

  deinit { room.deallocate() }

  func next() throws -> RawEntry? {
    guard at < entries.count else { return nil }
    at += 1
    return entries[at - 1]
  }

  func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws {
    let entry = entries[at - 1]
    let path = root + String(decoding: entry.name, as: UTF8.self)
    let (descriptor, _) = try FileBytes.open(path, follows: false)
    defer { close(descriptor) }
    while true {
      let got = FileRead.some(descriptor, into: room)
      guard got >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
      if got == 0 { return }
      done += got
      try Interruption.check()
      try take(UnsafeRawBufferPointer(rebasing: room[..<got]))
    }
  }

  var knownNames: [[UInt8]] { entries.map(\.name) }

  var progress: (done: Int, total: Int?) { (done, total) }

  /// Calls a system function with a path that is not necessarily UTF-8.
  private static func with<Result>(
    _ root: String, _ name: [UInt8], _ call: (UnsafePointer<CChar>) -> Result
  ) -> Result {
    let path = (Array(root.utf8) + name).map { CChar(bitPattern: $0) } + [0]
    return call(path)
  }
}
