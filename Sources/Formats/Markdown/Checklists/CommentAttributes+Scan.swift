import JSONText

extension CommentAttributes {
  /// Reads keys and values one after another.
  struct Scan {
    let text: UnsafeBufferPointer<UInt8>
    var at: Int
    let end: Int

    /// Moves to the next pair.
    /// - Returns: whether there is one.
    mutating func skipBlanks() -> Bool {
      while at < end, text[at] == 0x20 || text[at] == 0x09 { at += 1 }
      return at < end
    }

    /// Reads a key and the `=` behind it.
    mutating func key() -> String? {
      let start = at
      while at < end, CommentAttributes.isWordByte(text[at]) { at += 1 }
      guard at > start, at < end, text[at] == UInt8(ascii: "=") else { return nil }
      defer { at += 1 }
      return String(decoding: text[start..<at], as: UTF8.self)
    }

    /// Reads a value, which must end with the comment or a blank.
    mutating func value() -> SourcedText? {
      guard at < end else { return nil }
      let start = at
      switch text[at] {
      case UInt8(ascii: "\""), UInt8(ascii: "["), UInt8(ascii: "{"):
        guard skipJSON(), atBlank else { return nil }
        let value = restored(start..<at)
        guard (try? JSONDocument(parsing: value.bytes)) != nil else { return nil }
        return value
      default:
        while at < end, CommentAttributes.isWordByte(text[at]) || text[at] == UInt8(ascii: "+") { at += 1 }
        guard at > start, atBlank else { return nil }
        let word = SourcedText(text, start..<at)
        if Self.jsonWord(word.bytes[...]) != nil { return word }
        guard !word.bytes.contains(UInt8(ascii: "+")) else { return nil }
        let quote = UInt8(ascii: "\"")
        return SourcedText(
          bytes: [quote] + word.bytes + [quote], range: word.range, stretches: [.init(value: 1, source: start)])
      }
    }

    /// A bare word that is JSON as it stands: a number, true, false, null.
    static func jsonWord(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
      guard let first = word.first else { return nil }
      switch first {
      case UInt8(ascii: "-"), 0x30...0x39, UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
        return (try? JSONDocument(parsing: Array(word))) == nil ? nil : word
      default: return nil
      }
    }

    private var atBlank: Bool { at == end || text[at] == 0x20 || text[at] == 0x09 }

    /// Goes behind a JSON text; whether it is right is for the parser to say.
    private mutating func skipJSON() -> Bool {
      var depth = 0
      repeat {
        switch text[at] {
        case UInt8(ascii: "\""):
          at += 1
          while at < end, text[at] != UInt8(ascii: "\"") { at += text[at] == UInt8(ascii: "\\") ? 2 : 1 }
          guard at < end else { return false }
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
        at += 1
      } while depth > 0 && at < end
      return depth == 0
    }

    /// JSON with the two escapes taken back that keep a comment whole, so that it says what it said before.
    private func restored(_ range: Range<Int>) -> SourcedText {
      var bytes: [UInt8] = []
      var stretches: [SourcedText.Stretch] = []
      var run = range.lowerBound
      var at = run
      func flush() {
        guard at > run else { return }
        stretches.append(.init(value: bytes.count, source: run))
        bytes.append(contentsOf: text[run..<at])
      }
      while at < range.upperBound {
        guard text[at] == UInt8(ascii: "\\") else {
          at += 1
          continue
        }
        guard let byte = harmless(at, range.upperBound) else {
          at += 2
          continue
        }
        flush()
        stretches.append(.init(value: bytes.count, source: at))
        bytes.append(byte)
        at += 6
        run = at
      }
      at = min(at, range.upperBound)
      flush()
      return SourcedText(bytes: bytes, range: range, stretches: stretches.count > 1 ? stretches : [])
    }

    private func harmless(_ at: Int, _ end: Int) -> UInt8? {
      guard at + 6 <= end, text[at + 1] == UInt8(ascii: "u"), text[at + 2] == 0x30, text[at + 3] == 0x30 else {
        return nil
      }
      switch (text[at + 4], text[at + 5] | 0x20) {
      case (0x32, UInt8(ascii: "d")): return UInt8(ascii: "-")
      case (0x33, UInt8(ascii: "e")): return UInt8(ascii: ">")
      default: return nil
      }
    }
  }
}
