import Foundation
import JSONText

/// A new file that gets its name only when it is complete and on disk.
///
/// Written beside its target under a temporary name that is locked while its writer lives; a later run removes
/// what a killed one left behind.
public final class AtomicFile {
  /// The name that the file will have.
  public let target: String
  /// The name that it has until then.
  public let temporary: String
  private let folder: OpenFolder
  private let name: String
  private let temporaryName: String
  private let overwrites: Bool
  private var lock: Int32 = -1
  private var published = false

  /// Reserves a temporary name beside the file that a target is.
  /// - Throws: `RunFailure` with status 4 when the target is there, 2 when its folder cannot be written.
  public convenience init(_ target: Target) throws {
    try self.init(target.path, overwrites: target.overwrites, canOverwrite: target.canOverwrite)
  }

  /// Reserves a temporary name beside `target`.
  /// - Parameters:
  ///   - overwrites: whether a file of the target's name may be replaced.
  ///   - canOverwrite: whether the user can ask for that with `--overwrite`.
  /// - Throws: `RunFailure` with status 4 when the target is there, 2 when its folder cannot be written.
  public convenience init(_ target: String, overwrites: Bool, canOverwrite: Bool = false) throws {
    let (folder, name): (OpenFolder, String)
    do {
      (folder, name) = try OpenFolder.containing(target)
    } catch {
      throw Self.cannotWrite(target)
    }
    try self.init(target, name, folder, overwrites, canOverwrite: canOverwrite)
  }

  /// Reserves a temporary name in a folder that is held open.
  /// - Throws: `RunFailure` with status 4 when a file of that name is there and may not be replaced, 2 when the folder
  ///   cannot be written.
  package convenience init(_ name: String, in folder: OpenFolder, overwrites: Bool) throws {
    try self.init(folder.path(name), name, folder, overwrites, canOverwrite: false)
  }

