import Foundation
import JSONSchema
import JSONText
import Testing

/// A schema with helpers for validating texts.
struct Checked {
  let schema: Schema

  init(_ text: String, options: SchemaOptions = SchemaOptions()) throws {
    var set = SchemaSet()
    let uri = try set.add(JSONDocument(parsing: text), at: "https://example.org/s.json")
    schema = try set.compile(uri, options: options)
  }

  /// Whether a text is valid. Checks that both validation functions agree.
  func isValid(_ text: String) throws -> Bool {
    var run = SchemaRun(schema)
    return try JSONDocument(parsing: text).withRoot { node in
      let valid = run.isValid(node)
      #expect(run.violations(node).isEmpty == valid, "\(text)")
      return valid
    }
  }

  /// Returns the violations of a text.
  func violations(_ text: String, limit: Int = 1000) throws -> [SchemaViolation] {
    var run = SchemaRun(schema)
    return try JSONDocument(parsing: text).withRoot { run.violations($0, limit: limit) }
  }

  /// Returns the only violation of a text.
  func violation(_ text: String) throws -> SchemaViolation {
    let all = try violations(text)
    #expect(all.count == 1, "\(all)")
    return try #require(all.first)
  }

  /// Returns the error with which a schema is refused.
  static func error(_ text: String, options: SchemaOptions = SchemaOptions()) throws -> SchemaError {
    try #require(throws: SchemaError.self) { _ = try Checked(text, options: options) }
  }
}

extension SchemaViolation {
  /// Returns the bytes in the violation's span.
  func text(in document: String) -> String { String(decoding: Array(document.utf8)[span], as: UTF8.self) }
}
