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
    /// The header does not contain a valid page size: it was guessed from the pages.
    case pageSizeGuessed
    /// Neither the header nor any page reveals the page size; 4096 is assumed.
    case pageSizeUnknown
    /// The header does not contain a valid text encoding: it was guessed.
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
  /// The number of bytes of a page that SQLite uses. Bytes at the end of a page may be reserved.
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
