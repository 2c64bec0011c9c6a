import JSONSchema
import Testing

/// Edge cases from the specifications of the formats.
@Suite struct FormatTests {
  /// A format, texts that match it, and texts that do not.
  struct Case: Sendable, CustomTestStringConvertible {
    let format: String
    let good: [String]
    let bad: [String]
    var testDescription: String { format }

    init(_ format: String, _ good: [String], not bad: [String]) {
      self.format = format
      self.good = good
      self.bad = bad
    }
  }

  private static let label63 = String(repeating: "a", count: 63)

  static let cases: [Case] = [
    Case(
      "date", ["2024-02-29", "2000-02-29", "0000-02-29", "9999-12-31"],
      not: [
        "1900-02-29", "2023-02-29", "2023-04-31", "2023-00-10", "2023-1-1", "2023-01-01 ", "２０２３-01-01", "+023-01-01",
      ]),
    Case(
      "time",
      ["00:00:00Z", "23:59:59.999999999999z", "23:59:60Z", "00:59:60+01:00", "18:59:60-05:00", "12:00:00-00:00"],
      not: [
        "24:00:00Z", "12:60:00Z", "12:00:61Z", "12:00:60Z", "23:59:60+00:01", "12:00:00", "12:00:00.Z", "12:00:00,5Z",
        "12:00Z", "12:00:00+1:00", "12:00:00+0100", "12:00:00+24:00", "12:00:00+23:60", "12:00:00 Z", "1+:00:00Z",
      ]),
    Case(
      "date-time", ["2024-02-29T12:00:00Z", "2024-02-29t12:00:00.1z", "2016-12-31T18:59:60.5-05:00"],
      not: ["2024-02-30T12:00:00Z", "2024-02-29 12:00:00Z", "2024-02-29T12:00:00", "2024-02-29", "2024-02-29T"]),
    Case(
      "duration", ["P1Y", "P1Y2M3DT4H5M6S", "PT0S", "P3W", "P1M2DT3M", "PT4H5M"],
      not: ["", "P", "PT", "P1", "P1YT", "P1Y2D", "P1W1D", "P1D1W", "PT1H1S", "P1S", "P1.5D", "p1d", "PT1M1H"]),
    Case(
      "email",
      [
        "a@b", "a.b+c@d-e.fg", "!#$%&'*+-/=?^_`{|}~@x.y", "\"\"@x.y", "\"a b\\\"\\\\@,\"@x.y", "a@[1.2.3.4]",
        "a@[IPv6:::1]", "a@[ipv6:1:2:3:4:5:6:7:8]", "a@[IPv6:::ffff:1.2.3.4]", "a@1.2", "a@xn--p1ai",
        String(repeating: "a", count: 64) + "@b", "a@" + label63,
      ],
      not: [
        "", "@", "a", "a@", "@b", "a b@c", "a..b@c", ".a@b", "a.@b", "a@b.", "a@.b", "a@b..c", "a@-b", "a@b-", "a@b_c",
        "a@b c", "\"a@b", "\"a\"b@c", "\"a\\\"@c", "\"a\u{7}\"@c", "a@[1.2.3]", "a@[1.2.3.256]", "a@[::1]",
        "a@[IPv6:1::2::3]",
        "a@[IPv6:1:2:3:4:5:6:7::]", "a@[1.2.3.4", "a@[1.2.3.4]x", "é@b", "a@é", "a@b\n", "a@[x:y]", "<a@b>", "a(c)@b",
        String(repeating: "a", count: 65) + "@b", "a@" + label63 + "a",
      ]),
    Case(
      "idn-email", ["é@b", "用户@例子.广告", "\"é \"@b", "a@École.fr", "a@b", "a@cafe\u{301}.fr"],
      not: ["é", "a@é..b", "a@-é", "a@é_b", "a@\u{301}é", "a@😀.b", "é..é@b", "\u{1}é@b"]),
    Case(
      "hostname", ["a", "a.b", "1.2", "A-B.c", label63 + ".a", "a--b", "xn--mgbh0fb"],
      not: ["", ".", "a.", ".a", "a..b", "-a", "a-", "a_b", "é", label63 + "a", "xn--", "xn--a", "xn---", "xn--Ü"]),
    Case(
      "idn-hostname", ["é.b", "EXAMPLE.com", "例え。テスト", "a\u{FF0E}é", "faß.de", "ab-b"],
      not: [
        "", "。", "é。", "a\u{301}.b\u{FF61}", "É", "ab--é", "ab--cd", "😀", "\u{301}a", "a é", "é\u{200D}", "e\u{301}",
        "é-", "ⅷ",
      ]),
    Case(
      "ipv4", ["0.0.0.0", "255.255.255.255"],
      not: ["1.2.3", "1.2.3.4.5", "01.2.3.4", "1.2.3.256", "1.2.3.", "1.2.3.-4"]),
    Case(
      "ipv6",
      [
        "::", "::1", "1::", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:1.2.3.4", "::1.2.3.4",
        "1::1.2.3.4",
        "ABCD:ef01::",
      ],
      not: [
        "", ":", ":::", "1", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", ":1::", "1::2:", "12345::", "::1.2.3",
        "::01.2.3.4",
        "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:6:7:8::", "::1%eth0", "[::1]", "::g", "1.2.3.4", " ::1",
        "::1.2.3.4:5",
      ]),
    Case(
      "uri",
      [
        "a:", "http://a", "http://a/", "http://", "http:///p", "http://u:p@a:80/b;c?d/?#e/?", "http://[::1]:/",
        "http://[v1.a:b]",
        "urn:a:b", "a:b//c", "a:/b:c@d", "a+-.1:", "http://%41/%C3%A9", "http://1.2.3.4.5", "file:///a", "a:?", "a:#",
        "a:@",
      ],
      not: [
        "", "a", "/a", "//a", "1a:", ":a", "a_b:c", "http://a b", "http://a:b", "http://[::1", "http://::1",
        "http://[::1]a",
        "http://a@b@c", "http://[1.2.3.4]", "http://[v.a]", "http://[v1.]", "a:%", "a:%1", "a:%1g", "a:[b]", "a:b#c#d",
        "a:é",
        "a:\\", "a:^", "a:\"", "a:<b>", "a:{b}", "a:|", "a:`", "a:b\n", "a://[::1%25eth0]", "a:\u{7F}", "http://u[@a",
      ]),
    Case(
      "uri-reference", ["", "a", "/", "//", "//a", "?a", "#a", "./a:b", "a/b:c", "../..", "a:b", "@", "a?b:c"],
      not: [":", ":a", "1:a", "a b", "é", "%", "#a#b", "//a:b", "//[", "a_b:c"]),
    Case(
      "iri", ["http://é/é?é#é", "a:\u{10000}", "a:?\u{E000}", "http://é@é"],
      not: ["é", "é:a", "a:\u{E000}", "a:#\u{E000}", "a:\u{80}", "a:\u{FFF0}", "a:\u{E0001}", "http://a:é"]),
    Case("iri-reference", ["é", "//é", "?\u{F0000}", "#é"], not: ["\u{F0000}", "é:b", "\\é", "é\u{FFF0}"]),
    Case(
      "uuid", ["00000000-0000-0000-0000-000000000000", "ABCDEF01-2345-6789-abcd-ef0123456789"],
      not: [
        "", "00000000000000000000000000000000", "{00000000-0000-0000-0000-00000000000}",
        "0000000g-0000-0000-0000-000000000000",
      ]),
    Case(
      "uri-template", ["", "a{b}c", "{+a,b*,c:3}", "{#a.b}", "{a_%41}", "{?a:9999}", "é{a}", "%41", "{=a}", "{a}{b}"],
      not: [
        "{", "}", "{}", "{a", "{a}}", "{{a}}", "{a b}", "{a*:3}", "{a:3*}", "{a:}", "{a:0}", "{.}", "{a.}", "{.a.}",
        "%", "<", "{é}",
      ]),
    Case("json-pointer", ["", "/", "/a//b", "/~0~1", "/é"], not: ["a", "#/a", "/~", "/~2", "/a~", " /a"]),
    Case(
      "relative-json-pointer", ["0", "10", "0#", "1/a", "0/", "0+1", "0-1/a", "3+10/~0"],
      not: ["", "#", "/a", "00", "01", "0##", "0#/a", "-1", "0a", "0+", "0+01", "0/~", "0+1#"]),
    Case("regex", ["", "a|b", "(?<a>.)\\k<a>", "\\p{L}", "[^]"], not: ["(", "[", "a**", "\\a", "\\Z", "{", "(?i)a"]),
  ]

