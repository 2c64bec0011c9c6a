import JSONText
import TestSupport
import Testing

/// What remembers where it was finds the same places as what begins anew each time.
@Suite struct PlaceFindingTests {
  private func pointers(_ value: JSONValue, _ at: JSONPointer = JSONPointer()) -> [JSONPointer] {
    var all = [at]
    for (index, element) in value.elements.enumerated() { all += pointers(element, at.appending(.element(index))) }
    for (name, member) in value.members { all += pointers(member, at.appending(.member(name))) }
    return all
  }

  @Test(arguments: 0..<40) func spansInAnyOrder(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let many = (0..<40).map { "\"m\($0)\":\(random.json(depth: 2))" }.joined(separator: ",")
    let document = try JSONDocument(parsing: "[\(random.json(depth: 5)),{\(many)},\(random.json(depth: 5))]")
    var all = pointers(document.root)
    all += [JSONPointer([.element(-1)]), JSONPointer([.element(99)]), JSONPointer([.element(1), .member("none")])]
    var finder = SpanFinder()
    for _ in 0..<200 {
      let pointer = random.pick(all)
      for part in [ValuePart.value, .name] {
        #expect(finder.span(of: pointer, part: part, in: document) == document.span(of: pointer, part: part))
      }
    }
    #expect(document.span(of: JSONPointer([.element(-1)])) == document.root.span)
  }

  @Test(arguments: 0..<40) func pointersThereAndBack(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let text = Array("[\(random.json(depth: 5)),\(random.json(depth: 5))]".utf8)
    try text.withUnsafeBufferPointer { text in
      var tape = JSONTape()
      let parse = try tape.parse(text)
      let base = try #require(text.baseAddress)
      let root = JSONNode(text: base, tokens: tape.tokens, index: parse.root)
      var finder = PointerFinder()
      for _ in 0..<200 {
        let target = root.index + random.below(Int(root.token.next) - root.index)
        let pointer = finder.pointer(to: target, from: root)
        #expect(pointer == root.pointer(to: target))
        let isName = root.at(target).token.flags.contains(.name)
        let span = try JSONDocument(parsing: text).span(of: pointer, part: isName ? .name : .value)
        #expect(span == root.at(target).span)
      }
    }
  }

  @Test func linesAndColumnsInAnyOrder() {
    var random = SeededRandom(seed: 7)
    let text = (0..<60_000).flatMap { _ in Array(random.pick(["a", "é", "\n", "😀", "\r\n", "bcd"]).utf8) }
    text.withUnsafeBufferPointer { text in
      var counter = PlaceCounter()
      for _ in 0..<300 {
        let offset = random.below(text.count + 100) - 10
        #expect(counter.position(of: offset, in: text) == TextPosition(offset: offset, in: text))
      }
    }
  }
}
