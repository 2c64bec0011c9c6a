import Foundation
import JSONText

/// A new file that gets its name only when it is complete and on disk.
///
/// The file is written next to its target under a temporary name that is locked while its writer is alive. A later run
/// removes the leftovers of a killed run.
public final class AtomicFile {
  /// The final name of the file.
  public let target: String
  /// The temporary name of the file.
  public let temporary: String
  private let folder: OpenFolder
  private let name: String
  private let temporaryName: String
  private let overwrites: Bool
  private var lock: Int32 = -1
  private var published = false

  /// Reserves a temporary name next to a target file.
  /// - Throws: `RunFailure` with status 4 if the target exists, 2 if its folder cannot be written.
  public convenience init(_ target: Target) throws {
    try self.init(target.path, overwrites: target.overwrites, canOverwrite: target.canOverwrite)
  }

  /// Reserves a temporary name next to `target`.
  /// - Parameters:
  ///   - overwrites: whether an existing file with the target's name may be replaced.
  ///   - canOverwrite: whether the user can request replacement with `--overwrite`.
  /// - Throws: `RunFailure` with status 4 if the target exists, 2 if its folder cannot be written.
  public convenience init(_ target: String, overwrites: Bool, canOverwrite: Bool = false) throws {
    let (folder, name): (OpenFolder, String)
    do {
      (folder, name) = try OpenFolder.containing(target)
    } catch {
      throw Self.cannotWrite(target)
    }
    try self.init(target, name, folder, overwrites, canOverwrite: canOverwrite)
  }

