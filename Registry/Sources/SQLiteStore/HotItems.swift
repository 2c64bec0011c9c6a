import RegistryModel
import RegistryStore
import Synchronization

/// The items and pages that are read most, in memory, and the views that wait for the file.
///
/// Bounded by bytes; what was not read for a round of the clock's hand goes first. The writer takes an item out before
/// it commits a change and lets it back in afterwards, so that nobody reads a state that is neither what the file held
/// nor what it holds.
final class HotItems: Sendable {
  /// An item as it was read from the file.
  struct Reading {
    var number: Int64
    var item: SharedContent
    /// `store_state.view_flush` in the same snapshot.
    var seen: Int64
  }

  private struct Slot {
    let slug: ByteText
    let number: Int64
    let held: HeldItem
    /// The count of views; the one in `held` is that of the reading.
    var views: Int64
    var used: Bool

    var atHand: ItemAtHand { ItemAtHand(held: held, viewCount: views) }
    let cost: Int
  }

  private struct State {
    var slots: [Slot?] = []
    var free: [Int] = []
    var places: [ByteText: Int] = [:]
    var bytes = 0
    var hand = 0
    /// Being changed by the writer: not to be kept until it is done.
    var changing: Set<ByteText> = []
    /// Raised by every change: what was read before is not kept.
    var epoch: UInt64 = 0
    var tally: ViewTally
    var pages: KeptPages
  }

  private let state: Mutex<State>
  private let limit: Int

  /// - Parameter limit: bytes of items to keep at most.
  /// - Parameter written: the file's `view_flush`.
  init(limit: Int, written: Int64) {
    self.limit = limit
    state = Mutex(State(tally: ViewTally(written: written), pages: KeptPages(limit: limit / 4)))
  }

  /// What a reader needs to know before it reads the file.
  var epoch: UInt64 { state.withLock { $0.epoch } }

  /// An item that is kept, with its count; `flush` says that the first view waits.
  /// - Parameter isAdmitted: asked when the item is there; nil comes back, and nothing is counted, when it says no.
  func item(
    _ slug: ByteText, countingView: Bool, if isAdmitted: () -> Bool = { true }
  ) -> (item: ItemAtHand, flush: Bool)? {
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

  /// An item's head when it is kept.
  func head(_ slug: ByteText) -> ContentHead? {
    state.withLock { state in
      guard let place = state.places[slug] else { return nil }
      return state.slots[place]?.atHand.item.head
    }
  }

  /// Finishes a reading from the file: adds the views that it lacks, counts one more, and keeps the item.
  /// - Returns: nil when the reading is too old; read again.
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
      let slug = ByteText(item.head.publicID)
      if let place = state.places[slug] {
        // Somebody else read it meanwhile.
        if countingView { state.slots[place]?.views &+= 1 }
      } else if state.epoch == epoch, !state.changing.contains(slug) {
        keep(item, number: reading.number, slug: slug, in: &state)
      }
      return (item, flush)
    }
  }

  /// The views that rows of one reading lack; nil when one is too old to know.
  func missing(from rows: [Int64], seen: Int64) -> [Int64]? {
    state.withLock { $0.tally.missing(from: rows, seen: seen) }
  }

  // MARK: Pages

  /// A page that is kept, with the views that its rows lack.
  func page(_ key: PageKey) -> (page: KeptPage, views: [Int64])? {
    state.withLock { state in
      guard let page = state.pages[key] else { return nil }
      guard let views = state.tally.missing(from: page.numbers, seen: page.seen) else {
        state.pages.remove(key)
        return nil
      }
      return (page, views)
    }
  }

  /// Keeps a page that was read in this epoch, unless something was changed since.
  func keep(_ page: KeptPage, for key: PageKey, epoch: UInt64) {
    state.withLock { state in
      if state.epoch == epoch, state.changing.isEmpty { state.pages.keep(page, for: key) }
    }
  }

  // MARK: For the writer

  /// Before the commit of changes to these items.
  /// - Parameter published: all of them, where none of them was there before; nil where any was.
  func beginChange(_ slugs: Set<ByteText>, published: [ContentHead]? = nil) {
    guard !slugs.isEmpty else { return }
    state.withLock { state in
      state.epoch &+= 1
      state.changing = slugs
      if let published { state.pages.remove(touchedBy: published) } else { state.pages.removeAll() }
      for slug in slugs { drop(slug, from: &state) }
    }
  }

  /// After the commit, or its failure.
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

  private func keep(_ item: SharedContent, number: Int64, slug: ByteText, in state: inout State) {
    let cost = Self.cost(item)
    guard cost <= limit / 8 else { return }
    while state.bytes + cost > limit, evict(from: &state) {}
    let slot = Slot(
      slug: slug, number: number, held: HeldItem(item), views: item.head.viewCount, used: false, cost: cost)
    if let place = state.free.popLast() {
      state.slots[place] = slot
      state.places[slug] = place
    } else {
      state.places[slug] = state.slots.count
      state.slots.append(slot)
    }
    state.bytes += cost
  }

  private func drop(_ slug: ByteText, from state: inout State) {
    guard let place = state.places.removeValue(forKey: slug), let slot = state.slots[place] else { return }
    state.slots[place] = nil
    state.free.append(place)
    state.bytes -= slot.cost
  }

  /// Moves the hand to an item that was not read since it came by last, and drops that one.
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

  /// Bytes that an item holds, roughly, with what is made of it.
  private static func cost(_ item: SharedContent) -> Int {
    let head = item.head
    let texts = 2 * (head.title.utf8.count + (head.description?.utf8.count ?? 0)) + 3 * head.publicID.utf8.count
    return item.contentData.count + texts + head.tags.reduce(0) { $0 + 20 + 2 * $1.utf8.count } + 1800
  }
}
