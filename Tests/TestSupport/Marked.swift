/// A text with marks around the expected places of findings: `⟪` before a place and `⟫` after it.
public struct Marked {
  /// The place of a mark.
  public struct Spot: Hashable, CustomStringConvertible {
    /// The line, starting at 1.
    public let line: Int
    /// The column, starting at 1.
    public let column: Int
    /// The column after the last one of the place.
    public let endColumn: Int

    /// Creates a place.
    public init(line: Int, column: Int, endColumn: Int) {
      self.line = line
      self.column = column
      self.endColumn = endColumn
    }

    /// The place as findings show it.
    public var description: String { "\(line):\(column)–\(endColumn)" }
  }

  /// The text without its marks.
  public let text: String
  /// The places of the marks, in text order.
  public let spots: [Spot]

  /// Removes the marks from a text.
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
