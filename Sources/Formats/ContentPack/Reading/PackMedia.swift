import ArchiveIO
import Content
import Foundation
import Interchange
import Synchronization

/// A pack's attachment files. They are unpacked one by one when a writer requests them. Files in a folder are copied as
/// well, so that the checked bytes are returned even if the folder changes in the meantime.
final class PackMedia: Sendable {
  private struct State {
    var folder: TemporaryFolder?
    var unpacked: Set<Int> = []
  }

  private let image: BagImage
  /// The file numbers, by checksum.
  private let numbers: [String: Int]
  private let findings: PackFindings
  private let state = Mutex(State())

  init(_ image: BagImage, _ picks: [Int], findings: PackFindings) {
    self.image = image
    self.findings = findings
    numbers = Dictionary(picks.map { (image.members[$0].sha256, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the number of an attachment's file; nil if the pack does not contain the file.
  func number(of record: Record) -> Int? {
    guard !numbers.isEmpty, let root = (try? record.document())?.root, let hash = root["sha256"]?.string else {
      return nil
    }
    return numbers[hash]
  }

  /// Unpacks an attachment's file and returns its path.
  func path(of record: Record) -> String? {
    guard let number = number(of: record) else { return nil }
    let member = image.members[number]
    return state.withLock { state in
      do {
        let folder = try state.folder ?? TemporaryFolder()
        state.folder = folder
        let path = folder.path + "/" + member.sha256
        if !state.unpacked.contains(number) { try unpack(number, to: path) }
        state.unpacked.insert(number)
        return path
      } catch {
        findings.notUnpacked(member.path, error)
        return nil
      }
    }
  }

  /// Writes a file's bytes to a temporary file. The temporary file is not needed after the run, so it is not synced to
  /// the disk.
  private func unpack(_ number: Int, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw RunFailure(.failed, "write '\(path)': \(SystemError.last)") }
    defer { close(descriptor) }
    let sink = ByteSink(descriptor: descriptor, name: path)
    try sink.write(image.bytes(of: number))
    try sink.flush()
  }
}
