/// The windows of many callers. When there are too many, the least recently used one is dropped: a client that sends
/// from a million addresses uses no more memory than the table's capacity.
package struct RateTable: Sendable {
  private struct Entry {
    var key: String
    var window: RateWindow
    var newer: Int
    var older: Int
  }

  private static let none = -1
  private let capacity: Int
  private var places: [String: Int] = [:]
  private var entries: [Entry] = []
  private var newest = RateTable.none
  private var oldest = RateTable.none

  package init(capacity: Int) { self.capacity = max(1, capacity) }

  package var count: Int { entries.count }

  /// Runs a closure on a caller's window, which is empty at first.
  package mutating func withWindow<Result>(of key: String, _ body: (inout RateWindow) -> Result) -> Result {
    let place = find(key)
    return body(&entries[place].window)
  }

  private mutating func find(_ key: String) -> Int {
    if let place = places[key] {
      if place != newest {
        unlink(place)
        pushNewest(place)
      }
      return place
    }
    if entries.count < capacity {
      let place = entries.count
      entries.append(Entry(key: key, window: RateWindow(), newer: Self.none, older: Self.none))
      places[key] = place
      pushNewest(place)
      return place
    }
    let place = oldest
    places[entries[place].key] = nil
    unlink(place)
    entries[place].key = key
    entries[place].window = RateWindow()
    places[key] = place
    pushNewest(place)
    return place
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (entries[place].newer, entries[place].older)
    if newer == Self.none { newest = older } else { entries[newer].older = older }
    if older == Self.none { oldest = newer } else { entries[older].newer = newer }
  }

  private mutating func pushNewest(_ place: Int) {
    entries[place].newer = Self.none
    entries[place].older = newest
    if newest != Self.none { entries[newest].newer = place }
    newest = place
    if oldest == Self.none { oldest = place }
  }
}
