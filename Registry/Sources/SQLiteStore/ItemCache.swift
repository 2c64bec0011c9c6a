import RegistryModel
import RegistryStore
import Synchronization

/// Caches the most-read items and pages, and the views that are not yet in the file.
///
/// The cache's size in bytes is limited; entries that were not read during one revolution of the clock hand are evicted
/// first. The writer removes an item before it commits a change to it, and allows the item again afterwards, so that no
/// reader gets a state that is neither the old nor the new one.
final class ItemCache: Sendable {
  /// An item as read from the file.
  struct Reading {
    var number: Int64
    var item: SharedContent
    /// The value of `store_state.view_flush` in the same snapshot.
    var seen: Int64
  }

  private struct Slot {
    let slug: ByteKey
    let number: Int64
    let held: StoredItem
    /// The current view count; the count in `held` is from the reading.
    var views: Int64
    var used: Bool

    fileprivate var atHand: CachedItem { CachedItem(held: held, viewCount: views) }
    let cost: Int
  }

  private struct State {
    var slots: [Slot?] = []
    var free: [Int] = []
    var places: [ByteKey: Int] = [:]
    var bytes = 0
    var hand = 0
    /// The slugs of items that the writer is changing; these are not cached until the change is done.
    var changing: Set<ByteKey> = []
    /// A number that every change increments: data that was read under an earlier number is not cached.
    var epoch: UInt64 = 0
    var tally: ViewTally
    var pages: PageCache
  }

  private let state: Mutex<State>
  private let limit: Int

  /// - Parameter limit: the maximum size of the cached items, in bytes.
  /// - Parameter written: `view_flush` in the file.
  init(limit: Int, written: Int64) {
    self.limit = limit
    state = Mutex(State(tally: ViewTally(written: written), pages: PageCache(limit: limit / 4)))
  }

  /// The current epoch, which a reader needs before it reads the file.
  var epoch: UInt64 { state.withLock { $0.epoch } }

  /// Returns a cached item with its count; `flush` is true for the first waiting view.
  /// - Parameter isAdmitted: called when the item is cached; if it returns false, nothing is counted and the result is
  ///   nil.
  func item(
    _ slug: ByteKey, countingView: Bool, if isAdmitted: () -> Bool = { true }
  ) -> (item: CachedItem, flush: Bool)? {
    state.withLock { state in
      guard let place = state.places[slug], let number = state.slots[place]?.number, isAdmitted() else { return nil }
      var flush = false
      if countingView {
        flush = state.tally.count(number)
        state.slots[place]?.views &+= 1
      }
      state.slots[place]?.used = true
      return state.slots[place].map { ($0.atHand, flush) }
    }
  }

  /// Returns the head of a cached item.
  func head(_ slug: ByteKey) -> PublicationHead? {
    state.withLock { state in
      guard let place = state.places[slug] else { return nil }
      return state.slots[place]?.atHand.item.head
    }
  }

  /// Completes a reading from the file: adds the views that are missing in it, counts one more, and caches the item.
  /// - Returns: nil if the reading is too old; the caller has to read again.
  func finish(
    _ reading: Reading, epoch: UInt64, countingView: Bool
  ) -> (item: SharedContent, flush: Bool)? {
    state.withLock { state in
      guard let missing = state.tally.missing(from: reading.number, seen: reading.seen) else { return nil }
      var item = reading.item
      item.head.viewCount &+= missing
      var flush = false
      if countingView {
        flush = state.tally.count(reading.number)
        item.head.viewCount &+= 1
      }
      let slug = ByteKey(item.head.publicID)
      if let place = state.places[slug] {
        // Another reader has cached it in the meantime.
        if countingView { state.slots[place]?.views &+= 1 }
      } else if state.epoch == epoch, !state.changing.contains(slug) {
        insert(item, number: reading.number, slug: slug, in: &state)
      }
      return (item, flush)
    }
  }

