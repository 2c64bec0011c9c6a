/// Tracks the use of each page in a database, and the chains of overflow pages.
///
/// A page belongs to one tree or to one row. All chains are claimed before any is read, so that no row gets pages that
/// another row claims, regardless of the order of the rows. Memory holds at most five bytes per page.
/// - Source: https://sqlite.org/fileformat2.html, section 1.6, "Overflow pages"
final class PageUse {
  enum Claimant {
    /// A row in a page that a tree refers to.
    case tree
    /// Any other row. Such a row never gets a page that a row in a tree claims.
    case other
  }

  /// The purpose for which a chain is read, which decides the pages that it may use.
  enum Reader {
    case claimed(Claimant)
    /// A row that was found by searching. Its pages must be unclaimed; reading claims them.
    case unclaimed
    /// A row in a free page. Its pages must be free too.
    case free
    /// A row in another version of the database.
    case version(DatabaseImage.View)
  }

  enum Fault {
    case outOfRange
    case usedTwice
    case tooShort
    case tooLong

    var reason: RecoveryDamage.Reason {
      switch self {
      case .outOfRange: .overflowOutOfRange
      case .usedTwice: .overflowUsedTwice
      case .tooShort: .overflowTooShort
      case .tooLong: .overflowTooLong
      }
    }
  }

  let image: DatabaseImage
  /// The number of the tree that owns the page, plus one; zero if it has no owner.
  private var owners: [Int32]
  private var trunks: PageSet
  private var free: PageSet
  private var claimedByTree: PageSet
  private var claimedByOther: PageSet
  private var claimedByFree: PageSet
  /// The pages that several rows claim. None of these rows gets them.
  private var contested: PageSet
  /// The pages of complete chains.
  private var complete: PageSet
  /// The number of steps that reading chains of other versions may still take. These chains share pages, so claims
  /// cannot limit the number of steps.
  private var budget: Int
  private var buffer: [UInt8] = []

  init(_ image: DatabaseImage) {
    self.image = image
    owners = Array(repeating: 0, count: image.pageCount + 1)
    let none = PageSet(pageCount: image.pageCount)
    (trunks, free, claimedByTree, claimedByOther) = (none, none, none, none)
    (claimedByFree, contested, complete) = (none, none, none)
    budget = 8 * image.pageCount + 1024
  }

  /// Returns whether a tree owns the page.
  func isOwned(_ page: UInt32) -> Bool { Int(page) < owners.count && owners[Int(page)] != 0 }

  /// Returns the tree that owns the page, or nil if the page has no owner.
  func owner(of page: UInt32) -> Int? {
    guard Int(page) < owners.count, owners[Int(page)] != 0 else { return nil }
    return Int(owners[Int(page)]) - 1
  }

  /// Assigns the page to a tree.
  func own(_ page: UInt32, _ tree: Int) {
    if Int(page) < owners.count { owners[Int(page)] = Int32(truncatingIfNeeded: tree + 1) }
  }

  /// Returns whether the page is part of a complete chain.
  func isOverflow(_ page: UInt32) -> Bool { complete.contains(page) }

  func isFree(_ page: UInt32) -> Bool { free.contains(page) }

  /// Returns whether the page is free and has kept its content.
  func hasOldContent(_ page: UInt32) -> Bool { free.contains(page) && !trunks.contains(page) }

  /// Returns whether the page may be on the freelist.
  fileprivate func canBeFree(_ page: UInt32) -> Bool {
    page > 1 && image.isUsable(page) && !isOwned(page) && !claimedByTree.contains(page) && !free.contains(page)
  }

  fileprivate func setFree(_ page: UInt32, isTrunk: Bool) {
    free.insert(page)
    if isTrunk { trunks.insert(page) }
  }

  // MARK: Chains

  /// Returns the number of overflow pages of a cell.
  private func length(_ cell: BTreePage.Cell) -> Int {
    (cell.payload - cell.local + image.usableSize - 5) / (image.usableSize - 4)
  }

  /// Claims the overflow chain of a cell as far as it can be followed.
  func claim(_ cell: BTreePage.Cell, _ claimant: Claimant) {
    guard cell.overflow != 0 else { return }
    let count = length(cell)
    guard count <= image.pageCount else { return }
    var page = cell.overflow
    for _ in 0..<count {
      guard image.isUsable(page), !isOwned(page) else { return }
      switch claimant {
      case .tree:
        if claimedByTree.contains(page) { return contested.insert(page) }
        claimedByTree.insert(page)
      case .other:
        if claimedByTree.contains(page) || free.contains(page) { return }
        if claimedByOther.contains(page) { return contested.insert(page) }
        claimedByOther.insert(page)
      }
      page = image.next(page)
    }
    guard page == 0 else { return }
    page = cell.overflow
    for _ in 0..<count {
      complete.insert(page)
      page = image.next(page)
    }
  }

