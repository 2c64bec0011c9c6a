import Foundation

/// The doc comment in a rule's source file: its documentation page and the examples that run as tests.
public struct RulePage: Sendable {
  /// One example of a rule's page.
  public struct Example: Sendable {
    /// The pointers at which findings are expected, in order; empty for good content.
    public let pointers: [String]
    /// A record or an array of records, as people write them.
    public let text: String
    /// The first line of the block, without the fence.
    public let heading: String
  }

  /// The name of the rule's type, such as `NoEmptySection`.
  public let name: String
  /// The doc comment as Markdown, without the slashes.
  public let text: String
  /// The examples on the page.
  public let examples: [Example]

  /// Reads every rule's page from the sources, by the name of the rule's type.
  public static func all() throws -> [String: RulePage] {
    var pages: [String: RulePage] = [:]
    for folder in ["Lint", "Publish"] {
      let root = Paths.root + "/Sources/Validation/" + folder
      for file in try FileManager.default.subpathsOfDirectory(atPath: root).sorted() where file.hasSuffix(".swift") {
        let source = try String(contentsOfFile: root + "/" + file, encoding: .utf8)
        if let page = RulePage(source: source) { pages[page.name] = page }
      }
    }
    return pages
  }

  init?(source: String) {
    let lines = source.components(separatedBy: "\n")
    guard
      let type = lines.firstIndex(where: { $0.firstMatch(of: /^(?:public )?(?:struct|final class) \w+: Rule/) != nil }),
      let match = lines[type].firstMatch(of: /^(?:public )?(?:struct|final class) (\w+)/)
    else { return nil }
    var first = type
    while first > 0, lines[first - 1].hasPrefix("///") { first -= 1 }
    let comment = lines[first..<type].map { line in
      line.hasPrefix("/// ") ? String(line.dropFirst(4)) : String(line.dropFirst(3))
    }
    name = String(match.output.1)
    text = comment.joined(separator: "\n")
    examples = Self.examples(in: comment)
  }

  private static func examples(in lines: [String]) -> [Example] {
    var examples: [Example] = []
    var heading: String?
    var block: [String] = []
    for line in lines {
      if let open = heading {
        if line == "```" {
          let words = open.split(separator: " ").map(String.init)
          examples.append(
            Example(
              pointers: words.contains("bad") ? words.filter { $0.hasPrefix("/") } : [],
              text: block.joined(separator: "\n"), heading: open))
          heading = nil
          block = []
        } else {
          block.append(line)
        }
      } else if line.hasPrefix("```json") {
        heading = String(line.dropFirst(3))
      }
    }
    return examples
  }
}
