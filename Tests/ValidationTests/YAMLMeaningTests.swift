import JSONText
import TestSupport
import Testing
import YAMLText

/// The JSON values that YAML texts represent.
@Suite struct YAMLMeaningTests {
  private func json(_ yaml: String) throws -> String { try YAMLDocument(parsing: yaml).json.root.text }

  @Test(arguments: [
    ("yes", #""yes""#), ("no", #""no""#), ("on", #""on""#), ("off", #""off""#), ("y", #""y""#),
    ("true", "true"), ("True", "true"), ("FALSE", "false"), ("tRUE", #""tRUE""#),
    ("null", "null"), ("~", "null"), ("NULL", "null"), ("nul", #""nul""#), ("", "null"), ("# only a comment", "null"),
    ("2024-05-01", #""2024-05-01""#), ("2024-05-01T10:00:00Z", #""2024-05-01T10:00:00Z""#), ("12:30", #""12:30""#),
    ("12", "12"), ("-12", "-12"), ("+12", "12"), ("007", "7"), ("0", "0"), ("000", "0"), ("-0", "-0"),
    ("0o17", "15"), ("0x1F", "31"), ("0xfFfFfFfFfFfFfFfF", "18446744073709551615"), ("0o8", #""0o8""#),
    ("0x", #""0x""#), ("-0x1F", #""-0x1F""#), ("0b1", #""0b1""#), ("1_000", #""1_000""#),
    ("1.50", "1.50"), (".5", "0.5"), ("-.5", "-0.5"), ("5.", "5.0"), ("1e3", "1e3"), ("+1.E-03", "1.0E-03"),
    ("1e", #""1e""#), (".", #"".""#), ("-", "[null]"), ("-.", #""-.""#), ("1.2.3", #""1.2.3""#), ("1e999", "1e999"),
    ("123456789012345678901234567890", "123456789012345678901234567890"),
    (#""12""#, #""12""#), ("'true'", #""true""#), ("'it''s'", #""it's""#), (#""\x41\n\0\u00E9""#, "\"A\\n\\u0000é\""),
    ("!!str 12", #""12""#), ("! 12", #""12""#), ("a: ! [! x, ! {b: ! 1}]", #"{"a":["x",{"b":"1"}]}"#),
    ("!!int '12'", "12"), ("!!float 1", "1"), ("!!null ''", "null"),
    ("a: 1\nb:\n- x\n- ~\n-\n", #"{"a":1,"b":["x",null,null]}"#),
    ("{a: [1, 'two', {}], \"b\": }", #"{"a":[1,"two",{}],"b":null}"#),
    ("1: a\ntrue: b\n1.50: c\n", #"{"1":"a","true":"b","1.50":"c"}"#),
    ("text: |\n  one\n  two\nfolded: >-\n  one\n  two\n", #"{"text":"one\ntwo\n","folded":"one two"}"#),
    ("---\na: 1\n...\n", #"{"a":1}"#), ("%YAML 1.2\n---\na", #""a""#),
    ("a: &x [1, 2]\nb: *x\nc: &y text\nd: *y\n", #"{"a":[1,2],"b":[1,2],"c":"text","d":"text"}"#),
    ("a: &x\nb: *x\n", #"{"a":null,"b":null}"#), ("a: &x 1\nb: &x 2\nc: *x", #"{"a":1,"b":2,"c":2}"#),
    ("'<<': 1", #"{"<<":1}"#), ("!!map {a: !!seq [1]}", #"{"a":[1]}"#),
    ("\u{FEFF}a: é\r\nb: 'ж'\r\n", #"{"a":"é","b":"ж"}"#), ("a:\tb", #"{"a":"b"}"#),
  ])
  func meansWhatTheCoreSchemaSays(_ yaml: String, _ expected: String) throws {
    #expect(try json(yaml) == expected, "\(yaml)")
  }

  /// The place and a part of the message for every refused text.
  @Test(arguments: [
    ("a: .inf", "1:4", "JSON has no such number"), ("- .NaN", "1:3", "JSON has no such number"),
    ("a: 0x1FFFFFFFFFFFFFFFF", "1:4", "64 bits"),
    ("a: 1\nb: 2\n'a': 3\n", "3:1", "the member 'a' occurs twice"), ("{x: 1, x: 2}", "1:8", "'x' occurs twice"),
    ("a: {é: 1, é: 2}", "1:11", "'é' occurs twice"), ("1: a\n'1': b", "2:1", "'1' occurs twice"),
    ("a: &x {b: 1}\nc:\n  <<: *x\n", "3:3", "merge keys"),
    ("[1, 2]: a", "1:1", "must be text"), ("? {a: 1}\n: b", "1:3", "must be text"),
    ("&a x: 1\n*a : 2", "2:1", "an alias"),
    ("~: 1", "1:1", "is missing here"), (": 1", "1:1", "a member was expected"), ("? ~\n: 1", "1:3", "is missing here"),
    ("a: *b", "1:4", "no earlier value has the anchor '&b'"), ("a: &b [*b]", "1:8", "inside the value"),
    ("a: !!binary aGk=", "1:4", "the tag '!!binary'"), ("a: !own {b: 1}", "1:4", "the tag '!own'"),
    ("!!set {a}", "1:1", "the tag '!!set'"), ("a: !!int x", "1:4", "does not match its tag"),
    ("a: 1\n---\nb: 2\n", "2:1", "a second document"), ("a\n...\nb", "3:1", "already ended"),
    ("a: &é 1", "1:5", "a name must follow '&'"),
    ("a:\n\tb: 1", "2:1", "spaces"), ("a:\n  b: 1\n\tc: 2", "3:1", "tab"),
    ("a: b: c", "1:5", "quote text that contains ': '"), ("a: 'open\nb: 2\n", "1:4", "never closed"),
    ("a: [1, 2\nb: 3", "2:2", "']'"), ("a: @b", "1:4", "quote the value"), ("a: %b", "1:4", "quote the value"),
    ("a: 1\nb\nc: 2", "2:1", "':' is missing"), (#"a: "\q""#, "1:5", "backslash"),
    (" a: 1\nb: 2", "2:1", ""), ("a: - b", "1:4", "its own line"),
    ("a: x\u{1}y", "1:5", "control character"),
  ])
  func refusesWithItsPlace(_ yaml: String, _ place: String, _ words: String) throws {
    let error = try #require(throws: YAMLError.self) { try YAMLDocument(parsing: yaml) }
    #expect("\(error.line):\(error.column)" == place, "\(yaml.debugDescription): \(error)")
    #expect(error.message.contains(words) || words.isEmpty, "\(yaml.debugDescription): \(error)")
    #expect(!error.description.contains("\n"))
  }

  @Test func bytesThatAreNoTextAreRefused() throws {
    let bytes = Array("a: b\nc: \u{E9}".utf8 + [0xFF])
    let error = try #require(throws: YAMLError.self) { try YAMLDocument(parsing: bytes.span) }
    #expect(error == YAMLError("these bytes are not UTF-8", line: 2, column: 5))
  }

  @Test func theCallersFirstLineCounts() throws {
    let document = try YAMLDocument(parsing: "a: 1\nb: 2\n", firstLine: 10)
    #expect(document.position(of: JSONPointer([.member("b")]))?.line == 11)
    let error = try #require(throws: YAMLError.self) { try YAMLDocument(parsing: "a: 1\na: 2\n", firstLine: 10) }
    #expect(error.line == 11)
  }
}
