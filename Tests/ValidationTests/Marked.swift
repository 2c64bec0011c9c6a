import Foundation

/// A text with marks around what findings must point at: `⟪` before, `⟫` behind.
struct Marked {
  /// Where a mark points.
  struct Spot: Hashable, CustomStringConvertible {
    let line: Int
    let column: Int
    let endColumn: Int
    var description: String { "\(line):\(column)–\(endColumn)" }
  }

  /// The text without marks.
  let text: String
  /// Where the marks were, in the order of the text.
  let spots: [Spot]

  init(_ marked: String) {
    var plain = String.UnicodeScalarView()
    var spots: [Spot] = []
    var (line, column) = (1, 1)
    var open: (line: Int, column: Int)?
    for scalar in marked.unicodeScalars {
      switch scalar {
      case "⟪": open = (line, column)
      case "⟫":
        if let open { spots.append(Spot(line: open.line, column: open.column, endColumn: column)) }
        open = nil
      default:
        plain.append(scalar)
        if scalar == "\n" {
          line += 1
          column = 1
        } else {
          column += 1
        }
      }
    }
    text = String(plain)
    self.spots = spots
  }
}
