import Content
import Diagnostics
import Foundation
import Synchronization

/// Finds lines of files that lie inside something larger: nobody who shows a finding can read those again.
public final class MemberLines: Sendable {
  private struct State {
    var index = -1
    var line = 1
    var start = 0
  }

  private let members: any MemberSource
  private let state = Mutex(State())

  /// Longer lines are not shown: there may be as many findings in one as it has characters.
  private static let longest = 1 << 14

  /// Looks into files.
  public init(_ members: any MemberSource) { self.members = members }

  /// The place with the line that it lies in. Lines that are asked for in their order cost one pass through the file.
  public func located(_ place: Place, in index: Int) -> LocatedPlace {
    guard place.row == nil, let line = place.line else { return LocatedPlace(place) }
    return LocatedPlace(place, excerpt: text(line, of: index))
  }

  /// The place with the line that it lies in, where it is in one of the files.
  public func located(_ place: Place) -> LocatedPlace {
    guard let index = members.index(shown: place.file) else { return LocatedPlace(place) }
    return located(place, in: index)
  }

  private func text(_ line: Int, of index: Int) -> String? {
    let bytes = members.bytes(of: index)
    guard let base = bytes.baseAddress else { return nil }
    return state.withLock { state in
      if state.index != index || state.line > line { state = State(index: index) }
      while state.line < line {
        guard let end = memchr(base + state.start, 0x0A, bytes.count - state.start) else { return nil }
        state.start = UnsafeRawPointer(end) - UnsafeRawPointer(base) + 1
        state.line += 1
      }
      let rest = min(bytes.count - state.start, Self.longest + 1)
      let end = memchr(base + state.start, 0x0A, rest)
      var length = end.map { UnsafeRawPointer($0) - UnsafeRawPointer(base) - state.start } ?? rest
      guard length <= Self.longest else { return nil }
      if length > 0, base[state.start + length - 1] == 0x0D { length -= 1 }
      return String(decoding: UnsafeBufferPointer(start: base + state.start, count: length), as: UTF8.self)
    }
  }
}
