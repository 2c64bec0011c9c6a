import FleetKit
import MarkdownSyntax
import YAMLText

/// Tests JSON: the parser, the repairer, and both forms of bundles.
struct JSONTarget: FuzzTarget {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  func run(_ input: [UInt8]) {
    parse(input)
    repair(input)
    _ = Reading(workspace.write("x.json", input), format: "json")
    let first = Reading(workspace.write("x.jsonl", input), format: "jsonl")
    guard first.isWhole, !first.lines.isEmpty else { return }
    // A canonical line must be its own canonical form.
    let header = Array(#"{"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}"#.utf8)
    let again = Reading(
      workspace.write("again.jsonl", Array(([header] + first.lines).joined(separator: [0x0A]))), format: "jsonl")
    if again.lines != first.lines { finding("canonical lines change when they are read again") }
  }

  private func parse(_ input: [UInt8]) {
    guard let document = try? JSONDocument(parsing: input) else { return }
    document.withRoot { root in visit(root, input.count) }
  }

  private func visit(_ node: JSONNode, _ length: Int) {
    if node.span.upperBound > length { finding("a value ends behind the text") }
    switch node.kind {
    case .string:
      if node.string == nil { finding("a string without text") }
    case .number:
      _ = node.double
      _ = node.integer
    case .object:
      node.forEachMember { (name: JSONNode, value: JSONNode) in
        visit(name, length)
        visit(value, length)
      }
    case .array: node.forEachElement { (value: JSONNode) in visit(value, length) }
    default: break
    }
  }

  private func repair(_ input: [UInt8]) {
    guard let result = JSONRepair.repair(input.span) else { return }
    do {
      _ = try JSONDocument(parsing: result.text)
    } catch {
      finding("repaired text is not JSON: \(error)")
    }
  }
}

/// Tests Markdown: the blocks, front matter and its YAML, and notes read as checklists, decks and guides.
struct MarkdownTarget: FuzzTarget {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  func run(_ input: [UInt8]) {
    input.withUnsafeBufferPointer { text in
      let front = FrontMatterBlock(text.span)
      if let front { _ = try? YAMLDocument(parsing: text.span.extracting(front.content)) }
      guard let tree = MarkdownTree(text.span, in: front?.body ?? 0..<text.count) else { return }
      for (index, block) in tree.blocks.enumerated() {
        if block.start > text.count || block.lines.upperBound > tree.lines.count { finding("a block outside the text") }
        for child in tree.children(of: index) where tree.blocks[child].parent != index { finding("a stray child") }
      }
    }
    // Reading in all modes takes three times as long; over time, changes of the input's length select each of them.
    let ways = ReadingOptions.Inference.allCases
    var options = ReadingOptions()
    options.infer = ways[input.count % ways.count]
    options.explains = true
    options.collectsIDs = true
    _ = Reading(workspace.write("Note.md", input), format: "markdown", options: options)
  }
}

/// Tests CSV: as tables, as a Todoist template, and as a pasted list.
struct CSVTarget: FuzzTarget {
  private let workspace: Workspace

  init() throws { workspace = try Workspace() }

  func run(_ input: [UInt8]) {
    let path = workspace.write("table.csv", input)
    _ = Reading(path, format: "csv")
    _ = Reading(path, format: "todoist")
    _ = Reading(path, format: "text")
  }
}
