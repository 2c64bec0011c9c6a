import JSONSchema
import Testing

/// The meaning of regular expressions, case by case.
@Suite struct RegexTests {
  /// A pattern, texts that it matches somewhere, and texts that it matches nowhere.
  struct Case: Sendable, CustomTestStringConvertible {
    let pattern: String
    let matches: [String]
    let others: [String]
    var testDescription: String { pattern }

    init(_ pattern: String, _ matches: [String], not others: [String] = []) {
      self.pattern = pattern
      self.matches = matches
      self.others = others
    }
  }

  static let cases: [Case] = [
    Case("", ["", "a"]),
    Case("abc", ["abc", "xabcx", "ababc"], not: ["", "ab", "abx"]),
    Case("^abc$", ["abc"], not: ["abc\n", "\nabc", "xabc"]),
    Case("^(?:foo|bar|)$", ["foo", "bar", ""], not: ["fo", "foobar"]),
    Case("a|ab|b$", ["xab", "b"], not: ["xc"]),
    Case("^a.c$", ["abc", "aéc", "a😀c", "a\u{85}c"], not: ["a\nc", "a\rc", "a\u{2028}c", "a\u{2029}c", "ac"]),
    Case("^a?b*c+$", ["c", "abbcc", "bc"], not: ["ab", "aac"]),
    Case("^a{2}$", ["aa"], not: ["a", "aaa"]),
    Case("^a{2,}$", ["aa", "aaaaa"], not: ["a"]),
    Case("^a{1,2}?a$", ["aa", "aaa"], not: ["a", "aaaa"]),
    Case("^(?:ab){2,3}$", ["abab", "ababab"], not: ["ab", "abababab"]),
    Case("^(?:a?){3}$", ["", "aaa"], not: ["aaaa"]),
    Case("^(?:a?b??)*$", ["", "ab", "aabb"], not: ["c"]),
    Case("^(?:\\b|a){3}$", ["aa", "aaa"], not: ["aaaa"]),
    Case("x{0}y", ["y"], not: ["x"]),
    Case("^[a-cx]+$", ["abcx"], not: ["d", ""]),
    Case("^[^a-c]$", ["d", "é", "\n"], not: ["a", "dd"]),
    Case("[]", [], not: ["", "a"]), Case("^[^]$", ["a", "\n", "😀"], not: [""]),
    Case("^[\\d\\-x]+$", ["1-x"], not: ["a"]), Case("^[a-]+$", ["a-"], not: ["b"]), Case("^[-a]+$", ["a-"], not: ["b"]),
    Case("^[\\b]$", ["\u{8}"], not: ["b"]), Case("^[\\]\\^\\\\/]+$", ["]^\\/"], not: ["["]),
    Case("^[а-я]+$", ["жук"], not: ["ЖУК", "a"]), Case("^[😀-😂]$", ["😁"], not: ["😃", "a"]),
    Case("^\\w+\\W$", ["a_9-", "aé"], not: ["é-"]), Case("^\\S\\s\\S$", ["a b", "a\u{FEFF}b"], not: ["ab"]),
    Case("\\bcat\\b", ["a cat.", "cat"], not: ["cats", "_cat"]), Case("\\Bat\\b", ["cat"], not: ["at"]),
    Case("^(a)(b)\\2\\1$", ["abba"], not: ["abab"]), Case("^(?<x>a|b)-\\k<x>$", ["a-a", "b-b"], not: ["a-b"]),
    Case("^\\1(a)$", ["a"], not: ["aa"]), Case("^(a\\1)$", ["a"], not: ["aa"]),
    // Every iteration resets the groups inside it.
    Case("^(?:(a)|b)*\\1$", ["ab", "aa"], not: ["c"]), Case("^(?:(a)|(b)\\1)+$", ["ab", "b"], not: ["aba1"]),
    Case("^(z)((a+)?(b+)?(c))*\\4$", ["zaacbbbcac"], not: ["zaacbbbcacb"]),
    Case("foo(?=bar)", ["foobar"], not: ["foo"]), Case("foo(?!bar)", ["foo", "foox"], not: ["foobar"]),
    Case("(?<=\\$)\\d+", ["$1"], not: ["1"]), Case("(?<!\\$)\\b\\d+", ["x 1"], not: ["$1"]),
    Case("(?<=^a+b)c", ["aabc"], not: ["xabc"]), Case("(?<=(\\d+)(\\d+))$", ["1053"], not: ["x"]),
    Case("(?<=\\1(.))x", ["aax"], not: ["abx"]), Case("(?<=([ab])\\1)c", ["bc"], not: ["c"]),
    Case("^(?=.*\\d)(?=.*[a-z]).{4,}$", ["abc1"], not: ["abcd", "a1"]),
    Case("^(?!.*--)[a-z-]+$", ["a-b"], not: ["a--b"]), Case("(?=(a))\\1b", ["ab"], not: ["b"]),
    Case("^(?:(?=(a)))?\\1b", ["b"], not: ["ab"]), Case("(?!(a)b)\\1c", ["c"], not: ["b"]),
    Case("^\\x41\\u0042\\u{43}\\cJ\\t\\0$", ["ABC\n\t\0"], not: ["ABC"]),
    Case("^\\uD83D\\uDE00$", ["😀"]), Case("\\uD83D", [], not: ["😀", "x"]), Case("^[\\uD83D\\uDE00]$", ["😀"]),
    Case("^\\p{Lu}\\p{Ll}+$", ["Жук", "Aé"], not: ["aé"]), Case("^\\P{L}$", ["1"], not: ["я"]),
    Case("^\\p{Script=Greek}+$", ["ελ"], not: ["a"]), Case("^\\p{sc=Cyrl}+$", ["ж"], not: ["a"]),
    Case("^[\\p{scx=Deva}x]+$", ["कx।"], not: ["a"]), Case("^[^\\p{L}\\P{ASCII}]+$", ["12"], not: ["a", "é"]),
    Case("^\\p{Emoji_Presentation}$", ["😀"], not: ["a"]), Case("^\\p{Any}$", ["a"]), Case("\\p{Cs}", [], not: ["a"]),
    Case("^\\p{Emoji}?$", ["", "😀"], not: ["ab"]),
    Case("^\\w+@\\w+\\.\\w+$", ["a@b.c"], not: ["a@b"]), Case("^.*?,", ["ab,c"], not: ["abc"]),
    Case("^(?:a|b|[cd])+?e$", ["abcde"], not: ["abcd"]), Case("a.*b.*c", ["xaybzc"], not: ["acb"]),
    Case("ж+$", ["aжж"], not: ["жa"]), Case("[^ж]*ж", ["aaж"], not: ["aa"]),
  ]

