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

  func read(_ body: (Span<UInt8>) throws -> Void) throws {
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
      try body(room.assumingMemoryBound(to: UInt8.self).span.extracting(first: got))
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

/// Writes files to a new folder, which gets its name only when all files are on the disk.
final class FolderPacking: ArchivePacking {
  private let target: String
  private let staging: TemporaryFolder
  private var temporary: String { staging.path }
  private let overwrites: Bool
  private let time: Int64
  private let mode: UInt32
  private var made: Set<ByteName> = []
  private var current: Int32 = -1
  private var currentPath = ""
  private var count = 0
  private var isPublished = false

  /// Begins a folder.
  /// - Throws: `RunFailure` with status 4 if the target exists and must not be replaced.
  init(_ target: String, overwrites: Bool, time: Int64, mode: UInt32) throws {
    var path = target
    while path.utf8.count > 1, path.hasSuffix("/") { path = String(path.utf8.dropLast()) ?? path }
    self.target = path
    self.overwrites = overwrites
    self.time = time
    self.mode = mode
    try Self.check(path, overwrites: overwrites)
    staging = try TemporaryFolder(beside: path, ending: ".tmp", mode: mode & 0o077 == 0 ? 0o700 : 0o755)
  }

  deinit { discard() }

  func begin(_ name: String, size: Int) throws {
    try folder(of: name)
    currentPath = temporary + "/" + name
    current = open(currentPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode_t(mode))
    guard current >= 0 else { throw failure("write", name) }
  }

  func add(_ bytes: Span<UInt8>) throws {
    try FileBytes.write(bytes.bytes, to: current, name: target)
    count += bytes.count
  }

  func end() throws {
    let moment = timespec(tv_sec: Int(time), tv_nsec: 0)
    futimens(current, [moment, moment])
    close(current)
    current = -1
  }

  func complete(head: [(name: String, bytes: [UInt8])]) throws {
    for (name, bytes) in head {
      try begin(name, size: bytes.count)
      try add(bytes.span)
      try end()
    }
    // One call for the whole file system costs less than one call for each of many files.
    if let syncfs = Self.syncfs {
      guard syncfs(staging.folder.descriptor) == 0 else { throw failure("sync", "") }
    } else {
      sync()
    }
  }

  func publish() throws -> Int {
    try Self.check(target, overwrites: overwrites)
    var old: String?
    if access(target, F_OK) == 0 {
      // An empty folder can be removed directly. A bag is moved aside, and is removed once the new bag has the target's
      // name.
      if rmdir(target) != 0 {
        let aside = temporary + ".old"
        guard rename(target, aside) == 0 else { throw failure("replace", "") }
        old = aside
      }
    }
    guard rename(temporary, target) == 0 else {
      let error = failure("name", "")
      if let old { rename(old, target) }
      throw error
    }
    isPublished = true
    let parent = open(URL(fileURLWithPath: target).deletingLastPathComponent().path, O_RDONLY | O_CLOEXEC)
    if parent >= 0 {
      fsync(parent)
      close(parent)
    }
    if let old { try? FileManager.default.removeItem(atPath: old) }
    return count
  }

  func discard() {
    if current >= 0 { close(current) }
    current = -1
    if !isPublished { staging.remove() }
  }

  /// Checks that the target does not exist, or that it may be replaced and is an empty folder or a bag.
  private static func check(_ path: String, overwrites: Bool) throws {
    var status = stat()
    guard lstat(path, &status) == 0 else { return }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw RunFailure(
        .refused, "write '\(path)': the target exists and is not a folder", advice: "Choose another name.")
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? ["?"]
    if names.isEmpty || overwrites && names.contains("bagit.txt") { return }
    throw RunFailure(
      .refused, "write '\(path)': a folder of that name already exists",
      advice: "Choose another name, or remove the folder first.")
  }

  /// Creates the parent folders of a file.
  private func folder(of name: String) throws {
    let bytes = Array(name.utf8)
    for at in bytes.indices where bytes[at] == UInt8(ascii: "/") {
      let folder = String(decoding: bytes[..<at], as: UTF8.self)
      guard made.insert(ByteName(folder)).inserted else { continue }
      guard mkdir(temporary + "/" + folder, mode & 0o077 == 0 ? 0o700 : 0o755) == 0 || errno == EEXIST else {
        throw failure("write", folder)
      }
    }
  }

  /// Linux's `syncfs`, which Swift's C module does not export; nil on other systems.
  private static var syncfs: (@convention(c) (Int32) -> Int32)? {
    #if os(Linux)
      dlsym(nil, "syncfs").map { unsafeBitCast($0, to: (@convention(c) (Int32) -> Int32).self) }
    #else
      nil
    #endif
  }

  private func failure(_ what: String, _ name: String) -> RunFailure {
    RunFailure(.failed, "\(what) '\(target)\(name.isEmpty ? "" : "/" + name)': \(SystemError.last)")
  }
}