  /// Returns the views that are missing in the rows of one reading; nil if the reading is too old to determine them.
  func missing(from rows: [Int64], seen: Int64) -> [Int64]? {
    state.withLock { $0.tally.missing(from: rows, seen: seen) }
  }

  // MARK: Pages

  /// Returns a cached page, with the views that are missing in its rows.
  func page(_ key: PageKey) -> (page: CachedPage, views: [Int64])? {
    state.withLock { state in
      guard let page = state.pages[key] else { return nil }
      guard let views = state.tally.missing(from: page.numbers, seen: page.seen) else {
        state.pages.remove(key)
        return nil
      }
      return (page, views)
    }
  }

  /// Caches a page that was read in this epoch, unless there has been a change since.
  func insert(_ page: CachedPage, for key: PageKey, epoch: UInt64) {
    state.withLock { state in
      if state.epoch == epoch, state.changing.isEmpty { state.pages.insert(page, for: key) }
    }
  }

  // MARK: For the writer

  /// Removes items from the cache; called before changes to them are committed.
  /// - Parameter published: the items, if all of them are new; otherwise nil.
  func beginChange(_ slugs: Set<ByteKey>, published: [PublicationHead]? = nil) {
    guard !slugs.isEmpty else { return }
    state.withLock { state in
      state.epoch &+= 1
      state.changing = slugs
      if let published { state.pages.remove(touchedBy: published) } else { state.pages.removeAll() }
      for slug in slugs { drop(slug, from: &state) }
    }
  }

  /// Allows the items again; called after the commit or its failure.
  func endChange() {
    state.withLock { state in
      guard !state.changing.isEmpty else { return }
      state.epoch &+= 1
      state.changing = []
    }
  }

  var viewsWait: Bool { state.withLock { !$0.tally.isEmpty } }
  func beginFlush() -> (number: Int64, counts: [Int64: Int64])? { state.withLock { $0.tally.beginFlush() } }
  func endFlush(committed: Bool) { state.withLock { $0.tally.endFlush(committed: committed) } }

  // MARK: Keeping

  private func insert(_ item: SharedContent, number: Int64, slug: ByteKey, in state: inout State) {
    let cost = Self.cost(item)
    guard cost <= limit / 8 else { return }
    while state.bytes + cost > limit, evict(from: &state) {}
    let slot = Slot(
      slug: slug, number: number, held: StoredItem(item), views: item.head.viewCount, used: false, cost: cost)
    if let place = state.free.popLast() {
      state.slots[place] = slot
      state.places[slug] = place
    } else {
      state.places[slug] = state.slots.count
      state.slots.append(slot)
    }
    state.bytes += cost
  }

  private func drop(_ slug: ByteKey, from state: inout State) {
    guard let place = state.places.removeValue(forKey: slug), let slot = state.slots[place] else { return }
    state.slots[place] = nil
    state.free.append(place)
    state.bytes -= slot.cost
  }

  /// Moves the clock hand to an item that was not read since the hand's last visit, and evicts the item.
  private func evict(from state: inout State) -> Bool {
    guard !state.places.isEmpty else { return false }
    while true {
      state.hand = state.hand + 1 < state.slots.count ? state.hand + 1 : 0
      guard let slot = state.slots[state.hand] else { continue }
      if slot.used {
        state.slots[state.hand]?.used = false
      } else {
        drop(slot.slug, from: &state)
        return true
      }
    }
  }

  /// Returns the approximate size of an item with its derived values, in bytes.
  private static func cost(_ item: SharedContent) -> Int {
    let head = item.head
    let texts = 2 * (head.title.utf8.count + (head.description?.utf8.count ?? 0)) + 3 * head.publicID.utf8.count
    return item.contentData.count + texts + head.tags.reduce(0) { $0 + 20 + 2 * $1.utf8.count } + 1800
  }
}

/// A string that is compared by its bytes, as a key.
///
/// `String` compares by canonical equivalence: KELVIN SIGN would find an item named `K`.
struct ByteKey: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (left: ByteKey, right: ByteKey) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}
