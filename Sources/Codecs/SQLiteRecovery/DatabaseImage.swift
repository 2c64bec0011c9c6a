import Foundation

/// The pages of a database file, its write-ahead log and its rollback journal, read without SQLite.
///
/// The image neither writes nor locks a file, so it does not detect that another program writes at the same time.
/// Memory holds a few bytes for each frame of the log and for each page of the journal, but no pages.
/// - Source: https://sqlite.org/fileformat2.html
package final class DatabaseImage: Sendable {
  /// A condition that was found when the files were opened.
  package enum Note: Equatable, Sendable {
    /// The file has no bytes.
    case empty
    /// Page 1 does not begin with a sound header. It is unknown which pages are free, so unused pages may contain
    /// deleted rows.
    case headerDamaged
    /// The header does not contain a valid page size, so the size was guessed from the pages.
    case pageSizeGuessed
    /// Neither the header nor any page reveals the page size; 4096 is assumed.
    case pageSizeUnknown
    /// The header does not contain a valid text encoding, so the encoding was guessed.
    case encodingGuessed
    /// The file ends the given number of pages too early; 0 if only the last page is incomplete.
    case truncated(pagesMissing: Int)
    /// A hot journal was rolled back in memory. The given number of pages is read from it.
    case journalApplied(pages: Int)
    /// The journal ends with a record whose checksum is wrong.
    case journalBroken
    /// The journal's header is invalid or does not belong to this database.
    case journalInvalid
    /// The journal belongs to a transaction that was already committed through its super-journal.
    case journalSuperseded
    /// The given number of committed frames is read from the log.
    case walApplied(frames: Int)
    /// The given frame of the log, counted from 0, has a wrong checksum. Neither this frame nor the frames after it are
    /// committed.
    case walBroken(frame: Int)
    /// The log's header is invalid or does not belong to this database.
    case walInvalid
    /// The given number of frames follows the last commit.
    case walUncommitted(frames: Int)
    /// A side file exists but cannot be opened.
    case sideFileUnreadable(name: String)
  }

  /// The page size in bytes.
  package let pageSize: Int
  /// The number of usable bytes in a page. Bytes at the end of a page may be reserved.
  package let usableSize: Int
  /// The number of pages in the file or in the log. Page numbers begin at 1.
  package let pageCount: Int
  /// The text encoding of the file. Rows are always returned in UTF-8.
  package let encoding: DatabaseEncoding
  /// Whether a log exists and is not empty.
  package let hasWAL: Bool
  /// Whether a journal exists and is not empty.
  package let hasJournal: Bool
  /// The conditions that were found when the files were opened; empty for a sound database without side files.
  package let notes: [Note]

  /// The largest number of pages in versions that are not current.
  private let versionPageCount: Int
  let firstTrunk: UInt32
  let freeCount: Int
  private let hasPointerMap: Bool
  private let file: RandomAccessFile
  private let wal: (file: RandomAccessFile, log: WriteAheadLog)?
  private let journal: (file: RandomAccessFile, log: RollbackJournal)?

  /// Opens the database at `path`, which may be a link, and its side files.
  /// - Throws: `RecoveryFailure` if the database file cannot be opened.
  package init(path: String) throws(RecoveryFailure) {
    file = try RandomAccessFile(path)
    // SQLite keeps the log and the journal next to the file that links point to.
    let resolved = realpath(path, nil)
    defer { free(resolved) }
    let real = resolved.map { String(cString: $0) } ?? path
    var notes: [Note] = file.size == 0 ? [.empty] : []
    let walFile = Self.sideFile(real, "-wal", &notes)
    let journalFile = Self.sideFile(real, "-journal", &notes)
    hasWAL = walFile != nil
    hasJournal = journalFile != nil

    var header: [UInt8] = []
    file.read(100, at: 0, into: &header)
    let stored = DatabaseHeader(header)
    var known = stored.isPlausible ? stored.pageSize : nil
    if let size = known, !PageSizeGuess.isPossible(size, reserved: stored.reserved, file) { known = nil }
    var log = walFile.flatMap { WriteAheadLog($0, expected: known) }
    let folder = real.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    var back = journalFile.map { RollbackJournal($0, expected: known, folder: folder.isEmpty ? "/" : folder) }

    var reserved = stored.reserved
    if known == nil, let log, log.isValid, log.committedCount > 0 { known = log.pageSize }
    if known == nil, let back, back.state == .hot, back.count > 0 { known = back.pageSize }
    if known == nil, file.size > 0 {
      if let guess = PageSizeGuess.guess(file) {
        (known, reserved) = (guess.pageSize, guess.reserved)
        notes.append(.pageSizeGuessed)
      } else if stored.isPlausible, let size = stored.pageSize {
        // No page is sound, so only the header can be used.
        known = size
      } else {
        notes.append(.pageSizeUnknown)
      }
      if let walFile, let known { log = WriteAheadLog(walFile, expected: known) }
      if let journalFile, let known {
        back = RollbackJournal(journalFile, expected: known, folder: folder.isEmpty ? "/" : folder)
      }
    }
    let size = known ?? log?.pageSize ?? 4096
    if let used = log, used.pageSize != size { log = nil }
    if let used = back, used.state == .hot, used.pageSize != size { back = nil }
    pageSize = size

    let inFile = (file.size + size - 1) / size
    var count = inFile
    if let back, let journalFile {
      journal = (journalFile, back)
      switch back.state {
      case .hot:
        count = min(back.initialPageCount, inFile + back.count)
        notes.append(.journalApplied(pages: back.count))
        if back.isBroken { notes.append(.journalBroken) }
      case .invalid: notes.append(.journalInvalid)
      case .superseded: notes.append(.journalSuperseded)
      case .ended: break
      }
    } else {
      journal = nil
      if journalFile != nil { notes.append(.journalInvalid) }
    }
    if let log, let walFile {
      wal = (walFile, log)
      // A page that is neither in a frame nor in the file can only be a free page, and there are few such pages.
      if log.committedCount > 0 { count = min(log.committedPageCount, inFile + 4 * log.committedCount + 4096) }
      if !log.isValid { notes.append(.walInvalid) }
      if log.committedCount > 0 { notes.append(.walApplied(frames: log.committedCount)) }
      if let frame = log.brokenFrame { notes.append(.walBroken(frame: frame)) }
      let open = (log.committedCount..<log.pages.count).count { !log.isLeftOver($0) }
      if log.isValid, open > 0 { notes.append(.walUncommitted(frames: open)) }
    } else {
      wal = nil
      if walFile != nil { notes.append(.walInvalid) }
    }
    // Page numbers have 32 bits.
    pageCount = min(count, Int(UInt32.max) - 1)

    // From now on, the newest header is used.
    var page: [UInt8] = []
    let place = Self.place(1, size, file, wal, journal, .current)
    place.file.read(size, at: place.offset, into: &page)
    let current = DatabaseHeader(page)
    let isCurrent = current.isPlausible && current.pageSize == size
    if isCurrent { reserved = current.reserved }
    usableSize = max(480, size - reserved)
    let stated = isCurrent ? current.pageCount ?? count : count
    let isLogged = wal?.log.committedCount ?? 0 > 0
    if !isLogged, stated > count || file.size % size != 0 {
      notes.append(.truncated(pagesMissing: max(0, stated - count)))
    }
    firstTrunk = isCurrent ? current.firstTrunk : 0
    freeCount = isCurrent ? current.freeCount : 0
    hasPointerMap = isCurrent && current.hasPointerMap
    if isCurrent, let known = current.encoding {
      encoding = known
    } else {
      encoding =
        file.size == 0 ? .utf8 : PageSizeGuess.encoding(file, pageSize: size, usable: max(480, size - reserved))
      if file.size > 0 { notes.append(.encodingGuessed) }
    }
    if !isCurrent, file.size > 0 { notes.append(.headerDamaged) }
    let frames = log?.pages ?? []
    let logged = min(Int(frames.max() ?? 0), inFile + 4 * frames.count + 4096)
    versionPageCount = min(max(pageCount, inFile, logged), Int(UInt32.max) - 1)
    self.notes = notes
  }

  private static func sideFile(_ path: String, _ suffix: String, _ notes: inout [Note]) -> RandomAccessFile? {
    do throws(RecoveryFailure) {
      let file = try RandomAccessFile(path + suffix)
      return file.size > 0 ? file : nil
    } catch {
      if case .open(_, ENOENT) = error { return nil }
      notes.append(.sideFileUnreadable(name: suffix))
      return nil
    }
  }

  // MARK: Pages

  /// A state of the database.
  enum View: Equatable {
    /// The version that SQLite would read.
    case current
    /// The version in the file, without the log and the journal.
    case file
    /// The version that includes this frame of the log and all frames before it.
    case frame(Int)
  }

  private static func place(
    _ page: UInt32, _ pageSize: Int, _ file: RandomAccessFile, _ wal: (file: RandomAccessFile, log: WriteAheadLog)?,
    _ journal: (file: RandomAccessFile, log: RollbackJournal)?, _ view: View
  ) -> (file: RandomAccessFile, offset: Int) {
    switch view {
    case .file: break
    case .frame(let last):
      if let wal, let frame = wal.log.frames(of: page, limit: 16).first(where: { $0 <= last }) {
        return (wal.file, wal.log.offset(frame))
      }
    case .current:
      if let wal, let frame = wal.log.frame(of: page) { return (wal.file, wal.log.offset(frame)) }
      if let journal, journal.log.state == .hot, let offset = journal.log.offset(of: page) {
        return (journal.file, offset)
      }
    }
    return (file, (Int(page) - 1) * pageSize)
  }

  /// Reads a page. Missing bytes are set to zero.
  /// - Returns: the number of bytes that are present.
  @discardableResult
  func read(_ page: UInt32, _ view: View = .current, into buffer: inout [UInt8]) -> Int {
    let place = Self.place(page, pageSize, file, wal, journal, view)
    return place.file.read(pageSize, at: page == 0 ? -1 : place.offset, into: &buffer)
  }

  /// Reads a page as a b-tree page.
  /// - Returns: nil if it does not begin like a b-tree page.
  func tree(
    _ page: UInt32, _ view: View = .current, into buffer: inout [UInt8], as kind: BTreePage.Kind? = nil
  ) -> BTreePage? {
    let available = read(page, view, into: &buffer)
    return BTreePage(buffer, page: page, usable: usableSize, available: available, as: kind)
  }

  /// Returns the first number in a page, which is the number of the next page in a chain.
  func next(_ page: UInt32) -> UInt32 {
    let place = Self.place(page, pageSize, file, wal, journal, .current)
    return place.file.number32(at: page == 0 ? -1 : place.offset)
  }

  /// Returns the largest number of pages in a state of the database.
  func pageCount(in view: View) -> Int { view == .current ? pageCount : versionPageCount }

  /// Returns whether the page can be a page of a tree, an overflow page or a free page.
  func isUsable(_ page: UInt32, _ view: View = .current) -> Bool {
    page > 0 && Int(page) <= pageCount(in: view) && !isLockPage(page) && !isPointerMap(page)
  }

  /// Returns whether the page contains the byte at 2^30. SQLite never uses this page.
  private func isLockPage(_ page: UInt32) -> Bool { Int(page) == 0x4000_0000 / pageSize + 1 }

  /// - Source: https://sqlite.org/fileformat2.html, section 1.8
  private func isPointerMap(_ page: UInt32) -> Bool {
    guard hasPointerMap, page >= 2 else { return false }
    let group = usableSize / 5 + 1
    var map = (Int(page) - 2) / group * group + 2
    if isLockPage(UInt32(map)) { map += 1 }
    return Int(page) == map
  }

  // MARK: Other versions

  /// A version of a page that SQLite would not read.
  struct Version {
    let page: UInt32
    let view: View
  }

  /// Reports versions of pages that were never committed or that a journal reverts, at most four for each page.
  func uncommittedVersions(_ body: (Version) throws -> Void) throws {
    if let log = wal?.log, log.committedCount < log.pages.count {
      for page in log.pagesWithFrames where page > 0 {
        for frame in log.frames(of: page, limit: 4) where frame >= log.committedCount && !log.isLeftOver(frame) {
          try body(Version(page: page, view: .frame(frame)))
        }
      }
    }
    guard let log = journal?.log, log.state == .hot else { return }
    for page in log.pages { try body(Version(page: page, view: .file)) }
    let inFile = (file.size + pageSize - 1) / pageSize
    if log.initialPageCount < inFile {
      for page in log.initialPageCount + 1...inFile {
        try body(Version(page: UInt32(truncatingIfNeeded: page), view: .file))
      }
    }
  }

  /// Returns committed versions of a page that are older than the current one, newest first, at most eight.
  func olderVersions(of page: UInt32) -> [Version] {
    guard let log = wal?.log else { return [] }
    var result: [Version] = []
    let current = log.frame(of: page)
    for frame in log.frames(of: page, limit: 8) where frame != current {
      let isOld = frame < log.committedCount || log.isLeftOver(frame)
      if isOld { result.append(Version(page: page, view: .frame(frame))) }
    }
    if current != nil { result.append(Version(page: page, view: .file)) }
    return result
  }

  /// The pages for which `olderVersions` may return something.
  var pagesWithOlderVersions: [UInt32] {
    guard let log = wal?.log else { return [] }
    return log.pagesWithFrames.filter { $0 > 0 && Int($0) <= pageCount }
  }
}

