/// The frames of a write-ahead log. Only their page numbers are in memory.
///
/// The log is read once, one frame at a time.
/// - Source: https://sqlite.org/fileformat2.html, section 4
struct WriteAheadLog: Sendable {
  let pageSize: Int
  /// The page number of each frame, in the order of the file.
  private(set) var pages: [UInt32] = []
  /// The number of frames that belong to committed transactions. These are the first frames.
  private(set) var committedCount = 0
  /// The number of pages in the database after the last commit.
  private(set) var committedPageCount = 0
  /// The first frame that has the log's salts but a wrong checksum.
  private(set) var brokenFrame: Int?
  /// Whether the log's header is valid.
  let isValid: Bool
  /// The frames after the committed ones that are left over from an earlier use of the file.
  private var leftOver = PageSet(pageCount: 0)
  private var newest: [UInt32: UInt32] = [:]
  /// For each frame, the previous frame of the same page, plus one; zero for the first frame of a page.
  private var previous: [UInt32] = []
  private var newestOfAll: [UInt32: UInt32] = [:]
  private let file: RandomAccessFile

  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// Reads a log.
  /// - Parameter expected: the page size of the database, if it is known. A log with a different page size is not
  ///   valid.
  /// - Returns: nil if the file is empty, or if neither its header nor `expected` contains the page size.
  init?(_ file: RandomAccessFile, expected: Int?) {
    var header: [UInt8] = []
    guard file.read(Self.headerSize, at: 0, into: &header) > 0 else { return nil }
    let magic = header.number32(0)
    let isBigEndian = magic & 1 == 1
    var sum = Checksum()
    sum.add(header, 0..<24, isBigEndian)
    let stated = Int(header.number32(8))
    let isSize = stated >= 512 && stated <= 65_536 && stated & (stated - 1) == 0
    isValid =
      magic & ~1 == 0x377F_0682 && header.number32(4) == 3_007_000 && isSize && sum.first == header.number32(24)
      && sum.second == header.number32(28) && (expected == nil || expected == stated)
    guard let size = isValid ? stated : expected else { return nil }
    self.file = file
    pageSize = size
    readFrames(salts: header, sum, isBigEndian)
  }

  private mutating func readFrames(salts: [UInt8], _ start: Checksum, _ isBigEndian: Bool) {
    let frameSize = Self.frameHeaderSize + pageSize
    let count = min(max(0, file.size - Self.headerSize) / frameSize, Int(UInt32.max) - 1)
    leftOver = PageSet(pageCount: count)
    pages.reserveCapacity(count)
    var sum = start
    var isChained = isValid
    var pending: [UInt32] = []
    var frame: [UInt8] = []
    for index in 0..<count {
      // After a broken frame, checksums have no meaning, so reading the frame headers is enough.
      let wanted = isChained ? frameSize : Self.frameHeaderSize
      guard file.read(wanted, at: Self.headerSize + index * frameSize, into: &frame) == wanted else { break }
      let page = frame.number32(0)
      let hasSalts = frame.number32(8) == salts.number32(16) && frame.number32(12) == salts.number32(20)
      if isChained {
        sum.add(frame, 0..<8, isBigEndian)
        sum.add(frame, Self.frameHeaderSize..<frameSize, isBigEndian)
        if !hasSalts || page == 0 || sum.first != frame.number32(16) || sum.second != frame.number32(20) {
          isChained = false
          if hasSalts { brokenFrame = index }
        }
      }
      if !hasSalts { leftOver.insert(UInt32(index)) }
      pages.append(page)
      previous.append(newestOfAll[page] ?? 0)
      newestOfAll[page] = UInt32(index + 1)
      guard isChained else { continue }
      pending.append(UInt32(index))
      let size = frame.number32(4)
      if size > 0 {
        for frame in pending { newest[pages[Int(frame)]] = frame }
        pending.removeAll(keepingCapacity: true)
        committedCount = index + 1
        committedPageCount = Int(size)
      }
    }
  }

  /// Returns the newest committed frame of a page, or nil if the page has no committed frame.
  func frame(of page: UInt32) -> Int? { newest[page].map(Int.init) }

  /// The pages that have at least one frame.
  var pagesWithFrames: [UInt32] { newestOfAll.keys.sorted() }

  /// Returns at most `limit` frames of a page, newest first.
  func frames(of page: UInt32, limit: Int) -> [Int] {
    var result: [Int] = []
    var next = newestOfAll[page] ?? 0
    while next > 0, result.count < limit {
      result.append(Int(next) - 1)
      next = Int(next) <= previous.count ? previous[Int(next) - 1] : 0
    }
    return result
  }

  /// Returns whether a frame is left over from an earlier use of the log and not from an uncommitted transaction.
  func isLeftOver(_ frame: Int) -> Bool { leftOver.contains(UInt32(frame)) }

  /// Returns the offset of a frame's page in the log.
  func offset(_ frame: Int) -> Int {
    Self.headerSize + frame * (Self.frameHeaderSize + pageSize) + Self.frameHeaderSize
  }

  /// The running checksum of the whole log.
  private struct Checksum {
    var first: UInt32 = 0
    var second: UInt32 = 0

    mutating func add(_ bytes: [UInt8], _ range: Range<Int>, _ isBigEndian: Bool) {
      guard range.upperBound <= bytes.count else { return }
      var (first, second) = (first, second)
      bytes.withUnsafeBytes { raw in
        for offset in stride(from: range.lowerBound, to: range.upperBound - 7, by: 8) {
          let one = raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          let two = raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          first = first &+ (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
          second = second &+ (isBigEndian ? UInt32(bigEndian: two) : UInt32(littleEndian: two)) &+ first
        }
      }
      (self.first, self.second) = (first, second)
    }
  }
}
