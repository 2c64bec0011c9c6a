import JSONText
import Testing

@testable import Markdown

@Suite struct LinePlacesTests {
  @Test func placesAreThoseOfTheTextWhateverTheOrder() {
    let text = Array("# Ä🙂b\r\nзя\n\n\tx\n".utf8)
    text.withUnsafeBufferPointer { bytes in
      var places = LinePlaces()
      for offset in Array(0...text.count) + [5, 0, 12, 3, text.count + 9, 2] {
        #expect(places.position(of: offset, in: bytes) == TextPosition(offset: offset, in: bytes), "\(offset)")
      }
    }
  }
}
