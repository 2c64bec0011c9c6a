/// What the line of a step says behind its title: ` · required · 5 min · #tag`.
struct StepNotation {
  /// The title, without blanks around it.
  var title: Range<Int>
  var isRequired = false
  var isOptional = false
  /// The digits in front of `min`.
  var minutes: Range<Int>?
  /// The tags, without `#`.
  var tags: [Range<Int>] = []

  /// A dot with blanks around it.
  static let dot: [UInt8] = Array(" · ".utf8)
  static let required: [[UInt8]] = [Array("required".utf8), Array("обязательно".utf8)]
  static let optional: [[UInt8]] = [Array("optional".utf8), Array("по желанию".utf8)]
  static let minutes: [[UInt8]] = [Array(" min".utf8), Array(" мин".utf8)]
  static let tagList: [UInt8] = Array("tags:".utf8)

  /// Reads a label from its end, word by word, until there is none that it knows. Ranges are those of `label`.
  static func read(_ label: [UInt8]) -> StepNotation {
    let whole = trimmed(label, 0..<label.count)
    var found = StepNotation(title: whole)
    var end = whole.upperBound
    while end > whole.lowerBound {
      if let tag = trailingTag(label, whole.lowerBound..<end) {
        found.tags.append(tag)
        end = trimmed(label, whole.lowerBound..<tag.lowerBound - 1).upperBound
        // The dot in front of the first tag.
        if end - whole.lowerBound >= 3, label[end - 1] == 0xB7, label[end - 2] == 0xC2,
          NoteLines.isBlank(label[end - 3])
        {
          end = trimmed(label, whole.lowerBound..<end - 2).upperBound
        }
      } else if let dot = lastDot(label, whole.lowerBound..<end),
        found.take(label, trimmed(label, dot + dotWidth..<end))
      {
        end = trimmed(label, whole.lowerBound..<dot).upperBound
      } else {
        break
      }
    }
    // Words without a title are the title.
    guard end > whole.lowerBound else { return StepNotation(title: whole) }
    found.tags.reverse()
    found.title = whole.lowerBound..<end
    return found
  }

  private static let dotWidth = 4

  /// Takes a word behind a dot.
  /// - Returns: false when it is none.
  private mutating func take(_ label: [UInt8], _ word: Range<Int>) -> Bool {
    if word.count <= 32 {
      if Self.required.contains(where: { label[word].elementsEqual($0) }), !isRequired {
        isRequired = true
        return true
      }
      if Self.optional.contains(where: { label[word].elementsEqual($0) }), !isOptional {
        isOptional = true
        return true
      }
      if let unit = Self.minutes.first(where: { label[word].reversed().starts(with: $0.reversed()) }), minutes == nil {
        let digits = word.lowerBound..<word.upperBound - unit.count
        guard Self.isPlainNumber(label[digits]) else { return false }
        minutes = digits
        return true
      }
    }
    guard label[word].starts(with: Self.tagList) else { return false }
    var listed: [Range<Int>] = []
    var start = word.lowerBound + Self.tagList.count
    for at in start...word.upperBound where at == word.upperBound || label[at] == UInt8(ascii: ",") {
      let tag = Self.trimmed(label, start..<at)
      guard !tag.isEmpty else { return false }
      listed.append(tag)
      start = at + 1
    }
    // Read from the end: the order is turned round once more.
    tags.append(contentsOf: listed.reversed())
    return true
  }

  /// `5`, `12.5`: what JSON and everybody else reads as the same number.
  static func isPlainNumber(_ digits: ArraySlice<UInt8>) -> Bool {
    guard (1...9).contains(digits.count), let first = digits.first, let last = digits.last, isDigit(first),
      isDigit(last)
    else { return false }
    var points = 0
    for byte in digits {
      if byte == UInt8(ascii: ".") { points += 1 } else if !isDigit(byte) { return false }
    }
    if first == 0x30, digits.count > 1, digits[digits.startIndex + 1] != UInt8(ascii: ".") { return false }
    return points <= 1
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  /// The last word when it is a tag; the range is that behind its `#`.
  private static func trailingTag(_ label: [UInt8], _ part: Range<Int>) -> Range<Int>? {
    var start = part.upperBound
    while start > part.lowerBound, label[start - 1] != UInt8(ascii: "#") {
      let byte = label[start - 1]
      guard byte >= 0x80 || CommentAttributes.isWordByte(byte) || byte == UInt8(ascii: "/"), byte != 0x3A, byte != 0x2E
      else { return nil }
      start -= 1
    }
    guard start > part.lowerBound, start == part.lowerBound + 1 || NoteLines.isBlank(label[start - 2]),
      isTag(label[start..<part.upperBound])
    else { return nil }
    return start..<part.upperBound
  }

  /// Whether a text can stand behind `#`: letters, digits, `_`, `-` and `/`, at least one of them a letter.
  static func isTag(_ text: ArraySlice<UInt8>) -> Bool {
    var letters = 0
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "_", "-", "/", "0"..."9", "\u{200D}": continue
      default:
        if scalar.properties.isAlphabetic {
          letters += 1
        } else {
          switch scalar.properties.generalCategory {
          case .nonspacingMark, .spacingMark, .decimalNumber, .otherSymbol, .modifierSymbol: continue
          default: return false
          }
        }
      }
    }
    return letters > 0
  }

  /// Where the last dot with blanks around it begins.
  private static func lastDot(_ label: [UInt8], _ part: Range<Int>) -> Int? {
    var at = part.upperBound - dotWidth
    while at > part.lowerBound {
      if label[at + 1] == 0xC2, label[at + 2] == 0xB7, NoteLines.isBlank(label[at]), NoteLines.isBlank(label[at + 3]) {
        return at
      }
      at -= 1
    }
    return nil
  }

  static func trimmed(_ label: [UInt8], _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, max(range.lowerBound, range.upperBound))
    while start < end, NoteLines.isBlank(label[start]) { start += 1 }
    while end > start, NoteLines.isBlank(label[end - 1]) { end -= 1 }
    return start..<end
  }
}
