/// The readable part of a b-tree page.
///
/// All cells are inside the page, and no two cells share a byte. The records in the cells are not checked.
/// - Source: https://sqlite.org/fileformat2.html, sections 1.6 and 2.3
struct BTreePage {
  enum Kind: UInt8 {
    case indexInterior = 2
    case tableInterior = 5
    case indexLeaf = 10
    case tableLeaf = 13

    var isInterior: Bool { self == .indexInterior || self == .tableInterior }
    var isTable: Bool { self == .tableInterior || self == .tableLeaf }
  }

  struct Cell {
    /// The range of the cell's bytes in the page.
    var start: Int
    var end: Int
    /// The offset at which the payload bytes in this page begin.
    var body: Int
    /// The number of payload bytes in this page.
    var local: Int
    /// The number of bytes in the whole payload.
    var payload: Int
    /// The rowid; in an interior page of a table, the largest rowid of the child. Zero in an index.
    var rowid: Int64
    /// The page of the left child; zero in a leaf.
    var child: UInt32
    /// The first overflow page; zero if the cell has no overflow pages.
    var overflow: UInt32
  }

  let kind: Kind
  /// The cells in the order of the page's pointers.
  private(set) var cells: [Cell] = []
  /// The last child; zero in a leaf.
  let rightChild: UInt32
  /// Whether the header, pointers, cells and free space account for every byte of the page.
  private(set) var isSound: Bool
  /// Whether the number of cells and the start of the cell area are plausible.
  let hasSoundHeader: Bool
  /// The first offset at which a cell can begin.
  private(set) var areaStart: Int
  /// The end of the bytes that cells can use.
  let end: Int
  /// The free blocks between cells, if their list is intact.
  private(set) var freeBlocks: [Range<Int>] = []

  /// Reads a page.
  /// - Parameter available: the number of bytes that are present, if some are missing. No cell extends past them.
  /// - Parameter assumed: the kind to assume, regardless of the first byte.
  /// - Returns: nil if the first byte does not indicate a kind.
  init?(_ bytes: [UInt8], page: UInt32, usable: Int, available: Int = .max, as assumed: Kind? = nil) {
    guard bytes.count >= usable, usable >= 480 else { return nil }
    let header = Self.headerOffset(bytes, page)
    guard let kind = assumed ?? Kind(rawValue: bytes.byte(header)) else { return nil }
    self.kind = kind
    let pointers = header + (kind.isInterior ? 12 : 8)
    rightChild = kind.isInterior ? bytes.number32(header + 8) : 0
    let count = bytes.number16(header + 3)
    let area = bytes.number16(header + 5) == 0 ? 65_536 : bytes.number16(header + 5)
    // A cell and its pointer take at least six bytes.
    hasSoundHeader = count <= (usable - pointers) / 6 && area >= pointers + 2 * count && area <= usable
    areaStart = hasSoundHeader ? area : pointers
    let limit = Limits(usable: usable, available: available, kind: kind)
    end = limit.available
    isSound = hasSoundHeader
    if hasSoundHeader {
      readCells(bytes, pointers, count, limit)
      if cells.count == count, accountsForEverything(bytes, header, usable) { return }
    }
    isSound = false
    if cells.count == count, hasSoundHeader { return }
    // The start of the cell area may be wrong, so it is ignored.
    var other = self
    other.areaStart = pointers + (hasSoundHeader ? 2 * count : 0)
    other.readCells(bytes, pointers, hasSoundHeader ? count : nil, limit)
    guard other.cells.count > cells.count else { return }
    cells = other.cells
    areaStart = other.areaStart
  }

  /// Returns the offset of the page's header, which follows the database header in page 1.
  private static func headerOffset(_ bytes: [UInt8], _ page: UInt32) -> Int {
    if bytes.holds(DatabaseHeader.magic) { return 100 }
    return page == 1 && Kind(rawValue: bytes.byte(0)) == nil ? 100 : 0
  }

  /// Reads the cells that `count` pointers refer to. If `count` is nil, reads as many pointers as fit before the first
  /// cell.
  private mutating func readCells(_ bytes: [UInt8], _ pointers: Int, _ count: Int?, _ limit: Limits) {
    cells.removeAll()
    cells.reserveCapacity(count ?? 0)
    var end = limit.usable
    var index = 0
    while index < count ?? .max {
      let position = pointers + 2 * index
      guard position + 2 <= end else { break }
      index += 1
      let start = bytes.number16(position)
      guard start >= max(areaStart, position + 2), let cell = limit.cell(bytes, start, kind) else { continue }
      cells.append(cell)
      if count == nil { end = min(end, start) }
    }
    dropOverlapping()
  }

