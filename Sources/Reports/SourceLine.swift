/// A line of source text, or as much of a long line as a code frame needs.
struct SourceLine {
  /// The characters that are there, without the line's end.
  let scalars: [UnicodeScalar]
  /// The column of the first of them, from 1.
  let firstColumn: Int
  /// Whether the line goes on behind the last of them.
  let goesOn: Bool

  init(scalars: [UnicodeScalar], firstColumn: Int, goesOn: Bool) {
    self.scalars = scalars
    self.firstColumn = firstColumn
    self.goesOn = goesOn
  }

  /// Takes up to `limit` characters from column `first` of a text's first line; nil when the line ends before.
  init?(_ text: String, from first: Int, limit: Int) {
    var scalars: [UnicodeScalar] = []
    var column = 0
    var goesOn = false
    for scalar in text.unicodeScalars {
      if scalar == "\n" { break }
      column += 1
      if column < first { continue }
      if scalars.count == limit {
        goesOn = true
        break
      }
      scalars.append(scalar)
    }
    guard column >= first - 1 else { return nil }
    if !goesOn, scalars.last == "\r" { scalars.removeLast() }
    self.init(scalars: scalars, firstColumn: first, goesOn: goesOn)
  }
}