  private init(
    _ target: String, _ name: String, _ folder: OpenFolder, _ overwrites: Bool, canOverwrite: Bool
  ) throws {
    self.target = target
    self.name = name
    self.folder = folder
    self.overwrites = overwrites
    temporaryName = ".\(name).fleetkit-\(getpid())-\(UInt32.random(in: .min ... .max)).tmp"
    temporary = folder.path(temporaryName)
    var status = stat()
    let exists = fstatat(folder.descriptor, name, &status, 0) == 0
    if exists, status.st_mode & S_IFMT == S_IFDIR {
      throw RunFailure(.refused, "write '\(target)': a folder of that name is there")
    }
    if exists, !overwrites {
      throw RunFailure(
        .refused, "write '\(target)': a file of that name is there already",
        advice: canOverwrite
          ? "Choose another name, or replace the file with --overwrite."
          : "Choose another name, or remove the file first.")
    }
    Self.removeLeftovers(in: folder, of: name)
    lock = openat(folder.descriptor, temporaryName, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard lock >= 0 else { throw Self.cannotWrite(target) }
    flock(lock, LOCK_EX | LOCK_NB)
  }

  private static func cannotWrite(_ target: String) -> RunFailure {
    RunFailure(.failed, "write '\(target)': \(SystemError.last)", advice: "Check the folder.")
  }

  deinit { discard() }

  /// The file's descriptor, for writers of plain bytes.
  public var descriptor: Int32 { lock }

  /// Lets only its owner read the file.
  package func makePrivate() { fchmod(lock, 0o600) }

  /// Syncs the file and gives it its name; the folder is synced too.
  /// - Returns: the file's size in bytes.
  /// - Throws: `RunFailure` with status 2, or 4 when a file of that name appeared meanwhile.
  @discardableResult
  public func publish() throws -> Int {
    guard fsync(lock) == 0 else { throw failure("sync") }
    var status = stat()
    fstat(lock, &status)
    if overwrites {
      guard folder.move(temporaryName, to: folder, as: name) else { throw failure("name") }
    } else if folder.link(temporaryName, as: name) {
      // link() never replaces a file, so no file is lost between the check and the link.
      folder.remove(temporaryName)
    } else if errno == EEXIST {
      throw RunFailure(.refused, "write '\(target)': a file of that name appeared meanwhile")
    } else {
      // No hard links here (FAT, some network drives): rename after a last look.
      if folder.entry(name) != .nothing {
        throw RunFailure(.refused, "write '\(target)': a file of that name appeared meanwhile")
      }
      guard folder.move(temporaryName, to: folder, as: name) else { throw failure("name") }
    }
    published = true
    close(lock)
    lock = -1
    folder.sync()
    return Int(status.st_size)
  }

  /// Removes the file unless it was published.
  public func discard() {
    if lock >= 0 {
      close(lock)
      lock = -1
    }
    if !published { folder.remove(temporaryName) }
  }

  private func failure(_ what: String) -> RunFailure {
    RunFailure(.failed, "\(what) '\(target)': \(SystemError.last)")
  }

  /// Removes the temporary name of a complete file whose writer was killed between giving it its name and dropping the
  /// other one.
  ///
  /// Opens no file: closing a descriptor of a database would drop its locks.
  public static func removeSecondName(of target: String) {
    var file = stat()
    guard lstat(target, &file) == 0, file.st_nlink > 1, let (folder, name) = try? OpenFolder.containing(target) else {
      return
    }
    for entry in leftovers(in: folder, of: name) {
      var other = stat()
      let isThere = fstatat(folder.descriptor, entry, &other, AT_SYMLINK_NOFOLLOW) == 0
      if isThere, other.st_dev == file.st_dev, other.st_ino == file.st_ino { folder.remove(entry) }
    }
  }

  private static func leftovers(in folder: OpenFolder, of name: String) -> [String] {
    folder.names.filter { $0.hasPrefix(".\(name).fleetkit-") && $0.hasSuffix(".tmp") && folder.entry($0) == .file }
  }

  /// Removes temporary files of earlier runs of this user for the same target whose process is gone.
  private static func removeLeftovers(in folder: OpenFolder, of name: String) {
    for entry in leftovers(in: folder, of: name) {
      guard let descriptor = try? folder.file(entry, O_RDWR) else { continue }
      var status = stat()
      // The lock of a living writer is held; that of a dead one is free.
      if fstat(descriptor, &status) == 0, status.st_uid == geteuid(), flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        folder.remove(entry)
      }
      close(descriptor)
    }
  }
}

/// The reader of the output has gone away, as `head` does when it has seen enough.
public struct BrokenPipe: Error {}

/// Writes bytes to a file descriptor through a buffer; full disks and closed pipes become errors.
public final class ByteSink {
  private let descriptor: Int32
  private let name: String
  private var buffer = ByteBuffer(capacity: 1 << 18)
  /// How many bytes were taken, written or still in the buffer.
  public private(set) var count = 0

  /// Writes to `descriptor`; `name` is for messages.
  public init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// Takes bytes.
  /// - Throws: `RunFailure` with status 2 when the disk is full or the reader has gone.
  public func write(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    count += bytes.count
    if buffer.count + bytes.count > 1 << 18 || bytes.count >= 1 << 16 { try flush() }
    if bytes.count >= 1 << 16 {
      try send(bytes)
    } else {
      buffer.append(bytes)
    }
  }

  /// Takes text.
  /// - Throws: as `write`.
  public func write(_ text: String) throws {
    var text = text
    try text.withUTF8 { try write($0) }
  }

  /// Hands everything to the system.
  /// - Throws: as `write`.
  public func flush() throws {
    try send(buffer.bytes)
    buffer.removeAll()
  }

  private func send(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    var at = 0
    while at < bytes.count, let base = bytes.baseAddress {
      #if canImport(Glibc)
        let sent = Glibc.write(descriptor, base + at, bytes.count - at)
      #else
        let sent = Darwin.write(descriptor, base + at, bytes.count - at)
      #endif
      if sent < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE { throw BrokenPipe() }
        throw RunFailure(
          .failed, "write '\(name)': \(SystemError.last)",
          advice: errno == ENOSPC ? "Free some space and run it again; nothing was changed." : nil)
      }
      at += sent
    }
  }
}

