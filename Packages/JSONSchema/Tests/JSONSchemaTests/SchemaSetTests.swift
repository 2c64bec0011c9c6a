import Foundation
import JSONSchema
import JSONText
import TestTools
import Testing

/// Schemas are found by their URIs, and unusable schemas are refused with the place of the mistake.
@Suite struct SchemaSetTests {
  @Test func documentsReferToEachOther() throws {
    var set = SchemaSet()
    let main = try set.add(
      JSONDocument(
        parsing: #"{"$id": "https://example.org/a/main.json", "properties": {"x": {"$ref": "../b/part.json#word"}}}"#))
    let part = try set.add(
      JSONDocument(parsing: #"{"$defs": {"w": {"$anchor": "word", "type": "string"}}}"#),
      at: "https://example.org/b/part.json")
    #expect(main == "https://example.org/a/main.json" && part == "https://example.org/b/part.json")
    var run = SchemaRun(try set.compile(main))
    #expect(try JSONDocument(parsing: #"{"x": 1}"#).withRoot { run.isValid($0) } == false)
    for uri in [part + "#word", part + "#/$defs/w", part + "#/%24defs/w"] {
      var run = SchemaRun(try set.compile(uri))
      #expect(try JSONDocument(parsing: "1").withRoot { run.isValid($0) } == false, "\(uri)")
    }
  }

  @Test(arguments: [
    ("http://a/b/c/d;p?q", "g", "http://a/b/c/g"), ("http://a/b/c/d;p?q", "./g/", "http://a/b/c/g/"),
    ("http://a/b/c/d;p?q", "../../../g", "http://a/g"), ("http://a/b/c/d;p?q", "//g", "http://g"),
    ("http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"), ("http://a/b/c/d;p?q", "g;x=1/../y", "http://a/b/c/y"),
    ("urn:example:root", "urn:example:part", "urn:example:part"), ("HTTP://Example.ORG/a", "b", "http://example.org/b"),
    ("file:///c:/x/y.json", "z.json", "file:///c:/x/z.json"), ("http://a", "g", "http://a/g"),
  ])
  func referencesResolveAsRFC3986Says(_ base: String, _ reference: String, _ uri: String) throws {
    var set = SchemaSet()
    let main = try set.add(JSONDocument(parsing: #"{"$id": "\#(base)", "$ref": "\#(reference)"}"#))
    _ = try set.add(JSONDocument(parsing: #"{"type": "null"}"#), at: uri)
    var run = SchemaRun(try set.compile(main))
    #expect(try JSONDocument(parsing: "1").withRoot { run.isValid($0) } == false)
  }

  @Test func remotesAreAskedOnce() throws {
    let folder = Scratch()
    _ = try folder.write("part.json", #"{"type": "integer"}"#)
    var set = SchemaSet()
    set.remotes = SchemaFolder(folder.path).remotes
    let uri = try set.add(
      JSONDocument(
        parsing:
          #"{"items": {"$ref": "https://example.org/part.json"}, "contains": {"$ref": "https://example.org/part.json"}}"#
      ))
    var run = SchemaRun(try set.compile(uri))
    #expect(try JSONDocument(parsing: "[1]").withRoot { run.isValid($0) })
  }

  @Test func aFolderNeverAnswersFromOutside() throws {
    let folder = Scratch()
    _ = try folder.write("secret.json", "{}")
    try FileManager.default.createDirectory(atPath: folder["in"], withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: folder["in/link.json"], withDestinationPath: folder["secret.json"])
    _ = try folder.write("in/own.json", "{}")
    _ = try folder.write("in/broken.json", "{")
    let inside = SchemaFolder(folder["in"])
    #expect(try inside.document(at: "http://x/own.json") != nil)
    for uri in [
      "http://x/../secret.json", "http://x/%2e%2e/secret.json", "http://x/link.json", "file:///own.json", "own.json",
      "http://x/", "http://x/missing.json", "http://x/own.json%00",
    ] {
      #expect(try inside.document(at: uri) == nil, "\(uri)")
    }
    let error = #expect(throws: SchemaError.self) { try inside.document(at: "http://x/broken.json") }
    #expect(error?.place == SchemaError.Place(uri: "http://x/broken.json", offset: 1))
  }

  @Test func otherDraftsAreRefusedByName() throws {
    for (uri, name) in [
      ("http://json-schema.org/draft-03/schema#", "draft-03"), ("http://json-schema.org/draft-04/schema#", "draft-04"),
      ("http://json-schema.org/draft-06/schema", "draft-06"), ("http://json-schema.org/draft-07/schema#", "draft-07"),
      ("https://json-schema.org/draft/2019-09/schema", "draft 2019-09"),
    ] {
      let error = try Checked.error(#"{"$schema": "\#(uri)"}"#)
      #expect(error.message.contains(name) && error.advice?.contains("2020-12") == true, "\(error)")
      #expect(error.place.pointer.description == "/$schema" && error.place.offset == 12)
    }
    #expect(try Checked.error(#"{"$schema": "https://example.org/mine"}"#).message.contains("is unknown"))
    #expect(
      try Checked.error(#"{"$schema": "http://json-schema.org/draft/2020-12/schema"}"#).advice?.contains("https")
        == true)
  }

  @Test func metaschemasDecideWhichKeywordsCount() throws {
    func set(_ vocabularies: String) throws -> SchemaSet {
      var set = SchemaSet()
      _ = try set.add(
        JSONDocument(
          parsing: #"""
            {"$id": "https://example.org/meta", "$schema": "https://json-schema.org/draft/2020-12/schema",
             "$vocabulary": {\#(vocabularies)}, "type": ["object", "boolean"], "properties": {"title": {"type": "string"}}}
            """#))
      return set
    }
    let core = #""https://json-schema.org/draft/2020-12/vocab/core": true"#
    let validation = #""https://json-schema.org/draft/2020-12/vocab/validation": true"#
    for (vocabularies, valid) in [(core, true), (core + "," + validation, false)] {
      var set = try set(vocabularies)
      let uri = try set.add(JSONDocument(parsing: #"{"$schema": "https://example.org/meta", "type": "null"}"#))
      var run = SchemaRun(try set.compile(uri))
      #expect(try JSONDocument(parsing: "1").withRoot { run.isValid($0) } == valid)
    }
    var broken = try set(core)
    let wrong = try broken.add(JSONDocument(parsing: #"{"$schema": "https://example.org/meta", "title": 1}"#))
    let error = #expect(throws: SchemaError.self) { try broken.compile(wrong) }
    #expect(error?.place.pointer.description == "/title")
    var unknown = try set(core + #", "https://example.org/unknown": true"#)
    let uri = try unknown.add(JSONDocument(parsing: #"{"$schema": "https://example.org/meta"}"#))
    let refused = #expect(throws: SchemaError.self) { try unknown.compile(uri) }
    #expect(refused?.message.contains("https://example.org/unknown") == true)
    #expect(refused?.place.uri == "https://example.org/meta")
  }

  @Test func wrongSchemasAreRefusedWithTheirPlace() throws {
    let cases: [(schema: String, pointer: String, words: String)] = [
      (#"{"type": "strin"}"#, "/type", "type"), (#"{"minLength": -1}"#, "/minLength", "0"),
      (#"{"properties": {"a": {"pattern": "("}}}"#, "/properties/a/pattern", "regular expression"),
      (#"{"patternProperties": {"[": true}}"#, "/patternProperties/[", "regular expression"),
      (#"{"items": [true]}"#, "/items", ""), (##"{"$ref": "#/$defs/missing"}"##, "/$ref", "is not in"),
      (#"{"$ref": "https://example.org/nowhere"}"#, "/$ref", "is unknown"), (#"{"allOf": []}"#, "/allOf", "empty"),
      (#"{"a": {"b": 1, "b": 2}}"#, "/a/b", "two members"), ("12", "", ""),
      (#"{"properties": {"a": 1}}"#, "/properties/a", ""),
      (#"{"$defs": {"a": {"$id": "x"}, "b": {"$id": "x"}}}"#, "/$defs/b", "two schemas"),
      (#"{"$defs": {"a": {"$anchor": "x"}, "b": {"$anchor": "x"}}}"#, "/$defs/b", "anchor"),
      (#"{"$id": "a#b"}"#, "/$id", "fragment"), (#"{"multipleOf": 0}"#, "/multipleOf", "0"),
      (#"{"required": [1]}"#, "/required/0", "string"), (#"{"required": "a"}"#, "/required", "array"),
    ]
    for one in cases {
      let error = try Checked.error(one.schema)
      #expect(error.place.pointer.description == one.pointer, "\(one.schema): \(error)")
      #expect(one.words.isEmpty || error.message.contains(one.words), "\(one.schema): \(error)")
      #expect(error.place.uri.hasPrefix("https://example.org/"), "\(error)")
    }
  }

  @Test func wrongSchemasAreRefusedWithoutTheMetaschemaToo() throws {
    for text in [
      #"{"type": "strin"}"#, #"{"type": 1}"#, #"{"minLength": -1}"#, #"{"minLength": 1.5}"#, #"{"items": [true]}"#,
      "12",
      #"{"properties": 1}"#, #"{"allOf": {}}"#, #"{"required": [1]}"#, #"{"enum": 1}"#, #"{"maximum": "1"}"#,
      #"{"multipleOf": -1}"#, #"{"uniqueItems": 1}"#, #"{"$ref": 1}"#, #"{"pattern": 1}"#,
      #"{"dependentRequired": {"a": 1}}"#,
      #"{"patternProperties": 1}"#, #"{"prefixItems": 1}"#, #"{"$dynamicRef": 1}"#, #"{"properties": {"a": 1}}"#,
    ] {
      _ = try Checked.error(text, options: SchemaOptions(checksSchema: false))
    }
  }

  @Test func schemasAreSharedByThreads() async throws {
    let schema = try Checked(SampleSchemas.tree.schema).schema
    let texts = SampleSchemas.tree.valid + [#"{"titel": 1}"#]
    try await withThrowingTaskGroup(of: [Bool].self) { group in
      for _ in 0..<4 {
        group.addTask {
          var run = SchemaRun(schema)
          var verdicts: [Bool] = []
          for _ in 0..<50 {
            verdicts = try texts.map { try JSONDocument(parsing: $0).withRoot { run.isValid($0) } }
          }
          return verdicts
        }
      }
      for try await verdicts in group { #expect(verdicts == [true, true, false]) }
    }
  }
}
