import Content
import Foundation
import Interchange

/// The bytes of attachments beside a library: `<library>.fleetkit/media/<sha256>`, one file for the same bytes,
/// however many attachments stand for them.
///
/// Files come before the library's commit and are never changed. What a killed run brought stays and is used by the
/// next one.
package final class MediaStore {
  private let sidecar: Sidecar
  /// What this run brought.
  private var added: [String] = []
  private var known: Set<String> = []

  /// Opens the store of a library; nothing is made before something is kept.
  package init(_ sidecar: Sidecar) { self.sidecar = sidecar }

  /// Where the bytes of a hash lie beside a library.
  /// - Returns: nil when they do not, or when `sha256` is none.
  package static func path(of sha256: String, beside library: String) -> String? {
    guard isHash(sha256) else { return nil }
    let path = path(of: sha256, in: Sidecar.path(of: library))
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? path : nil
  }

  private static func path(of sha256: String, in sidecar: String) -> String {
    "\(sidecar)/\(Sidecar.Part.media.rawValue)/\(sha256)"
  }

  /// 64 hexadecimal digits in small letters: nothing else may become a file's name.
  private static func isHash(_ text: String) -> Bool {
    text.utf8.count == 64 && text.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 >= 0x61 && $0 <= 0x66 }
  }

  /// Copies a file into the store, unless its bytes are there, and sees them onto the disk.
  /// - Parameter sha256: what the attachment says its bytes are; they are checked while they are copied.
  /// - Returns: false when `sha256` is no hash, so that there is nothing to keep them under.
  /// - Throws: `RunFailure` with status 2 when the file cannot be read or written, or has other bytes.
  @discardableResult
  package func keep(_ file: String, sha256: String) throws -> Bool {
    guard Self.isHash(sha256) else { return false }
    guard known.insert(sha256).inserted else { return true }
    let target = Self.path(of: sha256, in: sidecar.path)
    var status = stat()
    if lstat(target, &status) == 0 { return true }
    _ = try sidecar.folder(.media)
    let temporary = try sidecar.folder(.staging) + "/" + sha256
    let source = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard source >= 0 else { throw RunFailure(.failed, "read '\(file)': \(SystemError.last)") }
    defer { close(source) }
    let copy = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard copy >= 0 else { throw RunFailure(.failed, "write '\(temporary)': \(SystemError.last)") }
    defer { close(copy) }
    do {
      guard try Self.copy(source, file, to: copy, temporary) == sha256 else {
        throw RunFailure(
          .failed, "read '\(file)': it was changed while it was read; nothing was imported", advice: "Run it again.")
      }
      guard fsync(copy) == 0, rename(temporary, target) == 0 else {
        throw RunFailure(.failed, "write '\(target)': \(SystemError.last)")
      }
    } catch {
      unlink(temporary)
      throw error
    }
    added.append(target)
    return true
  }

  /// Copies to the end; answers the hash of what was copied.
  private static func copy(_ source: Int32, _ from: String, to target: Int32, _ to: String) throws -> String {
    var digest = DigestStream()
    let piece = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 18)
    defer { piece.deallocate() }
    while true {
      let got = read(source, piece.baseAddress, piece.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw RunFailure(.failed, "read '\(from)': \(SystemError.last)") }
      if got == 0 { return Digest.hex(digest.finish()) }
      digest.update(UnsafeBufferPointer(rebasing: piece[..<got]))
      var done = 0
      while done < got {
        let wrote = write(target, piece.baseAddress.map { $0 + done }, got - done)
        if wrote < 0, errno == EINTR { continue }
        guard wrote > 0 else { throw RunFailure(.failed, "write '\(to)': \(SystemError.last)") }
        done += wrote
      }
      try Interruption.check()
    }
  }

  /// Sees the names of what was kept onto the disk, before anything refers to them.
  package func publish() throws {
    guard !added.isEmpty else { return }
    let folder = open(try sidecar.folder(.media), O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw RunFailure(.failed, "write '\(sidecar.path)/media': \(SystemError.last)") }
  }

  /// Hashes of what this run brought.
  package var brought: [String] { added.map { ($0 as NSString).lastPathComponent } }

  /// Removes what this run brought.
  package func discard() {
    for path in added { unlink(path) }
    added = []
  }
}
