/// A text with marks around the expected places of findings: `⟪` before, `⟫` behind.
public struct Marked {
  /// The place of a mark.
  public struct Spot: Hashable, CustomStringConvertible {
    /// Line, from 1.
    public let line: Int
    /// Column, from 1.
    public let column: Int
    /// The column behind the last one.
    public let endColumn: Int

    /// Names a spot.
    public init(line: Int, column: Int, endColumn: Int) {
      self.line = line
      self.column = column
      self.endColumn = endColumn
    }

    /// As findings show it.
    public var description: String { "\(line):\(column)–\(endColumn)" }
  }

  /// The text without marks.
  public let text: String
  /// The places of the marks, in the order of the text.
  public let spots: [Spot]

  /// Removes the marks.
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