  /// Drops cells that share bytes with another cell, unless their pointer comes first.
  private mutating func dropOverlapping() {
    // Sorting single numbers is faster than sorting by two keys.
    let order = cells.enumerated().map { UInt64($1.start) << 32 | UInt64($0) }.sorted()
    var dropped: [Int] = []
    var last: Int?
    for number in order {
      let index = Int(number & 0xFFFF_FFFF)
      if let kept = last, cells[index].start < cells[kept].end {
        dropped.append(max(kept, index))
        last = min(kept, index)
      } else {
        last = index
      }
    }
    guard !dropped.isEmpty else { return }
    isSound = false
    var isKept = Array(repeating: true, count: cells.count)
    for index in dropped { isKept[index] = false }
    cells = zip(cells, isKept).filter(\.1).map(\.0)
  }

  /// Returns whether the cell content area holds only cells, free blocks and fragments, as SQLite requires.
  private mutating func accountsForEverything(_ bytes: [UInt8], _ header: Int, _ usable: Int) -> Bool {
    var used = Int(bytes.byte(header + 7))
    for cell in cells { used += cell.end - cell.start }
    var block = bytes.number16(header + 1)
    var end = areaStart
    while block != 0 {
      let size = bytes.number16(block + 2)
      guard block >= end, size >= 4, block + size <= usable else {
        freeBlocks = []
        return false
      }
      freeBlocks.append(block..<block + size)
      used += size
      end = block + size
      block = bytes.number16(block)
    }
    return used == usable - areaStart
  }

  /// The limits that decide how much of a payload is stored in the page.
  struct Limits {
    let usable: Int
    /// The end of the bytes that are present.
    let available: Int
    private let maximum: Int
    private let minimum: Int

    init(usable: Int, available: Int = .max, kind: Kind) {
      self.usable = usable
      self.available = min(usable, available)
      maximum = kind == .tableLeaf ? usable - 35 : (usable - 12) * 64 / 255 - 23
      minimum = (usable - 12) * 32 / 255 - 23
    }

    /// Reads the cell at `start`. Returns nil if the cell does not end inside the page.
    @inline(__always)
    func cell(_ bytes: [UInt8], _ start: Int, _ kind: Kind) -> Cell? {
      var cell = Cell(start: start, end: 0, body: start, local: 0, payload: 0, rowid: 0, child: 0, overflow: 0)
      if kind.isInterior {
        guard start + 4 < usable else { return nil }
        cell.child = bytes.number32(start)
        cell.body += 4
      }
      if kind != .tableInterior {
        guard let (payload, next) = bytes.varint(cell.body, before: usable), payload > 0, payload <= 0x7FFF_FFFF
        else { return nil }
        cell.payload = Int(payload)
        cell.body = next
      }
      if kind.isTable {
        guard let (rowid, next) = bytes.varint(cell.body, before: usable) else { return nil }
        cell.rowid = rowid
        cell.body = next
      }
      cell.local = local(cell.payload)
      cell.end = cell.body + cell.local
      if cell.local < cell.payload {
        guard cell.end + 4 <= usable else { return nil }
        cell.overflow = bytes.number32(cell.end)
        cell.end += 4
      }
      // In SQLite, a cell takes at least four bytes, so that it can become a free block.
      cell.end = max(cell.end, start + 4)
      return cell.end <= available ? cell : nil
    }

    private func local(_ payload: Int) -> Int {
      if payload <= maximum { return payload }
      let rest = minimum + (payload - minimum) % (usable - 4)
      return rest <= maximum ? rest : minimum
    }
  }
}

extension BTreePage {
  /// Returns the smallest set of indices of cells whose rowids are outside `range` or not in ascending order.
  /// - Returns: nil if all cells are in order.
  static func outOfOrder(_ cells: [Cell], in range: ClosedRange<Int64>) -> Set<Int>? {
    var last: Int64?
    var isSound = true
    for cell in cells {
      if !range.contains(cell.rowid) || last.map({ cell.rowid <= $0 }) == true {
        isSound = false
        break
      }
      last = cell.rowid
    }
    if isSound { return nil }
    // This finds the longest ascending subsequence: `tails` has the last cell of the best subsequence of each length.
    var tails: [Int] = []
    var before = [Int](repeating: -1, count: cells.count)
    for (index, cell) in cells.enumerated() where range.contains(cell.rowid) {
      var (low, high) = (0, tails.count)
      while low < high {
        let middle = (low + high) / 2
        if cells[tails[middle]].rowid < cell.rowid { low = middle + 1 } else { high = middle }
      }
      before[index] = low > 0 ? tails[low - 1] : -1
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var bad = Set(cells.indices)
    var next = tails.last ?? -1
    while next >= 0 {
      bad.remove(next)
      next = before[next]
    }
    return bad
  }
}
