import Foundation
import TestTools

/// The Python package jsonschema-rs as a judge of validity.
enum PythonJudge {
  /// Whether the tests that need the judge run.
  static let isWanted = Judges.has(module: "jsonschema_rs")

  /// A schema and the documents to be validated with it.
  struct Case {
    let schema: String
    let documents: [String]
  }

  private static let script = """
    import json, sys, jsonschema_rs
    validator, resources, registry, out = None, [], None, []
    for line in open(sys.argv[1], encoding="utf-8"):
        kind, text = line[0], line[1:]
        if kind == "R": resources.append((json.loads(text)["$id"], json.loads(text)))
        elif kind == "S":
            if resources and not registry: registry = jsonschema_rs.Registry(resources)
            try: validator = jsonschema_rs.Draft202012Validator(json.loads(text), validate_formats=False, registry=registry)
            except Exception as error: validator = None
        elif validator is None: out.append("E")
        else: out.append("1" if validator.is_valid(json.loads(text)) else "0")
    print("".join(out))
    """

  /// Returns the judge's verdicts, document by document: `1` for valid, `0` for invalid, `E` for a refused schema.
  /// - Parameter resources: schemas with `$id` that other schemas may refer to.
  static func verdicts(_ cases: [Case], resources: [String] = []) throws -> [[Character]] {
    let scratch = Scratch()
    let shared = resources.map { "R" + $0.replacing("\n", with: " ") + "\n" }.joined()
    let lines = cases.map { one in
      (["S" + one.schema] + one.documents.map { "D" + $0 }).map { $0.replacing("\n", with: " ") }
        .joined(separator: "\n")
    }
    let input = try scratch.write("cases", shared + lines.joined(separator: "\n") + "\n")
    let answer = try Judges.run("python", ["-c", script, input])
    var verdicts = Array(answer.output.filter { "10E".contains($0) })[...]
    let documents = cases.reduce(0) { $0 + $1.documents.count }
    guard answer.status == 0, verdicts.count == documents else { throw Complaint(text: answer.errors) }
    return cases.map { one in
      defer { verdicts = verdicts.dropFirst(one.documents.count) }
      return Array(verdicts.prefix(one.documents.count))
    }
  }

  /// The judge's error output.
  struct Complaint: Error {
    let text: String
  }
}
