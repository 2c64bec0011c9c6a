/// The text of a task, split into its title and its labels, which are written as `@label`.
struct TaskTitle: Equatable {
  /// The text without labels.
  var title: String
  /// The labels, without `@`.
  var labels: [String]

  /// The separator between a task's title and its subtask's title.
  static let below = " \u{203A} "

  /// Creates a title from a text and labels, which are kept unchanged.
  init(title: String, labels: [String]) {
    self.title = title
    self.labels = labels
  }

  /// Extracts the labels from a task's text. If the text consists only of labels, it is kept unchanged as the title.
  init(_ content: String) {
    labels = []
    let scalars = content.unicodeScalars
    var at = scalars.startIndex
    var title = String.UnicodeScalarView()
    var isStart = true
    while at < scalars.endIndex {
      let scalar = scalars[at]
      if scalar == "@", isStart {
        let rest = scalars[scalars.index(after: at)...]
        let label = rest.prefix { !Self.endsLabel($0) }
        if !label.isEmpty {
          labels.append(String(Substring(label)))
          at = label.endIndex
          // One of the spaces around a label is removed together with the label.
          if title.last.map(Self.isBlank) ?? true, at < scalars.endIndex, Self.isBlank(scalars[at]) {
            at = scalars.index(after: at)
          }
          isStart = true
          continue
        }
      }
      title.append(scalar)
      isStart = Self.isBlank(scalar)
      at = scalars.index(after: at)
    }
    let text = Self.trimmed(title)
    guard !text.isEmpty else {
      self.title = Self.trimmed(content)
      labels = []
      return
    }
    self.title = String(Substring(text))
  }

  /// Returns the label for a tag. Todoist does not allow spaces in labels, and the characters that end a label are not
  /// allowed either.
  static func label(_ tag: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in tag.unicodeScalars { out.append(endsLabel(scalar) ? "_" : scalar) }
    return String(out)
  }

  private static func endsLabel(_ scalar: Unicode.Scalar) -> Bool {
    isBlank(scalar) || scalar == "," || scalar == ";" || scalar == "@"
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

  /// Returns a string without surrounding whitespace.
  static func trimmed(_ text: String) -> String { String(Substring(trimmed(text.unicodeScalars))) }

  private static func trimmed(_ text: String.UnicodeScalarView) -> Substring.UnicodeScalarView {
    var text = text[...]
    while let last = text.last, isBlank(last) { text.removeLast() }
    while let first = text.first, isBlank(first) { text.removeFirst() }
    return text
  }
}
