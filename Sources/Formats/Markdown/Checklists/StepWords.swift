/// The words of a step's line in the language of its checklist.
struct StepWords {
  /// Whether the words are Russian.
  let isRussian: Bool

  /// The title on one line, and behind it what the step says besides.
  func line(_ step: StepDraft) -> [UInt8] { ShownText.line(step.title.bytes) + rest(step) }

  /// What stands behind the title.
  func rest(_ step: StepDraft) -> [UInt8] {
    var line: [UInt8] = []
    let index = isRussian ? 1 : 0
    if step.isRequired { line += StepNotation.dot + StepNotation.required[index] }
    if step.isOptional { line += StepNotation.dot + StepNotation.optional[index] }
    if let minutes = step.minutes?.bytes, StepNotation.isPlainNumber(minutes[...]) {
      line += StepNotation.dot + minutes + StepNotation.minutes[index]
    }
    let tags = step.tags.map { ShownText.line($0.bytes) }.filter { !$0.isEmpty }
    guard !tags.isEmpty else { return line }
    line += StepNotation.dot
    if tags.allSatisfy({ StepNotation.isTag($0[...]) }) {
      line += tags.map { [UInt8(ascii: "#")] + $0 }.joined(separator: [0x20])
    } else {
      line += StepNotation.tagList + [0x20] + tags.joined(separator: [UInt8(ascii: ","), 0x20])
    }
    return line
  }
}
