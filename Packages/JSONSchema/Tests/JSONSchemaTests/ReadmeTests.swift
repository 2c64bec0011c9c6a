import Foundation
import JSONSchema
import JSONText
import Testing

/// The example of the package's README.
@Suite struct ReadmeTests {
  @Test func example() throws {
    var schemas = SchemaSet()
    let uri = try schemas.add(JSONDocument(parsing: #"{"properties": {"minutes": {"type": "integer", "minimum": 0}}}"#))
    let schema = try schemas.compile(uri)

    let document = try JSONDocument(parsing: #"{"title": "Engine", "minutes": "two"}"#)
    var run = SchemaRun(schema)
    let violations = document.withRoot { run.violations($0) }
    var output = ""
    func print(_ line: String) { output += line }
    for violation in violations {
      let position = document.position(ofByte: violation.span.lowerBound)
      print("\(position.line):\(position.column) \(violation.pointer): \(violation.message)")
    }

    let root = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let page = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    #expect(page.contains("This prints `\(output)`."))
    // The code of the page is this test's code.
    let source = try String(contentsOfFile: #filePath, encoding: .utf8).split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }
    let code = try #require(
      page.components(separatedBy: "```swift\n").dropFirst().first?.components(separatedBy: "```")[0])
    for line in code.split(separator: "\n") where !line.hasPrefix("import") {
      #expect(source.contains(line.trimmingCharacters(in: .whitespaces)), "\(line)")
    }
  }
}
