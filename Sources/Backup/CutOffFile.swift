import ArchiveIO
import Foundation

/// Distinguishes a truncated file from a file with other damage.
package enum CutOffFile {
  /// Whether an archive is truncated: it is empty, a zstd frame or block is not complete, or a zip file has no
  /// directory at its end.
  ///
  /// This reads headers only. A truncated gzip file cannot be recognized without unpacking it, so the result is false.
  package static func isCutOff(_ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    let size = Int(status.st_size)
    if size == 0 { return true }
    switch ArchiveKind.of(bytes(file, 0, 512)) {
    case .fleetpack: return !endsWithFrame(file, size)
    case .zip: return !hasDirectory(file, size)
    default: return false
    }
  }

  private static func bytes(_ file: Int32, _ offset: Int, _ count: Int) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    let got = pread(file, &buffer, count, off_t(offset))
    return Array(buffer.prefix(max(0, got)))
  }

  private static func number(_ bytes: some Collection<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads the frames of a zstd file from header to header. Returns whether the file ends with a complete frame.
  /// - Source: RFC 8878, sections 3.1.1 and 3.1.2
  private static func endsWithFrame(_ file: Int32, _ size: Int) -> Bool {
    var at = 0
    while at < size {
      let head = bytes(file, at, 18)
      guard head.count >= 8 else { return false }
      let magic = number(head[0..<4])
      if magic & 0xFFFF_FFF0 == 0x184D_2A50 {
        at += 8 + number(head[4..<8])
        continue
      }
      // If the bytes are not a frame, the file has another kind of damage.
      guard magic == 0xFD2F_B528 else { return true }
      let descriptor = head[4]
      let isSingle = descriptor & 0x20 != 0
      let sizes = [isSingle ? 1 : 0, 2, 4, 8]
      at += 5 + (isSingle ? 0 : 1) + [0, 1, 2, 4][Int(descriptor & 3)] + sizes[Int(descriptor >> 6)]
      var isLast = false
      while !isLast {
        let block = bytes(file, at, 3)
        guard block.count == 3 else { return false }
        let word = number(block)
        isLast = word & 1 == 1
        let type = word >> 1 & 3
        guard type != 3 else { return true }
        at += 3 + (type == 1 ? 1 : word >> 3)
        if at > size { return false }
      }
      if descriptor & 4 != 0 { at += 4 }
    }
    return at == size
  }

  /// Whether a zip file has its directory, whose end is within the last 64 KiB and 22 bytes of the file.
  private static func hasDirectory(_ file: Int32, _ size: Int) -> Bool {
    let tail = bytes(file, max(0, size - 65_557), min(size, 65_557))
    let mark: [UInt8] = [0x50, 0x4B, 0x05, 0x06]
    return tail.indices.dropLast(3).contains { tail[$0..<$0 + 4].elementsEqual(mark) }
  }
}
