import Testing

@testable import Validation

/// The table for millions of keys gives the same results as a dictionary.
@Suite struct CompactTableTests {
  /// The keys differ in few bits, in the highest bits, or at random.
  @Test(arguments: [1, 1 << 48, 0x9E37_79B9_7F4A_7C15] as [UInt64])
  func answersAsADictionaryDoes(_ step: UInt64) {
    var table = CompactTable<UInt64, Int>()
    var model: [UInt64: Int] = [:]
    for index in 0..<20_000 {
      let key = UInt64(index % 15_000) &* step
      let known = table.insert(key, index)
      #expect(known == model[key])
      if known == nil { model[key] = index }
    }
    #expect(table.count == model.count)
    for index in 0..<20_000 as Range<UInt64> {
      #expect(table.contains(index &* step) == (model[index &* step] != nil))
    }
    for key in 0..<20_000 as Range<UInt64> { table.update(key &* step) { $0 += 1 } }
    for key in 0..<20_000 as Range<UInt64> { #expect(table[key &* step] == model[key &* step].map { $0 + 1 }) }
    table.removeAll()
    #expect(table.isEmpty && !table.contains(0) && table[0] == nil)
  }

  /// Above 1 MiB, keys and values are in temporary files.
  @Test func isTheSameInFiles() {
    var table = CompactTable<UInt64, Int>()
    var list = SpillingArray<UInt64>()
    for index in 0..<200_000 {
      table.insert(UInt64(index) &* 0x9E37_79B9_7F4A_7C15, index)
      list.append(UInt64(index))
    }
    #expect(table.count == 200_000 && list.count == 200_000)
    #expect((0..<200_000).allSatisfy { table[UInt64($0) &* 0x9E37_79B9_7F4A_7C15] == $0 && list[$0] == UInt64($0) })
    #expect(table[1] == nil)
  }

  @Test func aSetOfNothingHasNothing() {
    var set = CompactTable<UInt64, CompactNothing>()
    #expect(!set.contains(0))
    let answers = [set.insert(0), set.insert(0)]
    #expect(answers == [true, false])
    #expect(set.contains(0) && !set.contains(1))
  }
}
