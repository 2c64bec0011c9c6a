import Foundation
import JSONSchema
import TestTools
import Testing

/// The schema formats, compared with other tools.
@Suite struct FormatDifferentialTests {
  /// Runs a Python script that reads a list of texts and prints a string with one character for each text.
  private static func verdicts(
    _ script: String, _ texts: [String], python: String = Judges.python
  ) throws -> String {
    let input = String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    let answer = try Shell.run(python, ["-c", script], input: input, environment: ["PYTHONIOENCODING": "utf-8"])
    try #require(answer.status == 0, "\(answer.errors.suffix(500))")
    return answer.output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// Compares verdicts, ignoring texts for which the judge prints a question mark.
  private static func compare(_ format: String, _ texts: [String], _ verdicts: String) throws {
    let checker = try #require(FormatChecker(format))
    try #require(verdicts.count == texts.count)
    for (text, verdict) in zip(texts, verdicts) where verdict != "?" {
      let codes = text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
      #expect(checker.accepts(text) == (verdict == "1"), "\(format): \(text.debugDescription) (\(codes)): \(verdict)")
    }
    let accepted = verdicts.filter { $0 == "1" }.count
    #expect(accepted > texts.count / 20 && accepted < texts.count * 19 / 20)
  }

  @Test(.enabled(if: Judges.has(module: "idna"), Judges.reason))
  func labelsAgainstIDNA() throws {
    var random = SeededRandom(seed: 5892)
    let blocks = [
      0x61...0x7A, 0x30...0x39, 0xA0...0x24F, 0x300...0x36F, 0x370...0x52F, 0x590...0x6FF, 0x900...0x97F,
      0x200C...0x200D,
      0x3040...0x30FF, 0x4E00...0x4E40, 0xAC00...0xAC40, 0xA800...0xABFF, 0x10A00...0x10AFF, 0x1E900...0x1E95F,
    ]
    let special: [UInt32] = [
      0xB7, 0x6C, 0x375, 0x5F3, 0x5F4, 0x30FB, 0x660, 0x6F0, 0x94D, 0x915, 0x628, 0x200C, 0x200D, 0x2D,
    ]
    var texts = (0x80..<0x11000).compactMap(Unicode.Scalar.init).map { "a" + String(Character($0)) }
    texts += (0..<6000).map { _ in
      let block = random.pick(blocks)
      return String(
        String.UnicodeScalarView(
          (0..<1 + random.below(4)).compactMap { _ in
            Unicode.Scalar(
              random.below(3) == 0
                ? random.pick(special)
                : UInt32(block.lowerBound + random.below(block.upperBound - block.lowerBound + 1)))
          }))
    }
    let script = """
      import idna, json, sys, unicodedata
      def verdict(text):
        if any(unicodedata.category(c) == 'Cn' for c in text) or all(ord(c) < 128 for c in text): return '?'
        if any(c in '\\u3002\\uff0e\\uff61' for c in text): return '?'
        try: idna.encode(text, strict=True); return '1'
        except (idna.IDNAError, UnicodeError): return '0'
      print(''.join(map(verdict, json.load(sys.stdin))))
      """
    try Self.compare("idn-hostname", texts, try Self.verdicts(script, texts))
  }

  @Test(.enabled(if: Shell.has("python3"), "python3 is not installed"))
  func addressesAgainstPython() throws {
    var random = SeededRandom(seed: 4291)
    let pieces = ["1", "ab", "0", "ffff", "ABCD", "12345", "g", "", "1.2.3.4", "255.0.0.1", "01.2.3.4"]
    let texts = (0..<5000).map { _ in
      var groups = (0..<7 + random.below(3)).map { _ in random.pick(Array(pieces[..<5])) }
      for _ in 0..<random.below(3) { groups[random.below(groups.count)] = random.pick(pieces) }
      if random.below(2) == 0 { groups[groups.count - 1] = random.pick(pieces) }
      if random.below(2) == 0 { groups.removeSubrange(2..<2 + random.below(5)) }
      return groups.joined(separator: ":")
    }
    let script = """
      import ipaddress, json, sys
      def verdict(text):
        try: ipaddress.IPv6Address(text); return '1'
        except ValueError: return '0'
      print(''.join(map(verdict, json.load(sys.stdin))))
      """
    try Self.compare("ipv6", texts, try Self.verdicts(script, texts, python: "python3"))
  }

  @Test(.enabled(if: Shell.has("python3"), "python3 is not installed"))
  func datesAgainstPython() throws {
    let texts = [1, 4, 100, 400, 1900, 1999, 2000, 2023, 2024, 2100, 9999].flatMap { year in
      (0...13).flatMap { month in (0...32).map { String(format: "%04d-%02d-%02d", year, month, $0) } }
    }
    let script = """
      import datetime, json, sys
      def verdict(text):
        try: datetime.date(*map(int, text.split('-'))); return '1'
        except ValueError: return '0'
      print(''.join(map(verdict, json.load(sys.stdin))))
      """
    try Self.compare("date", texts, try Self.verdicts(script, texts, python: "python3"))
  }
}