/// The first 100 bytes of a database.
/// - Source: https://sqlite.org/fileformat2.html, section 1.3
struct DatabaseHeader {
  static let magic = Array("SQLite format 3\0".utf8)

  /// The page size in bytes; nil if the value cannot be a page size.
  let pageSize: Int?
  /// The number of bytes at the end of every page that SQLite does not use.
  let reserved: Int
  /// The text encoding; nil if the value is not an encoding.
  let encoding: DatabaseEncoding?
  /// The number of pages in the database; nil if the header is not reliable.
  let pageCount: Int?
  let firstTrunk: UInt32
  let freeCount: Int
  let hasPointerMap: Bool
  /// Whether the constant fields of the format have the right values.
  let isPlausible: Bool

  init(_ bytes: [UInt8]) {
    let size = bytes.number16(16) == 1 ? 65_536 : bytes.number16(16)
    let reserved = Int(bytes.byte(20))
    let isSize = size >= 512 && size & (size - 1) == 0
    pageSize = isSize && size - reserved >= 480 ? size : nil
    self.reserved = isSize && size - reserved >= 480 ? reserved : 0
    encoding = DatabaseEncoding(rawValue: bytes.byte(59))
    // The count is valid only if the last writer updated it.
    let count = Int(bytes.number32(28))
    pageCount = count > 0 && bytes.number32(24) == bytes.number32(92) ? count : nil
    firstTrunk = bytes.number32(32)
    freeCount = Int(bytes.number32(36))
    hasPointerMap = bytes.number32(52) != 0
    isPlausible =
      bytes.holds(Self.magic) && (1...2).contains(bytes.byte(18)) && (1...2).contains(bytes.byte(19))
      && bytes.holds([64, 32, 32], at: 21) && (1...4).contains(bytes.number32(44)) && bytes.byte(59) <= 3
  }
}