  @Test(arguments: cases) func matchesWhatItShould(_ example: Case) throws {
    let regex = try ECMARegex(example.pattern)
    for text in example.matches { #expect(regex.search(text) == .match, "\(example.pattern) on \(text)") }
    for text in example.others { #expect(regex.search(text) == .noMatch, "\(example.pattern) on \(text)") }
  }

  /// Invalid patterns, each with the position of the mistake.
  static let mistakes: [(String, Int)] = [
    ("(", 0), ("a(b", 1), ("a)", 1), ("*", 0), ("a**", 2), ("a+{2}", 2), ("^*", 0), ("\\b+", 0), ("(?=a)*", 0),
    ("(?<=a)?", 0), ("{", 0), ("a{", 1), ("a{1", 1), ("a{,2}", 1), ("a{2,1}", 1), ("}", 0), ("]", 0), ("[", 0),
    ("[a", 0), ("[b-a]", 1), ("[\\d-z]", 1), ("[a-\\w]", 1), ("[\\1]", 1), ("\\", 0), ("\\a", 0), ("\\-", 0),
    ("\\_", 0),
    ("\\1", 0), ("(a)\\2", 3), ("\\k", 0), ("\\k<x>", 0), ("\\k<", 3), ("(?<a>.)\\k<b>", 7), ("\\c", 0), ("\\c1", 0),
    ("\\x4", 0), ("\\u12", 0), ("\\u{}", 0), ("\\u{110000}", 0), ("\\01", 0), ("\\08", 0), ("\\p", 0), ("\\p{", 0),
    ("\\p{Foo}", 0), ("\\p{lu}", 0), ("\\p{Script}", 0), ("\\p{Script=Foo}", 0), ("\\p{InGreek}", 0), ("\\p{ L}", 0),
    ("(?<>a)", 3), ("(?<1>a)", 3), ("(?<a", 3), ("(?<a>.)(?<a>.)", 7), ("(?P<a>.)", 0), ("(?#a)", 0), ("(?i)a", 0),
    ("(?i:a)", 0), ("(?>a)", 0), ("(?", 0), ("a++", 2), ("é(", 1), ("😀*+", 2), ("\\A", 0), ("\\z", 0), ("\\Q", 0),
    ("[[:alpha:]]", 10),
  ]

  @Test(arguments: mistakes) func namesTheMistake(_ pattern: String, _ offset: Int) {
    do throws(RegexSyntaxError) {
      _ = try ECMARegex(pattern)
      Issue.record("\(pattern) was accepted")
    } catch {
      #expect(error.offset == offset, "\(pattern): \(error)")
    }
  }
}