  /// Reserves a temporary name in an open folder.
  /// - Throws: `RunFailure` with status 4 if a file with that name exists and may not be replaced, 2 if the folder
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
      throw RunFailure(.refused, "write '\(target)': a folder with that name exists")
    }
    if exists, !overwrites {
      throw RunFailure(
        .refused, "write '\(target)': a file with that name already exists",
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

  /// Makes the file readable by its owner only.
  package func makePrivate() { fchmod(lock, 0o600) }

  /// Syncs the file and its folder, and gives the file its name.
  /// - Returns: The file's size in bytes.
  /// - Throws: `RunFailure` with status 2, or 4 if a file with that name appeared meanwhile.
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
      throw RunFailure(.refused, "write '\(target)': a file with that name appeared meanwhile")
    } else {
      // Without hard links (FAT, some network drives), the file is renamed after a last check.
      if folder.entry(name) != .nothing {
        throw RunFailure(.refused, "write '\(target)': a file with that name appeared meanwhile")
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

  /// Removes the temporary name of a complete file if its writer was killed between giving the file its name and
  /// removing the temporary name.
  ///
  /// This opens no file, because closing a descriptor of a database would drop its locks.
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

  /// Removes temporary files that this user's earlier runs made for the same target, if their processes have ended.
  private static func removeLeftovers(in folder: OpenFolder, of name: String) {
    for entry in leftovers(in: folder, of: name) {
      guard let descriptor = try? folder.file(entry, O_RDWR) else { continue }
      var status = stat()
      // The lock of a living writer is taken; the lock of a dead writer is free.
      if fstat(descriptor, &status) == 0, status.st_uid == geteuid(), flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
        folder.remove(entry)
      }
      close(descriptor)
    }
  }
}

/// The error if the reader of the output has closed the pipe, as `head` does when it has read enough.
public struct BrokenPipe: Error {}

/// Writes bytes to a file descriptor through a buffer, and turns full disks and closed pipes into errors.
public final class ByteSink {
  private let descriptor: Int32
  private let name: String
  private var buffer = ByteBuffer(capacity: 1 << 18)
  /// The number of bytes passed in, written or still in the buffer.
  public private(set) var count = 0

  /// Creates a sink that writes to `descriptor`; `name` is used in messages.
  public init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// Writes bytes.
  /// - Throws: `RunFailure` with status 2 if the disk is full or the reader has closed the pipe.
  public func write(_ bytes: Span<UInt8>) throws {
    count += bytes.count
    if buffer.count + bytes.count > 1 << 18 || bytes.count >= 1 << 16 { try flush() }
    if bytes.count >= 1 << 16 {
      try send(bytes)
    } else {
      buffer.append(bytes)
    }
  }

  /// Writes text.
  /// - Throws: as `write`.
  public func write(_ text: String) throws { try write(text.utf8.span) }

  /// Writes all buffered bytes to the descriptor.
  /// - Throws: as `write`.
  public func flush() throws {
    try send(buffer.bytes.span)
    buffer.removeAll()
  }

  private func send(_ bytes: Span<UInt8>) throws {
    var at = 0
    while at < bytes.count {
      let sent = bytes.extracting(droppingFirst: at).withUnsafeBytes {
        #if canImport(Glibc)
          Glibc.write(descriptor, $0.baseAddress, $0.count)
        #else
          Darwin.write(descriptor, $0.baseAddress, $0.count)
        #endif
      }
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

/// A target file, or the file that collects standard output until it is complete, so that no reader gets half of the
/// output.
package final class OutputFile {
  private let target: Target
  private let folder: TemporaryFolder?
  private let file: AtomicFile

  /// Begins the file; nothing is visible under the target's name.
  /// - Throws: `RunFailure` with status 4 if a file with that name exists, 2 if the file cannot be written.
  package init(_ target: Target) throws {
    self.target = target
    folder = target.isStandardOutput ? try TemporaryFolder() : nil
    file = try folder.map { try AtomicFile($0.path + "/output", overwrites: true) } ?? AtomicFile(target)
  }

  /// The file's descriptor, for writers of plain bytes.
  package var descriptor: Int32 { file.descriptor }

  /// Gives the file its name, or sends it to standard output.
  /// - Returns: The file's size in bytes; for a pipe that was closed early, the number of bytes written to the pipe.
  /// - Throws: `RunFailure` if the file cannot be written.
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
        try output.write(buffer.bytes.span)
      }
      try output.flush()
    } catch is BrokenPipe {
      // The reader needs only the beginning of the output.
    }
    return output.count
  }

  /// Removes the file unless it was published.
  package func discard() {
    file.discard()
    folder?.remove()
  }

  private func failure() -> RunFailure { RunFailure(.failed, "read a temporary file: \(SystemError.last)") }
}

/// Lets the system write a growing file to disk while it grows, so that the sync at the end has little left to do.
///
/// This is only a hint: nothing is safe on disk before the sync. On systems without such a call, it does nothing.
public final class WriteBack: @unchecked Sendable {
  private let descriptor: Int32
  private let condition = NSCondition()
  private var written = 0
  private var begun = 0
  private var stopped = false
  private var ended = false

  /// The number of bytes that the file grows between two requests.
  private static let step = 8 << 20

  /// Begins the requests for an open file, which must stay open until `stop`. The caller must call `stop`.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
    guard let request = Self.request else {
      ended = true
      return
    }
    // The call runs on another thread, because a slow disk would make the caller wait.
    ThreadPool.shared.run { [self] in run(request) }
  }

  /// Reports the current size of the file.
  public func grown(to bytes: Int) {
    guard bytes - written >= Self.step else { return }
    condition.lock()
    written = bytes
    condition.broadcast()
    condition.unlock()
  }

  /// Reports that the file will not grow for a while.
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
      // The request covers the whole file, because pages that are already on disk cost nothing.
      _ = request(descriptor, 0, 0, 2)
      condition.lock()
    }
    ended = true
    condition.broadcast()
    condition.unlock()
  }

  private typealias Request = @convention(c) (_ file: Int32, _ from: Int64, _ length: Int64, _ flags: UInt32) -> Int32

  /// Linux's `sync_file_range`, which the C module does not export to Swift; nil on other systems. Flag 2 begins to
  /// write.
  private static var request: Request? {
    #if os(Linux)
      dlsym(nil, "sync_file_range").map { unsafeBitCast($0, to: Request.self) }
    #else
      nil
    #endif
  }
}
