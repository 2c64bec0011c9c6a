/// A text with marks around what findings must point at: `⟪` before, `⟫` behind.
public struct Marked {
  /// Where a mark points.
  public struct Spot: Hashable, CustomStringConvertible {
    public let line: Int
    public let column: Int
    public let endColumn: Int

    /// Names a spot.
    public init(line: Int, column: Int, endColumn: Int) {
      self.line = line
      self.column = column
      self.endColumn = endColumn
    }

    public var description: String { "\(line):\(column)–\(endColumn)" }
  }

  /// The text without marks.
  public let text: String
  /// Where the marks were, in the order of the text.
  public let spots: [Spot]

  /// Takes the marks out.
  public init(_ marked: String) {
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