  @Test(arguments: cases) func followsItsDocument(_ example: Case) throws {
    let checker = try #require(FormatChecker(example.format))
    for text in example.good { #expect(checker.accepts(text), "\(text.debugDescription) is a good \(example.format)") }
    for text in example.bad { #expect(!checker.accepts(text), "\(text.debugDescription) is no \(example.format)") }
  }

  @Test func allFormatsAreKnown() {
    #expect(Set(FormatChecker.names) == Set(Self.cases.map(\.format)))
    #expect(FormatChecker.names.count == 19)
    #expect(FormatChecker("color") == nil)
    #expect(FormatChecker("") == nil)
  }

  /// Long texts and invalid UTF-8 are checked quickly and without a trap.
  @Test(arguments: FormatChecker.names) func hostileTextsAreSurvived(_ name: String) throws {
    let checker = try #require(FormatChecker(name))
    for unit in [
      "a", "1", "a.", "é", "\u{301}", "xn--", "a@", ":", "[", "(", "{a}", "%41", "/~0", "P1Y", "😀.", "xn--0ca.",
    ] {
      let text = String(repeating: unit, count: 20_000)
      let clock = ContinuousClock()
      let time = clock.measure { _ = checker.accepts(text) }
      #expect(time < .seconds(20), "\(name) of many \(unit)")
    }
    for bytes in [[0xFF], [0xC3], [0x61, 0xE2, 0x82], [0xF0], [0x61, 0x40, 0xC3], [0x68, 0x3A, 0xF4]] as [[UInt8]] {
      _ = checker.accepts(bytes.span)
    }
    _ = checker.accepts(Span())
  }
}
