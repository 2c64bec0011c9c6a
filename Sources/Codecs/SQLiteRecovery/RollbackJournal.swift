import Foundation

/// A rollback journal, which contains the pages as they were before an interrupted transaction.
///
/// The journal is read once, one page at a time. As in SQLite's playback, it ends at the first record with a wrong
/// checksum.
/// - Source: https://sqlite.org/fileformat2.html, section 3; pager.c, `pager_playback`
struct RollbackJournal: Sendable {
  enum State: Sendable {
    /// The journal must be played back.
    case hot
    /// The journal is empty, or its header was zeroed when the transaction ended.
    case ended
    /// The header is invalid or does not belong to this database.
    case invalid
    /// The super-journal that the journal names no longer exists, because the transaction was committed.
    case superseded
  }

  let state: State
  let pageSize: Int
  /// The number of pages in the database before the transaction.
  let initialPageCount: Int
  /// Whether a record had a wrong checksum.
  private(set) var isBroken = false
  private var offsets: [UInt32: Int] = [:]

  private static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

  /// Reads a journal.
  /// - Parameter expected: the page size of the database, if it is known.
  /// - Parameter folder: the folder in which a super-journal would be.
  init(_ file: RandomAccessFile, expected: Int?, folder: String) {
    var header: [UInt8] = []
    let read = file.read(28, at: 0, into: &header)
    let sector = Int(header.number32(20))
    let size = Int(header.number32(24))
    initialPageCount = Int(header.number32(16))
    pageSize = size
    guard read == 28, header.contains(where: { $0 != 0 }) else {
      state = .ended
      return
    }
    let isSound =
      header.holds(Self.magic) && Self.isPowerOfTwo(sector, in: 32...65_536)
      && Self.isPowerOfTwo(size, in: 512...65_536)
    guard isSound, expected == nil || expected == size else {
      state = header.byte(0) == 0 ? .ended : .invalid
      return
    }
    state = Self.nameOfSuperJournal(file).map { Self.isThere($0, in: folder) } == false ? .superseded : .hot
    readSegments(file, sector: sector)
  }

  private mutating func readSegments(_ file: RandomAccessFile, sector: Int) {
    let recordSize = pageSize + 8
    var start = 0
    var header: [UInt8] = []
    var record: [UInt8] = []
    while start + sector <= file.size {
      guard file.read(28, at: start, into: &header) == 28, header.holds(Self.magic) else { return }
      let room = (file.size - start - sector) / recordSize
      let stated = header.number32(8)
      // If syncing is off, SQLite does not write the number of records.
      let count = stated == .max ? room : min(Int(stated), room)
      let nonce = header.number32(12)
      for index in 0..<count {
        let offset = start + sector + index * recordSize
        guard file.read(recordSize, at: offset, into: &record) == recordSize else { return }
        let page = record.number32(0)
        guard page > 0, record.number32(4 + pageSize) == checksum(record, nonce) else {
          // If there is no count, the remaining bytes may be the end of an older journal or the name of the
          // super-journal.
          if stated != .max { isBroken = true }
          return
        }
        if page <= initialPageCount { offsets[page] = offset + 4 }
      }
      // The next header begins at a sector boundary.
      let end = start + sector + count * recordSize
      start = (end + sector - 1) / sector * sector
    }
  }

  /// Returns the checksum of a record: the nonce plus every 200th byte.
  private func checksum(_ record: [UInt8], _ nonce: UInt32) -> UInt32 {
    var sum = nonce
    var index = pageSize - 200
    while index > 0 {
      sum = sum &+ UInt32(record.byte(4 + index))
      index -= 200
    }
    return sum
  }

  /// Returns the offset of the page's old version in the journal, or nil if the journal does not contain the page.
  func offset(of page: UInt32) -> Int? { offsets[page] }

  /// The number of pages in the journal.
  var count: Int { offsets.count }

  /// The page numbers in the journal.
  var pages: [UInt32] { offsets.keys.sorted() }

  private static func isPowerOfTwo(_ number: Int, in range: ClosedRange<Int>) -> Bool {
    range.contains(number) && number & (number - 1) == 0
  }

  /// Returns the file name in the super-journal's path, which is stored at the end of the journal.
  private static func nameOfSuperJournal(_ file: RandomAccessFile) -> String? {
    var tail: [UInt8] = []
    guard file.size > 28 + 16, file.read(16, at: file.size - 16, into: &tail) == 16, tail.holds(magic, at: 8) else {
      return nil
    }
    let length = Int(tail.number32(0))
    guard length > 0, length < 4096, length < file.size - 16 else { return nil }
    var name: [UInt8] = []
    guard file.read(length, at: file.size - 16 - length, into: &name) == length else { return nil }
    let sum = name.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
    guard sum == tail.number32(4), !name.contains(0) else { return nil }
    return String(decoding: name, as: UTF8.self).split(separator: "/").last.map(String.init)
  }

  private static func isThere(_ name: String, in folder: String) -> Bool {
    name != "." && name != ".." && access(folder + "/" + name, F_OK) == 0
  }
}
