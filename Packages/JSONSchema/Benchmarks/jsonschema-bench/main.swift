import Foundation
import JSONSchema
import JSONText

// Parses and validates documents of growing size, and compares the time per byte with Foundation's parser in the same
// run. If the argument is the path to a Python that has `jsonschema_rs`, a validator written in Rust, that validator is
// measured too.
//
//     swift run -c release jsonschema-bench [PYTHON]

let schema = ##"""
  {"type": "object", "required": ["id", "title", "sections", "created_at"], "properties": {
    "id": {"$ref": "#/$defs/id"}, "title": {"type": "string", "minLength": 1},
    "kind": {"enum": ["checklist", "practice_guide", "flashcard_deck"]},
    "created_at": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T"},
    "sections": {"type": "array", "items": {"type": "object", "required": ["id", "title", "items"], "properties": {
      "id": {"$ref": "#/$defs/id"}, "title": {"type": "string", "minLength": 1},
      "items": {"type": "array", "items": {"$ref": "#/$defs/item"}}}}}},
   "$defs": {"id": {"type": "string", "minLength": 8},
    "item": {"type": "object", "required": ["id", "title"], "additionalProperties": false, "properties": {
      "id": {"$ref": "#/$defs/id"}, "title": {"type": "string", "minLength": 1}, "isRequired": {"type": "boolean"},
      "isOptional": {"type": "boolean"}, "estimatedMinutes": {"type": ["integer", "null"], "minimum": 0},
      "tags": {"type": "array", "items": {"type": "string"}}}}}}
  """##

/// Returns a checklist; `salt` changes the order of its members.
func checklist(sections: Int, salt: Int) -> String {
  let items = (0..<9).map { item in
    var members = [
      #""id": "item-0\#(item)-\#(salt)x""#, #""title": "Check the seacocks""#, #""isRequired": true"#,
      #""estimatedMinutes": 5"#, #""tags": ["rig", "Überprüfen"]"#,
    ]
    members.swapAt(item % members.count, (item + salt) % members.count)
    return "{" + members.joined(separator: ", ") + "}"
  }
  let section = #"{"title": "Below deck", "items": [\#(items.joined(separator: ", "))], "id": "section-1"}"#
  return #"""
    {"title": "Departure", "id": "3F2A-000\#(salt)", "kind": "checklist", "created_at": "2026-01-05T10:11:12Z",
     "sections": [\#(Array(repeating: section, count: sections).joined(separator: ","))]}
    """#
}

/// Returns the shortest of seven measurements of a piece of work, in nanoseconds.
func shortest(_ work: () throws -> Void) rethrows -> Double {
  var best = Double.infinity
  for _ in 0..<7 {
    let time = try ContinuousClock().measure(work)
    best = min(best, Double(time.components.seconds) * 1e9 + Double(time.components.attoseconds) / 1e9)
  }
  return best
}

/// Returns the nanoseconds that jsonschema-rs takes for `text`, including parsing with Python's `json`.
func peer(_ python: String, _ text: String, rounds: Int) throws -> Double? {
  let script = """
    import json, jsonschema_rs, sys, time
    schema, text, rounds = json.loads(sys.argv[1]), sys.stdin.read(), int(sys.argv[2])
    validator, best = jsonschema_rs.Draft202012Validator(schema), 1e18
    for _ in range(7):
        start = time.perf_counter_ns()
        for _ in range(rounds):
            assert validator.is_valid(json.loads(text))
        best = min(best, time.perf_counter_ns() - start)
    print(best / rounds)
    """
  let process = Process()
  process.executableURL = URL(fileURLWithPath: python)
  process.arguments = ["-c", script, schema, String(rounds)]
  let (input, output) = (Pipe(), Pipe())
  process.standardInput = input
  process.standardOutput = output
  try process.run()
  DispatchQueue.global().async {
    input.fileHandleForWriting.write(Data(text.utf8))
    try? input.fileHandleForWriting.close()
  }
  let answer = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  process.waitUntilExit()
  return Double(answer.trimmingCharacters(in: .whitespacesAndNewlines))
}

var set = SchemaSet()
let uri = try set.add(JSONDocument(parsing: schema))
var run = SchemaRun(try set.compile(uri))
print("microseconds per document    parse  validate  Foundation's parser  jsonschema-rs with json.loads")
for sections in [1, 10, 100, 1000] {
  let text = checklist(sections: sections, salt: 7)
  let bytes = Array(text.utf8)
  let rounds = max(1, 2000 / sections)
  let parse = try shortest { for _ in 0..<rounds { _ = try JSONDocument(parsing: bytes) } }
  let document = try JSONDocument(parsing: bytes)
  let validate = document.withRoot { node in
    shortest {
      for _ in 0..<rounds { precondition(run.isValid(node)) }
    }
  }
  let data = Data(bytes)
  let foundation = try shortest { for _ in 0..<rounds { _ = try JSONSerialization.jsonObject(with: data) } }
  let other = CommandLine.arguments.count > 1 ? try peer(CommandLine.arguments[1], text, rounds: rounds) : nil
  func shown(_ nanoseconds: Double) -> String { String(format: "%9.1f", nanoseconds / 1000) }
  print(
    String(format: "%10d bytes      ", bytes.count), shown(parse / Double(rounds)), shown(validate / Double(rounds)),
    "          ", shown(foundation / Double(rounds)), "          ", other.map(shown) ?? "        –")
}
