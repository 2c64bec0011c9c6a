import ArchiveIO
import Content
import Foundation
import Interchange
import Synchronization

/// The bytes of a pack's attachments, unpacked one by one when a writer asks for them; those of a folder as well,
/// because what was checked is what is handed out, whatever happens to the folder meanwhile.
final class PackMedia: Sendable {
  private struct State {
    var folder: TemporaryFolder?
    var unpacked: Set<Int> = []
  }

  private let image: BagImage
  /// Numbers of files by the checksums of their bytes.
  private let numbers: [String: Int]
  private let findings: PackFindings
  private let state = Mutex(State())

  init(_ image: BagImage, _ picks: [Int], findings: PackFindings) {
    self.image = image
    self.findings = findings
    numbers = Dictionary(picks.map { (image.members[$0].sha256, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The file with the bytes of an attachment; nil when the pack does not have them.
  func number(of record: Record) -> Int? {
    guard !numbers.isEmpty, let root = (try? record.document())?.root, let hash = root["sha256"]?.string else {
      return nil
    }
    return numbers[hash]
  }

  /// Where the bytes lie on the disk.
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

  /// Writes the bytes to a temporary file. Nobody needs it after the run, so nobody waits for the disk.
  private func unpack(_ number: Int, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw RunFailure(.failed, "write '\(path)': \(SystemError.last)") }
    defer { close(descriptor) }
    let sink = ByteSink(descriptor: descriptor, name: path)
    try sink.write(image.bytes(of: number))
    try sink.flush()
  }
}