/// The file that a target is, or what stands in for standard output until it is complete: no reader gets half of one.
package final class OutputFile {
  private let target: Target
  private let folder: TemporaryFolder?
  private let file: AtomicFile

  /// Begins it; nothing is visible under the target's name.
  /// - Throws: `RunFailure` with status 4 when a file of that name is there, 2 when it cannot be written.
  package init(_ target: Target) throws {
    self.target = target
    folder = target.isStandardOutput ? try TemporaryFolder() : nil
    file = try folder.map { try AtomicFile($0.path + "/output", overwrites: true) } ?? AtomicFile(target)
  }

  /// The file's descriptor, for writers of plain bytes.
  package var descriptor: Int32 { file.descriptor }

  /// Gives the file its name, or sends it to standard output.
  /// - Returns: its size in bytes; of a pipe that was closed early, what went into it.
  /// - Throws: `RunFailure` when it cannot be written.
  package func publish() throws -> Int {
    guard target.isStandardOutput else { return try file.publish() }
    defer { discard() }
    let output = ByteSink(descriptor: 1, name: "standard output")
    var buffer = ByteBuffer(capacity: 1 << 16)
    guard lseek(file.descriptor, 0, SEEK_SET) == 0 else { throw failure() }
    do {
      while true {
        buffer.removeAll()
        let got = buffer.append(room: 1 << 16) { FileRead.some(file.descriptor, into: $0) }
        if got < 0 { throw failure() }
        if got == 0 { break }
        try output.write(buffer.bytes)
      }
      try output.flush()
    } catch is BrokenPipe {
      // Who reads only the beginning wants no more.
    }
    return output.count
  }

  /// Removes it unless it was published.
  package func discard() {
    file.discard()
    folder?.remove()
  }

  private func failure() -> RunFailure { RunFailure(.failed, "read a temporary file: \(SystemError.last)") }
}

/// Lets the system write a growing file to disk while it grows, so that the sync at its end finds little left to do.
///
/// Only a hint: nothing is safe on disk before the sync. Does nothing where the system has no such call.
public final class WriteBack: @unchecked Sendable {
  private let descriptor: Int32
  private let condition = NSCondition()
  private var written = 0
  private var begun = 0
  private var stopped = false
  private var ended = false

  /// How much the file grows from one request to the next.
  private static let step = 8 << 20

  /// Begins for an open file, which must stay open until `stop`; whoever begins must also stop.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
    guard let request = Self.request else {
      ended = true
      return
    }
    // On another thread: a slow disk makes the call wait.
    ThreadPool.shared.run { [self] in run(request) }
  }

  /// Says how many bytes the file has by now.
  public func grown(to bytes: Int) {
    guard bytes - written >= Self.step else { return }
    condition.lock()
    written = bytes
    condition.broadcast()
    condition.unlock()
  }

  /// Says that the file will not grow any more for a while.
  public func rested() {
    condition.lock()
    written += 1
    condition.broadcast()
    condition.unlock()
  }

  /// Ends the requests and waits until the last one has returned.
  public func stop() {
    condition.lock()
    stopped = true
    condition.broadcast()
    while !ended { condition.wait() }
    condition.unlock()
  }

  private func run(_ request: Request) {
    condition.lock()
    while true {
      while written == begun, !stopped { condition.wait() }
      if stopped { break }
      begun = written
      condition.unlock()
      // The whole file: pages that are on disk already cost nothing.
      _ = request(descriptor, 0, 0, 2)
      condition.lock()
    }
    ended = true
    condition.broadcast()
    condition.unlock()
  }

  private typealias Request = @convention(c) (_ file: Int32, _ from: Int64, _ length: Int64, _ flags: UInt32) -> Int32

  /// Linux's `sync_file_range`, which the C module does not show to Swift; nil elsewhere. Flag 2 begins to write.
  private static var request: Request? {
    #if os(Linux)
      dlsym(nil, "sync_file_range").map { unsafeBitCast($0, to: Request.self) }
    #else
      nil
    #endif
  }
}