/// The text encoding of a database.
/// - Source: https://sqlite.org/fileformat2.html, section 1.3.13
package enum DatabaseEncoding: UInt8, Sendable {
  case utf8 = 1
  case utf16LittleEndian = 2
  case utf16BigEndian = 3

  /// Converts text to UTF-8.
  ///
  /// UTF-8 is copied unchanged, valid or not. A lone surrogate in UTF-16 becomes three bytes, as SQLite writes it. An
  /// odd byte at the end becomes U+FFFD.
  func utf8(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    if self == .utf8 { return Array(bytes) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var high: UInt32?
    var iterator = bytes.makeIterator()
    while let first = iterator.next() {
      guard let second = iterator.next() else {
        if let pending = high { Self.append(pending, to: &result) }
        Self.append(0xFFFD, to: &result)
        return result
      }
      let unit =
        self == .utf16LittleEndian ? UInt32(second) << 8 | UInt32(first) : UInt32(first) << 8 | UInt32(second)
      if let pending = high {
        high = nil
        if unit & 0xFC00 == 0xDC00 {
          Self.append(0x10000 + (pending & 0x3FF) << 10 + (unit & 0x3FF), to: &result)
          continue
        }
        Self.append(pending, to: &result)
      }
      if unit & 0xFC00 == 0xD800 { high = unit } else { Self.append(unit, to: &result) }
    }
    if let pending = high { Self.append(pending, to: &result) }
    return result
  }

  private static func append(_ scalar: UInt32, to bytes: inout [UInt8]) {
    switch scalar {
    case ..<0x80: bytes.append(UInt8(truncatingIfNeeded: scalar))
    case ..<0x800:
      bytes.append(UInt8(truncatingIfNeeded: 0xC0 | scalar >> 6))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    case ..<0x10000:
      bytes.append(UInt8(truncatingIfNeeded: 0xE0 | scalar >> 12))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    default:
      bytes.append(UInt8(truncatingIfNeeded: 0xF0 | scalar >> 18))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 12 & 0x3F))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar >> 6 & 0x3F))
      bytes.append(UInt8(truncatingIfNeeded: 0x80 | scalar & 0x3F))
    }
  }
}

/// Guesses, from the pages, values that a damaged header lacks.
enum PageSizeGuess {
  /// The number of bytes to examine.
  private static let sample = 32 << 20

  /// Returns whether pages of this size can be distinguished from random bytes: at least one of the first thousand
  /// pages is a sound tree page, or the file has at most one page.
  fileprivate static func isPossible(_ size: Int, reserved: Int, _ file: RandomAccessFile) -> Bool {
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

  /// Returns the encoding of the first text values that are found. In UTF-16, every second byte of most text is zero.
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

/// The reason why a database cannot be opened. Damage is not a failure: it is reported as an event.
package enum RecoveryFailure: Error, Equatable, Sendable {
  /// The operating system cannot open the file.
  case open(path: String, errno: Int32)
  /// The path is not a regular file.
  case notAFile(path: String)
}
