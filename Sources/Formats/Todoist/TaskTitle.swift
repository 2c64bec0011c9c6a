/// The text of a task: its title, and the labels in it, written as `@label`.
struct TaskTitle: Equatable {
  /// The text without labels.
  var title: String
  /// The labels, without their signs.
  var labels: [String]

  /// The separator between the title of a task and the title of its subtask.
  static let below = " \u{203A} "

  /// Makes a title from a text and its labels, both unchanged.
  init(title: String, labels: [String]) {
    self.title = title
    self.labels = labels
  }

  /// Extracts the labels from a text. A text that consists only of labels is kept unchanged.
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
          // One of the spaces around a label is removed with it.
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

  /// Returns the label of a tag. Todoist does not allow spaces in labels, nor the characters that end one here.
  static func label(_ tag: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in tag.unicodeScalars { out.append(endsLabel(scalar) ? "_" : scalar) }
    return String(out)
  }

  private static func endsLabel(_ scalar: Unicode.Scalar) -> Bool {
    isBlank(scalar) || scalar == "," || scalar == ";" || scalar == "@"
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

  /// Returns a text without surrounding whitespace.
  static func trimmed(_ text: String) -> String { String(Substring(trimmed(text.unicodeScalars))) }

  private static func trimmed(_ text: String.UnicodeScalarView) -> Substring.UnicodeScalarView {
    var text = text[...]
    while let last = text.last, isBlank(last) { text.removeLast() }
    while let first = text.first, isBlank(first) { text.removeFirst() }
    return text
  }
}
