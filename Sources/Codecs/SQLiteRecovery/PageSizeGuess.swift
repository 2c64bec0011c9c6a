/// Guesses, from the pages, values that a damaged header lacks.
enum PageSizeGuess {
  /// The number of bytes to examine.
  private static let sample = 32 << 20

  /// Returns whether pages of this size can be distinguished from random bytes: at least one of the first thousand
  /// pages is a sound tree page, or the file has at most one page.
  static func isPossible(_ size: Int, reserved: Int, _ file: RandomAccessFile) -> Bool {
    guard file.size > size else { return true }
    var buffer: [UInt8] = []
    for index in 0..<min(1024, file.size / size) {
      file.read(size, at: index * size, into: &buffer)
      if BTreePage(buffer, page: UInt32(index + 1), usable: size - reserved)?.isSound == true { return true }
    }
    return false
  }

  /// Returns the page size for which sound pages cover most of the file, or nil if no page is sound.
  ///
  /// SQLite reserves no bytes, but extensions for encryption and checksums reserve 8 to 32 bytes.
  static func guess(_ file: RandomAccessFile) -> (pageSize: Int, reserved: Int)? {
    var best: (pageSize: Int, reserved: Int, covered: Int)?
    for reserved in [[0], [8, 12, 16, 24, 32]] {
      for shift in 9...16 {
        for (reserved, covered) in cover(file, size: 1 << shift, reserved) where covered > best?.covered ?? 0 {
          best = (1 << shift, reserved, covered)
        }
      }
      // Occasionally, pages look sound by chance.
      if let best, best.covered > min(file.size, sample) / 50 { break }
    }
    return best.map { ($0.pageSize, $0.reserved) }
  }

  /// Returns the number of bytes in sound pages of a given size for each number of reserved bytes.
  private static func cover(_ file: RandomAccessFile, size: Int, _ choices: [Int]) -> [(reserved: Int, bytes: Int)] {
    var result = choices.map { (reserved: $0, bytes: 0) }
    var buffer: [UInt8] = []
    for index in 0..<min(file.size, sample) / size {
      file.read(size, at: index * size, into: &buffer)
      for choice in result.indices where size - result[choice].reserved >= 480 {
        let usable = size - result[choice].reserved
        guard let page = BTreePage(buffer, page: UInt32(index + 1), usable: usable) else { break }
        if page.isSound, !page.cells.isEmpty { result[choice].bytes += size }
      }
    }
    return result
  }

  /// Returns the encoding of the first texts that are found. In UTF-16, every second byte of most texts is zero.
  static func encoding(_ file: RandomAccessFile, pageSize: Int, usable: Int) -> DatabaseEncoding {
    var (texts, little, big) = (0, 0, 0)
    var buffer: [UInt8] = []
    var serials: [Int] = []
    for index in 0..<min(256, file.size / pageSize) {
      file.read(pageSize, at: index * pageSize, into: &buffer)
      guard let page = BTreePage(buffer, page: UInt32(index + 1), usable: usable), page.kind == .tableLeaf else {
        continue
      }
      for cell in page.cells where cell.overflow == 0 {
        let range = cell.body..<cell.body + cell.local
        guard case .sound(let size) = Record.header(buffer, range, payload: cell.payload, into: &serials) else {
          continue
        }
        for case .text(let text) in Record.values(
          buffer, from: cell.body + size, to: range.upperBound, serials: serials, .utf8) where text.count > 1
        {
          texts += 1
          let zeros = text.indices.filter { text[$0] == 0 }
          let odd = zeros.count(where: { $0 % 2 == 1 })
          if odd * 4 > text.count { little += 1 }
          if (zeros.count - odd) * 4 > text.count { big += 1 }
        }
      }
      if texts > 1000 { break }
    }
    if little * 2 > texts { return .utf16LittleEndian }
    return big * 2 > texts ? .utf16BigEndian : .utf8
  }
}
