import Foundation
import Interchange
import JSONText
import TestSupport
import Testing

/// Lines are sorted by their keys, which are compared as bytes. Lines with equal keys keep their order.
@Suite struct ExternalSorterTests {
  /// Sorts lines that consist of a key, a bar and a number.
  private func sorted(_ keys: [String], runBytes: Int) throws -> [String] {
    let sorter = ExternalSorter(runBytes: runBytes) { line, key in
      key.append(UnsafeBufferPointer(rebasing: line[..<(line.firstIndex(of: UInt8(ascii: "|")) ?? 0)]).span)
    }
    for (number, key) in keys.enumerated() {
      try sorter.add("\(key)|\(number)".utf8.span)
    }
    try sorter.sort()
    var lines: [String] = []
    while let line = try sorter.next() { lines.append(String(decoding: line, as: UTF8.self)) }
    #expect(try sorter.next() == nil)
    return lines
  }

  private func expected(_ keys: [String]) -> [String] {
    keys.enumerated()
      .sorted { left, right in
        let (one, other) = (Array(left.element.utf8), Array(right.element.utf8))
        return one == other ? left.offset < right.offset : one.lexicographicallyPrecedes(other)
      }
      .map { "\($0.element)|\($0.offset)" }
  }

  /// The keys fit into memory, into one run on disk, or into many runs.
  @Test(arguments: [1 << 20, 60_000, 4_000, 100, 1]) func keysAreComparedAsBytes(_ runBytes: Int) throws {
    var random = SeededRandom(seed: 7)
    let parts = ["", "a", "b", "\u{0}", "é", "e\u{301}", "Z", "12345678", "00000000"]
    let keys = (0..<2_000).map { _ in
      (0..<Int(random.next() % 4)).map { _ in parts[Int(random.next() % UInt64(parts.count))] }.joined()
    }
    let some = runBytes > 100 ? keys : Array(keys.prefix(200))
    #expect(try sorted(some, runBytes: runBytes) == expected(some))
  }

  @Test func aKeyComesBeforeThoseThatItBegins() throws {
    let keys = ["aaaaaaaab", "aaaaaaaa", "aaaaaaa", "aaaaaaa\u{0}", "aaaaaaaa\u{0}", ""]
    #expect(try sorted(keys, runBytes: 1 << 20) == expected(keys))
  }

  @Test func emptyLinesAreKept() throws {
    for runBytes in [1 << 20, 1] {
      let sorter = ExternalSorter(runBytes: runBytes) { line, key in key.append(line.span) }
      for line in ["b", "", "a", ""] { try sorter.add(line.utf8.span) }
      try sorter.sort()
      var counts: [Int] = []
      while let line = try sorter.next() { counts.append(line.count) }
      #expect(counts == [0, 0, 1, 1])
    }
  }

  @Test func nothingIsSortedToNothing() throws {
    let sorter = ExternalSorter { $1.append($0.span) }
    try sorter.sort()
    #expect(try sorter.next() == nil)
  }
}