  /// Assembles the payload of a cell.
  /// - Parameter page: the bytes of the cell's page.
  /// - Parameter payload: receives the payload, as far as it can be read.
  /// - Returns: the fault in the chain, or nil if the chain is complete.
  func readPayload(_ cell: BTreePage.Cell, in page: [UInt8], for reader: Reader, into payload: inout [UInt8]) -> Fault?
  {
    payload.removeAll(keepingCapacity: payload.capacity <= 1 << 20)
    let end = cell.body + cell.local
    guard cell.body >= 0, end <= page.count else { return .outOfRange }
    payload.append(contentsOf: page[cell.body..<end])
    guard cell.local < cell.payload else { return nil }
    let count = length(cell)
    var view = DatabaseImage.View.current
    if case .version(let other) = reader { view = other }
    guard count <= image.pageCount(in: view) else { return .tooShort }
    var next = cell.overflow
    var taken: [UInt32] = []
    for _ in 0..<count {
      if next == 0 { return .tooShort }
      guard next > 1, image.isUsable(next, view) else { return .outOfRange }
      guard allows(next, reader) else { return .usedTwice }
      if case .unclaimed = reader { taken.append(next) }
      if case .free = reader { claimedByFree.insert(next) }
      let available = image.read(next, view, into: &buffer)
      let size = min(image.usableSize - 4, cell.payload - payload.count)
      guard available >= 4 + size else { return .tooShort }
      payload.append(contentsOf: buffer[4..<4 + size])
      next = buffer.number32(0)
    }
    if next != 0 { return .tooLong }
    // A chain in which a page occurs twice never ends.
    for page in taken { claimedByOther.insert(page) }
    return nil
  }

  private func allows(_ page: UInt32, _ reader: Reader) -> Bool {
    switch reader {
    case .claimed(.tree): return !isOwned(page) && claimedByTree.contains(page) && !contested.contains(page)
    case .claimed(.other):
      return !isOwned(page) && !claimedByTree.contains(page) && claimedByOther.contains(page)
        && !contested.contains(page) && !free.contains(page)
    case .unclaimed:
      budget -= 1
      return budget > 0 && !isOwned(page) && !claimedByTree.contains(page) && !claimedByOther.contains(page)
        && !free.contains(page)
    case .free: return hasOldContent(page) && !claimedByFree.contains(page)
    case .version:
      budget -= 1
      return budget > 0
    }
  }
}

/// A set of page numbers, with one bit per page.
struct PageSet: Sendable {
  private var words: [UInt64]

  /// Creates an empty set for the pages 0 to `pageCount`.
  init(pageCount: Int) {
    words = Array(repeating: 0, count: pageCount / 64 + 1)
  }

  /// Returns whether the page is in the set. Returns false for pages beyond the set's end.
  func contains(_ page: UInt32) -> Bool {
    let word = Int(page >> 6)
    return word < words.count && words[word] & (1 << UInt64(page & 63)) != 0
  }

  /// Adds a page. A page beyond the end is ignored.
  mutating func insert(_ page: UInt32) {
    let word = Int(page >> 6)
    guard word < words.count else { return }
    words[word] |= 1 << UInt64(page & 63)
  }
}

/// Follows the list of free pages.
/// - Source: https://sqlite.org/fileformat2.html, section 1.5
enum Freelist {
  /// Marks the free pages.
  /// - Returns: the page at which the list is broken, or nil if the list is intact.
  static func mark(_ image: DatabaseImage, _ use: PageUse) -> UInt32? {
    var trunk = image.firstTrunk
    var last = trunk
    var count = 0
    var isWhole = true
    var bytes: [UInt8] = []
    while trunk != 0 {
      guard use.canBeFree(trunk) else { return last }
      image.read(trunk, into: &bytes)
      let leaves = Int(bytes.number32(4))
      // This is not a trunk page, so its numbers are ignored.
      guard leaves <= image.usableSize / 4 - 2 else { return trunk }
      last = trunk
      use.setFree(trunk, isTrunk: true)
      count += 1 + leaves
      for index in 0..<leaves {
        let leaf = bytes.number32(8 + 4 * index)
        if use.canBeFree(leaf) { use.setFree(leaf, isTrunk: false) } else { isWhole = false }
      }
      trunk = bytes.number32(0)
    }
    return isWhole && count == image.freeCount ? nil : max(1, last)
  }
}
