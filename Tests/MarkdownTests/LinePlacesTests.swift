import JSONText
import Testing

@testable import Markdown

@Suite struct LinePlacesTests {
  @Test func placesAreThoseOfTheTextWhateverTheOrder() {
    let text = Array("# Ä🙂b\r\nзя\n\n\tx\n".utf8)
    var places = LinePlaces()
    for offset in Array(0...text.count) + [5, 0, 12, 3, text.count + 9, 2] {
      let place = places.position(of: offset, in: text.span)
      #expect(place == TextPosition(offset: offset, in: text.span), "\(offset)")
    }
  }
}
