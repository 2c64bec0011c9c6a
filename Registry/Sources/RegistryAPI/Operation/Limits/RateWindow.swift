/// The requests of one caller within one limit's window: a log of times and costs.
///
/// No interval of the window's length ever contains more than the limit. The log is bounded: where the limit is high,
/// times close to each other are merged into one entry, which counts until its latest time has left the window.
package struct RateWindow: Sendable {
  /// The maximum number of separate times; limits up to this are exact to the millisecond.
  static let resolution = 32

  private struct Moment {
    var begin: Int64
    var last: Int64
    var cost: Int
  }

  private var moments: [Moment] = []
  private(set) var used = 0

  package init() {}

  /// Drops entries that are older than the window or in the future: if the clock was set back, future entries would
  /// otherwise lock callers out until the clock caught up.
  private mutating func dropExpired(at now: Int64, window: Int64) {
    if let last = moments.last, last.last > now {
      for position in moments.indices where moments[position].last > now {
        moments[position].last = now
        moments[position].begin = min(moments[position].begin, now)
      }
    }
    guard let first = moments.first, now - first.last >= window else { return }
    let kept = moments.firstIndex { now - $0.last < window } ?? moments.endIndex
    for moment in moments[..<kept] { used -= moment.cost }
    moments.removeSubrange(..<kept)
  }

  /// Counts a cost if it fits; otherwise returns the time to wait in milliseconds, which is exact unless the caller
  /// sends other requests.
  package mutating func charge(_ cost: Int, limit: RateLimit, at now: Int64) -> (granted: Bool, wait: Int64) {
    let window = Int64(limit.seconds) * 1000
    dropExpired(at: now, window: window)
    if used + cost <= limit.count {
      used += cost
      let grain = limit.count <= Self.resolution ? 0 : window / Int64(Self.resolution)
      if let last = moments.last, now - last.begin <= grain, grain > 0 {
        moments[moments.count - 1].last = now
        moments[moments.count - 1].cost += cost
      } else {
        moments.append(Moment(begin: now, last: now, cost: cost))
      }
      return (true, 0)
    }
    var missing = used + cost - limit.count
    for moment in moments {
      missing -= moment.cost
      if missing <= 0 { return (false, max(1, moment.last + window - now)) }
    }
    return (false, window)
  }

  /// Returns the number of milliseconds until the whole limit is available again.
  func reset(limit: RateLimit, at now: Int64) -> Int64 {
    guard let last = moments.last else { return 0 }
    return max(0, last.last + Int64(limit.seconds) * 1000 - now)
  }
}
